"""Clock and power state of a device, as far as the system reports it without special rights.

amdgpu, i915 and xe report it in sysfs; NVIDIA's driver through its management library (NVML), which
comes with it; where the device draws with the machine's processor, the kernel reports that.  Read
in the process that measures, right after a trial, so that the clock is the one the trial ran at.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.system import processors

SYSFS = Path("/sys/class/drm")
CPUFREQ = Path("/sys/devices/system/cpu/cpufreq")
CPUINFO = Path("/proc/cpuinfo")

_AWAKE = 0.95
"""Share of the highest clock from which a GPU counts as awake."""
_NVIDIA, _AMD, _INTEL = 0x10DE, 0x1002, 0x8086

_NVML_REASONS = (
    (0x02, "held by a clocks setting"),
    (0x04, "power cap"),
    (0x08, "hardware slowdown"),
    (0x20, "too warm"),
    (0x40, "too warm (hardware)"),
    (0x80, "power brake"),
)
"""What keeps the clock below its maximum (nvml.h, NvmlClocksEventReasons).  NVML has no query for
whether clocks are locked."""


def state(
    info: DeviceInfo,
    sysfs: Path = SYSFS,
    cpufreq: Path = CPUFREQ,
    cpuinfo: Path = CPUINFO,
) -> str | None:
    """One line such as `unlocked (auto), 1777 MHz`; None where the system does not report it.

    It begins with `locked` or `unlocked` where the system says which.  NVIDIA's driver does not:
    its line begins with the clock.  Several devices of one model cannot be distinguished, so
    nothing is reported for them.  Of a processor the line also says which one, and how many of its
    cores this process may use.  `sysfs`, `cpufreq` and `cpuinfo` are where to look.
    """
    if info.null_hardware:
        return None
    if info.kind == "software":
        return _processor(cpufreq, cpuinfo)
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


def is_locked(state: str | None) -> bool | None:
    """Whether a line of `state` says that the clock is held; None where it does not say."""
    word = (state or "").partition(" ")[0]
    return {"locked": True, "unlocked": False}.get(word)


def is_rising(state: str | None) -> bool:
    """Whether a line of `state` says of a GPU that was idle that its clock is still on its way up:
    below the highest, and held by nothing."""
    found = re.fullmatch(r"(\d{1,6}) MHz of (\d{1,6}) MHz(, state P\d+)?", state or "")
    return found is not None and int(found[1]) < _AWAKE * int(found[2])


def mhz(state: str | None) -> int | None:
    """The clock that a line of `state` says was running, MHz; None where it says none."""
    running = re.search(r"(\d{1,6}) MHz", re.sub(r"\([^()]*\)", "", state or ""))
    return int(running[1]) if running else None


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
    line = f"{max(clocks)} MHz" if clocks else None
    policies = sorted(cpufreq.glob("policy*"))
    if policies:
        governor = _text(policies[0] / "scaling_governor")
        least, most, now = (
            max((_number(policy / name) or 0 for policy in policies), default=0)
            for name in ("scaling_min_freq", "scaling_max_freq", "scaling_cur_freq")
        )
        if governor and most:
            line = _words("locked" if least == most else "unlocked", governor, now // 1000)
    model = re.search(r"(?m)^model name\s*: (\S.*)$", listed)
    if model:
        cores = processors.usable()
        which = f"{cores} core{'s' * (cores > 1)} of {model[1][:100]}"
        return f"{line}, {which}" if line else which
    return line


def _words(held: str, detail: str, mhz: int | None) -> str:
    return f"{held} ({detail})" + (f", {mhz} MHz" if mhz else "")


def _nvidia(uuid: str) -> str | None:
    """NVML's account of the GPU whose UUID is Vulkan's deviceUUID."""
    import pynvml  # takes long, and only the child that measures on such a GPU needs it

    if len(uuid) != 32:
        return None
    parts = (uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:])
    unknown = contextlib.suppress(pynvml.NVMLError)
    with unknown:
        pynvml.nvmlInit()
        try:
            device = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{'-'.join(parts)}")
            line = f"{pynvml.nvmlDeviceGetClockInfo(device, pynvml.NVML_CLOCK_SM)} MHz"
            with unknown:
                most = pynvml.nvmlDeviceGetMaxClockInfo(device, pynvml.NVML_CLOCK_SM)
                line += f" of {most} MHz"
            with unknown:
                level = pynvml.nvmlDeviceGetPerformanceState(device)
                line += f", state P{level}" if level <= pynvml.NVML_PSTATE_15 else ""
            with unknown:  # named so up to driver 530; newer ones keep the name
                reasons = pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(device)
                line += "".join(f", {text}" for bit, text in _NVML_REASONS if reasons & bit)
            return line
        finally:
            pynvml.nvmlShutdown()
    return None


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
