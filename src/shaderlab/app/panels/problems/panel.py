"""What is wrong with the text: one line that is always visible, and the list behind it."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.qt import QModelIndex, QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.theme import Theme
from shaderlab.frontend.program import Diagnostic, Severity

_ICONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def place_text(diagnostic: Diagnostic) -> str:
    """`line 12`, `noise.glsl line 3`, or nothing for the whole file."""
    line = f"line {diagnostic.line}" if diagnostic.line else ""
    return " ".join(part for part in (diagnostic.file, line) if part)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty for none."""
    parts = []
    for severity in Severity:
        number = sum(d.severity is severity for d in diagnostics)
        if number:
            parts.append(f"{number} {severity.value}{'s' * (number > 1)}")
    return ", ".join(parts)


class Problems(QWidget):
    """A strip with the state of the text; its list opens on demand."""

    chosen = Signal(object)
    """The Diagnostic to jump to."""
    opened = Signal(bool)

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._good_text = ""
        self._working = False
        self._icon = QtWidgets.QLabel()
        self._text = _Elided()
        self._text.clicked.connect(self._jump_to_first)
        self._count = QtWidgets.QLabel()
        self._count.setProperty("role", "dim")
        self._more = QtWidgets.QToolButton()
        self._more.setIconSize(QSize(14, 14))
        self._more.setToolTip("Show or hide the list of problems (Ctrl+Shift+M)")
        self._more.clicked.connect(lambda: self.open(not self.is_open))
        strip = QWidget()
        strip.setProperty("role", "strip")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QtWidgets.QHBoxLayout(strip)
        row.setContentsMargins(10, 3, 6, 3)
        row.setSpacing(7)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._count)
        row.addWidget(self._more)
        self.list = QtWidgets.QListWidget()
        self.list.setIconSize(QSize(16, 16))
        self.list.setWordWrap(True)
        self.list.setAccessibleName("Problems")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.activated.connect(self._jump)
        self.list.clicked.connect(self._jump)
        self.list.setFixedHeight(strip.fontMetrics().height() * 6)
        self.list.hide()
        vertical(self, strip, self.list)
        self.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Preferred, QtWidgets.QSizePolicy.Policy.Fixed
        )
        self.set_theme(theme)

    @property
    def text(self) -> str:
        """The strip's, however much of it fits."""
        return self._text.whole

    @property
    def is_open(self) -> bool:
        return self.list.isVisibleTo(self)

    def open(self, shown: bool) -> None:
        self.list.setVisible(shown)
        self._paint()
        self.opened.emit(shown)

    def show_state(
        self, diagnostics: Sequence[Diagnostic], good_text: str, working: bool = False
    ) -> None:
        """`good_text` is shown while there is no problem; `working` while that is not known yet."""
        self._good_text, self._working = good_text, working
        if tuple(diagnostics) != self._diagnostics:
            self._diagnostics = tuple(diagnostics)
            # Rows of Qt's own: none is an object of Python's that either may take for gone.
            self.list.model().removeRows(0, self.list.count())
            for diagnostic in self._diagnostics:
                place = place_text(diagnostic)
                message = diagnostic.message[:1].upper() + diagnostic.message[1:]
                self.list.addItem(f"{place}: {message}" if place else message)
        self._paint()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._paint()

    def _paint(self) -> None:
        theme, found = self._theme, self._diagnostics
        colours = {Severity.ERROR: theme.error, Severity.WARNING: theme.warning}
        rows = self.list.model()
        for i, diagnostic in enumerate(found):
            colour = colours.get(diagnostic.severity, theme.dim)
            icon = icons.icon(_ICONS[diagnostic.severity], theme, colour)
            rows.setData(rows.index(i, 0), icon, Qt.ItemDataRole.DecorationRole)
        if found and self.is_open:  # the first of them is the list's first row
            name, colour = _ICONS[found[0].severity], colours.get(found[0].severity, theme.dim)
            self._text.set_text(summary(found))
            self._count.setText("")
        elif found:
            name, colour = _ICONS[found[0].severity], colours.get(found[0].severity, theme.dim)
            place = place_text(found[0])
            self._text.set_text(f"{place}: {found[0].message}" if place else found[0].message)
            self._count.setText(summary(found) if len(found) > 1 else "")
        else:
            name, colour = ("note", theme.dim) if self._working else ("good", theme.good)
            self._text.set_text(self._good_text)
            self._count.setText("")
        self._icon.setPixmap(icons.pixmap(name, colour, 16, self.devicePixelRatioF()))
        self._text.setCursor(
            Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor
        )
        self._more.setIcon(icons.icon("down" if self.is_open else "up", theme))
        self._more.setEnabled(bool(found) or self.is_open)

    def _jump_to_first(self) -> None:
        if self._diagnostics:
            self.chosen.emit(self._diagnostics[0])

    def _jump(self, at: QModelIndex) -> None:
        self.chosen.emit(self._diagnostics[at.row()])


class _Elided(QtWidgets.QLabel):
    """One line that ends in … where there is no room, the whole of it in the tool tip."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.whole = ""
        self.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Preferred
        )

    def set_text(self, text: str) -> None:
        self.whole = text
        self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self.whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(self.whole if shown != self.whole else "")

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._elide()

    def mouseReleaseEvent(self, _event) -> None:
        self.clicked.emit()
