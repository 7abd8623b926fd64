"""Which AMD families this machine can compile for.  Loads no Vulkan; remembers per driver file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from shaderlab import files, locations
from shaderlab.errors import NoVulkan, WrongUse
from shaderlab.frontend.mesa import FITTED_TO, mesa_of
from shaderlab.gpu import drivers
from shaderlab.gpu.compilers import families, installed
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.installed import InvalidFolder
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.system import process_group

DEADLINE_S = 60.0
"""How long probing all names may take; usual is 2 s, and only after the driver changed."""
INSTALL = f"install it with: apt install mesa-vulkan-drivers libvulkan1; or with: {installed.BUILD}"

_LIBRARY = "libvulkan_radeon"
_FORMAT = 2
_MOST_BYTES = 1 << 20
_MOST_DRIVERS = 4


def available(cache_folder: Path | None = None) -> tuple[CompiledTarget, ...]:
    """All families RADV offers here, oldest architecture first.

    Of the version that forecasts were fitted to if there is one, else of the built one, which
    leaves the same of a program on every system, else of the system's.

    Raises NoVulkan where there is no RADV, or it cannot be asked.
    """
    folder = cache_folder or locations.user_cache()
    reasons = []
    first: tuple[CompiledTarget, ...] = ()
    for manifest in _manifests():
        try:
            found = of_manifest(manifest, folder)
        except NoVulkan as error:
            reasons.append(str(error))
            continue
        if mesa_of(found[0].driver) == FITTED_TO:
            return found
        first = first or found
    if first:
        return first
    if reasons:
        raise NoVulkan("; ".join(reasons))
    raise NoVulkan(f"AMD targets need Mesa's RADV driver, which is not installed; {INSTALL}")


def of_manifest(manifest: Path, folder: Path) -> tuple[CompiledTarget, ...]:
    """All families one driver offers; `folder` keeps its answers.  Raises NoVulkan for none."""
    drivers_by_name = _remembered(folder, manifest)
    if drivers_by_name is None:
        answers = _probe(manifest)
        drivers_by_name = {name: driver for name, driver in answers.items() if driver is not None}
        if len(drivers_by_name) == len(answers):  # a machine too busy today is asked again
            _remember(folder, manifest, drivers_by_name)
    found = []
    for family in families.of_vendor(VENDORS["amd"]):
        spelling = next((name for name in family.spellings if name in drivers_by_name), None)
        if spelling is not None:
            found.append(CompiledTarget(family, spelling, str(manifest), drivers_by_name[spelling]))
    if not found:
        raise NoVulkan(
            f"{manifest.name}: this RADV compiles only for GPUs in this machine (up to Mesa 25 it "
            f"compiled for others too, 26.1 does not); build one that does: {installed.BUILD}"
        )
    return tuple(found)


def spellings() -> tuple[str, ...]:
    """Every name any Mesa may know a family by."""
    return tuple(n for family in families.of_vendor(VENDORS["amd"]) for n in family.spellings)


def radv_manifest() -> Path | None:
    """The first of RADV's driver manifests to be asked; None for none."""
    return next(_manifests(), None)


def _manifests() -> Iterator[Path]:
    """That of the built compilers, which compile alike on every system, then the system's."""
    built = _built()
    if built is not None:
        yield built
    for manifest in drivers.manifests():
        if _LIBRARY in _library(manifest):
            yield manifest
            return


def _built() -> Path | None:
    try:
        compilers = installed.find()
    except InvalidFolder:
        return None  # `doctor` says why
    driver = compilers.driver(VENDORS["amd"]) if compilers is not None else None
    return driver.icd if driver is not None and not driver.problem else None


def _library(manifest: Path) -> str:
    try:
        return str(json.loads(files.read_bytes(manifest, _MOST_BYTES))["ICD"]["library_path"])
    except (WrongUse, ValueError, KeyError, TypeError, RecursionError):
        return ""


def _probe(manifest: Path) -> dict[str, str | None]:
    """Driver by each name this RADV knows; None where it did not answer in time."""
    path = str(manifest.absolute())
    try:
        with process_group.started(
            process_group.python("shaderlab.gpu.radv.probe", path, *spellings()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as probe:
            output, _ = probe.communicate(timeout=DEADLINE_S)
        if probe.returncode:
            raise NoVulkan(
                f"{manifest.name}: RADV does not list its families: its probe ended with "
                f"{probe.returncode}"
            )
        answer = json.loads(output)
    except subprocess.TimeoutExpired:
        raise NoVulkan(f"{manifest.name}: RADV did not answer within {DEADLINE_S:g} s") from None
    except (OSError, ValueError) as error:
        raise NoVulkan(f"{manifest.name}: RADV does not list its families: {error}") from None
    return {str(n): None if driver is None else str(driver) for n, driver in answer.items()}


def _cache_path(folder: Path) -> Path:
    return folder / "radv-families.json"


def _fingerprint(manifest: Path) -> str:
    """Changes whenever the driver or the list of names does."""
    facts: list[object] = [_FORMAT, spellings()]
    library = Path(_library(manifest))
    for path in (manifest, library if library.is_absolute() else manifest.parent / library):
        with contextlib.suppress(OSError):
            status = path.stat()
            facts.append((os.path.realpath(path), status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _remembered(folder: Path, manifest: Path) -> dict[str, str] | None:
    return _kept(folder).get(_fingerprint(manifest))


def _kept(folder: Path) -> dict[str, dict[str, str]]:
    """Drivers by family, by the fingerprint of each driver asked; empty for a damaged file."""
    try:
        kept = json.loads(files.read_bytes(_cache_path(folder), _MOST_BYTES))
        return {
            str(fingerprint): {str(name): str(driver) for name, driver in families.items()}
            for fingerprint, families in kept.items()
        }
    except (WrongUse, ValueError, AttributeError, RecursionError):
        return {}


def _remember(folder: Path, manifest: Path, drivers_by_name: dict[str, str]) -> None:
    """Beside what the other driver answered: the built RADV and the system's are both asked."""
    kept = _kept(folder)
    kept[_fingerprint(manifest)] = drivers_by_name
    newest = dict(list(kept.items())[-_MOST_DRIVERS:])
    with contextlib.suppress(OSError):  # a cache that cannot be written costs the next start 2 s
        folder.mkdir(parents=True, exist_ok=True)
        files.write(_cache_path(folder), json.dumps(newest).encode(), durable=False)
