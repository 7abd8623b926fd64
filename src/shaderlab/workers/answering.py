"""Whether a device still answers: where it does not, that is a state, and no request's fault.

One shader can hang a GPU for every process, and may go on after its own process was killed.  So
after a deadline, a death or a lost device a trivial draw is tried in a fresh child.  Where that
hangs too, the device is stuck: what was in flight is named, nothing more is sent to it, and it is
tried again now and then until it answers.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future

import numpy as np

from shaderlab.errors import (
    DeviceLost,
    DeviceStuck,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
)
from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.background import in_background
from shaderlab.workers.supervisor.client import Client

_START_S = 20.0
"""Of the trial's child: imports, nothing of the driver's."""
_OPEN_S = 5.0
"""A driver alone may take seconds to open a device that nobody uses."""
_DRAW_S = 2.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 30.0
"""Until a stuck device is tried again; each time twice as long, as a child may be left behind that
the kernel cannot end."""
_MOST_NAMED = 20
_SIDE = 8
"""Pixels of the trivial draw along x and y."""
_NVIDIA = 0x10DE


class TrialServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, info: DeviceInfo):
        drivers.select(info.manifest)
        from shaderlab.gpu.vulkan import device, profiling, rendering

        self._info, self._open = info, device.Device.open
        self._rendering, self._program = rendering, profiling.constant_colour

    def open(self) -> None:
        self._device = self._open(self._info)

    def draw(self) -> None:
        from shaderlab.scene.draw import Draw

        draw = Draw.of(self._program(), (_SIDE, _SIDE))
        with self._rendering.Renderer(self._device, draw) as renderer:
            renderer.render(draw.inputs, np.empty((_SIDE, _SIDE, 4), np.uint8))


class TrialWorker(Client[TrialServer]):
    """A child for one trivial draw."""

    def __init__(self, info: DeviceInfo):
        super().__init__(
            TrialServer,
            info,
            name=f"trial of {info.name}",
            limits=None,
            start_s=_START_S,
            patient=True,
        )

    def open(self) -> Future[None]:
        return self._request(TrialServer.open, _OPEN_S, "opening the device")()

    def draw(self) -> Future[None]:
        return self._request(TrialServer.draw, _DRAW_S, "a trivial draw")()


def tried(info: DeviceInfo) -> bool | None:
    """Whether a trivial draw came to its end; None where it could not be tried."""
    for _ in range(2):
        worker = TrialWorker(info)
        try:
            worker.open().result()
            worker.draw().result()
            return True
        except ShaderTimeout:
            return False
        except StartFailed:
            return None
        except DeviceLost:  # or its child was ended by somebody else
            continue
        except ShaderlabError:
            return None
        finally:
            worker.close(wait=False)  # nobody can say how long the end of one that hangs takes
    return False


def _remedy(info: DeviceInfo) -> str:
    after = "2 s" if sys.platform == "win32" else "5 to 10 s"
    advice = f"Wait for the driver to reset it, which takes {after} on a desktop. "
    if info.vendor_id == _NVIDIA:
        advice += (
            "If it does not, log out and in again; on a machine without a monitor, "
            "`nvidia-smi` shows which process holds the GPU: end it, or reset the GPU with "
            "`nvidia-smi --gpu-reset`. Else restart the machine. "
        )
    else:
        advice += "If it does not, log out and in again, or restart the machine. "
    return advice + "shaderlab keeps trying the device."


class Answering:
    """One device, for all who send it something from this process.  From any thread."""

    def __init__(
        self, info: DeviceInfo, trial: Callable[[DeviceInfo], bool | None] = tried
    ) -> None:
        self._info, self._try = info, trial
        self._lock = threading.Lock()
        self._in_flight: dict[Future, str] = {}
        self._left: deque[str] = deque(maxlen=_MOST_NAMED)
        """Given up since the device answered last: it may still be on them."""
        self._stuck_on: tuple[str, ...] | None = None
        """What was in flight when it got stuck; None while it answers."""
        self._trial: Future[bool] | None = None
        self._waiting: list[Future[None]] = []

    # -- what requests tell of themselves (`supervisor.Device`) ---------------------------------

    def require(self) -> None:
        with self._lock:
            if self._stuck_on is not None:
                raise DeviceStuck(self._words(self._stuck_on)).with_remedy(_remedy(self._info))

    def begin(self, future: Future, doing: str) -> None:
        with self._lock:
            self._in_flight[future] = doing

    def end(self, future: Future, *, answered: bool) -> None:
        with self._lock:
            doing = self._in_flight.pop(future)
            if not answered:
                self._left.append(doing)
            elif self._stuck_on is None:
                self._left.clear()

    def stuck_during(self, doing: str) -> StuckDuring | None:
        with self._lock:
            if self._stuck_on is None:
                return None
            words = f"{doing}: {self._words(self._stuck_on)}"
            return StuckDuring(words).with_remedy(_remedy(self._info))

    # -- its state ------------------------------------------------------------------------------

    @property
    def stuck(self) -> bool:
        with self._lock:
            return self._stuck_on is not None

    @property
    def words(self) -> str:
        """What is known of a stuck device, as a sentence; empty while it answers."""
        with self._lock:
            return "" if self._stuck_on is None else self._words(self._stuck_on)

    @property
    def remedy(self) -> str:
        """What the user can do about a stuck device."""
        return _remedy(self._info)

    def try_it(self) -> Future[bool]:
        """Whether it answers, which is tried now; a trial under way counts."""
        with self._lock:
            if self._trial is None or self._trial.done():
                self._trial = in_background(self._look, f"trial of {self._info.name}")
            return self._trial

    def again(self) -> Future[None]:
        """Done once the device answers: at once where it does."""
        future: Future[None] = Future()
        with self._lock:
            if self._stuck_on is not None:
                self._waiting.append(future)
                return future
        future.set_result(None)
        return future

    def _look(self) -> bool:
        if self._try(self._info) is not False:
            with self._lock:
                return self._stuck_on is None
        with self._lock:
            if self._stuck_on is None:
                named = dict.fromkeys([*self._left, *self._in_flight.values()])
                self._stuck_on = tuple(named)
                watch = threading.Thread(
                    target=self._watch, name=f"watch of {self._info.name}", daemon=True
                )
                watch.start()
        return False

    def _watch(self) -> None:
        """Try it now and then, until it answers."""
        wait_s = _FIRST_WAIT_S
        pause = threading.Event()
        while True:
            pause.wait(wait_s)
            if self._try(self._info):
                break
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        with self._lock:
            self._stuck_on = None
            self._left.clear()
            waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.set_result(None)

    def _words(self, stuck_on: tuple[str, ...]) -> str:
        named, more = stuck_on[:_MOST_NAMED], len(stuck_on) - _MOST_NAMED
        listed = ", ".join(named) + (f" and {more} more" if more > 0 else "")
        during = f"; in flight: {listed}" if listed else ""
        return f"{self._info.name} no longer responds, not even to a trivial draw{during}"


_devices: dict[Hashable, Answering] = {}
_devices_lock = threading.Lock()


def answering(info: DeviceInfo) -> Answering:
    """The one of this device."""
    key = (info.manifest, info.index, info.name, info.uuid)
    with _devices_lock:
        return _devices.setdefault(key, Answering(info))
