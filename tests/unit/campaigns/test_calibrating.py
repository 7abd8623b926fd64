"""Which shaders of a calibration count, when it gives up, and how the device is described."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from shaderlab.campaigns import calibrating
from shaderlab.campaigns.calibrating import Calibration
from shaderlab.errors import DeviceLost, NoVulkan, ShaderlabError
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement

DEVICE = DeviceInfo(
    "gpu", "A GPU", "discrete", "driver 1", "1.3", 0x10DE, 0, "00", "/icd.json", 0, timestamps=True
)
LOST = DeviceLost("the device was lost")


class Station:
    """Its shaders end as the test says: an error, or seconds per draw."""

    def __init__(self, *ends: Exception | float):
        self._ends = iter(ends)

    def prepare(self, shader):
        program = Program(shader.name, Dialect.SHADERTOY_ES310, "", shader.name.encode(), "main")
        return SimpleNamespace(program=program, optimized=None)

    def draw(self, program, shader):
        return program

    def time(self, draw):
        end = next(self._ends)
        if isinstance(end, Exception):
            raise end
        return Measurement("gpu", "A GPU", "driver 1", (8, 8), 1, (end,) * 3, (), 0.0)

    def trace(self, draw):
        return SimpleNamespace(trace="trace")


def take(calibration: Calibration, *ends: Exception | float, unset: bool = False) -> list[bool]:
    """Whether each shader counts, taken one after another."""
    work = SimpleNamespace(examples={}, reads_uninitialised=unset)
    tools = SimpleNamespace(device=Station(*ends), work=lambda *_: work)
    shaders = [SimpleNamespace(name=f"s{number}") for number in range(len(ends))]
    return [calibration._take(shader, {}, {}, tools) for shader in shaders]


@pytest.fixture
def calibration(monkeypatch) -> Calibration:
    record = SimpleNamespace(timing_record=lambda *_: SimpleNamespace(time_s=0.1))
    monkeypatch.setattr(calibrating, "recording", record)
    return Calibration(DEVICE)


def test_a_shader_that_fails_costs_itself_and_says_why(calibration):
    assert take(calibration, 0.1, ShaderlabError("too odd"), 0.2) == [True, False, True]
    assert calibration._skipped == [("s1", "too odd")]


def test_a_shader_that_reads_uninitialised_values_does_not_count(calibration):
    assert take(calibration, 0.1, unset=True) == [False]
    assert "uninitialised" in calibration._skipped[0][1]


def test_two_losses_of_the_device_in_a_row_are_the_shaders_doing(calibration):
    ends = (LOST, LOST, 0.1, LOST, LOST, ShaderlabError("too odd"), LOST, LOST, 0.1)
    assert take(calibration, *ends) == [end == 0.1 for end in ends]


def test_three_losses_in_a_row_are_not(calibration):
    with pytest.raises(DeviceLost):
        take(calibration, LOST, LOST, LOST)
    assert len(calibration._skipped) == 2


def test_without_vulkan_there_is_nothing_to_go_on_with(calibration):
    with pytest.raises(NoVulkan):
        take(calibration, NoVulkan("no driver"))


@pytest.mark.parametrize(
    ("vendor_id", "vendor"),
    [
        (0x10DE, "NVIDIA"),
        (0x1002, "AMD"),
        (0x8086, "Intel"),
        (0x10005, "Mesa"),
        (0x1AE0, "Google"),
        (0x5143, "vendor 0x5143"),
    ],
)
def test_the_vendor_is_named_where_its_id_is_known(vendor_id, vendor):
    described = Calibration(replace(DEVICE, vendor_id=vendor_id))._described()
    assert described.vendor == vendor


def test_floors_count_on_devices_whose_own_clock_measured_them():
    made = Measurement("gpu", "A GPU", "driver 1", (8, 8), 1, (0.1,) * 3, (), 2e-6, clocks="1 GHz")
    for kind, floor_s in (("discrete", 2e-6), ("software", None)):
        calibration = Calibration(replace(DEVICE, kind=kind))
        assert calibration._described().clocks == "not reported"
        calibration._note(replace(made, floor_s=5e-6))
        calibration._note(made)
        calibration._note(replace(made, floor_s=0.0, clocks=""))
        described = calibration._described()
        assert described.floor_s == floor_s
        assert described.clocks == "1 GHz; not reported"
        assert described.software == (kind == "software")
