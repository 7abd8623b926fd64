"""Starting the application: one QApplication, one window, and no error that goes unreported."""

from __future__ import annotations

import logging
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from shaderlab import locations
from shaderlab.app import early
from shaderlab.app.documents.documents import CAPTURE_SUFFIX
from shaderlab.app.editor.bindings import check_versions
from shaderlab.app.qt import QApplication, QIcon, QObject, Qt, QtCore, QTimer
from shaderlab.app.session.session import Session, Workers
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell.layout import FIRST_SIZE
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.recovery import Recovery
from shaderlab.app.shell.watchdog import Watchdog
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.errors import ShaderlabError
from shaderlab.system import heap

_LONGEST_WAIT_MS = 300
_SEARCH_EVERY_MS = 500
_TABS_WRITTEN_AFTER_MS = 500
log = logging.getLogger(__name__)

_ENDING_SIGNALS = [signal.SIGTERM]
if sys.platform != "win32":
    _ENDING_SIGNALS.append(signal.SIGHUP)
"""A logout, a closing terminal: there is no time to ask about unsaved changes.  Python sees them
when the window's timers run, ten times a second."""


def application() -> QApplication:
    """The process's QApplication, made on first use, with our name and style."""
    made = QApplication.instance()
    if not isinstance(made, QApplication):
        made = QApplication(["shaderlab"])
    if made.applicationName() == "shaderlab":
        return made
    heap.keep_large_blocks_apart()
    made.setApplicationName("shaderlab")
    made.setApplicationDisplayName("")
    made.setDesktopFileName("shaderlab")
    made.setStyle("Fusion")
    made.setWindowIcon(QIcon(str(locations.resources() / "icons" / "shaderlab.svg")))
    _CycleSearch(made)
    return made


class _CycleSearch(QObject):
    """Python's search for unreachable cycles, in the interface thread."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._search = heap.CycleSearch()
        self._timer = QTimer(self, interval=_SEARCH_EVERY_MS)
        self._timer.timeout.connect(self._search.look)
        self._timer.start()


def open_window(
    file: Path | None,
    *,
    store: SettingsStore | None = None,
    settings: Settings | None = None,
    workers: Workers | None = None,
    recovery: Recovery | None = None,
    watchdog: Watchdog | None = None,
) -> MainWindow:
    """A shown window with its session about to start.  `file` None opens the latest document.

    Raises BindingsDiffer where the Qt bindings do not fit together.
    """
    check_versions()
    store = store or SettingsStore()
    settings = settings or store.load()
    session = Session(workers)
    window = MainWindow(session, store, settings, recovery, watchdog)
    if settings.start_paused or (recovery is not None and recovery.unclean):
        session.on_device.pictures.playback.pause()
    if not store.writable:
        window.notices.say("warning", f"Settings will not be saved: {store.path} cannot be written")
    # The workers are spawned once the window is on the screen: it does not need them.
    _FirstPaint(window, lambda: _bring_to_life(window, file))
    window.show()
    return window


class _FirstPaint(QObject):
    """Calls once, after the window was painted for the first time.

    A window that is never painted, as one that starts minimised, is not waited for.
    """

    def __init__(self, window: MainWindow, call: Callable[[], object]):
        super().__init__(window)
        self._window, self._call = window, call
        self._patience = QTimer(self, singleShot=True, interval=_LONGEST_WAIT_MS)
        self._patience.timeout.connect(self._finish)
        self._patience.start()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QtCore.QEvent) -> bool:
        if event.type() == QtCore.QEvent.Type.Paint:
            watched.removeEventFilter(self)
            self._patience.start(0)  # when all of the window's parts are painted, too
        return False

    def _finish(self) -> None:
        self._window.removeEventFilter(self)
        self._call()


def _bring_to_life(window: MainWindow, file: Path | None) -> None:
    early.finish()
    window.session.start()
    window.device_choice.look()
    is_capture = file is not None and file.suffix.lower() == CAPTURE_SUFFIX
    if file is None or not window.documents.open(file) or is_capture:
        window.documents.open_last()
        window.split_view.restore(window.settings)
    window.editor.setFocus()
    # While the workers come up there is time for what the start left out: the charts' library.
    import_beside("shaderlab.app.panels.profile.trials_chart")


def run(file: Path | None) -> int:
    """Open the window and stay until it is closed; the process's exit code."""
    app = application()
    recovery, watchdog = Recovery(), Watchdog()
    try:
        window = open_window(file, recovery=recovery, watchdog=watchdog)
    except ShaderlabError as error:
        recovery.close()
        print(error, file=sys.stderr)
        return error.exit_code
    watchdog.start()
    _keep_tabs(window)
    if not window.settings.welcomed and not window.settings.last_file:
        window.complete.connect(window.welcome.begin, Qt.ConnectionType.SingleShotConnection)
    report_faults_to(window, recovery)
    window.complete.connect(
        heap.leave_settled_objects_alone, Qt.ConnectionType.SingleShotConnection
    )
    ended_by: list[int] = []

    def end(number: int, _frame: object) -> None:
        ended_by.append(number)
        app.exit()  # `quit` would ask the window, and the window its user

    for number in _ENDING_SIGNALS:
        signal.signal(number, end)
    code = app.exec()
    watchdog.stop()
    if ended_by:
        window.remember()
        window.session.close()
        recovery.leave()
    else:
        recovery.close()
    _take_down(window)
    return code


