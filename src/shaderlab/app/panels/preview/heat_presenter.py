"""Heat maps: what is requested from the device, and showing the result over the preview."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from shaderlab.app.panels.preview.heat_overlay import HeatLayer, title_of
from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.qt import QAction, QObject
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.scene.launch import is_compute
from shaderlab.spirv.heat import HeatKind, HeatView


class HeatPresenter(QObject):
    """Asks for heat maps while they are shown, and only then.

    Each is drawn over the picture of its own draw: same size, same time.
    """

    def __init__(
        self,
        session: Session,
        panel: Preview,
        settings: Settings,
        switch: QAction,
        kinds: Mapping[HeatKind, QAction],
        chosen_blocks: Callable[[], Iterable[int]],
    ):
        """`switch` and `kinds` show what is on; `chosen_blocks`: labels of the blocks to count."""
        super().__init__(panel)
        self._session, self._settings = session, settings
        self._switch, self._kinds, self._chosen_blocks = switch, kinds, chosen_blocks
        self._legend, self._picture = panel.heat_legend, panel.picture
        self.shown = False
        self.wanted: HeatView | None = None
        """What was requested from the device; None for nothing."""
        # The selection changes several times while a table is refilled.
        self._choices = Throttle(0, self)
        self._choices.passed.connect(self._ask)
        session.frame_arrived.connect(self._on_frame)
        session.state_changed.connect(self._on_state)
        self._picture.pointed.connect(self._on_pointed)
        self._legend.opacity_changed.connect(self._on_opacity)
        self._legend.set_opacity(settings.heat_opacity)
        self._mark_kind()

    @property
    def kind(self) -> HeatKind:
        return self._settings.heat_kind

    def show(self, shown: bool) -> None:
        """Switch heat maps on or off."""
        self.shown = shown
        self._switch.setChecked(shown)
        self._legend.setVisible(shown)
        self._ask()
        self._on_frame()

    def choose(self, kind: HeatKind) -> None:
        """Show this kind; switches heat maps on."""
        self._settings.heat_kind = kind
        self._mark_kind()
        self.show(True)

    @property
    def shows_blocks(self) -> bool:
        """Whether the map is of the chosen blocks."""
        return self.shown and self.kind is HeatKind.BLOCKS

    def _ask(self) -> None:
        view = None
        if self.shown:
            blocks = self.kind is HeatKind.BLOCKS
            labels = frozenset(self._chosen_blocks() if blocks else ())
            view = HeatView(self.kind, labels) if labels or not blocks else None
        self.wanted = view
        self._session.on_device.pictures.show_heat(view)
        self._on_state()

    def on_blocks_chosen(self) -> None:
        """`chosen_blocks` may answer others than before."""
        if self.shows_blocks:
            self._choices.soon()

    def _on_frame(self) -> None:
        if not self.shown:
            self._picture.set_heat(False)
            return
        frame = self._session.on_device.pictures.frame
        heat = frame.heat if frame is not None else None
        layer = None
        if frame is not None and heat is not None:
            is_launched = frame.draw.is_compute
            layer = HeatLayer(heat, frame.draw.program.y_up, is_launched=is_launched)
        self._picture.set_heat(True, layer)
        self._on_state()
        self._on_pointed()

    def _on_state(self) -> None:
        """Make the legend show what is there, or why there is nothing."""
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
            return title_of(self.kind, is_launched=is_compute(self._session.program))
        one = len(labels) == 1
        return f"Executions of {f'%{next(iter(labels))}' if one else f'{len(labels)} blocks'}"

    def _why_none(self) -> str:
        device = self._session.on_device
        error = device.pictures.heat_error or device.counts.error or device.pictures.error
        if error is not None:
            return str(error)
        if self.kind is HeatKind.BLOCKS and device.pictures.heat_is_of_others:
            edited = self._session.drawing.passes.edited
            return f"Blocks are those of {edited}: show the picture of the pass being edited"
        if self.wanted is None:
            return "Select a block in Basic blocks, or put the caret on its line"
        return "Counting\u2026" if self._session.program is not None else "No picture yet"

    def _on_pointed(self) -> None:
        self._legend.point_at(self._picture.heat_value)

    def _on_opacity(self, percent: int) -> None:
        self._settings.heat_opacity = percent
        self._picture.set_heat_opacity(percent / 100)

    def _mark_kind(self) -> None:
        for kind, action in self._kinds.items():
            action.setChecked(kind is self.kind)
