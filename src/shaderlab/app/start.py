"""Starting the application: one QApplication, one window, and nothing that dies in silence."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from pathlib import Path
from time import monotonic

from shaderlab import locations
from shaderlab.app import scintilla
from shaderlab.app.main_window import MainWindow
from shaderlab.app.qt import QApplication, QIcon, QtCore, QTimer
from shaderlab.app.session import Session, Workers
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.errors import ShaderlabError

log = logging.getLogger(__name__)


def application() -> QApplication:
    """The process's QApplication, made on first use, with our name and style."""
    made = QApplication.instance() or QApplication(["shaderlab"])
    made.setApplicationName("shaderlab")
    made.setApplicationDisplayName("")
    made.setDesktopFileName("shaderlab")
    made.setStyle("Fusion")
    made.setWindowIcon(QIcon(str(locations.resources() / "icons" / "shaderlab.svg")))
    return made


def open_window(
    file: Path | None,
    *,
    store: SettingsStore | None = None,
    settings: Settings | None = None,
    workers: Workers | None = None,
) -> MainWindow:
    """A shown window with its session about to start.  `file` None opens the latest document.

    Raises BindingsDiffer where the Qt bindings do not fit together.
    """
    scintilla.check_versions()
    store = store or SettingsStore()
    settings = settings or store.load()
    session = Session(workers)
    window = MainWindow(session, store, settings)
    if settings.start_paused:
        session.on_device.playback.pause()
    window.show()
    # The workers are spawned once the window is on the screen: it owes nothing to them.
    QTimer.singleShot(0, lambda: _bring_to_life(window, file))
    return window


def _bring_to_life(window: MainWindow, file: Path | None) -> None:
    window.session.start()
    window.device_choice.look()
    if file is None or not window.documents.open(file):
        window.documents.open_last()
    window.editor.setFocus()
    # While the workers come up there is time for what the start left out.
    QTimer.singleShot(0, window.targets_panel.prepare)


class CrashMarker:
    """A file that is there while the program runs: the next start knows how the last one ended."""

    def __init__(self, path: Path | None = None):
        self._path = path or locations.user_data() / "running"

    def begin(self) -> bool:
        """Mark the start; whether the last run did not end by itself."""
        crashed = self._path.exists()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(str(os.getpid()))
        except OSError as error:
            log.warning("cannot write %s: %s", self._path, error)
        return crashed

    def end(self) -> None:
        self._path.unlink(missing_ok=True)


def run(file: Path | None) -> int:
    """Open the window and stay until it is closed; the process's exit code."""
    app = application()
    marker = CrashMarker()
    try:
        window = open_window(file)
    except ShaderlabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if marker.begin():
        window.session.on_device.playback.pause()
        window.notices.say("warning", "shaderlab did not end properly last time: preview paused")
    report_faults_to(window)
    code = app.exec()
    marker.end()
    return code


def report_faults_to(window: MainWindow) -> None:
    """An exception no one caught becomes a notice and a log entry; the program goes on."""

    def report(kind, error, trace) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        log.error("unexpected fault", exc_info=(kind, error, trace))
        place = traceback.extract_tb(trace)[-1] if trace else None
        where = f" ({Path(place.filename).name}, line {place.lineno})" if place else ""
        window.notices.say("error", f"A fault in shaderlab: {kind.__name__}: {error}{where}")

    sys.excepthook = report


def snapshot(
    picture: Path, file: Path | None = None, timeout_s: float = 60.0, theme: str = ""
) -> bool:
    """Save a picture of the whole window once everything in it is there; False where that failed.

    Runs with or without a display (`QT_QPA_PLATFORM=offscreen`).  Leaves settings alone.  What is
    there when the time is over, or without a Vulkan device, is saved as it is.
    """
    app = application()
    settings = Settings()
    if theme:
        settings.theme = type(settings.theme)(theme)
    window = open_window(file, settings=settings)
    end = monotonic() + timeout_s
    complete: list[bool] = []
    window.results.complete.connect(lambda: complete.append(True))
    while not complete and window.device_choice.error is None and monotonic() < end:
        process_events(app)
    window.session.on_device.playback.pause()
    settled = monotonic() + 0.3
    while monotonic() < settled:
        process_events(app)
    saved = window.grab().save(str(picture))
    window.editor.set_unmodified()
    window.session.close()
    window.deleteLater()
    return saved and bool(complete)


def process_events(app: QApplication) -> None:
    """Wait for events and handle them; the window's timers end the wait ten times a second."""
    flags = QtCore.QEventLoop.ProcessEventsFlag
    app.processEvents(flags.AllEvents | flags.WaitForMoreEvents)
