"""One row of the pane: name and type, editor, where the value comes from, and the way back."""

from __future__ import annotations

from shaderlab.app.panels.inputs.editors import ValueEditor, editor_of
from shaderlab.app.panels.inputs.rows import Editor, Row
from shaderlab.app.panels.inputs.texture_editor import SamplerEditor, TextureEditor
from shaderlab.app.qt import QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme


class RowView(QWidget):
    """Columns in a wide pane; in a narrow one the editor stands below the name."""

    edited = Signal(str, object)
    """Name and new value."""
    reset = Signal(str)

    def __init__(self, row: Row, theme: Theme):
        super().__init__()
        self.row = row
        self._wide: bool | None = None
        self._arranged: tuple[bool, int, int] | None = None
        self._name = ElidedLabel()
        self._name.setText(row.name)
        self._name.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        if row.editor is Editor.NOTHING:
            self._name.setProperty("role", "dim")
        self._type = QtWidgets.QLabel(row.type)
        self._type.setProperty("role", "dim")
        special = {Editor.TEXTURE: TextureEditor, Editor.SAMPLER: SamplerEditor}
        self.editor: ValueEditor = special.get(row.editor, editor_of)(row)
        self.editor.edited.connect(lambda value: self.edited.emit(self.row.name, value))
        self.source = ElidedLabel()
        self.back = QtWidgets.QToolButton()
        self.back.setIconSize(QSize(14, 14))
        self.back.setToolTip("Back to the default")
        self.back.setAccessibleName(f"Reset {row.name} to its default")
        self.back.clicked.connect(lambda: self.reset.emit(self.row.name))
        keeps = self.back.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.back.setSizePolicy(keeps)
        self._head = QtWidgets.QHBoxLayout()
        self._head.setSpacing(7)
        self._head.addWidget(self._name)
        self._head.addWidget(self._type)
        self._head.addStretch(1)
        self._grid = QtWidgets.QGridLayout(self)
        self._grid.setContentsMargins(11, 3, 6, 3)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._name_width = self._name.sizeHint().width() + self._type.sizeHint().width() + 14
        self.set_theme(theme)
        self.show_row(row)

    def show_row(self, row: Row) -> None:
        """Show another state of the same input."""
        self.row = row
        self.editor.show_row(row)
        self._name.setToolTip(row.tip)
        self.source.setText(row.source)
        if row.decides:
            guess = f" ({row.meaning})" if row.meaning else ""
            self.source.setToolTip(f"{row.decides}{guess}. Set it to count what you ship.")
        role = "warning" if row.decides else "dim"
        if self.source.property("role") != role:
            self.source.setProperty("role", role)
            self.source.style().unpolish(self.source)
            self.source.style().polish(self.source)
        shows_itself = row.editor in (Editor.NOTHING, Editor.FOLLOWING)
        self.source.setVisible(not shows_itself or row.editor is Editor.FOLLOWING)
        self.back.setVisible(row.is_set)

    def name_width(self) -> int:
        """What name and type need beside each other."""
        return self._name_width

    def arrange(self, wide: bool, name_width: int, source_width: int) -> None:
        """Columns of these widths, or the editor on a line of its own."""
        if self._arranged == (wide, name_width, source_width):
            return
        self._arranged = wide, name_width, source_width
        if wide != self._wide:
            self._wide = wide
            while self._grid.count():
                self._grid.takeAt(0)
            middle = Qt.AlignmentFlag.AlignVCenter
            if wide:
                self._grid.addLayout(self._head, 0, 0, middle)
                self._grid.addWidget(self.editor, 0, 1, middle)
                self._grid.addWidget(self.source, 0, 2, middle)
                self._grid.addWidget(self.back, 0, 3, middle)
            else:
                self._grid.addLayout(self._head, 0, 0, middle)
                self._grid.addWidget(self.source, 0, 1, middle)
                self._grid.addWidget(self.back, 0, 2, middle)
                self._grid.addWidget(self.editor, 1, 0, 1, 3)
            self._grid.setColumnStretch(0, 0 if wide else 1)
            self._grid.setColumnStretch(1, 1 if wide else 0)
        self._grid.setColumnMinimumWidth(0, name_width if wide else 0)
        most = name_width if wide else 16777215
        self._name.setMaximumWidth(max(20, most - self._type.sizeHint().width() - 7))
        if wide:
            self.source.setFixedWidth(source_width)
        else:
            self.source.setMinimumWidth(0)
            self.source.setMaximumWidth(source_width)

    def set_theme(self, theme: Theme) -> None:
        self.back.setIcon(icons.icon("undo", theme))
        self.editor.set_theme(theme)
