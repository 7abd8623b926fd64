"""When a device counts as stuck, what is said of it, and when it no longer does."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest

from shaderlab.errors import (
    DeviceLost,
    DeviceStuck,
    OutOfMemory,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers import answering
from shaderlab.workers.answering import Answering

LIMIT = 10.0
GPU = DeviceInfo(
    "gpu", "A GPU", "discrete", "driver 1", "1.3", 0x10DE, 7, "00", "/icd.json", 3, timestamps=True
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "_FIRST_WAIT_S", 0.001)


class Hanging:
    """A trial with the outcomes that a test gives, the last one again and again."""

    def __init__(self, *outcomes: bool | None):
        self.outcomes, self.trials = list(outcomes), 0

    def __call__(self, _: DeviceInfo) -> bool | None:
        self.trials += 1
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


def begun(device: Answering, *doing: str) -> list[Future]:
    futures = [Future() for _ in doing]
    for future, each in zip(futures, doing, strict=True):
        device.begin(future, each)
    return futures


def test_what_is_in_flight_is_named_and_what_came_to_its_end_is_not() -> None:
    trial = Hanging(False)
    device = Answering(GPU, trial)
    ended, _, given_up = begun(device, "drawing a", "drawing b", "drawing c")
    device.end(ended, answered=True)
    device.end(given_up, answered=False)
    device.require()
    assert device.stuck_during("drawing b") is None
    assert (device.stuck, device.words) == (False, "")
    assert device.try_it().result(LIMIT) is False
    words = "A GPU no longer responds, not even to a trivial draw; in flight: drawing c, drawing b"
    assert (device.stuck, device.words) == (True, words)
    with pytest.raises(DeviceStuck) as refused:
        device.require()
    assert (type(refused.value), str(refused.value)) == (DeviceStuck, words)
    during = device.stuck_during("drawing b")
    assert type(during) is StuckDuring
    assert str(during) == f"drawing b: {words}"
    assert during.remedy == refused.value.remedy == device.remedy


def test_what_was_given_up_is_no_suspect_once_the_device_answered_something() -> None:
    device = Answering(GPU, Hanging(False))
    given_up, answered = begun(device, "drawing a", "drawing b")
    device.end(given_up, answered=False)
    device.end(answered, answered=True)
    device.try_it().result(LIMIT)
    assert device.words == "A GPU no longer responds, not even to a trivial draw"


def test_names_are_a_few() -> None:
    device = Answering(GPU, Hanging(False))
    begun(device, *(f"drawing {n}" for n in range(23)))
    device.try_it().result(LIMIT)
    assert device.words.endswith("drawing 18, drawing 19 and 3 more")


def test_it_is_tried_again_until_it_answers() -> None:
    trial = Hanging(False, False, None, True)
    device = Answering(GPU, trial)
    assert device.again().done()
    begun(device, "drawing a")
    device.try_it().result(LIMIT)
    device.again().result(LIMIT)
    assert trial.trials == 4
    assert (device.stuck, device.words) == (False, "")
    device.require()


@pytest.mark.parametrize("outcome", [True, None])
def test_a_device_that_answers_or_cannot_be_tried_is_not_stuck(outcome) -> None:
    device = Answering(GPU, Hanging(outcome))
    assert device.try_it().result(LIMIT) is True
    assert not device.stuck


def test_who_asks_during_a_trial_gets_its_outcome() -> None:
    go = threading.Event()
    tried = []

    def trial(_: DeviceInfo) -> bool:
        tried.append(go.wait(LIMIT))
        return True

    device = Answering(GPU, trial)
    first, second = device.try_it(), device.try_it()
    assert first is second
    go.set()
    first.result(LIMIT)
    assert device.try_it() is not first
    assert device.try_it().result(LIMIT)
    assert len(tried) == 2


def test_what_to_do_is_said_for_the_system_and_the_vendor(monkeypatch) -> None:
    nvidia, other = Answering(GPU), Answering(replace(GPU, vendor_id=0x1002))
    assert "`nvidia-smi --gpu-reset`" in nvidia.remedy
    assert "nvidia" not in other.remedy
    for platform, after in (("linux", "5 to 10 s"), ("win32", "2 s")):
        monkeypatch.setattr(answering.sys, "platform", platform)
        for each in (nvidia, other):
            assert f"reset it, which takes {after} on a desktop" in each.remedy
            assert "log out and in again" in each.remedy
            assert "restart the machine" in each.remedy


def test_a_device_has_one_state() -> None:
    same = replace(GPU, slug="gpu-2")
    assert answering.answering(GPU) is answering.answering(same)
    assert answering.answering(GPU) is not answering.answering(replace(GPU, index=4))


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (["", ""], True),
        (["", ShaderTimeout("hangs")], False),
        ([ShaderTimeout("hangs")], False),
        (["", DeviceLost("killed"), "", ""], True),
        (["", DeviceLost("lost"), "", DeviceLost("lost")], False),
        ([StartFailed("no room")], None),
        ([OutOfMemory("no memory")], None),
        (["", UnsupportedShader("no pixels")], None),
    ],
)
def test_a_trial_is_a_draw_in_a_child_of_its_own(monkeypatch, answers, outcome) -> None:
    left, closed = list(answers), []

    class Trial:
        def __init__(self, info: DeviceInfo):
            assert info is GPU

        def open(self) -> Future:
            future: Future = Future()
            answer = left.pop(0)
            if answer:
                future.set_exception(answer)
            else:
                future.set_result(None)
            return future

        draw = open

        def close(self, *, wait: bool) -> None:
            closed.append(wait)

    monkeypatch.setattr(answering, "TrialWorker", Trial)
    assert answering.tried(GPU) is outcome
    assert left == []
    assert not any(closed)
    assert closed
