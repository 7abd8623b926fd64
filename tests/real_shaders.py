"""Shaders of other projects: how many are compiled, rendered, counted and predicted.

python -m tests.real_shaders --shaders DIR [--stage compile|run] [--only KIND] [--json]

DIR (else $SHADERLAB_REAL_SHADERS) has a `manifest.json`: a list of {"kind", "what", "file"}, files
named from DIR.  What is no valid fragment shader of a language that can be read here is set apart,
each file with its reason.  Exit status 1 where fewer of the others pass than should.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from shaderlab.errors import InvalidModule, ShaderlabError
from shaderlab.frontend import tools
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.scene.draw import Draw, DrawState, Frame
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

VARIABLE = "SHADERLAB_REAL_SHADERS"
SIZE = (256, 192)
"""Of the pictures: small, since the devices are software."""
LIMITS = Limits(frame=60.0)
"""As the commands have them: a first frame waits for the driver's compiler."""


class Step(StrEnum):
    """What is tried with each shader, in this order; each needs the one before."""

    COMPILED = "compiled"
    RENDERED = "rendered"
    COUNTED = "counted"
    PREDICTED = "predicted"


WANTED = {Step.COMPILED: 0.97, Step.RENDERED: 0.95, Step.COUNTED: 0.95, Step.PREDICTED: 0.95}
"""Share of the valid shaders that must pass each step."""

_APART = (
    ("is not on PATH", "no compiler for its language"),
    ("neither on PATH", "no compiler for its language"),
    ("run only in Godot", "a fragment of an engine"),
    ("a part of Godot", "a fragment of an engine"),
    ("three.js", "a fragment of an engine"),
    ("Unity", "a fragment of an engine"),
    ("is a part of a shader", "a fragment of an engine"),
    ("is a Shadertoy export", "a project, to be imported"),
    ("not a fragment shader", "another stage"),
    ("by its name this is a", "another stage"),
    ("no entry point of a fragment shader was found (only", "another stage"),
    ("this looks like a", "another stage"),
)
"""What an error says of a file that is none of those to be opened, and what that means."""

_COMPILERS_OWN = ("glslang", "spirvcross")
"""Folders with tests of compilers, which hold texts that must not compile."""


@dataclass(frozen=True)
class Result:
    """What became of one file."""

    kind: str
    file: str
    apart: str = ""
    """Why it does not count."""
    passed: tuple[Step, ...] = ()
    fault: str = ""
    """Of the first step that failed."""
    dialect: str = ""
    is_estimate: bool = False
    """Predicted from the source alone, since it did not run or could not be counted."""


class Bench:
    """The workers a run needs."""

    def __init__(self, folder: Path, device: str | None):
        """Without a device, shaders are compiled only."""
        self._folder = folder
        self._stack = ExitStack()
        self._compiler = self._stack.enter_context(closing(CompilerWorker()))
        self._device = self._predictor = None
        if device is not None:
            info = discover().result().choose(device)
            self._device = self._stack.enter_context(closing(DeviceWorker(info, LIMITS)))
            self._predictor = self._stack.enter_context(closing(PredictorWorker()))

    def close(self) -> None:
        self._stack.close()

    def result(self, kind: str, file: str) -> Result:
        try:
            program = self._compiler.load(self._folder / file, self._reading(file)).result()
        except ShaderlabError as error:
            fault = _said(error)
            return Result(kind, file, self._why_apart(file, error), fault=fault)
        passed = [Step.COMPILED]
        fault = ""
        try:
            for step in self._run(program):
                passed.append(step)
        except ShaderlabError as error:
            fault = _said(error)
        is_estimate = bool(fault) and self._is_estimated(program)
        return Result(
            kind, file, "", tuple(passed), fault, program.dialect.value, is_estimate=is_estimate
        )

    def _reading(self, file: str) -> Reading:
        """Each project's own folder is open to its includes."""
        return Reading(search=(self._folder / Path(file).parts[0],))

    def _run(self, program: Program) -> Iterator[Step]:
        if self._device is None or self._predictor is None:
            return
        draw: Draw = DrawState.of(SIZE).draw(program)
        self._device.render(Frame.of(draw)).result()
        yield Step.RENDERED
        trace = self._device.trace(draw).result()
        yield Step.COUNTED
        if self._predictor.predict(draw, trace).result():
            yield Step.PREDICTED

    def _is_estimated(self, program: Program) -> bool:
        """Whether a program that does not run here is predicted from its source."""
        if self._predictor is None:
            return False
        try:
            return bool(self._predictor.predict_static(program).result())
        except ShaderlabError:
            return False

    def _why_apart(self, file: str, error: ShaderlabError) -> str:
        notes = [d.message for d in getattr(error, "diagnostics", ())]
        said = "\n".join([str(error), *notes])
        for mark, meaning in _APART:
            if mark in said and (
                mark != "this looks like a" or not isinstance(error, InvalidModule)
            ):
                return meaning
        if Path(file).parts[0] in _COMPILERS_OWN:
            return _refused_by_glslang(self._folder / file)
        return ""


