"""The steps of a shader, what they are given, which wait for turns, and what a failure costs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shaderlab.campaigns import station
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.station import Options, Station
from shaderlab.errors import Abandoned, DeviceLost, ShaderTimeout
from shaderlab.frontend.program import Dialect, Program
from shaderlab.scene.inputs import Source
from shaderlab.scene.textures import NoisePicture, PassPicture, Pattern, Texture
from tests.unit.campaigns.test_campaign import DEVICE

WRITTEN = Program("a", Dialect.SHADERTOY_ES310, "", b"written", "main")
OPTIMIZED = replace(WRITTEN, spirv=b"optimized")
SHADER = Shader("a", "key a")
GPU = replace(DEVICE, kind="discrete")


class Turns:
    """Notes which kind of turn is taken."""

    def __init__(self) -> None:
        self.now = ""

    @contextmanager
    def _turn(self, kind: str):
        self.now = kind
        yield
        self.now = ""

    def working(self):
        return self._turn("working")

    def timing(self):
        return self._turn("timing")


class Bench:
    """A station whose workers note what they are asked, in which turn."""

    def __init__(self, monkeypatch, device=GPU, options=None, optimized=OPTIMIZED):
        bench, self.turns = self, Turns()
        self.asked: list[tuple] = []
        self.made: list[tuple] = []
        self.failing: dict[str, Exception] = {}
        self.closed = 0

        class Worker:
            def __init__(self, *given: object) -> None:
                bench.made.append(given)

            def close(self) -> None:
                bench.closed += 1

            def prepare(self, *given: object) -> SimpleNamespace:
                self._note("prepare", *given)
                return SimpleNamespace(program=WRITTEN, optimized=optimized)

            def trace(self, draw, turn) -> SimpleNamespace:
                with turn():
                    self._note("trace", draw.program)
                return SimpleNamespace(trace=f"counts {draw.program.spirv}", picture="varied")

            def time(self, draw, effort) -> str:
                self._note("time", draw.program, effort)
                return "times"

            def look(self, draw) -> str:
                self._note("look", draw.program)
                return "black"

            def make_timed(self, draw) -> None:
                self._note("make timed", draw.program)

            def make_traced(self, draw) -> None:
                self._note("make traced", draw.program)

            def _note(self, what: str, *given: object) -> None:
                bench.asked.append((what, *given, bench.turns.now))
                if what in bench.failing:
                    raise bench.failing[what]

        monkeypatch.setattr(station, "MeasuringWorker", Worker)
        recording = SimpleNamespace(
            record=lambda draw, measured, device, **how: SimpleNamespace(
                of=(draw.program, measured, device), **how
            ),
            with_counts=lambda sample, *counts: SimpleNamespace(of=sample.of, counts=counts),
            texture_records=lambda _: None,
        )
        monkeypatch.setattr(station, "recording", recording)
        self.checked: list[object] = []
        monkeypatch.setattr(
            station, "validation", SimpleNamespace(check=lambda sample: self.checked.append(sample))
        )
        vars(OPTIMIZED)["module"] = "optimised module"
        self.station = Station(device, options or Options(), self.turns)


def test_a_shader_is_counted_then_timed_then_counted_as_optimised(monkeypatch):
    effort = Effort(trials=7)
    bench = Bench(monkeypatch, options=Options(effort=effort))
    sample = bench.station.sample(SHADER)
    assert bench.asked == [
        ("prepare", SHADER, True, ""),
        ("make traced", WRITTEN, ""),
        ("trace", WRITTEN, "working"),
        ("make timed", WRITTEN, ""),
        ("time", WRITTEN, effort, "timing"),
        ("make traced", OPTIMIZED, ""),
        ("trace", OPTIMIZED, "working"),
    ]
    assert sample.of == (WRITTEN, "times", GPU)
    assert (sample.trace, sample.picture) == ("counts b'written'", "varied")
    assert sample.optimized == ("optimised module", "counts b'optimized'")
    assert bench.checked == [sample]


def test_a_software_device_takes_a_turn_for_what_needs_the_processor(monkeypatch):
    bench = Bench(monkeypatch, DEVICE, Options(optimize=False), optimized=None)
    bench.station.sample(SHADER)
    assert [(each[0], each[-1]) for each in bench.asked] == [
        ("prepare", "working"),
        ("make traced", "working"),
        ("trace", "working"),
        ("make timed", "working"),
        ("time", "timing"),
    ]
    assert bench.asked[0][2] is False


def test_what_was_counted_before_is_looked_at_and_not_counted_again(monkeypatch):
    counts = SimpleNamespace(digests=frozenset({"d"}), of=lambda digest, _: ("one", "other"))
    bench = Bench(monkeypatch, options=Options(counts=counts))
    assert bench.station.sample(SHADER).counts == ("one", "other")
    assert bench.asked[-1] == ("look", WRITTEN, "working")
    assert "trace" not in [each[0] for each in bench.asked]
    assert bench.made == [(GPU, Effort().deadline_s, frozenset({"d"}))]


def test_what_nobody_counted_is_counted(monkeypatch):
    counts = SimpleNamespace(digests=frozenset(), of=lambda *_: None)
    bench = Bench(monkeypatch, options=Options(counts=counts))
    assert bench.station.sample(SHADER).trace == "counts b'written'"


@pytest.mark.parametrize("step", ["make traced", "trace"])
def test_times_are_kept_where_counting_fails(monkeypatch, step):
    bench = Bench(monkeypatch)
    bench.failing[step] = ShaderTimeout("took too long")
    sample = bench.station.sample(SHADER)
    assert sample.of[1] == "times"
    assert (sample.trace, sample.picture, sample.optimized) == (None, None, None)


def test_without_times_there_is_no_sample(monkeypatch):
    bench = Bench(monkeypatch)
    bench.failing["time"] = DeviceLost("lost")
    with pytest.raises(DeviceLost):
        bench.station.sample(SHADER)


def test_a_station_that_is_closed_blames_no_shader(monkeypatch):
    bench = Bench(monkeypatch)

    class Closing(ShaderTimeout):
        def __init__(self) -> None:
            super().__init__("shut down")
            bench.station.close()

    bench.station.prepare(SHADER)
    bench.failing["trace"] = Closing()
    with pytest.raises(Abandoned):
        bench.station.sample(SHADER)
    assert bench.closed == 1
    with pytest.raises(Abandoned):
        bench.station.prepare(SHADER)


def test_a_child_is_replaced_after_many_shaders(monkeypatch):
    monkeypatch.setattr(station, "_WORKER_SHADERS", 3)
    bench = Bench(monkeypatch)
    workers = []
    for _ in range(8):
        bench.station.prepare(SHADER)
        workers.append(len(bench.made))
    assert workers == [1, 1, 1, 2, 2, 2, 3, 3]
    assert bench.closed == 2


def test_a_shaders_own_textures_are_given_and_pictures_of_passes_are_noise(monkeypatch):
    bench = Bench(monkeypatch)
    black = Texture(Pattern.BLACK)
    textures = {"iChannel0": Texture(PassPicture("A")), "iChannel1": black}
    draw = bench.station.draw(WRITTEN, replace(SHADER, textures=textures))
    given = draw.inputs.textures
    assert given["iChannel0"].value.source == NoisePicture(Options().state.size)
    assert given["iChannel1"].value == black
    assert {each.source for each in given.values()} == {Source.SET}
