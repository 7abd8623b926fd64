"""Clock states from made-up sysfs trees, written as the kernel's documentation has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab.gpu import clocks
from shaderlab.gpu.device_info import DeviceInfo


def device(vendor: int, kind: str = "discrete", **more) -> DeviceInfo:
    return DeviceInfo(
        "x", "X", kind, "driver 1", "1.3.0", vendor, 0x73FF, "00" * 16, "", 0, True, **more
    )


@pytest.fixture
def tree(tmp_path: Path):
    def make(card: str, files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / card / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        return tmp_path

    return make


def ids(vendor: str) -> dict[str, str]:
    return {"device/vendor": vendor, "device/device": "0x73ff"}


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("auto", "unlocked (auto), 2124 MHz"),
        ("manual", "unlocked (manual), 2124 MHz"),
        ("profile_standard", "locked (profile_standard), 2124 MHz"),
        ("high", "locked (high), 2124 MHz"),
    ],
)
def test_amd(tree, level: str, told: str) -> None:
    files = ids("0x1002") | {
        "device/power_dpm_force_performance_level": level,
        "device/pp_dpm_sclk": "0: 500Mhz \n1: 2124Mhz *\n2: 2800Mhz",
    }
    assert clocks.state(device(0x1002), tree("card0", files)) == told


def test_intel(tree) -> None:
    files = ids("0x8086") | {"gt_min_freq_mhz": "350", "gt_max_freq_mhz": "1150"}
    root = tree("card1", files | {"gt_act_freq_mhz": "900"})
    assert clocks.state(device(0x8086), root) == "unlocked (350 to 1150 MHz), 900 MHz"
    tree("card1", {"gt_min_freq_mhz": "1150", "gt_act_freq_mhz": "0"})
    assert clocks.state(device(0x8086), root) == "locked (1150 to 1150 MHz)"


def test_what_is_not_told_is_not_made_up(tree, tmp_path: Path) -> None:
    assert clocks.state(device(0x1002), tmp_path) is None
    root = tree("card0", ids("0x1002"))
    assert clocks.state(device(0x1002), root) is None
    assert clocks.state(device(0x1002, kind="software"), root) is None
    level = {"device/power_dpm_force_performance_level": "auto"}
    assert clocks.state(device(0x1002), tree("card0", level)) == "unlocked (auto)"
    two = tree("card2", ids("0x1002") | level)
    assert clocks.state(device(0x1002), two) is None
    assert clocks.state(device(0x8086), two) is None
