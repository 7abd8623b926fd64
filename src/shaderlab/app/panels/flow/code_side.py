"""Beside the graph: the function's SPIR-V, and what a GPU's compiler made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.isa_text import IsaLine
from shaderlab.app.widgets.isa_view import IsaView
from shaderlab.app.widgets.theme import Theme


class CodeSide(QWidget):
    """The blocks of what is chosen are tinted in both; a click on a block chooses it."""

    label_chosen = Signal(int)
    """The SPIR-V block with this label was clicked."""
    machine_block_chosen = Signal(int)
    family_chosen = Signal(str)
    """By its slug."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.spirv, self.machine = IsaView(theme), IsaView(theme)
        self.spirv.setAccessibleName("SPIR-V of the function")
        self.machine.setAccessibleName("Machine code")
        self.spirv_caption, self.machine_caption = ElidedLabel(), ElidedLabel()
        self.family = QtWidgets.QComboBox()
        self.family.setToolTip("GPU family whose code is shown")
        self.family.textActivated.connect(self.family_chosen)
        self.spirv.block_chosen.connect(self._on_spirv)
        self.machine.block_chosen.connect(self._on_machine)
        both = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        both.setHandleWidth(1)
        both.setChildrenCollapsible(False)
        for caption, view, choice in (
            (self.spirv_caption, self.spirv, None),
            (self.machine_caption, self.machine, self.family),
        ):
            caption.setProperty("role", "dim")
            part = QWidget()
            column = QtWidgets.QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            row = QtWidgets.QHBoxLayout()
            row.setContentsMargins(8, 3, 6, 3)
            row.addWidget(caption, 1)
            if choice is not None:
                row.addWidget(choice)
            column.addLayout(row)
            column.addWidget(view, 1)
            both.addWidget(part)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(both)

    def show_families(self, slugs: Sequence[str], chosen: str) -> None:
        """Those with code; `chosen` is the one shown."""
        if [self.family.itemText(n) for n in range(self.family.count())] != [*slugs]:
            self.family.clear()
            self.family.addItems(slugs)
        self.family.setCurrentText(chosen)
        self.family.setVisible(bool(slugs))

    def show_spirv(self, lines: Sequence[IsaLine], caption: str) -> None:
        self.spirv.show_lines(lines)
        self.spirv_caption.setText(caption)

    def show_machine(self, lines: Sequence[IsaLine], caption: str) -> None:
        self.machine.show_lines(lines)
        self.machine_caption.setText(caption)

    def link(self, labels: Iterable[int], machine_blocks: Iterable[int]) -> None:
        """Tint these blocks, and bring the first of each into view."""
        self.spirv.link(labels)
        self.machine.link(machine_blocks)

    def set_theme(self, theme: Theme) -> None:
        self.spirv.set_theme(theme)
        self.machine.set_theme(theme)

    def _on_spirv(self, label: int) -> None:
        if label:
            self.spirv.link({label}, reveal=False)  # what was clicked stays where it is
            self.label_chosen.emit(label)

    def _on_machine(self, number: int) -> None:
        self.machine.link({number}, reveal=False)
        self.machine_block_chosen.emit(number)
