"""The picture the device draws, in the preview: or why there is none."""

from __future__ import annotations

from shaderlab.app.panels.preview.panel import Preview, pixels_for
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.frame_budget import capped
from shaderlab.app.session.session import Session
from shaderlab.app.settings import PIXELS_RANGE, Settings, within
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.errors import DeviceStuck, Quarantined, ShaderlabError
from shaderlab.gpu.outputs import Outputs
from shaderlab.spirv.module import printable

_MOST_BUFFERS = 6
_LATE_S = 0.4
"""A request of the device that takes longer, and longer than usual, is shown as under way."""


class PreviewPresenter(QObject):
    """Connects the session to the preview, and the preview's mouse and size to the session."""

    device_wanted = Signal()
    """The user asks to look for devices again."""

    def __init__(self, session: Session, panel: Preview, settings: Settings, refresh: Throttle):
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._refresh_soon = refresh.soon
        self._no_device: ShaderlabError | None = None
        self._watch = QTimer(self)
        self._watch.setInterval(100)
        self._watch.timeout.connect(self._mark)
        self._watch.start()
        session.frame_arrived.connect(self._on_frame)
        session.device_changed.connect(self.fit)
        panel.size_chosen.connect(self._choose_size)
        panel.pane_resized.connect(self.fit)
        mouse = session.on_device.pictures.mouse
        panel.picture.pressed.connect(mouse.press)
        panel.picture.dragged.connect(mouse.drag)
        panel.picture.released.connect(mouse.release)
        keyboard = session.on_device.pictures.keyboard
        panel.picture.key_pressed.connect(keyboard.press)
        panel.picture.key_released.connect(keyboard.release)
        panel.picture.keys_left.connect(keyboard.release_all)
        session.inputs_changed.connect(self._follow_inputs)
        session.program_changed.connect(self._follow_inputs)
        panel.timeline.sought.connect(session.on_device.pictures.seek)
        panel.timeline.loop_chosen.connect(self._loop)
        refresh.passed.connect(WhenSeen(panel)(self._refresh))

    def _loop(self, loop: tuple[float, float] | None) -> None:
        self._session.on_device.pictures.set_loop(loop)
        self._panel.timeline.show_loop(loop)

    def _follow_inputs(self) -> None:
        takes = self._session.drawing.reads_keyboard
        if takes != self._panel.picture.takes_keys:
            self._panel.picture.takes_keys = takes

    def set_no_device(self, error: ShaderlabError | None) -> None:
        """Why no device was found; None while that is not known to be so."""
        self._no_device = error

    def fit(self) -> None:
        """Ask for pictures of the chosen resolution, which may follow the pane's size."""
        choice = self._settings.preview_size
        size = pixels_for(choice, self._panel.pane_pixels(), self._software)
        size = capped(size, round(within(self._settings.most_pixels, PIXELS_RANGE)))
        self._panel.show_size(choice, size)
        self._session.on_device.pictures.set_size(size)

    @property
    def _software(self) -> bool:
        info = self._session.device
        return info is not None and info.kind == "software"

    def _choose_size(self, choice: str) -> None:
        self._settings.preview_size = choice
        self.fit()

    def _on_frame(self) -> None:
        frame, panel = self._session.on_device.pictures.frame, self._panel
        if frame is None:
            panel.show_empty()
            self._refresh_soon()
        elif frame.outputs is not None and not frame.outputs.image and frame.heat is None:
            self._say_outputs(frame.outputs)
        else:
            first = not panel.has_picture
            panel.show_picture(frame.pixels, frame.draw.program.y_up)
            if first:
                self._refresh_soon()
        self._show_rates()

    def _show_rates(self) -> None:
        device, panel = self._session.on_device, self._panel
        frame = device.pictures.frame
        panel.show_time(frame.draw.inputs.uniforms.time_s if frame else 0.0)
        rate = device.pictures.rate.value if device.pictures.playback.playing else None
        panel.show_rates(rate, frame.gpu_s if frame else None, self._software)

    def _mark(self) -> None:
        device = self._session.on_device
        mark, late_s = "", max(_LATE_S, 2.5 * device.pictures.frame_s)
        if device.stuck:
            mark = device.stuck
        elif device.pictures.error is not None:
            mark = f"Paused: {device.pictures.error}"
        elif device.task in ("render", "heat") and device.busy_s > late_s:
            mark = "Rendering…"
        elif device.task == "trace" and device.busy_s > _LATE_S:
            mark = "Counting…"
        elif device.task == "profile":
            mark = "Profiling…"
        elif not self._session.compiling.compiles:
            mark = "Last version that compiled"
        elif device.pictures.budget.divisor > 1 and device.pictures.frame is not None:
            width, height = device.pictures.frame.draw.size
            mark = f"Drawn at {width} \u00d7 {height}: full resolution is too slow"
        self._panel.picture.set_mark(mark)

    def _refresh(self) -> None:
        self._show_rates()
        if self._session.on_device.pictures.frame is None:
            self._say_why_none()

    def _say_outputs(self, outputs: Outputs) -> None:
        """What a compute shader without a picture left in its buffers."""
        lines = [printable(each.text) for each in outputs.buffers[:_MOST_BUFFERS]]
        more = len(outputs.buffers) - len(lines)
        lines += [f"{more} more"] if more > 0 else []
        self._panel.empty.say("blocks", outputs.sentence, "\n".join(lines))
        self._panel.show_empty()

    def _say_why_none(self) -> None:
        session, empty = self._session, self._panel.empty
        error = session.on_device.pictures.error
        if reasons.never_compiled(session):
            title = "This shader does not compile yet"
            empty.say("error", title, reasons.FIX_FIRST, role="error")
        elif isinstance(error, DeviceStuck):
            empty.say("warning", str(error), error.remedy, role="warning")
        elif error is not None:
            hint = error.remedy or "Change the shader, or try again."
            retry = session.on_device.toggle_play
            button = "Run it anyway" if isinstance(error, Quarantined) else "Try again"
            empty.say("warning", str(error), hint, button, retry, "warning")
        elif session.device is not None:
            empty.say("play", "Rendering the first picture…")
        elif self._no_device is not None:
            hint = f"{self._no_device}. The shader is still compiled and checked."
            look = self.device_wanted.emit
            empty.say("device", "No Vulkan device", hint, "Look again", look, "warning")
        else:
            empty.say("device", "Looking for a Vulkan device…")
