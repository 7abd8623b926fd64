"""Where a captured draw is drawn when the chosen device fails, with devices of the test's own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from shaderlab.captures.frame import CapturedDraw, CapturedShader
from shaderlab.errors import DeviceLost, NoVulkan, OutOfDeviceMemory, ShaderlabError, StartFailed
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.replayed import Replayed
from shaderlab.scene.contents import Contents
from shaderlab.scene.draw import DrawState
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.second_device import SecondDevice, other_than

DRAW = CapturedDraw(
    7, "draw", shader=CapturedShader(Contents(Path("x"), ()), "main"), state=DrawState()
)
PROGRAM = cast("Any", SimpleNamespace(entry=lambda: None, digest="x", name="x"))
CHOSEN = DeviceInfo("one", "One", "software", "", "", 0, 0, "", "one.json", 0, True)
OTHER = replace(CHOSEN, slug="two", name="Two", manifest="two.json")


class Device:
    """Fails where it is told to."""

    def __init__(
        self,
        info: DeviceInfo = CHOSEN,
        replay: ShaderlabError | None = None,
        trace: ShaderlabError | None = None,
    ):
        self.info, self._replay, self._trace = info, replay, trace
        self.closed = False

    def replay(self, *_: Any, **__: Any) -> Future[Any]:
        return self._answer(self._replay, Replayed(0.0, 1.0, None, 0.0))

    def trace(self, *_: Any) -> Future[Any]:
        return self._answer(self._trace, SimpleNamespace(opcode_totals={}, device=self.info.slug))

    def close(self, *, wait: bool = True) -> None:
        self.closed = not wait

    @staticmethod
    def _answer(error: ShaderlabError | None, value: Any) -> Future[Any]:
        made: Future[Any] = Future()
        if error is not None:
            made.set_exception(error)
        else:
            made.set_result(value)
        return made


def second(*devices: DeviceInfo, worker: Device | None = None) -> SecondDevice:
    made = worker or Device(OTHER)
    return SecondDevice(CHOSEN, lambda _: cast("Any", made), lambda: devices)


def analysed(device: Device, other: SecondDevice | None = None) -> Any:
    analyser = FrameAnalyser(cast("Any", None), cast("Any", device), second=other)
    return analyser.analyse(DRAW, PROGRAM)


@pytest.mark.parametrize("part", ["replay", "trace"])
def test_a_draw_that_crashes_the_driver_is_drawn_on_another(part: str):
    crash: dict[str, Any] = {part: DeviceLost("the driver aborted")}
    found = analysed(Device(**crash), second(CHOSEN, OTHER))
    assert found.trace.device == "two"
    assert not found.reason
    assert found.elsewhere == "drawn on Two, since One failed: the driver aborted"


def test_without_another_driver_the_crash_is_the_reason():
    found = analysed(Device(trace=DeviceLost("aborted")), second(CHOSEN))
    assert (found.reason, found.trace) == ("aborted", None)
    assert found.replayed is not None  # as far as it went


def test_a_draw_that_both_refuse_says_what_the_chosen_one_said():
    both = second(CHOSEN, OTHER, worker=Device(OTHER, replay=DeviceLost("theirs")))
    assert analysed(Device(replay=DeviceLost("ours")), both).reason == "ours"


def test_another_driver_that_does_not_start_ends_nothing():
    both = second(CHOSEN, OTHER, worker=Device(OTHER, replay=StartFailed("theirs")))
    assert analysed(Device(replay=DeviceLost("ours")), both).reason == "ours"


def test_what_is_no_fault_of_the_driver_is_not_tried_elsewhere():
    found = analysed(Device(replay=OutOfDeviceMemory("too large")), second(CHOSEN, OTHER))
    assert found.reason == "too large"
    assert not found.elsewhere


def test_a_device_that_does_not_start_ends_it():
    with pytest.raises(StartFailed):
        analysed(Device(replay=StartFailed("no driver")), second(CHOSEN, OTHER))


def test_the_second_device_is_started_once_and_closed():
    asked: list[int] = []
    worker = Device(OTHER)

    def devices() -> Sequence[DeviceInfo]:
        asked.append(1)
        return (CHOSEN, OTHER)

    its = SecondDevice(CHOSEN, lambda _: cast("Any", worker), devices)
    assert its.worker() is its.worker()
    assert asked == [1]
    its.close()
    assert worker.closed
    assert its.worker() is None


def test_closing_does_not_wait_for_the_drivers_and_starts_none_after():
    made: list[DeviceInfo] = []

    def devices() -> Sequence[DeviceInfo]:
        closing = threading.Thread(target=its.close, daemon=True)
        closing.start()
        closing.join(10)
        assert not closing.is_alive()
        return (CHOSEN, OTHER)

    its = SecondDevice(CHOSEN, lambda info: cast("Any", made.append(info)), devices)
    assert its.worker() is None
    assert not made


def test_drivers_that_cannot_be_asked_are_no_second_device():
    def devices() -> Sequence[DeviceInfo]:
        raise NoVulkan("no loader")

    assert SecondDevice(CHOSEN, lambda _: cast("Any", None), devices).worker() is None


def test_another_device_is_of_the_same_kind():
    assert other_than(CHOSEN, [CHOSEN, replace(OTHER, kind="discrete"), OTHER]) == OTHER
    assert other_than(CHOSEN, [CHOSEN, replace(CHOSEN, index=1)]) is None
