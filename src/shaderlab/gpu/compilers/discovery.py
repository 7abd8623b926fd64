"""Which of the vendors' chips the compilers here answer for.  Loads no Vulkan; remembers.

A stand-in reads the chip's name when its process starts, so each chip is asked for in a process of
its own, with a deadline, in its own process group.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files, locations
from shaderlab.errors import NoVulkan, WrongUse
from shaderlab.gpu.compilers import families, installed
from shaderlab.gpu.compilers.families import Family
from shaderlab.gpu.compilers.installed import BUILD, Compilers, Driver
from shaderlab.system import process_group

DEADLINE_S = 30.0
"""How long one chip may take to answer; usual is 0.5 s, and only after the compilers changed."""

KEEPING_LOOPS = {"SHADERLAB_KEEPS_LOOPS": "1"}
"""Environment of a process in which such a driver does."""
_PINNED = "(shaderlab)"
"""Part of the driver's name then; `packaging/compilers.sh` puts both into the source."""
_FORMAT = 1
_MOST_LATE = 2
"""Chips of a vendor that are waited for in vain before the others are given up."""
_AT_ONCE = 2
_ANSWER_BYTES = 1 << 16
_CACHE_BYTES = 1 << 20


@dataclass(frozen=True)
class CompiledTarget:
    """A family that the compilers of this machine compile for."""

    family: Family
    spelling: str
    """What the driver here, or the stand-in for the kernel's, calls it."""
    icd: str
    """Path of the manifest by which the Vulkan loader finds the driver."""
    driver: str = ""
    """Driver name and version."""
    device: str = ""
    """What the driver calls the chip."""

    @property
    def keeps_loops(self) -> bool:
        """Whether the driver can be asked to leave loop-invariant code in the loop, as
        RADV that `packaging/compilers.sh` built can."""
        return _PINNED in self.driver

    @property
    def environment(self) -> dict[str, str]:
        """What the process that compiles is started with, beside its parent's environment; none
        where the driver needs no stand-in, and can be found later (`gpu.radv.compiler`)."""
        vendor = self.family.vendor
        if not vendor.shim:
            return {}
        return {
            **vendor.preload(str(Path(self.icd).parent), os.environ),
            **vendor.environment,
            vendor.family_variable: self.spelling,
            # What it compiles is asked for once: files about it would only wear the disk.
            "MESA_SHADER_CACHE_DISABLE": "true",
        }


@dataclass(frozen=True)
class Answers:
    """What the compilers answered."""

    compilers: Compilers | None
    targets: tuple[CompiledTarget, ...]
    """By vendor, the oldest chip first."""
    problems: Mapping[str, str]
    """Why a family is not among them, by its slug; a vendor's slug stands for all of its chips."""


def sentences(problems: Mapping[str, str]) -> list[str]:
    """The `problems` of answers, one where they differ by the family's name alone."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for slug, why in problems.items():
        alike.setdefault(tuple(why.split(f" for {slug}", 1)), []).append(slug)
    return [f" for {', '.join(slugs)}".join(parts) for parts, slugs in alike.items()]


def available(cache_folder: Path | None = None) -> Answers:
    """All families of Intel, NVIDIA, Adreno and Mali that the compilers here answer for.

    Raises NoVulkan where there are no compilers, InvalidFolder where they cannot be read.
    """
    compilers = installed.find()
    if compilers is None:
        raise NoVulkan(
            "the compilers of Intel, NVIDIA, Adreno and Mali are not built; build them with: "
            + BUILD
        )
    folder = cache_folder or locations.user_cache()
    answers = _remembered(folder, compilers)
    if answers is None:
        answers = _ask(compilers)
        if not any(answer.get("late") for answer in answers.values()):
            _remember(folder, compilers, answers)
    targets, problems = [], {}
    for driver in _over_stand_ins(compilers):
        if driver.problem:
            problems[driver.vendor.slug] = driver.problem
            continue
        for family in families.of_vendor(driver.vendor):
            answer = answers.get(family.slug, {"problem": f"{family.slug} was not asked for"})
            if "problem" in answer:
                problems[family.slug] = answer["problem"]
            else:
                found = _target(driver, family)
                targets.append(replace(found, driver=answer["driver"], device=answer["device"]))
    return Answers(compilers, tuple(targets), problems)


def _over_stand_ins(compilers: Compilers) -> tuple[Driver, ...]:
    """RADV's null hardware is asked for otherwise (`gpu.radv.discovery`)."""
    return tuple(driver for driver in compilers.drivers if driver.vendor.shim)


