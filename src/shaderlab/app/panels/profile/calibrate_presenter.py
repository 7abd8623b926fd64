"""Calibrating from the window: runs in its own thread, with the result as a new target."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.panels.profile.calibrate_dialog import CalibrateDialog
from shaderlab.app.qt import QObject, Qt, QWidget, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.errors import Abandoned, InternalError, ShaderlabError
from shaderlab.prediction.forms import method_name

if TYPE_CHECKING:
    from pathlib import Path

    from shaderlab.campaigns.calibrating import Outcome, Progress
    from shaderlab.gpu.device_info import DeviceInfo


class CalibratePresenter(QObject):
    """Opens the dialog; one calibration at a time."""

    _advanced = Signal(object)
    """A `Progress`, from the thread that calibrates."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        preview_is_seen: Callable[[], bool],
        notices: NotificationCentre,
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._settings = session, settings
        self._preview_is_seen = preview_is_seen
        self._notices, self._window = notices, window
        self._stopping = threading.Event()
        self.dialog: CalibrateDialog | None = None
        self.trials: int | None = None
        """Per shader; None for the command line's default."""
        self.textures = True
        """Whether texture reads are priced too, which times 22 shaders more."""
        self._advanced.connect(self._on_advanced)

    def open(self) -> None:
        """Ask what to calibrate with.  Does nothing without a device that has timestamps."""
        info, session = self._session.device, self._session
        if info is None or not info.timestamps or self.dialog is not None:
            return
        from shaderlab.prediction.catalogue import user_targets  # not needed to come up

        taken = frozenset(slug for slug, each in session.targets.items() if not each.user)
        dialog = CalibrateDialog(
            info.name,
            user_targets.default_slug(info.slug),
            taken,
            session.samples.path.exists(),
            theme.current(self._settings.theme),
            self._window,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.start_wanted.connect(self._start)
        dialog.stop_wanted.connect(self._stop)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def _start(self, shaders: int, slug: str, recorded: bool) -> None:
        self._stopping = stopped = threading.Event()
        info, path = self._session.device, self._session.samples.path
        if info is None:
            return
        finished: Future = Future()

        def work() -> None:
            try:
                store = path if recorded else None
                finished.set_result(self._run(info, shaders, slug, store, stopped))
            except ShaderlabError as error:
                finished.set_exception(error)
            except Exception as error:  # noqa: BLE001, a thread has nowhere else to report
                finished.set_exception(InternalError(f"{type(error).__name__}: {error}"))

        self._session.on_device.pictures.set_visible(False)
        self._session.bridge.watch(finished, self._on_done, self._on_failed)
        threading.Thread(target=work, name="calibration", daemon=True).start()

    def _stop(self) -> None:
        self._stopping.set()

    def _run(
        self,
        info: DeviceInfo,
        shaders: int,
        slug: str,
        samples: Path | None,
        stopped: threading.Event,
    ) -> Outcome:
        """In the thread."""
        from shaderlab.campaigns.calibrating import Calibration, Options

        options = Options(shaders, samples=samples, slug=slug, textures=self.textures)
        if self.trials is not None:
            options = replace(options, effort=replace(options.effort, trials=self.trials))
        return Calibration(info, options).run(self._report, stopped.is_set)

    def _report(self, progress: Progress) -> None:
        """In the thread."""
        self._advanced.emit(progress)

    def _on_advanced(self, progress: Progress) -> None:
        if self.dialog is not None and self.dialog.running and not self._stopping.is_set():
            self.dialog.show_progress(progress.done, progress.total, progress.said)

    def _on_done(self, outcome: Outcome) -> None:
        self._resume()
        card, (method,) = outcome.cards[-1], outcome.cards[-1].methods
        name = method_name(method.name)
        text = f"{card.target.slug} is now a target ({name}). {method.validation.source}"
        if outcome.recorded:
            text += f" {outcome.recorded} recorded samples were included."
        if outcome.skipped:
            name, reason = outcome.skipped[0]
            text += f" Skipped: {len(outcome.skipped)}, first {name}: {reason}."
        if self.dialog is not None:
            self.dialog.show_result(text)
        self._notices.say("note", f"{card.target.name} is now a target")
        self._session.read_targets()

    def _on_failed(self, error: ShaderlabError) -> None:
        self._resume()
        if self.dialog is not None:
            self.dialog.show_failure(str(error))
        elif not isinstance(error, Abandoned):
            self._notices.say("error", f"Calibration failed: {error}")

    def _resume(self) -> None:
        self._session.on_device.pictures.set_visible(self._preview_is_seen())

    def _on_closed(self) -> None:
        self.dialog = None