def _keep_tabs(window: MainWindow) -> None:
    """Write which documents are open whenever that changes: a killed run does not get to it."""
    soon = QTimer(window, singleShot=True, interval=_TABS_WRITTEN_AFTER_MS)
    soon.timeout.connect(lambda: window.store.save(window.settings))
    window.documents.tabs.changed.connect(soon.start)


def _take_down(window: MainWindow) -> None:
    """Destroy the window now, parents before children, while everything it may call still is there.

    Objects left to the end of the process are destroyed in whatever order Python drops them.
    """
    window.deleteLater()
    QtCore.QCoreApplication.sendPostedEvents(window, QtCore.QEvent.Type.DeferredDelete)


def report_faults_to(window: MainWindow, recovery: Recovery) -> None:
    """An uncaught exception becomes a notice and a log entry; the program continues."""

    def report(kind, error, trace) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        log.error("unexpected fault", exc_info=(kind, error, trace))
        recovery.fault(kind, error, trace)
        place = traceback.extract_tb(trace)[-1] if trace else None
        where = f" ({Path(place.filename).name}, line {place.lineno})" if place else ""
        window.notices.say("error", f"Internal error in shaderlab: {kind.__name__}: {error}{where}")

    sys.excepthook = report


def snapshot(
    picture: Path, file: Path | None = None, timeout_s: float = 60.0, theme: str = ""
) -> bool:
    """Save a picture of the whole window once everything in it is there; False where that failed.

    Runs with or without a display (`QT_QPA_PLATFORM=offscreen`).  Does not change settings.  What
    is there when the time is over, or without a Vulkan device, is saved as it is.
    """
    app = application()
    settings = Settings()
    if theme:
        settings.theme = type(settings.theme)(theme)
    window = open_window(file, settings=settings)
    window.resize(*FIRST_SIZE)  # whatever screen there is, or none
    end = monotonic() + timeout_s
    complete: list[bool] = []
    window.complete.connect(lambda: complete.append(True))
    while not complete and window.device_choice.error is None and monotonic() < end:
        process_events(app)
    window.session.on_device.pictures.playback.pause()
    settled = monotonic() + 0.3
    while monotonic() < settled:
        process_events(app)
    saved = window.grab().save(str(picture))
    window.editor.set_unmodified()
    window.session.close()
    _take_down(window)
    return saved and bool(complete)


def process_events(app: QApplication) -> None:
    """Wait for events and handle them; the window's timers end the wait ten times a second."""
    flags = QtCore.QEventLoop.ProcessEventsFlag
    app.processEvents(flags.AllEvents | flags.WaitForMoreEvents)
