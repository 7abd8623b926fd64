"""Answers of one engine are the next one's, without a child; what they follow from decides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.engine.graph import Question
from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import RECOGNISED
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw, Frame
from tests import kernels

T = TypeVar("T")

TEXT = """\
#include "count.glsl"
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < COUNT; i++) sum += fragCoord.x;
    fragColor = vec4(sum);
}
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def with_engine(ask: Callable[[Engine], T]) -> tuple[T, set[str]]:
    """The answer of a new engine, and which of its children were started for it."""
    with closing(Engine(Crew("llvmpipe"))) as engine:
        answer = ask(engine)
        return answer, engine.crew.running


def answered(asked: Question[T], *given: object) -> tuple[T, set[str]]:
    return with_engine(lambda engine: engine.answer(asked, *given))


def test_a_second_engine_starts_no_child(tmp_path: Path) -> None:
    path = tmp_path / "a.frag"
    path.write_text(TEXT)
    (tmp_path / "count.glsl").write_text("#define COUNT 4\n")

    def ask(engine: Engine) -> tuple[object, ...]:
        program = engine.answer(questions.program, path, RECOGNISED)
        frame = Frame.of(Draw.of(program, (64, 48)))
        info = engine.answer(questions.device)
        counted = engine.answer(questions.trace, info, frame, "0")
        forms = engine.answer(questions.other_forms, frame, "0", frozenset({Form.OPTIMIZED}), None)
        forecasts = engine.answer(questions.forecasts, frame, "0")
        return program, replace(counted, slowdown=0.0), forms.keys(), forecasts

    first, started = with_engine(ask)
    assert {"compiler", "predictor", "device"} <= started
    again, started = with_engine(ask)
    assert again == first
    assert not started

    (tmp_path / "count.glsl").write_text("#define COUNT 5\n")
    changed, started = with_engine(ask)
    assert "compiler" in started
    assert changed[1] != first[1]


def test_an_include_that_comes_to_lie_nearer_is_seen(tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (far / "count.glsl").write_text("#define COUNT 4\n")
    path = tmp_path / "a.frag"
    path.write_text(TEXT)
    reading = replace(RECOGNISED, search=(far,))
    first, _ = answered(questions.program, path, reading)
    again, started = answered(questions.program, path, reading)
    assert again == first
    assert not started
    (tmp_path / "count.glsl").write_text("#define COUNT 5\n")
    nearer, _ = answered(questions.program, path, reading)
    assert nearer.spirv != first.spirv


def test_counts_of_a_compute_shader_are_kept() -> None:
    def ask(engine: Engine) -> object:
        frame = Frame.of(Draw(kernels.program("lennard_jones")))
        info = engine.answer(questions.device)
        return replace(engine.answer(questions.trace, info, frame, "0"), slowdown=0.0)

    first, _ = with_engine(ask)
    again, started = with_engine(ask)
    assert again == first
    assert not started


def test_a_shader_that_the_device_lacks_something_for_is_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = kernels.program("triad")
    frame = Frame.of(Draw(program))

    def refuse(*_: object) -> None:
        raise UnsupportedShader("the device lacks everything")

    with closing(Engine(Crew("llvmpipe"))) as engine:
        monkeypatch.setattr(engine.crew, "device", refuse)
        counted = engine.answer(questions.counts, frame, "0")
        assert counted == questions.Uncounted("the device lacks everything", "", unfinished=False)
        found = engine.answer(questions.forecasts, frame, "0")
    assert all("It was not run: the device lacks everything" in f.warnings[0] for f in found)


def compiled(text: str, folder: Path) -> Program:
    path = folder / "b.frag"
    path.write_text(text)
    return answered(questions.program, path, RECOGNISED)[0]


def test_another_driver_counts_anew(tmp_path: Path) -> None:
    program = compiled(TEXT.replace('#include "count.glsl"', "#define COUNT 3"), tmp_path)
    frame = Frame.of(Draw.of(program, (64, 48)))

    def ask(engine: Engine, change: Callable[[DeviceInfo], DeviceInfo]) -> object:
        return engine.answer(questions.trace, change(engine.answer(questions.device)), frame, "0")

    _, started = with_engine(lambda engine: ask(engine, lambda info: info))
    assert "device" in started
    _, started = with_engine(lambda engine: ask(engine, lambda info: replace(info, index=7)))
    assert not started, "which of several equal devices it is does not matter"
    _, started = with_engine(lambda engine: ask(engine, lambda info: replace(info, driver="x 2")))
    assert "device" in started
