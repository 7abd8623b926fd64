"""The inputs of the program: every one of them, to be seen and set."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab import units
from shaderlab.app.panels.inputs.launch_strip import LaunchStrip
from shaderlab.app.panels.inputs.row_view import RowView
from shaderlab.app.panels.inputs.rows import Row
from shaderlab.app.panels.inputs.texture_editor import TextureEditor
from shaderlab.app.qt import QImage, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme
from shaderlab.scene.textures import Texture

MOST_SHOWN = 200
"""Rows with widgets; a filter finds the others."""
_FILTER_FROM = 8
"""So many rows are worth a filter."""
_WIDE_FROM = 62
"""Width of the pane, in average characters, from which on a row is one line."""


class InputsPanel(QWidget):
    """Rows are kept from one program to the next where their input is still there."""

    edited = Signal(str, object)
    """Name of an input and its new value."""
    reset = Signal(str)
    file_wanted = Signal(str, object)
    """Name of a texture, and the `Texture` whose image file is to be chosen."""
    file_dropped = Signal(str, object, object)
    """Name of a texture, the `Texture`, and the path of what was dropped on it."""
    thumbnail_wanted = Signal(str, object)
    """Name of a texture, and the `Texture` a small picture is wanted of."""
    shown = Signal()
    """The panel came to the front."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._own: tuple[Row, ...] = ()
        self._provided: tuple[Row, ...] = ()
        self._views: dict[str, RowView] = {}
        """By name, in the order on screen."""
        self.empty = EmptyState(theme)
        self.filter = QtWidgets.QLineEdit()
        self.filter.setPlaceholderText("Filter by name or type")
        self.filter.setAccessibleName("Filter the inputs by name or type")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(lambda _: self._lay_out())
        self.launch = LaunchStrip()
        self.launch.hide()
        self._count = QtWidgets.QLabel()
        self._count.setProperty("role", "dim")
        self._bar = QWidget()
        row = QtWidgets.QHBoxLayout(self._bar)
        row.setContentsMargins(10, 6, 10, 4)
        row.addWidget(self.filter, 1)
        row.addWidget(self._count)
        self._caption = QtWidgets.QLabel("Provided by the preview")
        self._caption.setProperty("role", "dim")
        self._caption.setContentsMargins(11, 8, 11, 2)
        self._rest = QtWidgets.QLabel()
        self._rest.setProperty("role", "dim")
        self._rest.setWordWrap(True)
        self._rest.setContentsMargins(11, 6, 11, 6)
        self._content = QWidget()
        self._content.setProperty("role", "content")
        self._content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QtWidgets.QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 4, 0, 6)
        self._column.setSpacing(0)
        self._column.addWidget(self._caption)
        self._column.addWidget(self._rest)
        self._column.addStretch(1)
        self._scroll = QtWidgets.QScrollArea()
        self._scroll.setWidget(self._content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        page.setProperty("role", "content")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        vertical(page, self.launch, self._bar, self._scroll, largest=self._scroll)
        self._page = page
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)

    # -- what to show -----------------------------------------------------------------------

    def show_rows(self, own: Sequence[Row], provided: Sequence[Row]) -> None:
        """Inputs that can be set, and below them those that the preview gives."""
        own, provided = tuple(own), tuple(provided)
        same = [r.key for r in (*self._own, *self._provided)] == [r.key for r in (*own, *provided)]
        moved = len(own) != len(self._own)
        self._own, self._provided = own, provided
        self._stack.setCurrentWidget(self._page)
        if not same or moved:
            self._lay_out()
            return
        for row in (*own, *provided):
            view = self._views.get(row.name)
            if view is not None and view.row != row:
                view.show_row(row)
        self._say_count()

    def show_empty(self) -> None:
        """Show what `empty` says in place of rows."""
        self._own = self._provided = ()
        self._stack.setCurrentWidget(self.empty)

    def show_thumbnail(self, name: str, texture: Texture, image: QImage | None) -> None:
        """The small picture of a texture; None where there is none."""
        editor = self._editor(name)
        if isinstance(editor, TextureEditor):
            editor.show_thumbnail(texture, image)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All there are, filtered out or not."""
        return (*self._own, *self._provided)

    @property
    def views(self) -> dict[str, RowView]:
        """Those on screen, by name, in their order."""
        return self._views

    @property
    def rest(self) -> str:
        """What is said of the rows that are not on screen."""
        return self._rest.text() if not self._rest.isHidden() else ""

    def _editor(self, name: str) -> QWidget | None:
        view = self._views.get(name)
        return view.editor if view is not None else None

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        for view in self._views.values():
            view.set_theme(theme)

    # -- laying out -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Bring the rows that the filter lets through on screen, with the widgets they have."""
        many = len(self._own) + len(self._provided) > _FILTER_FROM
        self._bar.setVisible(many)
        sought = self.filter.text().strip().lower() if many else ""
        own = [row for row in self._own if _matches(row, sought)]
        provided = [row for row in self._provided if _matches(row, sought)]
        found = (own + provided)[:MOST_SHOWN]
        former, self._views = self._views, {}
        for row in found:
            view = former.pop(row.name, None)
            if view is not None and view.row.key != row.key:
                former[row.name] = view
                view = None
            if view is None:
                view = self._made(row)
            elif view.row != row:
                view.show_row(row)
            self._views[row.name] = view
        for view in former.values():
            view.hide()
            view.deleteLater()
        self._place(len(own))
        self._caption.setVisible(bool(provided) and len(own) < MOST_SHOWN)
        self._say_rest(len(own) + len(provided), sought)
        self._say_count()
        self._arrange()

    def _place(self, own: int) -> None:
        """Put the views into the column in their order; a view that stays there is not moved."""
        wanted: list[QWidget] = list(self._views.values())
        wanted.insert(min(own, len(wanted)), self._caption)
        wanted.append(self._rest)
        for at, widget in enumerate(wanted):
            item = self._column.itemAt(at)
            if item is None or item.widget() is not widget:
                self._column.insertWidget(at, widget)
        for view in self._views.values():
            if view.isHidden():
                view.show()

    def _made(self, row: Row) -> RowView:
        view = RowView(row, self._theme)
        view.edited.connect(self.edited)
        view.reset.connect(self.reset)
        editor, name = view.editor, row.name
        if isinstance(editor, TextureEditor):
            editor.file_wanted.connect(lambda: self.file_wanted.emit(name, editor.texture))
            editor.file_dropped.connect(
                lambda path: self.file_dropped.emit(name, editor.texture, path)
            )
            editor.thumbnail_wanted.connect(
                lambda texture: self.thumbnail_wanted.emit(name, texture)
            )
            self.thumbnail_wanted.emit(name, editor.texture)
        return view

    def _say_rest(self, found: int, sought: str) -> None:
        more = found - len(self._views)
        text = ""
        if more > 0:
            text = f"{units.grouped(more)} more: filter by name or type to see them"
        elif sought and not found:
            text = f"No input has \u201c{sought}\u201d in its name or type"
        self._rest.setText(text)
        self._rest.setVisible(bool(text))

    def _say_count(self) -> None:
        changed = sum(row.is_set for row in self._own)
        total = len(self._own) + len(self._provided)
        set_text = f", {changed} set" if changed else ""
        self._count.setText(f"{units.grouped(total)} inputs{set_text}")

    def _arrange(self) -> None:
        """Column widths, from what the names need and the space available."""
        metrics = self.fontMetrics()
        character = metrics.averageCharWidth()
        wide = self.width() >= _WIDE_FROM * character
        views = list(self._views.values())
        needed = max((view.name_width() for view in views), default=0)
        name_width = min(needed, self.width() * 2 // 5)
        source_width = self.width() // 3
        if wide:
            sources = (view.source.sizeHint().width() for view in views)
            source_width = min(max(sources, default=0), source_width)
        for view in views:
            view.arrange(wide, name_width, source_width)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.shown.emit()


def _matches(row: Row, sought: str) -> bool:
    return sought in row.name.lower() or sought == row.type.lower()
