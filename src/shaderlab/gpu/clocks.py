"""Clock and power state of a device, as far as Linux tells without rights.

amdgpu and i915/xe say it in sysfs; NVIDIA's driver through its management library (NVML), which
comes with it.  Read in the process that measures, right after a trial, so that the clock is the
one the trial ran at.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

from shaderlab.gpu.device_info import DeviceInfo

SYSFS = Path("/sys/class/drm")

_NVIDIA, _AMD, _INTEL = 0x10DE, 0x1002, 0x8086
_NVML_CLOCK_SM = 1


def state(info: DeviceInfo, sysfs: Path = SYSFS) -> str | None:
    """One line such as `unlocked, 1777 MHz`; None where the system does not tell.

    Of several devices of one model it cannot be told which one is meant; then it is not told.
    """
    if info.kind == "software" or info.null_hardware:
        return None
    if info.vendor_id == _NVIDIA:
        return _nvidia(info.uuid)
    cards = [
        card
        for card in sorted(sysfs.glob("card[0-9]*"))
        if _number(card / "device/vendor") == info.vendor_id
        and _number(card / "device/device") == info.device_id
    ]
    if len(cards) != 1:
        return None
    if info.vendor_id == _AMD:
        return _amd(cards[0] / "device")
    return _intel(cards[0]) if info.vendor_id == _INTEL else None


def _amd(device: Path) -> str | None:
    """amdgpu: `auto` follows the load, `profile_*` and `high` hold a clock (amdgpu kernel docs)."""
    level = _text(device / "power_dpm_force_performance_level")
    if level is None:
        return None
    current = re.search(r"(\d+)\s*Mhz\s*\*", _text(device / "pp_dpm_sclk") or "", re.IGNORECASE)
    held = level in ("low", "high") or level.startswith("profile_")
    return _words("locked" if held else "unlocked", level, current and int(current[1]))


def _intel(card: Path) -> str | None:
    """i915: locked where the least and the most clock allowed are one."""
    least, most = _number(card / "gt_min_freq_mhz"), _number(card / "gt_max_freq_mhz")
    if least is None or most is None:
        return None
    held = "locked" if least == most else "unlocked"
    return _words(held, f"{least} to {most} MHz", _number(card / "gt_act_freq_mhz"))


def _words(held: str, detail: str, mhz: int | None) -> str:
    return f"{held} ({detail})" + (f", {mhz} MHz" if mhz else "")


def _nvidia(uuid: str) -> str | None:
    """NVML's clock and performance state of the GPU whose UUID is Vulkan's deviceUUID."""
    if len(uuid) != 32:
        return None
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2() != 0:
        return None
    try:
        parts = (uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:])
        handle = ctypes.c_void_p()
        name = f"GPU-{'-'.join(parts)}".encode()
        if nvml.nvmlDeviceGetHandleByUUID(name, ctypes.byref(handle)) != 0:
            return None
        clock, level = ctypes.c_uint(), ctypes.c_uint()
        if nvml.nvmlDeviceGetClockInfo(handle, _NVML_CLOCK_SM, ctypes.byref(clock)) != 0:
            return None
        told = f"{clock.value} MHz"
        if nvml.nvmlDeviceGetPerformanceState(handle, ctypes.byref(level)) == 0:
            told += f", state P{level.value}"
        return told
    finally:
        nvml.nvmlShutdown()


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _number(path: Path) -> int | None:
    try:
        return int(_text(path) or "", 0)
    except ValueError:
        return None
