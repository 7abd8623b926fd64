"""`compilers`: the vendors' compilers that `compiled` uses: building them, and what is there."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from shaderlab import locations
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.options import natural
from shaderlab.cli.terminal import note, one_line
from shaderlab.cli.texts import compiled as texts
from shaderlab.errors import MissingTool, NoVulkan, ShaderlabError
from shaderlab.gpu.compilers import discovery, installed
from shaderlab.gpu.compilers.discovery import Answers
from shaderlab.gpu.compilers.installed import Compilers, InvalidFolder
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.system import process_group
from shaderlab.workers.background import in_background


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("build", "status"),
        help="build them with packaging/compilers.sh (ten minutes or more), or list what is there",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="build into this folder")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep sources and objects there")
    parser.add_argument(
        "--only", metavar="VENDOR,...", help=f"build these alone: {', '.join(VENDORS)}"
    )
    parser.add_argument("--jobs", type=natural, metavar="N", help="compile so many files at a time")


def compilers(arguments: argparse.Namespace) -> Answer:
    """Exit code 1 where a compiler is missing or damaged."""
    code = _build(arguments) if arguments.what == "build" else 0
    if arguments.to is not None:
        return _answer(arguments.to, installed.read(arguments.to), None, {}, code)
    try:
        answers = in_background(discovery.available, "discovery of compilers").result()
    except (NoVulkan, InvalidFolder) as error:
        return _answer(locations.compilers()[0], None, None, {"": str(error)}, code or 1)
    assert answers.compilers is not None  # or it would have raised
    return _answer(answers.compilers.folder, answers.compilers, answers, answers.problems, code)


def _build(arguments: argparse.Namespace) -> int:
    script = locations.packaging() / "compilers.sh"
    bash = shutil.which("bash")
    if not script.is_file() or bash is None:
        raise MissingTool(
            "packaging/compilers.sh, which builds them, is not part of this installation; "
            "run it from shaderlab's source"
        )
    if sys.platform != "linux":
        raise MissingTool("the compilers can be built and used on Linux only")
    command = [bash, str(script)]
    for name in ("to", "work", "only", "jobs"):
        value = getattr(arguments, name)
        if value is not None:
            command += [f"--{name}", str(value)]
    if arguments.to is None:
        command += ["--to", str(locations.compilers()[0])]
    if arguments.work is None:
        command += ["--work", str(locations.user_cache() / "compilers")]
    try:
        # With --json, stdout is the result's.
        code = process_group.run(command, stdout=sys.stderr.fileno() if arguments.json else None)
    except OSError as error:
        raise ShaderlabError(f"{script.name} could not be started: {error.strerror}") from None
    if code != 0:
        note(f"{script.name} ended with exit code {code}; what is there can be used\n")
    return code


def _answer(
    folder: Path,
    found: Compilers | None,
    answers: Answers | None,
    problems: dict[str, str] | Any,
    code: int,
) -> Answer:
    damage = {d.vendor.slug: d.damage for d in found.drivers if d.damage} if found else {}
    problems = {**problems, **damage}
    missing = dict(found.missing) if found else {}
    data = {
        "folder": str(folder),
        "built": found is not None,
        "mesa": found.mesa if found else None,
        "system": found.system if found else None,
        "bytes": found.size if found else 0,
        "drivers": [
            {
                "vendor": d.vendor.slug,
                "driver": d.vendor.driver,
                "bytes": d.library.size,
                "sha256": d.library.sha256,
                "standing": d.vendor.standing,
            }
            for d in (found.drivers if found else ())
        ],
        "missing": missing,
        "problems": [{"target": t, "error": e} for t, e in problems.items()],
        "targets": [texts.target_data(t) for t in (answers.targets if answers else ())],
    }
    parts = []
    if found is not None:
        names = ", ".join(d.vendor.driver for d in found.drivers) or "none"
        parts.append(
            f"{names} of Mesa {found.mesa}, built on {found.system}: "
            f"{found.size / 1e6:.0f} MB in {folder}"
        )
    parts += [f"{VENDORS[v].driver} was not built: {one_line(why)}" for v, why in missing.items()]
    if answers is not None and answers.targets:
        parts.append(texts.targets_text(data["targets"]))
    if found is not None and found.driver(VENDORS["amd"]) is not None:
        parts.append(
            "This RADV compiles for AMD's families, and for forecasts unless the system has the "
            "RADV of Mesa 22.3, which forecasts were fitted to"
        )
    parts += map(one_line, discovery.sentences(problems))
    return Answer(data, "\n\n".join(parts), code or (1 if damage else 0))


COMMANDS = (
    Command(
        "compilers",
        "Build the compilers of all vendors, or list those that are there.",
        compilers,
        (),
        _options,
    ),
)
