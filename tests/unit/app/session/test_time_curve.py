import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.session.counted_run import CANONICAL, CountedRun, run_from
from shaderlab.app.session.time_curve import COARSE, beside_worst
from shaderlab.errors import ShaderTimeout

from .fakes import forecast, trace


def test_the_gaps_beside_the_worst_moment_are_halved():
    assert beside_worst({0.0: 1.0, 2.0: 3.0, 4.0: 2.0}) == [1.0, 3.0]
    assert beside_worst({0.0: 5.0, 2.0: 3.0, 4.0: 2.0}) == [1.0]
    assert beside_worst({0.0: 1.0, 2.0: 1.5, 4.0: 2.0}) == [3.0]
    assert beside_worst({0.0: 1.0}) == []


@given(st.dictionaries(st.floats(0, 100), st.floats(0, 1), min_size=2))
def test_what_is_halved_lies_next_to_the_worst(times):
    seconds = dict(sorted(times.items()))
    worst = max(seconds, key=seconds.__getitem__)
    for middle in beside_worst(seconds):
        between = [t for t in seconds if min(middle, worst) < t < max(middle, worst)]
        assert between == []


def test_a_run_from_the_settings_is_possible_or_the_canonical_one():
    assert run_from("1920x1080", 20.0) == CountedRun((1920, 1080), 20.0)
    for size, time_s in (("", 1.0), ("1x1", 1.0), ("99999x9", 1.0), ("640x480", -1.0), ("axb", 0)):
        assert run_from(size, time_s) == CANONICAL
    assert run_from("640x480", float("nan")) == CANONICAL


@pytest.fixture
def curve(driven):
    driven.serve()
    assert not driven.device.on
    return driven.session.curve


def answer(driven, peak_s: float) -> float:
    """The moment under way, whose time is the larger the nearer it is to the peak."""
    driven.clock.move(1.0)
    time_s = driven.device.open[0].arguments[0].inputs.uniforms.time_s
    driven.device.answer(trace())
    driven.predictor.answer((forecast(time_s=1000.0 - abs(time_s - peak_s)),))
    return time_s


def test_moments_are_spread_from_the_first_to_the_last_then_gather_at_the_worst(driven, curve):
    curve.ask(160.0, "rtx3060")
    assert curve.running
    assert curve.progress == (0, COARSE)
    assert [answer(driven, 70.0) for _ in range(COARSE)] == [10.0 * n for n in range(COARSE)]
    assert curve.running, "the gaps beside the worst are not halved yet"
    assert [answer(driven, 70.0) for _ in range(4)] == [65.0, 75.0, 67.5, 72.5]
    assert not curve.running
    assert curve.error is None
    assert curve.progress == (COARSE + 4, COARSE + 4)
    assert list(curve.times_of("rtx3060")) == sorted(curve.moments)
    assert curve.times_of("another") == {}


def test_what_is_stopped_or_fails_keeps_what_is_there(driven, curve):
    curve.ask(160.0, "rtx3060")
    answer(driven, 0.0)
    curve.stop()
    driven.clock.move(1.0)
    assert not driven.device.open
    assert (curve.running, len(curve.moments), curve.error) == (False, 1, None)
    curve.ask(80.0, "rtx3060")
    assert curve.moments == {}, "asked anew"
    driven.clock.move(1.0)
    assert len(curve.moments) == 1, "what was counted before"
    driven.device.fail(ShaderTimeout("too long"))
    assert (curve.running, len(curve.moments)) == (False, 1)
    assert isinstance(curve.error, ShaderTimeout)
    curve.ask(80.0, "rtx3060")
    assert curve.error is None


def test_another_program_ends_it_and_another_document_forgets_it(driven, curve):
    curve.ask(160.0, "rtx3060")
    answer(driven, 0.0)
    assert curve.current
    driven.session.edit("b")
    driven.clock.move(1.0)
    driven.compiles("b")
    assert not curve.running
    assert not curve.current
    assert len(curve.moments) == 1
    driven.session.open_text("c", "c.frag", None)
    driven.clock.move(1.0)
    assert curve.moments == {}


def test_what_is_no_other_curve_does_not_end_it(driven, curve):
    curve.ask(160.0, "rtx3060")
    answer(driven, 0.0)
    driven.session.drawing.changed.emit()
    driven.session.drawing.count_at(CountedRun(curve.run.size, 5.0))
    assert curve.running
    driven.session.drawing.count_at(CountedRun((320, 200), 5.0))
    assert not curve.running
    assert not curve.current
