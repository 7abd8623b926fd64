"""Shadertoys with inputs: how many import, and render, count and predict every pass.

python -m tests.shadertoy_passes --corpus FILE.jsonl.zst [--count 500] [--device D] [--log FILE]

FILE (else $SHADERLAB_SHADERTOY_INPUTS) has one shader a line, in the site's own pass structure.
The shaders taken are those of the smallest SHA-1 of their ids, so that any count is a sample.  With
--log, what is known already is not tried again.  Exit status 1 where fewer pass than should.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import zstandard

from models.laboratory import measured_figures
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.reading import Language, Reading
from shaderlab.projects import shadertoy_import
from shaderlab.projects.frames import frame
from shaderlab.projects.project import Project
from shaderlab.projects.reading import read
from shaderlab.scene.draw import Attachments, DrawState, Frame
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

VARIABLE = "SHADERLAB_SHADERTOY_INPUTS"
SIZE = (256, 192)
WANTED = 0.95
LIMITS = Limits(frame=60.0)
"""As the commands have them: a frame of many passes compiles each of them first."""
STEPS = ("imported", "compiled", "rendered", "counted", "predicted")


class Bench:
    """The workers a run needs."""

    def __init__(self, device: str):
        self._stack = ExitStack()
        info = discover().result().choose(device)
        self._compiler = self._stack.enter_context(closing(CompilerWorker()))
        self.device = self._stack.enter_context(closing(DeviceWorker(info, LIMITS)))
        self._predictor = self._stack.enter_context(closing(PredictorWorker()))

    def close(self) -> None:
        self._stack.close()

    def row(self, shader: dict) -> dict:
        """What became of one shader: its passes, the steps it passed, and the first fault."""
        passed: list[str] = []
        fault = ""
        try:
            for step in self._run(shader):
                passed.append(step)
        except ShaderlabError as error:
            fault = " ".join(str(error).split())[:200]
        kinds = [each["type"] for each in shader["renderpass"]]
        return {"id": shader["id"], "kinds": kinds, "passed": passed, "fault": fault}

    def _run(self, shader: dict) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder:
            project = imported(shader, Path(folder))
            yield "imported"
            drawn = self.frame(project)
            yield "compiled"
        self.device.render(drawn).result()
        yield "rendered"
        traces = {
            each.name: self.device.trace_pass(drawn, each.name).result() for each in drawn.passes
        }
        yield "counted"
        for name, trace in traces.items():
            self._predictor.predict(drawn.named(name), trace).result()
        yield "predicted"

    def frame(self, project: Project, size: tuple[int, int] = SIZE) -> Frame:
        """The project's passes, compiled."""
        reading = Reading(Language.SHADERTOY)
        load = {
            text: self._compiler.load(text[0], reading)
            for text in (project.text, *(each.text for each in project.passes))
        }
        programs = {text: loaded.result() for text, loaded in load.items()}
        state = DrawState(project.state.inputs, attachments=Attachments(size))
        return frame(project, state.draw(programs[project.text]), programs)


def imported(shader: dict, folder: Path) -> Project:
    """A shader of the corpus as a project in a folder."""
    path = folder / "shader.json"
    path.write_text(json.dumps(shader))
    return read(shadertoy_import.from_export(path, path.with_suffix(".toml")).project)


def sample(corpus: Path, count: int) -> list[dict]:
    """The shaders of the corpus with the smallest hashes."""
    with corpus.open("rb") as file:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
        shaders = [json.loads(line) for line in text]
    shaders.sort(key=lambda each: hashlib.sha1(each["id"].encode()).hexdigest())
    return shaders[:count]


def text(rows: list[dict]) -> str:
    lines = [f"{'passes':>8}  {'shaders':>7}  " + "  ".join(f"{step:>9}" for step in STEPS)]

    def line(label: str, some: list[dict]) -> str:
        numbers = [sum(step in row["passed"] for row in some) for step in STEPS]
        return f"{label:>8}  {len(some):7}  " + "  ".join(f"{n:9}" for n in numbers)

    drawn = {row["id"]: sum(kind != "common" for kind in row["kinds"]) for row in rows}
    for passes in sorted(set(drawn.values())):
        lines.append(line(str(passes), [row for row in rows if drawn[row["id"]] == passes]))
    lines.append(line("all", rows))
    share = [sum(step in row["passed"] for row in rows) / max(1, len(rows)) for step in STEPS]
    lines.append(" " * 19 + "  ".join(f"{each:9.1%}" for each in share))
    lines += ["", "failed:"]
    lines += [
        f"  {row['id']}: not {STEPS[len(row['passed'])]}: {row['fault']}"
        for row in rows
        if len(row["passed"]) < len(STEPS)
    ]
    kinds = Counter(STEPS[len(row["passed"])] for row in rows if len(row["passed"]) < len(STEPS))
    return "\n".join([*lines, "", f"first step that fails: {dict(kinds)}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=os.environ.get(VARIABLE), metavar="FILE")
    parser.add_argument("--count", type=int, default=500, metavar="N")
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    parser.add_argument("--log", type=Path, metavar="FILE", help="JSON lines, added to")
    measured_figures.add_option(parser)
    arguments = parser.parse_args()
    if arguments.corpus is None:
        parser.error(f"which shaders? --corpus FILE, or ${VARIABLE}")
    known: dict[str, dict] = {}
    if arguments.log and arguments.log.exists():
        rows = map(json.loads, arguments.log.read_text().splitlines())
        known = {row["id"]: row for row in rows}
    rows = []
    with closing(Bench(arguments.device)) as bench:
        for shader in sample(Path(arguments.corpus), arguments.count):
            row = known.get(shader["id"])
            if row is None:
                row = bench.row(shader)
                if arguments.log:
                    with arguments.log.open("a") as log:
                        log.write(json.dumps(row) + "\n")
            rows.append(row)
    print(text(rows))
    done = sum(len(row["passed"]) == len(STEPS) for row in rows)
    measured_figures.keep(
        arguments.keep,
        "Shadertoys with inputs",
        {"shaders": len(rows), "done": done, "share": done / max(1, len(rows))},
    )
    return 0 if done >= WANTED * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