def _refused_by_glslang(path: Path) -> str:
    """A test of a compiler that glslang's own front end refuses, without Vulkan's rules."""
    if tools.find("glslangValidator") is None:
        return ""
    program = str(tools.require("glslangValidator"))
    is_hlsl = path.name.startswith("hlsl.") or path.suffix == ".hlsl"
    reads = ["-D", "-V", "-e", "main", "-o", os.devnull] if is_hlsl else ["-l"]
    command = [program, *reads, "-S", "frag", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = (ended.stdout + ended.stderr).splitlines()
    refused = [line for line in lines if line.startswith("ERROR")]
    missing = any("Entry point not found" in line for line in lines)
    if ended.returncode and refused:
        return f"glslang's front end refuses it too: {refused[0][:120]}"
    return "it has no entry point that can be recognised" if missing else ""


def _said(error: ShaderlabError) -> str:
    return " ".join(str(error).split())[:300]


def shares(results: Iterable[Result]) -> dict[Step, float]:
    """Of the shaders that count: the share that passed each step."""
    counted = [each for each in results if not each.apart]
    return {
        step: sum(_has_passed(each, step) for each in counted) / max(1, len(counted))
        for step in Step
    }


def _has_passed(result: Result, step: Step) -> bool:
    return step in result.passed or (step is Step.PREDICTED and result.is_estimate)


def text(results: list[Result], steps: tuple[Step, ...]) -> str:
    """Table by kind, then every file apart and every failure."""
    lines = ["kind   files  apart  valid  " + "  ".join(f"{step:>9}" for step in steps)]
    kinds = sorted({each.kind for each in results})
    for kind in [*kinds, "all"]:
        rows = [each for each in results if kind in (each.kind, "all")]
        apart = sum(bool(each.apart) for each in rows)
        passed = [sum(_has_passed(each, step) for each in rows) for step in steps]
        numbers = "  ".join(f"{count:9}" for count in passed)
        lines.append(f"{kind:5}  {len(rows):5}  {apart:5}  {len(rows) - apart:5}  {numbers}")
    share = shares(results)
    lines.append(" " * 25 + "  ".join(f"{share[step]:9.1%}" for step in steps))
    estimates = sum(each.is_estimate for each in results)
    if estimates:
        lines.append(f"{estimates} of those predicted did not run to an end here: estimates")
    lines += ["", "apart:"]
    lines += [f"  {r.kind} {r.file}: {r.apart}" for r in results if r.apart]
    lines += ["", "failed:"]
    for result in results:
        left = [step for step in steps if step not in result.passed]
        if left and not result.apart:
            estimate = " (predicted as an estimate)" if result.is_estimate else ""
            lines.append(f"  {result.kind} {result.file}: not {left[0]}{estimate}: {result.fault}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shaders", type=Path, default=os.environ.get(VARIABLE), metavar="DIR")
    parser.add_argument("--stage", choices=("compile", "run"), default="compile")
    parser.add_argument("--only", action="append", metavar="KIND", help="of the manifest")
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.shaders is None:
        parser.error(f"which shaders? --shaders DIR, or ${VARIABLE}")
    folder = Path(arguments.shaders)
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    wanted = [e for e in entries if not arguments.only or e["kind"] in arguments.only]
    runs = arguments.stage == "run"
    steps = tuple(Step) if runs else (Step.COMPILED,)
    results = []
    with closing(Bench(folder, arguments.device if runs else None)) as bench:
        for entry in sorted(wanted, key=lambda e: (e["kind"], e["file"])):
            results.append(bench.result(entry["kind"], entry["file"]))
            if sys.stderr.isatty():
                print(f"\r{len(results)} of {len(wanted)}", end="", file=sys.stderr)
    share = shares(results)
    ok = all(share[step] >= WANTED[step] for step in steps)
    if arguments.json:
        print(json.dumps({"ok": ok, "shares": share, "files": [asdict(r) for r in results]}))
    else:
        print(text(results, steps))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
