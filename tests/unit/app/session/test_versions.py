"""What becomes a version, which ones are kept, and what a name makes of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.app.session import versions as versions_module
from shaderlab.app.session.counted_run import CANONICAL, CountedRun
from shaderlab.app.session.versions import Version, _bounded, _with_times_of

from .fakes import REST_MORE_S, forecast, frame, program, trace


def serve(driven, text: str, *forecasts, name: str = "") -> None:
    """The text compiles to the program of this name, and is counted and predicted."""
    driven.session.edit(text)
    driven.text.answer(program(name or text, text=text))
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.answer(forecasts or (forecast(),))


@pytest.fixture
def history(driven):
    driven.text.answer(program("a", text="a"))
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.answer((forecast(time_s=2.0),))
    return driven.session.versions


def texts(history) -> list[str]:
    return [each.text for each in history.all]


def test_each_text_that_was_predicted_becomes_a_version(driven, history):
    serve(driven, "ab", forecast(time_s=1.5))
    assert texts(history) == ["a", "ab"]
    assert [list(each.times_s.values()) for each in history.all] == [[2.0], [1.5]]
    assert history.latest.lines["rtx3060"][0].line == 3
    serve(driven, "a", forecast(time_s=2.0))
    assert texts(history) == ["a", "ab", "a"], "a text brought back is one more version"


def test_a_remark_is_no_version_of_its_own_but_the_text_follows(driven, history):
    driven.session.edit("a // why")
    driven.text.answer(program("a", text="a // why"))
    assert texts(history) == ["a // why"]


def test_a_finer_forecast_adds_its_time(driven, history):
    finer = forecast("additive-compiled", time_s=1.0)
    driven.session.forecasting.predict()
    driven.predictor.answer((finer,))
    assert len(history.all) == 1
    assert set(history.latest.times_s) == {finer.comparable, forecast().comparable}


def test_a_pinned_version_is_the_baseline_until_it_is_unpinned(driven, history):
    made = history.pin("before")
    assert history.baseline.name == "before"
    assert history.baseline.program.name == "a"
    serve(driven, "ab")
    assert history.baseline.number == made.number
    second = history.pin("after")
    assert [each.name for each in history.variants] == ["before", "after"]
    assert history.baseline.number == second.number
    history.compare_with(made.number)
    assert history.baseline.name == "before"
    history.unpin(made.number)
    assert history.baseline is None
    assert texts(history) == ["a", "ab"], "it stays in the history"
    assert history.find(made.number).program is None


def test_a_program_is_pinned_before_its_times_are_there(driven, history):
    driven.session.edit("ab")
    driven.text.answer(program("ab", text="ab"))
    history.pin("early")
    assert history.baseline.times_s == {}
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.answer((forecast(time_s=7.0),))
    assert list(history.baseline.times_s.values()) == [7.0]
    assert texts(history) == ["a", "ab"]


def test_a_version_gets_a_name_later_and_can_be_renamed(driven, history):
    serve(driven, "ab")
    first = history.all[0].number
    history.rename(first, "  first  ")
    history.rename(first, "")
    assert [each.name for each in history.variants] == ["first"]
    assert history.baseline is None, "naming is not comparing"


def test_nothing_is_pinned_where_nothing_compiled(driven):
    assert driven.session.versions.pin("none") is None
    assert driven.session.versions.all == ()


def test_another_document_has_versions_of_its_own(driven, history):
    history.pin("before")
    driven.session.open_text("b", "b.frag", None)
    assert history.all == ()
    assert history.baseline is None


def test_those_of_earlier_runs_come_before_and_get_numbers(driven, history):
    own = history.latest.number
    history.restore([Version(0, "old", 1.0), Version(0, "older", 2.0, name="kept")])
    assert texts(history) == ["old", "older", "a"]
    assert len({each.number for each in history.all}) == 3
    assert history.latest.number == own


def test_the_text_that_was_last_is_no_second_version_when_it_is_opened_again(driven, history):
    history.restore([Version(0, "old", 1.0), Version(0, "a", 2.0, name="kept")])
    assert [(each.text, each.name) for each in history.all] == [("old", ""), ("a", "kept")]
    assert list(history.latest.times_s.values()) == [2.0]


def test_a_variant_of_an_earlier_run_is_compiled_when_it_is_needed(driven, history):
    history.restore([Version(0, "old", 1.0, name="kept")])
    kept = history.variants[0]
    got = []
    driven.session.version_programs.ask(kept, got.append, got.append)
    assert driven.text.open[0].arguments[0] == "old"
    made = program("old", text="old")
    driven.text.answer(made)
    assert got == [made]
    assert history.find(kept.number).program is made


SMALL = CountedRun((640, 480))


def kept(text: str, run: CountedRun | None, time_s: float = 3.0, name: str = "kept") -> Version:
    return Version(0, text, 1.0, {forecast().comparable: time_s}, {}, name, run=run)


def known(history) -> list[tuple[float, ...]]:
    return [tuple(each.times_s.values()) for each in history.all]


def test_of_earlier_runs_only_times_of_the_same_frame_are_kept(history):
    history.restore([kept("old", CANONICAL), kept("small", SMALL)])
    assert known(history) == [(3.0,), (), (2.0,)]
    assert [each.run for each in history.all] == [CANONICAL, None, CANONICAL]


def test_times_read_before_the_first_forecast_give_way_to_those_of_its_frame(driven):
    history = driven.session.versions
    history.restore([kept("older", CANONICAL), kept("old", SMALL)])
    assert known(history) == [(), (3.0,)], "all of one frame"
    driven.serve("a")
    assert [[*each.times_s.values()] for each in history.variants] == [[3.0], []]
    assert [*history.variants[-1].others] == [SMALL]
    assert history.variants[-1].name == "kept"


def test_each_size_has_times_of_its_own_which_are_kept(driven, history):
    serve(driven, "ab", forecast(time_s=1.5))
    history.pin("before")
    driven.session.drawing.count_at(SMALL)
    assert known(history) == [(), ()]
    driven.device.answer(frame())
    driven.clock.move(REST_MORE_S)
    driven.device.answer(trace(SMALL.size))
    driven.predictor.answer((forecast(time_s=0.5),))
    assert known(history)[:-1] == [(), ()]
    assert known(history)[-1] == (0.5,)
    assert history.latest.run == SMALL
    driven.session.drawing.count_at(CANONICAL)
    driven.device.answer(frame())
    driven.clock.move(REST_MORE_S)
    driven.device.answer(trace())
    driven.predictor.answer((forecast(time_s=1.5),))
    assert known(history)[:2] == [(2.0,), (1.5,)], "as they were at this size"
    assert {each.run for each in history.all if each.times_s} == {CANONICAL}
    (kept_aside,) = (each.others for each in history.all if SMALL in each.others)
    assert [*kept_aside[SMALL].times_s.values()] == [0.5]


def test_times_of_so_many_frames_are_kept(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_FRAMES", 2)
    version = kept("a", CANONICAL)
    for size in (10, 20, 30):
        version = _with_times_of(CountedRun((size, size)), version)
        version = replace(
            version, times_s={forecast().comparable: size}, run=CountedRun((size, size))
        )
    assert [run.size[0] for run in version.others] == [10, 20]


def test_a_late_answer_for_the_former_frame_is_not_compared_with_the_new_one(driven, history):
    driven.session.forecasting.predict()
    driven.session.drawing.count_at(SMALL)
    driven.predictor.answer((forecast(time_s=2.5),))
    history.pin("late")
    driven.device.answer(frame())
    driven.clock.move(REST_MORE_S)
    driven.device.answer(trace(SMALL.size))
    driven.predictor.answer((forecast(time_s=0.5),))
    assert {each.run for each in history.all if each.times_s} == {SMALL}


def test_only_so_many_are_kept_and_bursts_go_first(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_VERSIONS", 5)
    at = [0.0, 100.0, 101.0, 102.0, 200.0, 300.0, 400.0]
    found = _bounded(Version(n, "x", when) for n, when in enumerate(at))
    assert [each.at for each in found] == [0.0, 100.0, 200.0, 300.0, 400.0]
    named = _bounded(
        Version(n, "x", when, name="n" if when in (100.0, 101.0, 102.0) else "")
        for n, when in enumerate(at)
    )
    assert [each.at for each in named] == [0.0, 100.0, 101.0, 102.0, 400.0]


def test_long_texts_are_bounded_by_their_sum(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_CHARACTERS", 25)
    found = _bounded(Version(n, "x" * 10, float(n)) for n in range(6))
    assert [each.at for each in found] == [0.0, 5.0]


def test_of_named_ones_alone_the_latest_stays_as_well(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_CHARACTERS", 25)
    found = _bounded(Version(n, "x" * 10, float(n), name="kept") for n in range(4))
    assert [each.at for each in found] == [2.0, 3.0]
