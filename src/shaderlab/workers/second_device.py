"""Another driver of this machine, for captured draws that crash the chosen one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover


def other_than(chosen: DeviceInfo, devices: Sequence[DeviceInfo]) -> DeviceInfo | None:
    """A device of another driver and the same kind; None where there is none."""
    return next(
        (each for each in devices if each.kind == chosen.kind and each.manifest != chosen.manifest),
        None,
    )


class SecondDevice:
    """Started when it is first needed.  From any thread."""

    def __init__(
        self,
        chosen: DeviceInfo,
        make: Callable[[DeviceInfo], DeviceWorker],
        devices: Callable[[], Sequence[DeviceInfo]] | None = None,
    ):
        """`devices`: of this machine; None to ask the drivers."""
        self._chosen, self._make = chosen, make
        self._devices = devices or (lambda: discover().result().devices)
        self._asking = threading.Lock()
        """Held while the drivers are asked, which takes seconds: `close` does not wait for it."""
        self._lock = threading.Lock()
        self._asked = self._closed = False
        self._worker: DeviceWorker | None = None

    def worker(self) -> DeviceWorker | None:
        """Its worker; None where this machine has no such device.  May wait for discovery."""
        with self._asking:
            if not self._asked and not self._closed:
                self._asked = True
                try:
                    info = other_than(self._chosen, self._devices())
                except ShaderlabError:
                    info = None
                with self._lock:
                    if info is not None and not self._closed:
                        self._worker = self._make(info)
            return self._worker

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.close(wait=False)
                self._worker = None
