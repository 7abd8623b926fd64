from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.session.counted_run import CANONICAL, CountedRun, run_from
from shaderlab.app.session.time_curve_jobs import beside_worst


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
