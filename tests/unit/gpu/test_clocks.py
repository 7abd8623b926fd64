"""Clock states from made-up sysfs trees, written as the kernel's documentation has them, and from
a small library that answers as NVML's documentation says, compiled here.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pynvml
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


def test_intel_xe(tree) -> None:
    freq = "device/tile0/gt0/freq0"
    files = ids("0x8086") | {f"{freq}/min_freq": "300", f"{freq}/max_freq": "2400"}
    root = tree("card0", files | {f"{freq}/act_freq": "1800"})
    assert clocks.state(device(0x8086), root) == "unlocked (300 to 2400 MHz), 1800 MHz"
    tree("card0", {f"{freq}/min_freq": "2400"})
    assert clocks.state(device(0x8086), root) == "locked (2400 to 2400 MHz), 1800 MHz"


@pytest.mark.parametrize(
    ("told", "locked"),
    [
        ("locked (high), 2124 MHz", True),
        ("unlocked (auto)", False),
        ("1777 MHz of 2100 MHz, state P0", None),
        (None, None),
    ],
)
def test_whether_it_is_locked_is_read_off_the_line(told: str | None, locked: bool | None) -> None:
    assert clocks.is_locked(told) is locked


UUID = "0123456789abcdef0123456789abcdef"

# Signatures, types and numbers as in nvml.h: nvmlReturn_t is an int, 0 for success, 3 for
# NVML_ERROR_NOT_SUPPORTED, 6 for NVML_ERROR_NOT_FOUND.
NVML_C = """
#include <string.h>
typedef struct nvmlDevice_st *nvmlDevice_t;
static int users;
int users_left(void) { return users; }
int nvmlInitWithFlags(unsigned int flags) { users++; return flags; }
int nvmlShutdown(void) { users--; return 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    if (users != 1 || strcmp(uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef")) return 6;
    *device = (nvmlDevice_t)0x7f1234567890;
    return 0;
}
static int known(nvmlDevice_t device) { return device == (nvmlDevice_t)0x7f1234567890; }
int nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned int *clock) {
    if (!known(device) || type != 1) return 2;
    *clock = 1777;
    return CLOCK_RESULT;
}
#ifndef OLD
int nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int type, unsigned int *clock) {
    if (!known(device) || type != 1) return 2;
    *clock = 2100;
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
    if (!known(device)) return 2;
    *reasons = 0x104ULL | 0x8000000000000000ULL;
    return 0;
}
#endif
int nvmlDeviceGetPerformanceState(nvmlDevice_t device, int *state) {
    if (!known(device)) return 2;
    *state = STATE;
    return 0;
}
"""


@pytest.fixture
def use_library(monkeypatch: pytest.MonkeyPatch):
    """Has the binding load a library of ours from now on."""

    def use(path: Path) -> None:
        monkeypatch.setattr(pynvml, "CDLL", lambda _name: ctypes.CDLL(str(path)))
        monkeypatch.setattr(pynvml, "nvmlLib", None)
        monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})

    return use


@pytest.fixture
def nvml(tmp_path: Path, use_library):
    """Compiles the library with macros of its own, and has it used; its path."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")

    def build(name: str, *macros: str) -> str:
        source, library = tmp_path / f"{name}.c", tmp_path / f"{name}.so"
        source.write_text(NVML_C)
        defines = [f"-D{macro}" for macro in macros]
        command = [compiler, "-shared", "-fPIC", *defines, "-o", library, source]
        subprocess.run(command, check=True)
        use_library(library)
        return str(library)

    return build


def nvidia(uuid: str = UUID) -> DeviceInfo:
    return replace(device(0x10DE), uuid=uuid)


def test_nvidia(nvml) -> None:
    library = nvml("full", "CLOCK_RESULT=0", "STATE=2")
    told = clocks.state(nvidia())
    assert told == "1777 MHz of 2100 MHz, state P2, power cap"
    assert ctypes.CDLL(library).users_left() == 0


def test_nvidia_reports_what_an_old_library_can(nvml) -> None:
    nvml("old", "CLOCK_RESULT=0", "STATE=32", "OLD")
    assert clocks.state(nvidia()) == "1777 MHz"


