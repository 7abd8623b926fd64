"""Which of a measurement's times a sample has, and which trials it leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.samples.recording import timing_record

CPU_CLOCK_S = 1e-7
"""What a process's CPU time is known to."""


def device(kind: str) -> DeviceInfo:
    return DeviceInfo("toy", "Toy", kind, "1.0", "1.3.0", 1, 2, "00", "toy.json", 0, True)


def measured(*cpu_trials_s: float) -> Measurement:
    """By timestamps the last trial is an outlier."""
    trials = tuple(range(1, len(cpu_trials_s) + 1))
    return Measurement(
        "toy", "Toy", "1.0", (8, 8), 2, trials, (len(trials) - 1,), 1e-4, cpu_trials_s
    )


@pytest.mark.parametrize(("off", "rejected"), [(6.5, ()), (7.5, (4,))])
def test_software_devices_leave_out_what_their_clock_can_tell_from_the_rest(off, rejected):
    found = timing_record(measured(*[1e-3] * 4, 1e-3 + off * CPU_CLOCK_S), device("software"))
    assert (found.clock, found.rejected) == ("cpu", rejected)
    assert found.time_s == pytest.approx(1e-3 if rejected else 1e-3 + off * CPU_CLOCK_S / 5)


def test_other_devices_count_by_timestamps_and_keep_their_judgement():
    found = timing_record(measured(*[1e-3] * 4, 5.0), device("discrete"))
    assert (found.clock, found.rejected, found.time_s) == ("device", (4,), 2.5)
    assert found.median_s == 2.5
    assert found.compile_s is None


def test_the_drivers_compile_goes_with_the_times():
    times = replace(measured(1e-3, 1e-3, 1e-3), compile_s=0.18)
    assert timing_record(times, device("discrete")).compile_s == 0.18
