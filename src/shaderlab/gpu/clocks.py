"""Clock and power state of a device, as far as Linux tells without rights.

amdgpu, i915 and xe say it in sysfs; NVIDIA's driver through its management library (NVML), which
comes with it; where the device draws with the machine's processor, the kernel tells of that.  Read
in the process that measures, right after a trial, so that the clock is the
one the trial ran at.
"""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

from shaderlab.gpu.device_info import DeviceInfo

SYSFS = Path("/sys/class/drm")
CPUFREQ = Path("/sys/devices/system/cpu/cpufreq")
CPUINFO = Path("/proc/cpuinfo")
NVML = "libnvidia-ml.so.1"

_NVIDIA, _AMD, _INTEL = 0x10DE, 0x1002, 0x8086

# nvml.h: nvmlClockType_t, nvmlPstates_t, NvmlClocksEventReasons
_NVML_CLOCK_SM = 1
_NVML_LAST_STATE = 15
_NVML_REASONS = (
    (0x02, "held by a clocks setting"),
    (0x04, "power cap"),
    (0x08, "hardware slowdown"),
    (0x20, "too warm"),
    (0x40, "too warm (hardware)"),
    (0x80, "power brake"),
)
"""What keeps the clock below its most.  NVML has no query for whether clocks are locked."""


def state(
    info: DeviceInfo,
    sysfs: Path = SYSFS,
    nvml: str = NVML,
    cpufreq: Path = CPUFREQ,
    cpuinfo: Path = CPUINFO,
) -> str | None:
    """One line such as `unlocked (auto), 1777 MHz`; None where the system does not tell.

    It begins with `locked` or `unlocked` where the system says which.  NVIDIA's driver does not:
    its line begins with the clock.  Of several devices of one model it cannot be told which one is
    meant; then nothing is told.  Of a processor it also says which one, and how many of its cores
    this process may use.  `sysfs`, `nvml`, `cpufreq` and `cpuinfo` are where to look.
    """
    if info.null_hardware:
        return None
    if info.kind == "software":
        return _processor(cpufreq, cpuinfo)
    if info.vendor_id == _NVIDIA:
        return _nvidia(info.uuid, nvml)
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


def is_locked(told: str | None) -> bool | None:
    """Whether a line of `state` says that the clock is held; None where it does not say."""
    word = (told or "").partition(" ")[0]
    return {"locked": True, "unlocked": False}.get(word)


def _amd(device: Path) -> str | None:
    """amdgpu: `auto` follows the load, `profile_*` and `high` hold a clock (amdgpu kernel docs)."""
    level = _text(device / "power_dpm_force_performance_level")
    if level is None:
        return None
    current = re.search(r"(\d+)\s*Mhz\s*\*", _text(device / "pp_dpm_sclk") or "", re.IGNORECASE)
    held = level in ("low", "high") or level.startswith("profile_")
    return _words("locked" if held else "unlocked", level, current and int(current[1]))


def _intel(card: Path) -> str | None:
    """i915, else xe: locked where the clocks allowed leave no choice (xe_gt_freq kernel docs)."""
    xe = card / "device/tile0/gt0/freq0"
    for folder, names in (
        (card, ("gt_min_freq_mhz", "gt_max_freq_mhz", "gt_act_freq_mhz")),
        (xe, ("min_freq", "max_freq", "act_freq")),
    ):
        least, most, now = (_number(folder / name) for name in names)
        if least is not None and most is not None:
            held = "locked" if most <= least else "unlocked"
            return _words(held, f"{least} to {most} MHz", now)
    return None


def _processor(cpufreq: Path, cpuinfo: Path) -> str | None:
    """By the kernel's policies of frequency (kHz), which virtual machines lack, else by its list.

    cpufreq and proc kernel docs.  Nothing where neither is kept: other systems than Linux.
    """
    listed = _text(cpuinfo) or ""
    clocks = [round(float(mhz)) for mhz in re.findall(r"(?m)^cpu MHz\s*: (\d+\.?\d*)$", listed)]
    told = f"{max(clocks)} MHz" if clocks else None
    policies = sorted(cpufreq.glob("policy*"))
    if policies:
        governor = _text(policies[0] / "scaling_governor")
        least, most, now = (
            max((_number(policy / name) or 0 for policy in policies), default=0)
            for name in ("scaling_min_freq", "scaling_max_freq", "scaling_cur_freq")
        )
        if governor and most:
            told = _words("locked" if least == most else "unlocked", governor, now // 1000)
    model = re.search(r"(?m)^model name\s*: (\S.*)$", listed)
    if model:
        cores = len(os.sched_getaffinity(0))
        which = f"{cores} core{'s' * (cores > 1)} of {model[1][:100]}"
        return f"{told}, {which}" if told else which
    return told


def _words(held: str, detail: str, mhz: int | None) -> str:
    return f"{held} ({detail})" + (f", {mhz} MHz" if mhz else "")


def _nvidia(uuid: str, library: str) -> str | None:
    """NVML's account of the GPU whose UUID is Vulkan's deviceUUID."""
    if len(uuid) != 32:
        return None
    try:
        nvml = ctypes.CDLL(library)
        if nvml.nvmlInit_v2() != 0:
            return None
    except (OSError, AttributeError):  # not there, or not what it is named after
        return None
    try:
        return _nvml_state(nvml, uuid)
    finally:
        nvml.nvmlShutdown()


def _nvml_state(nvml: ctypes.CDLL, uuid: str) -> str | None:
    parts = (uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:])
    handle = _asked(nvml, "nvmlDeviceGetHandleByUUID", f"GPU-{'-'.join(parts)}".encode(), into=_PTR)
    if handle is None:
        return None
    device, sm = _PTR(handle), ctypes.c_int(_NVML_CLOCK_SM)
    clock = _asked(nvml, "nvmlDeviceGetClockInfo", device, sm)
    if clock is None:
        return None
    told = f"{clock} MHz"
    most = _asked(nvml, "nvmlDeviceGetMaxClockInfo", device, sm)
    if most:
        told += f" of {most} MHz"
    level = _asked(nvml, "nvmlDeviceGetPerformanceState", device)
    if level is not None and level <= _NVML_LAST_STATE:
        told += f", state P{level}"
    # Named so up to driver 530; newer ones keep the name.
    reasons = _asked(
        nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", device, into=ctypes.c_ulonglong
    )
    return ", ".join([told, *(text for bit, text in _NVML_REASONS if (reasons or 0) & bit)])


_PTR = ctypes.c_void_p


def _asked(nvml: ctypes.CDLL, name: str, *arguments: object, into: type = ctypes.c_uint):
    """What an NVML query writes through its last parameter; None where it fails or is missing."""
    answer = into()
    query = getattr(nvml, name, None)
    if query is None or query(*arguments, ctypes.byref(answer)) != 0:
        return None
    return answer.value


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
