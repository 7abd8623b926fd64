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
from shaderlab.gpu.replayed import Replayed
from shaderlab.prediction.forecast import Forecast, Status, Validation
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import Attachments, DrawState
from shaderlab.scene.fixed_functions import ColourTarget, FixedFunctions, Rectangle, Viewport
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.edited_frame import Analysed, Changed, shader_key
from shaderlab.workers.frame_heat import FrameHeatKind
from shaderlab.workers.opened_captures import Ended, NoHeat, OpenedCapture, Summed
from tests.unit.captures.builders import contents

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
    left: dict[tuple[int, str], bytes] = field(default_factory=dict)
    """What draws leave in their first attachment, by event and program."""

    def analyse(
        self, drawn: CapturedDraw, instead: Program | None = None, *, outputs: bool = False
    ) -> AnalysedDraw:
        self.asked.append((drawn.event, instead.name if instead else ""))
        if isinstance(self.error, StartFailed):
            raise self.error
        if self.error is not None:
            return AnalysedDraw(drawn, reason=str(self.error))
        made = forecast(float(instead.name) if instead else 1.0)
        left = self.left.get((drawn.event, instead.name if instead else ""))
        replayed = Replayed(0.0, 0.0, None, 0.0, colours={0: left}) if left and outputs else None
        return AnalysedDraw(drawn, instead, replayed, forecasts=(made,))

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
    sums = [each.forecasts[0] for each in heard.said if isinstance(each, Summed) and each.forecasts]
    assert all(each.missing == 3 - len(each.passes) for each in sums)
    capture.close()


def test_a_draw_that_cannot_be_counted_leaves_the_frame_a_lower_bound(frame: list[Any]):
    draws = (draw(1), replace(draw(2, "b"), state=None, reason="no module"))
    frame += [Listed(draws, "1.24"), draws[0]]
    heard = Heard()
    capture = opened(Analyser(), heard)
    heard.wait(lambda said: any(isinstance(each, Summed) and each.forecasts for each in said))
    last = next(each for each in reversed(heard.said) if isinstance(each, Summed))
    (now,) = last.forecasts
    assert (now.status, now.time_s, now.low_s, now.missing) == (Status.LOWER_BOUND, None, 1.0, 1)
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
    sums = [each for each in heard.said if isinstance(each, Summed)]
    assert sums[-1].edits == {(key, program("5").digest)}
    assert all(
        each.edits is None or each.forecasts[0].time_s == (11.0 if each.edits else 3.0)
        for each in sums
        if each.forecasts and not each.forecasts[0].missing
    )
    capture.edit(key, program("2"), program("3"))
    heard.wait(summed(7.0))
    assert analyser.asked.count((1, "2")) == 1
    capture.edit(key, program("2"), None)
    heard.wait(summed(3.0))
    assert heard.times() == (3.0, 3.0)
    capture.close()


def into(event: int, shader: str, before: Contents, after: Contents) -> CapturedDraw:
    """A draw into image 5."""
    target = ColourTarget("R8G8B8A8_UNORM", before, after=after, resource=5)
    fixed = FixedFunctions(Viewport(0, 0, 1, 1), Rectangle(0, 0, 1, 1), (target,))
    state = DrawState(attachments=Attachments((1, 1), fixed=fixed))
    return replace(draw(event, shader), state=state)


def test_draws_after_an_edited_one_see_what_it_leaves(frame: list[Any], tmp_path: Path):
    blank, first, second, other = (
        contents(tmp_path / name, name.encode()) for name in ("0000", "1111", "2222", "3333")
    )
    draws = (
        into(1, "a", blank, first), into(2, "b", first, second), into(3, "b", other, second)
    )  # fmt: skip
    frame += [Listed(draws, "1.24"), *draws]
    analyser = Analyser(left={(1, "5"): b"new1", (2, ""): b"new2"})
    heard = Heard()
    capture = opened(analyser, heard)
    heard.wait(summed(3.0))
    key = shader_key(draws[0])
    assert key is not None
    capture.edit(key, program("2"), program("5"))
    heard.wait(lambda said: Changed(frozenset({1, 2})) in said)
    edited = [each.found for each in heard.said if isinstance(each, Analysed) and each.edited]
    assert [each.draw.event for each in edited] == [1, 2]
    state = edited[1].draw.state
    assert state is not None
    fixed = state.attachments.fixed
    assert fixed is not None
    (target,) = fixed.colours
    assert target is not None
    assert target.before.read() == b"new1"
    assert target.after == second  # what it is compared with stays the captured picture
    assert edited[1].replayed is not None
    assert not edited[1].replayed.colours
    capture.edit(key, program("2"), None)
    heard.wait(lambda said: Changed(frozenset()) in said)
    assert heard.times() == (3.0, 3.0)
    capture.close()


def test_an_edit_that_leaves_the_same_changes_no_later_draw(frame: list[Any], tmp_path: Path):
    blank, first = (contents(tmp_path / name, name.encode()) for name in ("0000", "1111"))
    draws = (into(1, "a", blank, first), into(2, "b", first, blank))
    frame += [Listed(draws, "1.24"), *draws]
    heard = Heard()
    capture = opened(Analyser(left={(1, "5"): b"1111"}), heard)
    key = shader_key(draws[0])
    assert key is not None
    capture.edit(key, program("2"), program("5"))
    heard.wait(lambda said: Changed(frozenset({1})) in said)
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
    frame += [WrongUse("x.rdc is not a RenderDoc capture")]
    heard = Heard()
    capture = opened(None, heard)
    heard.wait(lambda said: bool(said))
    assert heard.said == [Ended(frame[0])]
    capture.close()
    capture.edit(("x", "main"), program("1"), None)
    assert len(heard.said) == 1
