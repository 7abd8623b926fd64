"""What is on this machine: drivers, tools, models, versions; and how to get what is not."""

from __future__ import annotations

import argparse
import platform
from concurrent.futures import Future
from contextlib import closing
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from shaderlab import __version__, locations
from shaderlab.captures import finding
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import one_line, table
from shaderlab.errors import NoVulkan, ShaderlabError
from shaderlab.frontend import analysers
from shaderlab.frontend.toolchain import choice
from shaderlab.gpu.compilers.discovery import Answers, sentences
from shaderlab.gpu.compilers.families import REFERENCE, named
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.prediction.models import other_compilers
from shaderlab.workers.compiled import available
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker

_LIBRARIES = ("PySide6-Essentials", "PyQt6", "PyQt6-QScintilla", "pyqtgraph", "numpy", "vulkan")


@dataclass(frozen=True)
class Missing:
    """Something shaderlab needs and did not find."""

    what: str
    install: str
    """The command that brings it, on Debian and Ubuntu."""


@dataclass
class Findings:
    """All that was found."""

    tools: dict[str, str] = field(default_factory=dict)
    """glslang and SPIRV-Tools: version, and whether as libraries or as programs."""
    libraries: dict[str, str] = field(default_factory=dict)
    devices: tuple[DeviceInfo, ...] = ()
    targets: tuple[str, ...] = ()
    compiled: dict[str, list[str]] = field(default_factory=dict)
    """Families that can be compiled for without the hardware, by the driver that does."""
    compiled_form: str = other_compilers.standing("")
    """Whose compiled form of programs forecasts price, and what was measured with it."""
    analysers: dict[str, str] = field(default_factory=dict)
    """Optional programs of vendors: path by name."""
    renderdoc: str = ""
    """RenderDoc's version and the Python that has its module; empty without it."""
    problems: list[str] = field(default_factory=list)
    """What is here and broken: drivers, models."""
    notes: list[str] = field(default_factory=list)
    """Why something optional is not here."""
    missing: list[Missing] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not (self.missing or self.problems)

    def data(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "version": __version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "tools": self.tools,
            "libraries": self.libraries,
            "devices": [asdict(d) for d in self.devices],
            "targets": list(self.targets),
            "compiled": self.compiled,
            "compiled_form": self.compiled_form,
            "analysers": self.analysers,
            "renderdoc": self.renderdoc,
            "models": str(locations.models()),
            "problems": self.problems,
            "notes": self.notes,
            "missing": [asdict(m) for m in self.missing],
        }

    def text(self) -> str:
        devices = table(
            ("device", "kind", "name", "driver", "profiles"),
            [
                (
                    d.slug,
                    "null" if d.null_hardware else d.kind,
                    d.name,
                    d.driver,
                    "yes" if d.timestamps else "no",
                )
                for d in self.devices
            ],
        )
        parts = [
            f"shaderlab {__version__}, Python {platform.python_version()}, {platform.system()}",
            table(("compiler", "version"), self.tools.items()),
            table(("library", "version"), self.libraries.items()),
            devices,
            f"targets: {', '.join(self.targets) or 'none'}",
            table(
                ("compiler", "GPU families that can be compiled for (optional)"),
                [(driver, ", ".join(slugs)) for driver, slugs in self.compiled.items()]
                or [("none", "the best forecasts use AMD's")],
            ),
            f"compiled form of programs, for the best forecasts: {self.compiled_form}",
            "external analysers (optional, not part of shaderlab): "
            f"{', '.join(f'{n} at {p}' for n, p in self.analysers.items()) or 'none'}",
        ]
        parts.append(
            "RenderDoc, for captures of other programs' frames (optional): "
            + (self.renderdoc or "none")
        )
        parts += [f"problem: {one_line(p)}" for p in self.problems]
        parts += [f"note: {one_line(n)}" for n in self.notes]
        parts += [f"missing: {m.what}; install it with: {m.install}" for m in self.missing]
        if self.ok:
            parts.append("everything needed is here")
        return "\n\n".join(parts)


def examine() -> Findings:
    """Look for everything; nothing here raises."""
    found = Findings()
    searching, families = discover(), available()
    compilers = choice.chosen()
    found.tools.update(compilers.versions())
    for name, package in compilers.missing().items():
        found.missing.append(Missing(name, f"apt-get install {package}"))
    for name in _LIBRARIES:
        try:
            found.libraries[name] = version(name)
        except PackageNotFoundError:
            found.missing.append(Missing(name, f"pip install {name}"))
    with closing(PredictorWorker()) as predictor:
        try:
            found.targets = tuple(t.target for t in predictor.targets().result())
            found.problems.extend(predictor.problems().result())
        except ShaderlabError as error:
            found.problems.append(str(error))
    discovery = searching.result()
    found.devices = discovery.devices
    found.problems.extend(discovery.problems)
    _examine_compilers(families, found)
    found.analysers = {name: str(path) for name, path in analysers.found().items()}
    try:
        python, number = finding.find()
        found.renderdoc = f"{number} at {python}"
    except ShaderlabError as error:
        found.notes.append(str(error))
    if not any(not d.null_hardware for d in found.devices):
        found.missing.append(
            Missing("a Vulkan device", "apt-get install libvulkan1 mesa-vulkan-drivers")
        )
    return found


def _examine_compilers(asked: Future[Answers], found: Findings) -> None:
    """A compiler that is not here is a note, one that is here and does not answer a problem."""
    try:
        answers = asked.result()
    except NoVulkan as error:
        found.notes.append(str(error))
        return
    except ShaderlabError as error:
        found.problems.append(str(error))
        return
    for target in answers.targets:
        if target.family.slug == REFERENCE:
            found.compiled_form = other_compilers.standing(target.driver)
        found.compiled.setdefault(target.family.vendor.driver, []).append(target.family.slug)
    built = answers.compilers.drivers if answers.compilers is not None else ()
    here = {driver.vendor.slug for driver in built}
    of_vendors: dict[str, dict[str, str]] = {}
    for slug, problem in answers.problems.items():
        (vendor,) = {family.vendor.slug for family in named(slug)}
        of_vendors.setdefault(vendor, {})[slug] = problem
    for vendor, problems in of_vendors.items():
        notes = found.problems if vendor in here else found.notes
        notes += [each for each in sentences(problems) if each not in notes]


def doctor(_: argparse.Namespace) -> Answer:
    findings = examine()
    return Answer(findings.data(), findings.text(), 0 if findings.ok else 1)


COMMANDS = (
    Command("doctor", "List what is installed on this machine and what is missing.", doctor),
)
