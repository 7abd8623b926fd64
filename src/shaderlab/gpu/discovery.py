"""All Vulkan devices of this machine, each driver queried in its own child process.

Never loads Vulkan here: a driver that crashes or hangs costs its child and is listed as a problem.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab.errors import NoVulkan, UnknownDevice
from shaderlab.gpu import drivers, naming
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.system import process_group

DEADLINE_S = 40.0
"""How long a driver may take; all are asked at once.  Usual is 0.3 s, more for a cold GPU; with ten
processes waiting per core, lavapipe took over 15 s."""

INSTALL = "install drivers with: apt install mesa-vulkan-drivers libvulkan1"


@dataclass(frozen=True)
class Discovery:
    """What was found."""

    devices: tuple[DeviceInfo, ...]
    """Best first, as `choose` prefers them; slugs are distinct."""
    problems: tuple[str, ...]
    """One line per driver that crashed, hung or failed."""

    def choose(self, wanted: str | None) -> DeviceInfo:
        """The device to use: the best one for None, else by index, slug, name or start of either.

        Best is discrete before integrated, virtual, software; lavapipe before SwiftShader.  Null
        hardware runs nothing and is never chosen.  Raises NoVulkan if there is none to choose from,
        UnknownDevice (which lists the devices) if `wanted` fits none or several.  Both name the
        drivers that failed, since the device meant may be one of theirs.
        """
        failed = "".join(f"; {problem}" for problem in self.problems)
        usable = [info for info in self.devices if not info.null_hardware]
        if not usable:
            raise NoVulkan(f"no Vulkan device found{failed}; {INSTALL}")
        if wanted is None:
            return min(usable, key=_preference)
        key = wanted.strip().lower()
        if key.isdecimal() and int(key) < len(usable):
            return usable[int(key)]
        names = [{info.slug.lower(), info.name.lower()} for info in usable]
        for fits in (
            lambda name: name == key,
            lambda name: bool(key) and name.startswith(key),
        ):
            found = [i for i, own in zip(usable, names, strict=True) if any(map(fits, own))]
            if len(found) == 1:
                return found[0]
            if found:
                several = ", ".join(info.slug for info in found)
                raise UnknownDevice(f'device "{wanted}" could be any of: {several}')
        there = ", ".join(f"{info.slug} ({info.name})" for info in usable)
        raise UnknownDevice(f'no device "{wanted}"; there are: {there}{failed}')


def discover(
    manifests: Sequence[str | os.PathLike[str]] | None = None,
    *,
    deadline_s: float = DEADLINE_S,
    radv_family: str | None = None,
) -> Discovery:
    """Ask every driver (or those of the given manifests) for its devices, all at once.

    `radv_family`: the chip for RADV to emulate, as in `drivers.select`.
    """
    asked = drivers.manifests() if manifests is None else manifests
    extra = [] if radv_family is None else ["--radv-family", radv_family]

    def ask(manifest: str | os.PathLike[str]) -> list[DeviceInfo] | str:
        return _ask(Path(manifest), extra, deadline_s)

    with ThreadPoolExecutor(max(1, len(asked)), "driver probe") as threads:
        answers = list(threads.map(ask, asked))
    problems = tuple(answer for answer in answers if isinstance(answer, str))
    devices = [info for answer in answers if not isinstance(answer, str) for info in answer]
    devices.sort(key=_preference)
    slugs = naming.distinct(info.slug for info in devices)
    named = (replace(info, slug=slug) for info, slug in zip(devices, slugs, strict=True))
    return Discovery(tuple(named), problems)


def _preference(info: DeviceInfo) -> tuple[bool, int, int]:
    kinds = ("discrete", "integrated", "virtual", "other", "software")
    software = ("llvmpipe", "swiftshader")
    among = software.index(info.slug) if info.slug in software else len(software)
    return info.null_hardware, kinds.index(info.kind), among


def _ask(manifest: Path, extra: list[str], deadline_s: float) -> list[DeviceInfo] | str:
    """The manifest's devices, or the problem in one line."""
    with process_group.started(
        process_group.python("shaderlab.gpu.vulkan.probe", str(manifest.absolute()), *extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            output, errors = child.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired:
            return f"{manifest.name}: the driver did not answer within {deadline_s:g} s"
    if child.returncode < 0:
        number = -child.returncode
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return f"{manifest.name}: the driver crashed ({name})"
    if child.returncode:
        said = errors.decode("utf-8", "replace").strip().splitlines()
        return f"{manifest.name}: {said[-1] if said else f'exit code {child.returncode}'}"
    try:
        return [DeviceInfo(**fields) for fields in json.loads(output)]
    except (ValueError, TypeError, RecursionError):
        return f"{manifest.name}: the driver's answer is not readable"