def _target(driver: Driver, family: Family) -> CompiledTarget:
    return CompiledTarget(family, family.spellings[0], str(driver.icd))


def _ask(compilers: Compilers) -> dict[str, dict[str, str]]:
    asked = [
        (driver, family)
        for driver in _over_stand_ins(compilers)
        if not driver.problem
        for family in families.of_vendor(driver.vendor)
    ]
    late: Counter[str] = Counter()

    def ask(pair: tuple[Driver, Family]) -> dict[str, str]:
        """A compiler that hangs is not waited for once for each of its chips."""
        driver, family = pair
        if late[driver.vendor.slug] >= _MOST_LATE:
            name = driver.vendor.driver
            return {"problem": f"{name} was not asked: it did not answer for others", "late": "yes"}
        answer = _probe(driver, family)
        late[driver.vendor.slug] += "late" in answer
        return answer

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(ask, asked)
        return {family.slug: answer for (_, family), answer in zip(asked, answers, strict=True)}


def _probe(driver: Driver, family: Family) -> dict[str, str]:
    """`driver` and `device`, or a `problem`; with `late` where it did not answer in time."""
    target = _target(driver, family)
    name = f"{driver.vendor.driver} for {family.slug}"
    library = str(driver.library.path.absolute())
    try:
        with process_group.started(
            process_group.python("shaderlab.gpu.compilers.probe", target.icd, library),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **target.environment},
        ) as child:
            answer, _ = child.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        return {"problem": f"{name} did not answer within {DEADLINE_S:g} s", "late": "yes"}
    except OSError as error:
        return {"problem": f"{name} could not be asked: {error.strerror}"}
    return _read(answer[:_ANSWER_BYTES], child.returncode, name)


def _read(answer: bytes, code: int, name: str) -> dict[str, str]:
    if code < 0:
        return {"problem": f"{name} ended with signal {-code}"}
    try:
        found = {str(k): str(v) for k, v in json.loads(answer).items()}
    except (ValueError, AttributeError, RecursionError):
        return {"problem": f"{name} gave no answer"}
    if "problem" in found:
        return {"problem": f"{name}: {found['problem']}"}
    if not _is_answer(found):
        return {"problem": f"{name} gave no answer"}
    return found


def _cache_path(folder: Path) -> Path:
    return folder / "compilers.json"


def _fingerprint(compilers: Compilers) -> str:
    """Changes whenever a file or the list of families does."""
    facts: list[object] = [_FORMAT, str(compilers.folder)]
    facts += [(family.slug, family.spellings, family.vendor.slug) for family in families.families()]
    for driver in compilers.drivers:
        for file in filter(None, (driver.library, driver.shim)):
            with contextlib.suppress(OSError):
                status = file.path.stat()
                facts.append((file.path.name, status.st_size, status.st_mtime_ns))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _remembered(folder: Path, compilers: Compilers) -> dict[str, dict[str, str]] | None:
    faults = (WrongUse, ValueError, KeyError, TypeError, AttributeError, RecursionError)
    with contextlib.suppress(*faults):
        kept = json.loads(files.read_bytes(_cache_path(folder), _CACHE_BYTES))
        if kept["fingerprint"] == _fingerprint(compilers):
            answers = {
                str(slug): {str(k): str(v) for k, v in answer.items()}
                for slug, answer in kept["families"].items()
            }
            if all(map(_is_answer, answers.values())):
                return answers
    return None


def _is_answer(answer: Mapping[str, str]) -> bool:
    return "problem" in answer or {"driver", "device"} <= answer.keys()


def _remember(folder: Path, compilers: Compilers, answers: dict[str, dict[str, str]]) -> None:
    kept = {"fingerprint": _fingerprint(compilers), "families": answers}
    path = _cache_path(folder)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs the next start time
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(kept), "utf-8")
        partial.replace(path)
