"""Files of other communities: how many open with all their passes, and are drawn and counted.

python -m tests.communities FOLDER [--only NAME] [--most N] [--opened] [--json]

FOLDER has a folder a community with a folder a project in it.  Of more than N files, N are taken at
even steps.  Those that name a file which is not there are set apart; all others count.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from shaderlab.cli.devices import load_frame
from shaderlab.cli.parser import parse
from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import CompileFailed, ShaderlabError
from shaderlab.frontend.program import Severity
from shaderlab.scene.draw import Frame
from shaderlab.workers.supervisor.limits import Limits

SIZE = "64x48"
ENTRIES = {
    "agsl": "*.agsl *.sksl",
    "bonzomatic": "*.glsl *.frag",
    "flutter": "*.frag",
    "fsr2": "*.hlsl *.glsl",
    "ggml": "*.comp",
    "ghostty": "*.glsl",
    "godot": "*.gdshader",
    "isf": "*.fs",
    "kwin": "*.frag",
    "libretro": "*.slangp",
    "libretro_glsl": "*.glsl",
    "love": "*.glsl *.frag *.fs",
    "minecraft": "*.fsh",
    "mpv": "*.glsl *.hook",
    "obs": "*.shader *.effect",
    "picom": "*.glsl *.frag",
    "pixi": "*.frag *.glsl",
    "raylib": "*.fs",
    "reshade": "*.fx",
    "unity": "*.shader",
    "windows_terminal": "*.hlsl",
}
"""Names of the files that their users open, by community."""


@dataclass(frozen=True)
class Result:
    """What became of one file."""

    community: str
    file: str
    passes: int = 0
    opened: bool = False
    """With all its passes."""
    counted: bool = False
    """Drawn and counted, every pass."""
    fault: str = ""

    @property
    def apart(self) -> bool:
        """Whether a file that it names is not there."""
        return any(mark in self.fault for mark in _MISSING)


_MISSING = ("there is no file", "was not found", "is not in an include folder")


def entries(folder: Path, most: int) -> Iterator[Path]:
    """Files that are opened, at most so many, at even steps."""
    found = sorted(
        path
        for pattern in ENTRIES[folder.name].split()
        for path in folder.rglob(pattern)
        if path.is_file()
    )
    step = max(1.0, len(found) / most)
    yield from (found[int(n * step)] for n in range(min(len(found), most)))


def result(engine: Engine, folder: Path, path: Path, *, only_opened: bool) -> Result:
    """Of one file; `folder`: of its community."""
    name, file = folder.name, path.relative_to(folder).as_posix()
    project = folder / Path(file).parts[0]
    arguments = parse(["trace", str(path), "--size", SIZE, "-I", str(project)])
    try:
        frame = load_frame(arguments, engine)
    except ShaderlabError as error:
        return Result(name, file, fault=_said(error))
    count = len(frame.passes)
    part = next(filter(None, (each.draw.program.left_out for each in frame.passes)), "")
    if part:
        return Result(name, file, count, fault=part)
    if only_opened:
        return Result(name, file, count, opened=True)
    try:
        _run(engine, frame)
    except ShaderlabError as error:
        return Result(name, file, count, opened=True, fault=_said(error))
    return Result(name, file, count, opened=True, counted=True)


def _run(engine: Engine, frame: Frame) -> None:
    info = engine.answer(questions.device)
    engine.crew.device(info).render(frame).result()
    for each in frame.passes:
        engine.answer(questions.trace, info, frame, each.name)


def _said(error: ShaderlabError) -> str:
    noted = error.diagnostics if isinstance(error, CompileFailed) else ()
    first = next((f"{d.file}:{d.line}: {d.message}" for d in noted
                  if d.severity is Severity.ERROR), "")  # fmt: skip
    return " ".join(f"{error} {first}".split())[:240]


def text(results: list[Result]) -> str:
    """Table by community, then every failure, like ones together."""
    lines = [f"{'community':18}{'files':>7}{'apart':>7}{'passes':>8}{'opened':>8}{'counted':>9}"]
    for name in [*dict.fromkeys(each.community for each in results), "all"]:
        rows = [each for each in results if name in (each.community, "all")]
        counts = (sum(each.opened for each in rows), sum(each.counted for each in rows))
        passes = sum(each.passes for each in rows)
        apart = sum(each.apart for each in rows)
        lines.append(f"{name:18}{len(rows):7}{apart:7}{passes:8}{counts[0]:8}{counts[1]:9}")
    faults = Counter((each.community, re.sub(r"\d+", "N", each.fault)[:100])
                     for each in results if each.fault and not each.apart)  # fmt: skip
    shown = {}
    for each in results:
        if each.fault and not each.apart:
            shown.setdefault((each.community, re.sub(r"\d+", "N", each.fault)[:100]), each)
    lines += ["", *(f"{count:4} {shown[key].community}/{shown[key].file}: {shown[key].fault}"
                    for key, count in faults.most_common())]  # fmt: skip
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=sorted(ENTRIES))
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--opened", action="store_true", help="compile only")
    parser.add_argument("--deadline", type=float, default=120.0, metavar="S")
    parser.add_argument("--json", action="store_true")
    own = parser.parse_args()
    limit = own.deadline
    limits = Limits(frame=limit, trace=limit, profile=limit)
    results = []
    with closing(Engine(Crew(None, limits), kept=True)) as engine:
        for name in own.only:
            folder = own.folder / name
            for path in entries(folder, own.most) if folder.is_dir() else ():
                results.append(result(engine, folder, path, only_opened=own.opened))
                last = results[-1]
                done = "counted" if last.counted else "opened" if last.opened else last.fault
                print(f"{name}/{last.file}: {done}", file=sys.stderr, flush=True)
    print(json.dumps([asdict(each) for each in results], indent=1) if own.json else text(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