def test_nvidia_makes_nothing_up(nvml, use_library, tmp_path: Path) -> None:
    library = nvml("full", "CLOCK_RESULT=0", "STATE=2")
    assert clocks.state(nvidia(UUID[::-1])) is None
    assert ctypes.CDLL(library).users_left() == 0
    assert clocks.state(nvidia("")) is None
    nvml("unsupported", "CLOCK_RESULT=3", "STATE=2")
    assert clocks.state(nvidia()) is None
    use_library(tmp_path / "missing.so")
    assert clocks.state(nvidia()) is None
    (tmp_path / "text.so").write_text("no library")
    use_library(tmp_path / "text.so")
    assert clocks.state(nvidia()) is None


def test_what_is_not_reported_is_not_made_up(tree, tmp_path: Path) -> None:
    assert clocks.state(device(0x1002), tmp_path) is None
    root = tree("card0", ids("0x1002"))
    assert clocks.state(device(0x1002), root) is None
    level = {"device/power_dpm_force_performance_level": "auto"}
    assert clocks.state(device(0x1002), tree("card0", level)) == "unlocked (auto)"
    two = tree("card2", ids("0x1002") | level)
    assert clocks.state(device(0x1002), two) is None
    assert clocks.state(device(0x8086), two) is None


CPUINFO = """\
processor	: 0
model name	: Example CPU 9000
cpu MHz		: 2250.000

processor	: 1
model name	: Example CPU 9000
cpu MHz		: 3400.417
"""


def processor(tmp_path: Path, cpuinfo: str) -> str | None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    info = device(0x10005, kind="software")
    return clocks.state(info, cpufreq=tmp_path / "cpufreq", cpuinfo=tmp_path / "cpuinfo")


def test_a_software_device_is_clocked_by_the_processor(tree, tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    which = f"{cores} core{'s' * (cores > 1)} of Example CPU 9000"
    assert processor(tmp_path, CPUINFO) == f"3400 MHz, {which}"
    assert processor(tmp_path, "processor\t: 0\n") is None
    assert (
        clocks.state(device(0x10005, kind="software"), cpuinfo=tmp_path, cpufreq=tmp_path) is None
    )

    for number, now in enumerate((1200000, 3100000)):
        files = {"scaling_governor": "schedutil", "scaling_cur_freq": str(now)}
        limits = {"scaling_min_freq": "800000", "scaling_max_freq": "4200000"}
        tree(f"cpufreq/policy{number}", files | limits)
    assert processor(tmp_path, CPUINFO) == f"unlocked (schedutil), 3100 MHz, {which}"
    for number in range(2):
        tree(f"cpufreq/policy{number}", {"scaling_min_freq": "4200000"})
    assert processor(tmp_path, CPUINFO) == f"locked (schedutil), 3100 MHz, {which}"


@pytest.mark.parametrize(
    ("state", "running"),
    [
        ("unlocked (auto), 1777 MHz", 1777),
        ("locked (500 to 1500 MHz), 1200 MHz", 1200),
        ("1777 MHz of 2100 MHz, state P0, power cap", 1777),
        ("2900 MHz, 2 cores of Some CPU @ 2.90GHz", 2900),
        ("unlocked (300 to 1500 MHz)", None),
        (None, None),
    ],
)
def test_the_clock_of_a_line_is_the_one_that_ran(state, running):
    assert clocks.mhz(state) == running


@pytest.mark.parametrize(
    ("line", "rising"),
    [
        ("345 MHz of 1980 MHz, state P0", True),
        ("1395 MHz of 1980 MHz", True),
        ("1965 MHz of 1980 MHz, state P0", False),
        ("345 MHz of 1980 MHz, state P0, power cap", False),
        ("345 MHz of 1980 MHz, state P8, held by a clocks setting", False),
        ("unlocked (auto), 1777 MHz", False),
        (None, False),
    ],
)
def test_a_clock_that_nothing_holds_is_on_its_way_up(line, rising):
    assert clocks.is_rising(line) is rising
