"""How many draws a trial has, and how well the ratio of two times is known."""

from __future__ import annotations

import math
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.campaigns import comparing
from shaderlab.campaigns.comparing import ComparingServer, draws_of, uncertainty


@pytest.mark.parametrize(
    ("single_s", "draws"), [(0.04, 3), (0.15, 1), (9.0, 1), (1e-4, 100), (0.0, 100)]
)
def test_a_trial_lasts_about_a_seventh_of_a_second(single_s, draws):
    assert draws_of(single_s) == draws


def test_the_uncertainty_is_that_of_a_median_of_normal_errors():
    # Logarithms of the ratio -2 s, -s, 0, s, 2 s: the median distance from their median is s.
    s = 0.01
    turns = [(1.0, math.exp(step * s)) for step in (-2, -1, 0, 1, 2)]
    deviation = 1.4826 * s  # of a normal distribution with that median distance
    assert uncertainty(turns) == pytest.approx(1.96 * 1.2533 * deviation / math.sqrt(5))


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=9), st.floats(0.1, 10))
def test_what_slows_both_halves_of_a_turn_leaves_no_uncertainty(slowness, ratio):
    turns = [(each, each * ratio) for each in slowness]
    assert uncertainty(turns) == pytest.approx(0.0, abs=1e-9)


def test_the_median_of_four_times_the_turns_is_known_twice_as_well():
    turns = [(1.0, 1.01), (1.0, 0.99), (1.0, 1.0)]
    assert uncertainty(4 * turns) == pytest.approx(uncertainty(turns) / 2)


def server(times: dict[str, Any], kind: str = "software") -> Any:
    """One whose draws (`before`, `after`) take the next of their times; GPU times are tenfold."""

    class Timed:
        single = SimpleNamespace(gpu_s=0.15)

        def __init__(self, _device: object, draw: str):
            self._times, self.trials = times[draw], 0

        def __enter__(self) -> Timed:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def trial(self, draws: int) -> SimpleNamespace:
            assert draws == 1
            self.trials += 1
            time_s = 99.0 if self.trials == 1 else next(self._times)
            return SimpleNamespace(cpu_s=time_s, gpu_s=10 * time_s)

    made: Any = ComparingServer.__new__(ComparingServer)
    made._profiling = SimpleNamespace(TimedDraws=Timed)
    made._device = SimpleNamespace(info=SimpleNamespace(kind=kind))
    return made


@pytest.mark.parametrize(("kind", "factor"), [("software", 1.0), ("discrete", 10.0)])
def test_a_steady_ratio_is_known_after_the_fewest_turns(kind: str, factor: float) -> None:
    before, after = count(1.0, 0.1), count(2.0, 0.2)  # both become slower: the ratio stays
    found = server({"before": before, "after": after}, kind).compare("before", "after", 60.0)
    assert next(before) == pytest.approx(1.0 + 0.1 * comparing._FEWEST)
    assert found.after_s / found.before_s == pytest.approx(2.0)
    assert found.before_s == pytest.approx(1.2 * factor), "the median turn"
    assert found.uncertainty == pytest.approx(0.0, abs=1e-9)


def test_a_ratio_that_jumps_takes_all_turns_there_is_time_for() -> None:
    for budget_s, turns in ((60.0, comparing._MOST), (-1.0, comparing._FEWEST)):
        steady, jumping = count(), ((1.0, 1.5, 2.2)[n % 3] for n in count())
        times = {"before": (1.0 for _ in steady), "after": jumping}
        found = server(times).compare("before", "after", budget_s)
        assert next(steady) == turns
        assert found.uncertainty > comparing._SETTLED
