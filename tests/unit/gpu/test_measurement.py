from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.gpu.measurement import Measurement


def measured(trials: tuple[float, ...], rejected: tuple[int, ...] = ()) -> Measurement:
    return Measurement("d", "Device", "driver 1", (8, 8), 30, trials, rejected, floor_s=1e-5)


def test_rejected_trials_are_kept_but_not_averaged():
    result = measured((1.0, 9.0, 2.0, 3.0), rejected=(1,))
    assert result.trials_s[1] == 9.0
    assert result.time_s == pytest.approx(2.0)
    assert result.median_s == pytest.approx(2.0)
    assert result.cv == pytest.approx(0.5)


def test_a_single_trial_does_not_vary():
    assert measured((1.5,)).cv == 0.0


def test_by_processor_time_it_has_that_clock_s_own_outliers():
    wall = measured((1.0, 9.0, 1.0, 1.0), rejected=(1,))
    cpu = (2.0, 2.1, 7.0, 1.9, 2.0)
    found = replace(wall, cpu_trials_s=cpu).on_processor
    assert (found.trials_s, found.rejected) == (cpu, (2,))
    assert found.time_s == pytest.approx(2.0)
    with pytest.raises(ValueError, match="not recorded"):
        _ = wall.on_processor
