"""How a compute shader is launched: groups, local size, and what follows from them."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.app.qt import QtWidgets, QWidget, Signal
from shaderlab.app.widgets.number_boxes import whole_number_box
from shaderlab.scene.launch import MOST_GROUPS, Launch, LaunchChoice, Sides
from shaderlab.spirv.workgroup import Workgroup

_AXES = ("x", "y", "z")
_MOST_LOCAL = 1024


class LaunchStrip(QWidget):
    """Spin boxes for three sides of each; sides that the text fixes cannot be changed."""

    chosen = Signal(object)
    """The `LaunchChoice` after the user changed something."""

    def __init__(self) -> None:
        super().__init__()
        self._choice = LaunchChoice()
        self._launch = Launch((1, 1, 1), (1, 1, 1))
        self.groups = self._boxes("Workgroups along", MOST_GROUPS)
        self.local = self._boxes("Invocations of a workgroup along", _MOST_LOCAL)
        for box in self.groups:
            box.valueChanged.connect(lambda _: self._on_groups())
        for box in self.local:
            box.valueChanged.connect(lambda _: self._on_local())
        self.reset = QtWidgets.QPushButton("Default")
        self.reset.setToolTip("Use the default number of groups for this shader")
        self.reset.clicked.connect(lambda: self.chosen.emit(LaunchChoice()))
        self._text = QtWidgets.QLabel()
        self._text.setProperty("role", "dim")
        self._text.setWordWrap(True)
        grid = QtWidgets.QGridLayout(self)
        grid.setContentsMargins(10, 6, 10, 4)
        grid.setVerticalSpacing(4)
        for row, (title, boxes) in enumerate((("Groups", self.groups), ("Local size", self.local))):
            grid.addWidget(QtWidgets.QLabel(title), row, 0)
            for column, box in enumerate(boxes):
                grid.addWidget(box, row, column + 1)
        grid.addWidget(self.reset, 0, 4)
        grid.addWidget(self._text, 2, 0, 1, 6)
        grid.setColumnStretch(5, 1)

    def _boxes(self, what: str, most: int) -> tuple[QtWidgets.QSpinBox, ...]:
        found = []
        for axis in _AXES:
            box = whole_number_box()
            box.setRange(1, most)
            box.setKeyboardTracking(False)
            box.setAccessibleName(f"{what} {axis}")
            box.setToolTip(f"{what} {axis}")
            found.append(box)
        return tuple(found)

    def show_launch(self, launch: Launch, choice: LaunchChoice, own: Workgroup) -> None:
        """The launch as it is, what of it was chosen, and what the shader declares."""
        self._choice, self._launch = choice, launch
        pairs = ((self.groups, launch.groups), (self.local, launch.local))
        for boxes, sides in pairs:
            for box, side in zip(boxes, sides, strict=True):
                if box.value() != side:
                    blocked = box.blockSignals(True)
                    box.setValue(side)
                    box.blockSignals(blocked)
        for box, constant in zip(self.local, own.constants, strict=True):
            box.setEnabled(constant is not None)
        if not any(each is not None for each in own.constants):
            hint = "The shader's text fixes the local size; local_size_x_id would leave it open."
            for box in self.local:
                box.setToolTip(hint)
        self.reset.setEnabled(bool(choice))
        held = "arrays in buffers hold valid indices or random numbers."
        invocations = f"{launch.invocations:,} invocations; {held}"
        self._text.setText(f"{invocations} {launch.why}".strip())

    @property
    def text(self) -> str:
        return self._text.text()

    def _on_groups(self) -> None:
        self._choose(replace(self._choice, groups=_sides(self.groups)))

    def _on_local(self) -> None:
        self._choose(replace(self._choice, local=_sides(self.local)))

    def _choose(self, choice: LaunchChoice) -> None:
        self._choice = choice  # what comes next changes this one, shown already or not
        self.chosen.emit(choice)


def _sides(boxes: tuple[QtWidgets.QSpinBox, ...]) -> Sides:
    x, y, z = (box.value() for box in boxes)
    return x, y, z
