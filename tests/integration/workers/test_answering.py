"""A device that no longer responds is named, blamed for, and used again once it answers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import DeviceStuck, ShaderTimeout, StuckDuring
from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.answering import answering
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits
from tests.stuck_device import StuckDevice

LIMIT = 60.0
DEADLINE_S = 1.0
SIZE = (16, 16)


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StuckDevice]:
    made = StuckDevice(tmp_path, monkeypatch)
    yield made
    made.free()


@pytest.fixture
def info(device: StuckDevice, tmp_path: Path) -> DeviceInfo:
    """llvmpipe, with a state of this test's own."""
    found = [each for each in discovery.discover().devices if each.slug == "llvmpipe"]
    if not found:
        pytest.skip("llvmpipe is not installed")
    return replace(found[0], uuid=tmp_path.name)


def drawn(name: str) -> Draw:
    (path,) = [each.path for each in examples() if each.path.stem == name]
    return Draw.of(load_program(path), SIZE)


def test_a_stuck_device_is_named_and_used_again_when_it_answers(device, info) -> None:
    limits = Limits(frame=DEADLINE_S, trace=LIMIT)
    gradient, plasma = drawn("gradient"), drawn("plasma")
    with closing(DeviceWorker(info, limits)) as one, closing(DeviceWorker(info, limits)) as other:
        before = one.render(Frame.of(gradient)).result(LIMIT).pixels.copy()
        other.render(Frame.of(plasma)).result(LIMIT)
        device.hang()
        begun = time.monotonic()
        hanging, queued, beside = (
            one.render(Frame.of(gradient)),
            one.render(Frame.of(plasma)),
            other.trace(plasma),
        )
        during = hanging.exception(LIMIT)
        took_s = time.monotonic() - begun - DEADLINE_S
        assert type(during) is StuckDuring
        assert type(beside.exception(LIMIT)) is StuckDuring  # long before its own deadline
        assert type(queued.exception(LIMIT)) is DeviceStuck
        assert took_s < 6.0
        assert time.monotonic() - begun < LIMIT / 2
        for error in (during, queued.exception()):
            assert isinstance(error, DeviceStuck)
            assert info.name in str(error)
            assert "rendering gradient.frag" in str(error)
            assert "counting plasma.frag" in str(error)
            assert "rendering plasma.frag" not in str(error)
            assert "keeps trying" in error.remedy
        refused = other.render(Frame.of(plasma))
        assert type(refused.exception(LIMIT)) is DeviceStuck
        assert other.pid is None  # nothing is started that would hang as well

        again = answering(info).again()
        assert not again.done()
        device.free()
        again.result(LIMIT)
        assert not answering(info).stuck
        assert (one.render(Frame.of(gradient)).result(LIMIT).pixels == before).all()
        other.trace(plasma).result(LIMIT)


def test_a_child_that_died_of_a_stuck_device_is_not_the_shaders_fault(device, info) -> None:
    with closing(DeviceWorker(info)) as worker:
        worker.render(Frame.of(drawn("gradient"))).result(LIMIT)
        device.hang()
        hanging = worker.render(Frame.of(drawn("plasma")))
        with pytest.raises(FutureTimeout):
            hanging.result(0.5)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        assert type(hanging.exception(LIMIT)) is StuckDuring
        assert "in flight: rendering plasma.frag" in answering(info).words


def test_what_was_given_up_is_named_too(device, info) -> None:
    """The device may still be on it when something else meets a deadline."""
    with closing(DeviceWorker(info, Limits(frame=DEADLINE_S))) as worker:
        worker.render(Frame.of(drawn("gradient"))).result(LIMIT)
        device.hang()
        outdated = worker.render(Frame.of(drawn("plasma")), LIMIT)
        newer = worker.render(Frame.of(drawn("gradient")))
        while not worker.abandon(outdated):
            pass
        error = newer.exception(LIMIT)
        assert type(error) is StuckDuring
        assert "in flight: rendering plasma.frag" in str(error)
        assert "rendering gradient.frag" in str(error)


def test_other_forms_do_not_hide_a_stuck_device(device, info, monkeypatch, tmp_path):
    for each in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(each, str(tmp_path / each))
    about = Frame.of(drawn("plasma")), "0"
    with closing(Engine(Crew(info, Limits(trace=DEADLINE_S)))) as engine:
        written = engine.answer(questions.trace, info, *about)
        device.hang()
        with pytest.raises(DeviceStuck, match="no longer responds"):
            engine.answer(questions.forecasts, *about)
        again = answering(info).again()
        device.free()
        again.result(LIMIT)
        assert engine.answer(questions.trace, info, *about) == written
        assert engine.answer(questions.forecasts, *about)  # by those that did not hang it


def test_a_slow_shader_is_not_the_devices_fault(device, info) -> None:
    with closing(DeviceWorker(info, Limits(trace=0.001))) as worker:
        error = worker.trace(drawn("plasma")).exception(LIMIT)
        assert type(error) is ShaderTimeout
        assert not answering(info).stuck
        worker.render(Frame.of(drawn("gradient"))).result(LIMIT)
