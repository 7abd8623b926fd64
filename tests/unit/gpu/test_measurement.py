from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.gpu.measurement import Measurement
from shaderlab.gpu.outputs import BufferOutput, Outputs


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


def buffer(name: str, digest: str = "a", mean: float = 0.5) -> BufferOutput:
    return BufferOutput(name, "float", 4, 2, 0.0, 1.0, mean, 1, (), (), digest)


def test_outputs_are_told_and_compared():
    assert buffer("c").text == "c: 4 float, 0 to 1, mean 0.5; 2 changed; 1 not finite"
    assert "no finite number" in buffer("c", mean=float("nan")).text
    then, now = Outputs((buffer("a"), buffer("b"))), Outputs((buffer("a"), buffer("b", "x")))
    assert then.compared(then)[1] == ""
    assert then.compared(now)[1].splitlines() == [
        f"then: {buffer('b').text}", f"now: {buffer('b').text}"
    ]  # fmt: skip
    assert then.compared(Outputs(now.buffers[:1]))[1].endswith("now: no b")
