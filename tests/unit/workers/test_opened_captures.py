"""Reading, counting and editing of a frame, with an analyser of the test's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedDraw, CapturedShader, Counters, Listed
from shaderlab.errors import DeviceLost, ShaderlabError, StartFailed, WrongUse
from shaderlab.frontend.program import Dialect, Program
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import DrawState
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.frame_heat import FrameHeatKind
from shaderlab.workers.opened_captures import (
    Analysed,
    Ended,
    NoHeat,
    OpenedCapture,
    Summed,
    shader_key,
)

PATIENCE_S = 20.0


def draw(event: int, shader: str = "a") -> CapturedDraw:
    module = Contents(Path("pack"), (Piece(shader, 0, 4),))
    return CapturedDraw(
        event, "vkCmdDraw()", shader=CapturedShader(module, "main"), state=DrawState()
    )


def program(name: str) -> Program:
    return Program(name, Dialect.SPIRV, "", name.encode(), "main")


def forecast(time_s: float) -> Forecast:
    return Forecast("gpu", time_s, time_s, time_s, "sh", "", Validation(None, None, None, ""))


@dataclass
class Analyser:
    """A captured draw takes 1 s, an edited one as long as its program's name says."""

    asked: list[tuple[int, str]] = field(default_factory=list)
    error: ShaderlabError | None = None
    can_refine: bool = False

    def analyse(self, drawn: CapturedDraw, instead: Program | None = None) -> AnalysedDraw:
        self.asked.append((drawn.event, instead.name if instead else ""))
        if isinstance(self.error, StartFailed):
            raise self.error
        if self.error is not None:
            return AnalysedDraw(drawn, reason=str(self.error))
        made = forecast(float(instead.name) if instead else 1.0)
        return AnalysedDraw(drawn, instead, forecasts=(made,))

    def refined(self, found: AnalysedDraw) -> AnalysedDraw:
        """Half as long."""
        self.asked.append((found.draw.event, "refined"))
        (was,) = found.forecasts
        assert was.time_s is not None
        return replace(found, forecasts=(forecast(was.time_s / 2),))


class Heard:
    """What was said so far."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self._new = threading.Condition()

    def __call__(self, said: Any) -> None:
        with self._new:
            self.said.append(said)
            self._new.notify_all()

    def wait(self, ready: Any) -> None:
        with self._new:
            assert self._new.wait_for(lambda: ready(self.said), PATIENCE_S)

    def times(self) -> tuple[float | None, float | None]:
        """The frame's latest time, and what it was before the edits."""
        last = next(each for each in reversed(self.said) if isinstance(each, Summed))
        return last.forecasts[0].time_s, last.before[0].time_s


