"""Times that do not look like their device's."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from shaderlab.samples.sample import Sample
from shaderlab.samples.trust import FEWEST, judge
from tests.unit.samples.builders import sample, timing, trace


def measured(number: int, factor: float = 1.0, run: int = 0, **changes) -> Sample:
    """Of a made-up device that takes a nanosecond an instruction, give or take a tenth."""
    counted = trace(64 * 48, loops=number + 1)
    noise = random.Random(f"{number} {run}").uniform(0.9, 1.1)
    time_s = 1e-9 * sum(counted.opcodes.values()) * noise * factor
    trials = (time_s, time_s * 1.001, time_s * 0.999)
    return sample(f"shader-{number}", timing=timing(trials), trace=counted, **changes)


def test_a_time_in_the_wrong_unit_is_an_outlier_and_no_other_is():
    honest = [measured(n) for n in range(40)]
    wrong = measured(7, 1000.0)
    (found,) = judge([*honest[:7], wrong, *honest[8:]])
    assert found.samples == 40
    assert found.typical is not None
    assert found.typical < 0.1
    (outlier,) = found.outliers
    assert outlier.id == wrong.id
    assert outlier.expected_s == pytest.approx(honest[7].timing.time_s, rel=0.3)
    assert "longer" in outlier.reason


def test_what_is_known_carries_few_new_ones():
    known = [measured(n) for n in range(40)]
    (found,) = judge([measured(50, 1 / 50)], known)
    (outlier,) = found.outliers
    assert "shorter" in outlier.reason
    assert found.repeats == 0


def test_too_few_are_not_judged_by_a_line():
    (found,) = judge([measured(n) for n in range(FEWEST - 1)])
    assert found.typical is None
    assert found.outliers == ()


def test_a_slower_machine_is_no_outlier_and_one_draw_that_differs_from_the_others_is():
    known = [measured(n) for n in range(30)]
    again = [measured(n, 1.6, run=1) for n in range(30)]
    (found,) = judge(again, known)
    assert found.outliers == ()
    assert found.repeats == 30
    assert found.pace == pytest.approx(1.6, rel=0.1)
    again[3] = measured(3, 1.6 * 2.2, run=1)
    (found,) = judge(again, known)
    assert [each.id for each in found.outliers] == [again[3].id]
    assert "measured before" in found.outliers[0].reason


def test_a_sample_that_is_known_already_does_not_vouch_for_itself():
    honest = [measured(n) for n in range(FEWEST - 1)]
    wrong = measured(FEWEST, 1000.0)
    (found,) = judge([wrong], [*honest, wrong])
    assert found.repeats == 0
    assert found.pace is None
    assert [each.id for each in found.outliers] == [wrong.id]
    # Too few for a line, and no earlier time of its draw but its own.
    (found,) = judge([wrong], [*honest[1:], wrong])
    assert found.typical is None


def test_devices_are_judged_apart():
    other = replace(measured(0).device, slug="rtx3060", kind="discrete")
    slow = [measured(n, 30.0, device=other) for n in range(30)]
    found = judge([*slow, *(measured(n) for n in range(30))])
    assert [each.device for each in found] == ["llvmpipe", "rtx3060"]
    assert not any(each.outliers for each in found)


def test_counts_beyond_64_bits_are_judged():
    many = [measured(n) for n in range(FEWEST)]
    first = many[0]
    assert first.trace is not None
    large = replace(first, trace=replace(first.trace, opcodes={"OpExtInst": 1 << 70}))
    (found,) = judge([large, *many[1:]])
    assert found.samples == FEWEST
