"""What the widgets of a test with `shown` show at its end is compared with `golden/`.

The golden file says where each part is, what is written on it and how it is painted; then which
signals come when rows, choices and what it paints itself are used.  After a deliberate change, of
words too, run the test with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache

import pytest
from PySide6.QtGui import QRegion
from pytestqt.qtbot import QtBot

from shaderlab.app.qt import QApplication, QImage, QPoint, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import theme

_MOST_ROWS = 12
_PASSING = {"autoFillBackground", "focus", "height", "isActiveWindow", "toolTip", "visible"}
_PASSING |= {"width", "windowIconText", "x", "y"}
"""Properties that are said already, that depend on what has the mouse, or that say much again."""


_WIDGETS = pytest.StashKey[list[QWidget]]()


@pytest.fixture
def shown(
    request: pytest.FixtureRequest, qapp: QApplication, qtbot: QtBot
) -> Iterator[Callable[[QWidget, int, int], None]]:
    """Shows a widget in that width and height, in the colours and the style of the window."""
    widgets = request.node.stash[_WIDGETS] = []
    former = qapp.styleSheet(), qapp.palette()
    qapp.setStyle("Fusion")
    theme.apply(theme.DARK)

    def show(widget: QWidget, width: int, height: int) -> None:
        widgets.append(widget)
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()

    yield show
    qapp.setStyleSheet(former[0])
    qapp.setPalette(former[1])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Iterator[None]:
    yield
    widgets = item.stash.get(_WIDGETS, [])
    if widgets and sys.platform == "linux":
        lines = [line for widget in widgets for line in _outline(widget, 1)]
        lines += [line for widget in widgets for line in _told(widget, item.funcargs["qtbot"])]
        _compare(item, "".join(line + "\n" for line in lines))
    widgets.clear()


def _compare(item: pytest.Function, shown: str) -> None:
    path = item.path.parent / "golden" / f"{item.path.stem}.txt"
    kept = {}
    if path.exists():
        for section in path.read_text("utf-8").split("\n\n"):
            name, _, text = section.partition("\n")
            kept[name] = text.rstrip("\n") + "\n"
    name = item.name
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        kept[name] = shown
        path.parent.mkdir(exist_ok=True)
        text = "\n".join(f"{name}\n{text}" for name, text in sorted(kept.items()))
        path.write_text(text, "utf-8")
    assert shown == kept.get(name), "run it with SHADERLAB_WRITE_GOLDEN=1 if this is meant"


def _outline(widget: QWidget, depth: int) -> Iterator[str]:
    """The parts in sight, each with place, size, state, text and a digest of what it paints."""
    if depth == 1:
        QApplication.sendPostedEvents()
    place = widget.geometry()
    said = [type(widget).__name__, f"{place.width()}x{place.height()}"]
    if depth > 1:
        said.append(f"at {place.x()},{place.y()}")
    said += (*_margins(widget), *_state(widget))
    yield "  " * depth + " ".join(said)
    if isinstance(widget, QtWidgets.QAbstractItemView):
        yield from ("  " * (depth + 1) + each for each in _rows(widget))
        return
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isWindow() and not child.isHidden():
            yield from _outline(child, depth + 1)


def _margins(widget: QWidget) -> Iterator[str]:
    """Its own and those of its layouts, with the space between their parts."""
    outer = widget.layout()
    layouts = [outer, *outer.findChildren(QtWidgets.QLayout)] if outer is not None else []
    layouts = [each for each in layouts if not isinstance(each, QtWidgets.QStackedLayout)]
    for each, name in ((widget, "margins"), *((layout, "layout") for layout in layouts)):
        sides = each.contentsMargins()
        numbers = [sides.left(), sides.top(), sides.right(), sides.bottom()]
        numbers += [each.spacing()] if each is not widget else []
        if any(numbers):
            yield f"{name}={','.join(map(str, numbers))}"


def _told(widget: QWidget, qtbot: QtBot) -> Iterator[str]:
    """What it signals, by what was done to its parts."""
    if not widget.isVisible():
        return
    told: list[str] = []
    for part in (widget, *_parts(widget)):
        for kind in filter(_is_ours, type(part).__mro__):
            for name in (name for name, each in vars(kind).items() if isinstance(each, Signal)):
                getattr(part, name).connect(
                    lambda *said, name=name: told.append(f"{name}({', '.join(map(_said, said))})")
                )
    with qtbot.waitActive(widget):
        widget.activateWindow()
    for part in _parts(widget):
        before: list[str] = []
        for place, use in _uses(part, qtbot):
            told.clear()
            use()
            if told and told != before:
                before = [*told]
                yield f"  {type(widget).__name__} {type(part).__name__} {place}: {', '.join(told)}"


def _parts(widget: QWidget) -> list[QWidget]:
    return [each for each in widget.findChildren(QWidget) if each.isVisibleTo(widget)]


def _uses(part: QWidget, qtbot: QtBot) -> Iterator[tuple[str, Callable[[], None]]]:
    left = Qt.MouseButton.LeftButton
    if isinstance(part, QtWidgets.QTableView | QtWidgets.QTreeView):
        for row in range(min(part.model().rowCount(), _MOST_ROWS)):
            at = part.visualRect(part.model().index(row, 1)).center()
            yield f"row {row}", lambda at=at: qtbot.mouseClick(part.viewport(), left, pos=at)
    elif isinstance(part, QtWidgets.QComboBox | QtWidgets.QAbstractSpinBox):
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            yield key.name, lambda key=key: qtbot.keyClick(part, key)
    elif isinstance(part, QtWidgets.QAbstractButton) and part.isCheckable():
        yield part.text(), part.click
    elif isinstance(part, QtWidgets.QPlainTextEdit) or any(
        "mousePressEvent" in vars(each) for each in filter(_is_ours, type(part).__mro__)
    ):
        target = part.viewport() if isinstance(part, QtWidgets.QAbstractScrollArea) else part
        for across in (1, 3, 5):
            for down in (1, 3):
                at = QPoint(target.width() * across // 6, target.height() * down // 4)
                yield f"{across}/6 {down}/4", lambda at=at: qtbot.mouseClick(target, left, pos=at)


def _said(said: object) -> str:
    if isinstance(said, float):
        return f"{said:.6g}"
    plain = isinstance(said, bool | int | str | tuple | Enum)
    return repr(said) if plain else type(said).__name__


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("shaderlab")


def _state(widget: QWidget) -> Iterator[str]:
    """The properties that are not what Qt makes them, the menu, and what it paints."""
    qt = next(each for each in type(widget).__mro__ if each.__module__.startswith("PySide6"))
    usual = _usual(qt)
    for name, value in _properties(widget):
        if usual.get(name) != value:
            yield f"{name}={value!r}"
    for name in (bytes(each).decode() for each in widget.dynamicPropertyNames()):
        if not name.startswith("_"):
            yield f"{name}={widget.property(name)!r}"
    if isinstance(widget, QtWidgets.QLabel) and not widget.pixmap().isNull():
        yield f"picture={_digest(widget.pixmap().toImage())}"
    menu = widget.menu() if isinstance(widget, QtWidgets.QToolButton) else None
    if menu is not None:
        menu.aboutToShow.emit()
    for action in menu.actions() if menu else ():
        marks = "x" * action.isChecked() + "-" * (not action.isEnabled())
        yield f"[{marks}{action.text()}]"
    if isinstance(widget, QtWidgets.QGraphicsView):
        yield f"painted={_painted(widget.viewport())}"
    elif _paints_itself(widget):
        yield f"painted={_painted(widget)}"


@cache
def _usual(kind: type[QWidget]) -> dict[str, object]:
    try:
        return dict(_properties(kind()))
    except (TypeError, NotImplementedError):  # a part of another, or abstract
        return {}


def _properties(widget: QWidget) -> Iterator[tuple[str, object]]:
    about = widget.metaObject()
    for number in range(about.propertyCount()):
        name = about.property(number).name()
        value = widget.property(name)
        if isinstance(value, bool | int | float | str | Enum) and name not in _PASSING:
            yield name, value.name if isinstance(value, Enum) else value


def _paints_itself(widget: QWidget) -> bool:
    return any("paintEvent" in vars(each) for each in filter(_is_ours, type(widget).__mro__))


def _painted(widget: QWidget) -> str:
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
    return _digest(image)


def _digest(image: QImage) -> str:
    return hashlib.sha256(bytes(image.constBits())).hexdigest()[:8]


def _rows(view: QtWidgets.QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if model is None:
        return
    in_columns = isinstance(view, QtWidgets.QTableView | QtWidgets.QTreeView)
    columns = range(model.columnCount() if in_columns else 1)
    if in_columns:
        yield "columns " + " ".join(
            "hidden" if view.isColumnHidden(n) else str(view.columnWidth(n)) for n in columns
        )
        header = view.horizontalHeader() if hasattr(view, "horizontalHeader") else view.header()
        yield " ".join(("header", *_state(header)))
    for number in range(min(model.rowCount(), _MOST_ROWS)):
        cells = (model.index(number, column) for column in columns)
        chosen = view.selectionModel().isRowSelected(number, view.rootIndex())
        said = [(str(cell.data()), cell.data(Qt.ItemDataRole.ToolTipRole)) for cell in cells]
        row = ("> " if chosen else "- ") + " | ".join(text for text, _ in said)
        tips = [repr(tip)[1:-1] if tip and tip != text else "" for text, tip in said]
        yield row + (f" tips {' | '.join(tips)}" if any(tips) else "")
    places = [bar.value() for bar in (view.verticalScrollBar(), view.horizontalScrollBar())]
    yield f"scrolled={places} painted={_painted(view.viewport())}"
