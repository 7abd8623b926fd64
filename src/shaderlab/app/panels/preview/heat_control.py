"""The heat map's switch: what is wanted of the device, and what came of it to the preview."""

from __future__ import annotations

from shaderlab.app.panels.preview.heat_overlay import TITLES, HeatLayer
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.shell import commands
from shaderlab.spirv.heat import HeatKind, HeatView

_COMMANDS = dict(
    zip(
        commands.HEAT_COMMANDS[1:],
        (HeatKind.INSTRUCTIONS, HeatKind.LANES, HeatKind.BLOCKS),
        strict=True,
    )
)


class HeatControl(QObject):
    """Asks for heat maps while they are shown, and only then.

    Each lies over the picture of its own draw: same size, same time.
    """

    def __init__(self, window):
        super().__init__(window)
        self._window = window
        self._session = window.session
        self._legend, self._picture = window.preview.heat_legend, window.preview.picture
        self.shown = False
        self.wanted: HeatView | None = None
        """What the device was asked for; None for nothing."""
        # Choices change several times at once while a table is filled anew.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)
        window.blocks_panel.choice_changed.connect(self._on_choice)
        self._session.frame_arrived.connect(self._on_frame)
        self._session.state_changed.connect(self._on_state)
        self._picture.pointed.connect(self._on_pointed)
        self._legend.opacity_changed.connect(self._on_opacity)
        self._legend.set_opacity(window.settings.heat_opacity)
        self._mark_kind()

    @property
    def kind(self) -> HeatKind:
        return self._window.settings.heat_kind

    def show(self, shown: bool) -> None:
        """Switch heat maps on or off."""
        self.shown = shown
        self._window.actions_["view.heat"].setChecked(shown)
        self._legend.setVisible(shown)
        self._ask()
        self._on_frame()

    def choose(self, kind: HeatKind) -> None:
        """Show this kind; switches heat maps on."""
        self._window.settings.heat_kind = kind
        self._mark_kind()
        self.show(True)

    def _ask(self) -> None:
        view = None
        if self.shown:
            blocks = self.kind is HeatKind.BLOCKS
            labels = frozenset(self._window.blocks_panel.chosen_labels if blocks else ())
            view = HeatView(self.kind, labels) if labels or not blocks else None
        self.wanted = view
        self._session.on_device.show_heat(view)
        self._on_state()

    def _on_choice(self) -> None:
        if self.shown and self.kind is HeatKind.BLOCKS:
            self._soon.start()

    def _on_frame(self) -> None:
        if not self.shown:
            self._picture.set_heat(False)
            return
        frame = self._session.on_device.frame
        heat = frame.heat if frame is not None else None
        layer = HeatLayer(heat) if heat is not None else None
        self._picture.set_heat(True, layer)
        self._on_state()
        self._on_pointed()

    def _on_state(self) -> None:
        """Keep the legend in line with what is there, or why nothing is."""
        if not self.shown:
            return
        self._legend.show_kind(self.title)
        layer = self._picture.heat
        if layer is not None and layer.view == self.wanted:
            self._legend.show_layer(layer)
        else:
            self._legend.say(self._why_none())

    @property
    def title(self) -> str:
        """What is shown, in words."""
        labels = self.wanted.labels if self.wanted is not None else ()
        if self.kind is not HeatKind.BLOCKS or not labels:
            return TITLES[self.kind]
        one = len(labels) == 1
        return f"Executions of {f'%{next(iter(labels))}' if one else f'{len(labels)} blocks'}"

    def _why_none(self) -> str:
        device = self._session.on_device
        error = device.heat_error or device.trace_error or device.render_error
        if error is not None:
            return str(error)
        if self.wanted is None:
            return "Choose a block under Basic blocks, or go to its line"
        return "Counting\u2026" if self._session.program is not None else "No picture yet"

    def _on_pointed(self) -> None:
        self._legend.point_at(self._picture.heat_value)

    def _on_opacity(self, percent: int) -> None:
        self._window.settings.heat_opacity = percent
        self._picture.set_heat_opacity(percent / 100)

    def _mark_kind(self) -> None:
        for command_id, kind in _COMMANDS.items():
            self._window.actions_[command_id].setChecked(kind is self.kind)
