"""What becomes a version, which ones are kept, and what a name makes of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.app.session import versions as versions_module
from shaderlab.app.session.counted_run import CANONICAL, CountedRun
from shaderlab.app.session.refining import REST_S
from shaderlab.app.session.versions import Version, _bounded, _with_times_of
from shaderlab.frontend.reading import Reading
from shaderlab.prediction.forms import Form

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
    driven.session.edit("a")
    driven.clock.settle()
    driven.device.answer(frame())
    assert not driven.device.on
    assert not driven.predictor.open
    assert texts(history) == ["a", "ab", "a"], "a text brought back is one more version"


def test_a_remark_is_no_version_of_its_own_but_the_text_follows(driven, history):
    driven.session.edit("a // why")
    driven.text.answer(program("a", text="a // why"))
    assert texts(history) == ["a // why"]


def test_a_finer_forecast_adds_its_time(driven, history):
    finer = forecast("additive-compiled", time_s=1.0)
    driven.has_targets(Form.OPTIMIZED)
    driven.predictor.answer((forecast(time_s=2.0),))
    driven.clock.move(2 * REST_S)
    driven.optimizer.answer(program("a, optimised"))
    driven.device.answer(trace())
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
    driven.session.compiling.ask(kept.text, got.append, got.append)
    assert driven.text.open[0].arguments[0] == "old"
    made = program("old", text="old")
    driven.text.answer(made)
    assert got == [made]


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
    assert not driven.device.on, "it was counted before"
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


def said(history) -> list[int]:
    """Grows whenever the history says that it changed."""
    found: list[int] = []
    history.changed.connect(lambda: found.append(len(history.all)))
    return found


def test_what_changes_nothing_is_not_told(driven, history):
    made = history.pin("before")
    told = said(history)
    history.rename(made.number, "before")
    history.rename(99, "none")
    history.unpin(99)
    history.compare_with(made.number)
    history.know_program(99, program("a"))
    assert told == []
    history.rename(made.number, "x" * 200)
    assert history.baseline.name == "x" * versions_module.LONGEST_NAME
    history.compare_with(0)
    assert len(told) == 2
    history.unpin(made.number)
    history.unpin(made.number)
    assert len(told) == 3


def test_one_that_is_not_the_baseline_is_let_go_alone(driven, history):
    first = history.pin("first")
    serve(driven, "ab")
    second = history.pin("second")
    history.unpin(first.number)
    assert history.baseline.number == second.number
    assert [each.name for each in history.variants] == ["second"]
    history.forget()
    assert texts(history) == ["ab"]
    assert history.generation == 1, "the same document"


def test_a_program_pinned_twice_is_two_versions_with_its_times_and_lines(driven, history):
    first, second = history.pin("one"), history.pin("y" * 130)
    assert texts(history) == ["a", "a"]
    assert first.number != second.number
    assert second.name == "y" * versions_module.LONGEST_NAME
    assert second.times_s == first.times_s
    assert second.lines == first.lines
    assert second.run == first.run == CANONICAL
    assert second.program is driven.session.program


def test_a_version_of_no_time_yet_is_of_no_frame(driven, history):
    driven.session.edit("ab")
    driven.text.answer(program("ab", text="ab"))
    made = history.pin("early")
    assert (made.run, dict(made.times_s), dict(made.lines)) == (None, {}, {})


def test_the_same_text_with_another_program_is_still_one_version(driven, history):
    driven.session.reading.choose(Reading(defines=(("OTHER", "1"),)))
    driven.text.answer(program("a read otherwise", text="a"))
    while driven.device.on:
        driven.device.answer(trace() if driven.device.on == "trace" else frame())
    driven.predictor.answer((forecast(time_s=3.0),))
    assert texts(history) == ["a"]
    assert list(history.latest.times_s.values()) == [3.0]


def test_another_document_is_another_generation(driven, history):
    before = history.generation
    told = said(history)
    history.clear()
    assert history.generation == before + 1
    assert told == [0]


def test_the_baseline_of_earlier_runs_is_found_again(history):
    kept_one = Version(7, "old", 1.0, name="kept")
    history.restore([kept_one, Version(8, "older", 2.0)], 7)
    assert history.baseline.text == "old"
    assert history.baseline.number != 7
    history.restore([Version(9, "oldest", 0.5, name="other")], 5)
    assert history.baseline.text == "old", "there is none of that number"


def test_the_baseline_may_be_the_text_that_was_last(history):
    history.restore([Version(3, "a", 2.0, name="kept")], 3)
    assert [each.name for each in history.all] == ["kept"]
    assert history.baseline is history.latest


def test_a_text_that_has_a_name_already_stays_beside_the_one_of_earlier(history):
    history.pin("now")
    history.restore([Version(0, "a", 2.0, name="kept")])
    assert [each.name for each in history.all] == ["kept", "now"]


def test_a_program_is_known_of_variants_alone(history):
    history.restore([Version(0, "old", 1.0), Version(0, "older", 2.0, name="kept")])
    plain, named = history.all[:2]
    made = program("old")
    for each in (plain, named):
        history.know_program(each.number, made)
    assert [each.program for each in history.all[:2]] == [None, made]


def test_so_many_variants_are_kept_and_the_oldest_lose_their_names(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_VARIANTS", 2)
    named = [Version(n, "x", float(n), name=f"v{n}", program=program("x")) for n in range(4)]
    found = _bounded(named)
    assert [each.name for each in found] == ["", "", "v2", "v3"]
    assert [each.program is None for each in found] == [True, True, False, False]
    assert len(found) == 4


def test_one_text_longer_than_all_may_be_together_is_kept(monkeypatch):
    monkeypatch.setattr(versions_module, "MOST_CHARACTERS", 5)
    assert len(_bounded([Version(0, "x" * 10, 0.0)])) == 1
    assert [each.number for each in _bounded(Version(n, "x" * 5, n) for n in range(2))] == [1]
