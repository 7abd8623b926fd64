"""A real window with real workers in a folder of its own, pushed and measured from outside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic, perf_counter

from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.recovery import Recovery
from shaderlab.app.shell.watchdog import Watchdog
from shaderlab.system import process_tree


class Stuck(AssertionError):
    """The window did not come to where it must within the time it has."""


class Rig:
    """A window that is driven by its event loop being turned until something holds."""

    def __init__(self, folder: Path, settings: Settings | None = None, workers=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.app = start.application()
        self._others = set(process_tree.descendants(os.getpid()))
        self.recovery = Recovery(folder / "data")
        self.window: MainWindow = start.open_window(
            None,
            store=SettingsStore(folder / "settings.ini"),
            settings=settings or Settings(preview_size="320x180"),
            workers=workers,
            recovery=self.recovery,
        )
        self.session = self.window.session
        self.editor = self.window.editor
        self.watchdog = Watchdog(self.window, interval_s=0.01)
        self.watchdog.start()

    def turn(self) -> None:
        start.process_events(self.app)

    def wait(self, ready: Callable[[], object], what: str, seconds: float = 60.0) -> float:
        """Turn until `ready`; seconds it took.  Raises Stuck."""
        began = perf_counter()
        end = monotonic() + seconds
        while not ready():
            if monotonic() > end:
                raise Stuck(f"waited {seconds:g} s in vain for {what}")
            self.turn()
        return perf_counter() - began

    def use(self, slug: str) -> None:
        """Work on this device.  Raises Stuck where there is none of the name."""
        choice = self.window.device_choice
        self.wait(lambda: choice.devices, "devices")
        (info,) = (d for d in choice.devices if d.slug == slug)
        self.session.use_device(info)

    def put(self, text: str) -> None:
        """Replace the editor's text as one edit by hand."""
        self.editor.change_text(text)

    def show(self, text: str) -> None:
        """Another text with nothing to undo, so that memory tells of leaks and not of history."""
        self.editor.set_text(text)
        self.session.edit(text)

    @property
    def settled(self) -> bool:
        """Whether everything that can come of the text as it stands has come."""
        session, device = self.session, self.session.on_device
        if not session.compiling.settled:
            return False
        if not session.compiling.compiles or device.pictures.error is not None:
            return True
        counted = device.counts.current and device.task != "trace"
        return device.pictures.current and (counted or device.counts.error is not None)

    def sees(self, red: int) -> bool:
        """Whether the picture in force is the harmless one with this shade of red."""
        device = self.session.on_device
        if not (
            self.session.compiling.settled
            and device.pictures.current
            and device.pictures.frame is not None
        ):
            return False
        return int(device.pictures.frame.pixels[0, 0, 0]) == red % 256

    def children(self) -> set[int]:
        """Processes that live below this one, the workers and Python's helper left out."""
        session = self.session
        known = {pid for worker in session._crew._workers for pid in worker.pids}
        return {
            pid
            for pid in process_tree.descendants(os.getpid())
            if pid not in known | self._others and not _is_pythons(pid)
        }

    @property
    def resident_bytes(self) -> int:
        """Memory of the window's own process."""
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        self.watchdog.stop()
        self.editor.set_unmodified()
        self.window.close()
        self.recovery.close()
        self.window.deleteLater()
        self.app.processEvents()


def _is_pythons(pid: int) -> bool:
    """Whether it is a helper of `multiprocessing`, or gone already."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True
    is_first = Path(f"/proc/{pid}/stat").read_text().split()[3] == str(os.getpid())
    return b"resource_tracker" in command or (is_first and b"forkserver" in command)