@pytest.fixture
def frame(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the file gives."""
    found: list[Any] = []

    def events(_path: Path, *, stop: threading.Event) -> Iterator[Any]:
        assert not stop.is_set()
        for each in found:
            if isinstance(each, Exception):
                raise each
            yield each

    monkeypatch.setattr(opening, "events", events)
    return found


def opened(analyser: Analyser | None, heard: Heard) -> OpenedCapture:
    made = OpenedCapture(Path("x.rdc"), cast("Any", analyser), heard)
    made.start()
    return made


def summed(seconds: float) -> Any:
    def ready(said: list[Any]) -> bool:
        sums = [each for each in said if isinstance(each, Summed) and each.forecasts]
        return bool(sums) and sums[-1].forecasts[0].time_s == pytest.approx(seconds)

    return ready


def test_draws_are_listed_read_counted_and_summed(frame: list[Any]):
    draws = (draw(1), draw(2, "b"), draw(3))
    frame += [Listed(draws, "1.24"), *draws, {1: Counters(0.5, 9.0)}]
    heard, analyser = Heard(), Analyser()
    capture = opened(analyser, heard)
    heard.wait(summed(3.0))
    heard.wait(lambda said: any(isinstance(each, Ended) for each in said))
    assert {1: Counters(0.5, 9.0)} in heard.said
    assert sorted(analyser.asked) == [(1, ""), (2, ""), (3, "")]
    assert heard.times() == (3.0, 3.0)
    capture.close()


def test_an_edited_shader_is_drawn_in_all_its_draws_and_taken_back(frame: list[Any]):
    draws = (draw(1), draw(2, "b"), draw(3))
    frame += [Listed(draws, "1.24"), *draws]
    heard, analyser = Heard(), Analyser()
    capture = opened(analyser, heard)
    heard.wait(summed(3.0))
    key = shader_key(draws[0])
    assert key is not None
    capture.edit(key, program("2"), program("5"))
    heard.wait(summed(11.0))
    # Compared with the same text before the edit, not with the captured module.
    assert heard.times() == (11.0, 5.0)
    edited = [each for each in heard.said if isinstance(each, Analysed) and each.edited]
    assert sorted(each.found.draw.event for each in edited) == [1, 3]
    capture.edit(key, program("2"), program("3"))
    heard.wait(summed(7.0))
    assert analyser.asked.count((1, "2")) == 1
    capture.edit(key, program("2"), None)
    heard.wait(summed(3.0))
    assert heard.times() == (3.0, 3.0)
    capture.close()


def test_forecasts_are_refined_once_all_draws_are_counted(frame: list[Any]):
    draws = (draw(1), draw(2, "b"), draw(3))
    frame += [Listed(draws, "1.24"), *draws]
    heard, analyser = Heard(), Analyser(can_refine=True)
    capture = opened(analyser, heard)
    heard.wait(summed(1.5))
    assert [name for _, name in analyser.asked[3:]] == ["refined"] * 3
    key = shader_key(draws[0])
    assert key is not None
    capture.edit(key, program("2"), program("5"))
    heard.wait(summed(0.5 + 2.5 + 2.5))
    assert heard.times() == (5.5, 2.5)
    capture.close()


def test_a_heat_map_that_is_no_longer_wanted_does_not_fail_the_one_that_is(frame: list[Any]):
    frame += [Listed((draw(1),), "1.24"), draw(1)]
    heard, analyser = Heard(), Analyser()
    capture = opened(analyser, heard)
    heard.wait(summed(1.0))
    begun, may_fail = threading.Event(), threading.Event()

    def slow(_draw: AnalysedDraw) -> Any:
        begun.set()
        assert may_fail.wait(PATIENCE_S)
        raise DeviceLost("gone")

    def quick(_draw: AnalysedDraw) -> Any:
        raise WrongUse("no picture")

    vars(analyser)["difference"] = slow
    asked: list[Future[None]] = []
    submit = capture._pool.submit
    vars(capture._pool)["submit"] = lambda *what: asked.append(submit(*what))
    capture.ask_heat(FrameHeatKind.DIFFERENCE, 1)
    assert begun.wait(PATIENCE_S)
    vars(analyser)["difference"] = quick
    capture.ask_heat(FrameHeatKind.DIFFERENCE, 1)
    asked[1].result(PATIENCE_S)
    may_fail.set()
    asked[0].result(PATIENCE_S)
    capture.close()
    assert [str(each.error) for each in heard.said if isinstance(each, NoHeat)] == ["no picture"]


def test_a_draw_that_crashes_the_driver_does_not_stop_the_others(frame: list[Any]):
    frame += [Listed((draw(1), draw(2)), "1.24"), draw(1), draw(2)]
    heard = Heard()
    capture = opened(Analyser(error=DeviceLost("the driver crashed")), heard)
    heard.wait(lambda said: sum(isinstance(each, Analysed) for each in said) == 2)
    reasons = {each.found.reason for each in heard.said if isinstance(each, Analysed)}
    assert reasons == {"the driver crashed"}
    capture.close()


def test_a_device_that_does_not_start_ends_it_with_a_sentence(frame: list[Any]):
    frame += [Listed((draw(1),), "1.24"), draw(1)]
    heard = Heard()
    capture = opened(Analyser(error=StartFailed("no driver")), heard)
    heard.wait(lambda said: any(isinstance(e, Ended) and e.error is not None for e in said))
    capture.close()


def test_a_refused_file_is_said_and_a_closed_one_says_nothing(frame: list[Any]):
    frame += [WrongUse("x.rdc is no RenderDoc capture")]
    heard = Heard()
    capture = opened(None, heard)
    heard.wait(lambda said: bool(said))
    assert heard.said == [Ended(frame[0])]
    capture.close()
    capture.edit(("x", "main"), program("1"), None)
    assert len(heard.said) == 1
