from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.campaigns import balance
from shaderlab.campaigns.balance import Candidate, Chooser, lacking, octave
from shaderlab.campaigns.campaign import Progress
from shaderlab.campaigns.corpus import Shader


class Timing:
    def __init__(self, time_s: float):
        self.time_s = time_s


class Sampled:
    """What a chooser reads of a sample."""

    def __init__(self, digest: str, time_s: float):
        self.timing = Timing(time_s)
        self.program = type("Program", (), {"digest": digest})


def candidate(name: str, seconds: float) -> Candidate:
    return Candidate(Shader(name, name), name, seconds)


def skewed(n: int = 400) -> list[float]:
    """Seconds around 10 ms, hardly any under 1 ms."""
    return (np.exp2(np.random.default_rng(1).normal(13.3, 1.5, n)) * 1e-6).tolist()


def test_an_octave_is_a_factor_of_two_in_microseconds():
    assert [octave(each) for each in (1e-6, 1.9e-6, 2e-6, 1e-3)] == [0, 0, 1, 9]


def test_octaves_under_half_of_the_mean_inside_the_fences_are_thin():
    times = [1.5e-6 * 2**n for n in range(4) for _ in range(10)]
    times.remove(1.5e-6)
    assert lacking(times, 12e-6) == {}
    few = [each for each in times if octave(each) != 2] + [6e-6] * 3
    assert lacking(few, 12e-6) == {2: 1}, "32 in four octaves: each holds 4 at least"


def test_octaves_up_to_the_slowest_are_thin_where_there_is_nothing():
    found = lacking(skewed(), 1.0)
    assert found[octave(0.99)] > 0
    assert octave(10e-3) not in found
    assert all(octave(min(skewed())) <= each <= octave(1.0) for each in found)


@given(st.lists(st.floats(1e-6, 10.0), max_size=60), st.floats(1e-3, 20.0))
def test_what_is_lacking_fills_each_octave_to_the_same(times, slowest):
    held = Counter(map(octave, times))
    filled = {held[place] + count for place, count in lacking(times, slowest).items()}
    assert len(filled) <= 1
    assert all(count > 0 for count in lacking(times, slowest).values())


def test_the_first_shaders_come_in_the_corpus_s_order():
    coming = iter([candidate(str(n), 1e-3) for n in range(100)])
    chooser = Chooser(coming, [], 1.0)
    assert [each.name for each in chooser.choose(10)] == [str(n) for n in range(10)]


def test_the_first_shaders_are_none_that_would_be_found_too_slow():
    coming = iter([candidate(name, s) for name, s in (("a", 1e-3), ("b", 3.0), ("c", 0.9))])
    chooser = Chooser(coming, [], 1.0)
    assert [each.name for each in chooser.choose(10)] == ["a", "c"]


def test_only_shaders_of_thin_octaves_are_chosen_and_none_twice():
    generator = np.random.default_rng(2)
    coming = [candidate(str(n), s) for n, s in enumerate(generator.choice(skewed(), 3000))]
    seconds = {each.shader.name: each.seconds for each in coming}
    times = skewed()
    chooser = Chooser(iter(coming), times, 1.0)
    seen = [each.name for each in chooser.choose()]
    assert seen == ["0", "1", "2", "3", "4"], "as they come, to compare with their forecasts"
    while chosen := chooser.choose():
        thin = lacking(times, 1.0)
        assert len(chosen) <= balance.ROUND
        for each in chosen:
            assert octave(seconds[each.name]) in thin
            chooser.measured(Sampled(each.key, seconds[each.name]))  # pyright: ignore
        times += [seconds[each.name] for each in chosen]
        seen += [each.name for each in chosen]
    assert len(set(seen)) == len(seen) > 20
    before, after = Counter(map(octave, skewed())), Counter(map(octave, times))
    assert max(after.values()) / len(times) < max(before.values()) / len(skewed())


def test_forecasts_are_set_to_this_machine_s_pace():
    times = [3e-3 * 2**n for n in range(8) for _ in range(20) if n]  # the first octave is empty
    times.append(3e-3)
    chooser = Chooser(iter([candidate("slow", 3e-3), candidate("right", 1.5e-3)]), times, 0.4)
    chooser._said = {str(n): 1e-3 for n in range(5)}
    for n in range(5):
        chooser.measured(Sampled(str(n), 2e-3))  # pyright: ignore
    chosen = [each.name for each in chooser.choose()]
    assert chosen == ["right"], "it takes twice its forecast, which is the thin octave"


def test_octaves_below_every_forecast_are_given_up_before_the_corpus_is_through():
    times = [3e-3 * 2**n for n in range(8) for _ in range(20) if n]
    times.append(3e-3)  # a machine on which an empty pass took less than forecasts ever say
    coming = iter([candidate(str(n), 30e-3) for n in range(5000)])
    chooser = Chooser(coming, times, 0.4)
    assert len(chooser.choose()) == 5
    assert chooser.choose() == []
    assert next(coming).shader.name == str(5 + balance._AHEAD)


class Measured:
    """A campaign in which the last shader fails."""

    def __init__(self, shaders):
        self.shaders = shaders

    def run(self, report=lambda _: None, *, retry=False):
        n = len(self.shaders)
        done = Progress(n, 0, n - 1, 1, 2.0, 1.0, "last")
        report(done)
        return done


@pytest.mark.parametrize(("limit", "total"), [(None, balance.FIRST), (10, 10)])
def test_rounds_add_up_and_end_where_nothing_comes_of_them(limit, total):
    coming = iter([candidate(str(n), 1e-3) for n in range(balance.FIRST)])
    told: list[Progress] = []
    chooser = Chooser(coming, [], 1.0)
    ended = balance.run(chooser, Measured, told.append, limit=limit)
    assert ended == told[-1]
    assert (ended.total, ended.recorded, ended.rejected) == (total, total - 1, 1)
    assert math.isclose(ended.elapsed_s, 2.0)
