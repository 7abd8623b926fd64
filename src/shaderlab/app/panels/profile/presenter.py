"""Measured times of the shader on this device, in their panel."""

from __future__ import annotations

from shaderlab.app.panels.profile.figures import estimate_s
from shaderlab.app.panels.profile.panel import ProfilePanel
from shaderlab.app.qt import QAction, QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.scene.draw import CANONICAL_SIZE, SEVERAL_SIZES


class ProfilePresenter(QObject):
    """Connects the session to the panel of measurements."""

    started = Signal()
    """The user asked for a measurement."""

    def __init__(
        self,
        session: Session,
        panel: ProfilePanel,
        settings: Settings,
        command: QAction,
        refresh: Throttle,
    ):
        """`command` starts a measurement: the panel names its shortcut while it is empty."""
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._command = command
        session.device_changed.connect(self._on_device)
        seen = WhenSeen(panel)
        session.measurement_changed.connect(seen(self._show))
        session.frame_arrived.connect(seen(self._show_estimate))
        panel.plan_changed.connect(self._on_plan)
        refresh.passed.connect(seen(self._refresh))

    def measure(self) -> None:
        """Time the current program at the canonical size."""
        self.started.emit()
        self._session.on_device.profiles.ask(*self._panel.plan)

    def measure_sizes(self) -> None:
        """Time it at several sizes."""
        self.started.emit()
        self._session.on_device.profiles.ask(*self._panel.plan, SEVERAL_SIZES)

    def _on_device(self) -> None:
        if self._session.device is not None:
            self._panel.show_device(self._session.device)

    def _on_plan(self, trials: int, draws: int) -> None:
        self._settings.trials, self._settings.draws = trials, draws
        self._show_estimate()

    def _show(self) -> None:
        device, panel, info = self._session.on_device, self._panel, self._session.device
        if device.profiles.measurement is None:
            panel.show_empty()
        else:
            software = info is not None and info.kind == "software"
            panel.show_measurement(device.profiles.measurement, software, device.profiles.asked)
            panel.show_sizes(device.profiles.by_size)
            panel.show_passes(device.profiles.frame, self._note())

    def _note(self) -> str:
        """What the figures are of, and why the other passes have none."""
        profiles, edited = self._session.on_device.profiles, self._session.drawing.passes.edited
        if not edited:
            return ""
        missing = f", as {profiles.error}" if profiles.error is not None else ""
        return f"{edited} alone{missing}"

    def _show_estimate(self) -> None:
        frame = self._session.on_device.pictures.frame
        if frame is not None:
            # A frame's passes may have sizes of their own: its time does not follow the preview's.
            seconds = estimate_s(frame.gpu_s, frame.draw.size, *self._panel.plan)
            self._panel.show_estimate(None if frame.shown else seconds)

    def _show_age(self) -> None:
        session, profiles = self._session, self._session.on_device.profiles
        self._panel.set_stale(
            profiles.measurement is not None
            and not (session.compiling.follows and profiles.variant == session.on_device.variant)
        )

    def _refresh(self) -> None:
        device = self._session.on_device
        self._panel.set_running(device.profiles.running)
        self._show_age()
        self._show_estimate()
        if device.profiles.measurement is None:
            self._say_why_none()

    def _say_why_none(self) -> None:
        device, info, empty = self._session.on_device, self._session.device, self._panel.empty
        error = device.profiles.error
        if error is not None:
            empty.say("warning", str(error), reasons.advice(error), role="warning")
        elif device.profiles.running:
            empty.say("profile", "Profiling…", "The preview is paused meanwhile.")
        elif info is not None and not info.timestamps:
            hint = "Choose another device in the Run menu."
            empty.say("device", "This device has no timestamp queries", hint)
        else:
            key = self._command.shortcut().toString()
            width, height = CANONICAL_SIZE
            hint = (
                f"Profile on this device ({key}) times the shader at {width} \u00d7 {height} "
                "with the device's own clock."
            )
            empty.say("profile", "Not profiled yet", hint)
