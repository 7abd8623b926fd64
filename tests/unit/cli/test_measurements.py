from __future__ import annotations

import pytest

from shaderlab.cli.texts import measurements
from shaderlab.gpu.measurement import DEVICE_TIME, PROCESSOR_TIME, Measurement

MEASURED = Measurement(
    "llvmpipe", "llvmpipe (LLVM 15)", "Mesa", (8, 8), 30, (0.2, 0.2), (), 1e-4, (0.38, 0.38)
)


def test_a_software_device_is_timed_by_its_processor_with_the_wall_beside_it():
    found = measurements.data(MEASURED, "software")
    assert (found["clock"], found["time_s"]) == (PROCESSOR_TIME, pytest.approx(0.38))
    assert found["trials_s"] == [0.38, 0.38]
    assert (found["wall_s"], found["wall_trials_s"]) == (pytest.approx(0.2), [0.2, 0.2])
    first = measurements.text(MEASURED, "software").splitlines()[0]
    assert first.startswith("380 ms per draw")
    assert "processor time, all cores; 200 ms on the wall" in first


def test_a_gpu_is_timed_by_its_own_clock():
    found = measurements.data(MEASURED, "discrete")
    assert (found["clock"], found["time_s"]) == (DEVICE_TIME, pytest.approx(0.2))
    assert "wall" not in measurements.text(MEASURED, "discrete")
