"""What another vendor's compiler leaves of the published shaders, as data to fit models to.

    python -m tests.benchmarks.vendor_forms compile CORPUS FOLDER --family ga106 --ids FILE
    python -m tests.benchmarks.vendor_forms count FOLDER --family ga106 [--patience 10]
    python -m tests.benchmarks.vendor_forms files FOLDER --family ga106

`compile` runs where that compiler does (in a chroot, for example): of the shaders whose ids are in
FILE, one a line, in an order drawn by a fixed seed, it keeps in FOLDER what the compiler left, as
text, and its machine code's blocks.  `count` runs both on llvmpipe at 256x192: the program as
`gpu.radv.compiled_program` makes it, for the additive model, and the text by blocks, for the
instructions executed by unit.  Both go on where they were stopped.  `files` writes two data folders
for `tests/benchmarks/additive_model.py --compiled --data`, of the same shaders: FOLDER/FAMILY, with
these programs, and FOLDER/FAMILY-radv, with RADV's (`compiled.parquet`); and FOLDER/FAMILY.jsonl,
executed instructions, registers and cycles, for `vendor_laws`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from models.laboratory import published_samples
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.counted import structure
from shaderlab.gpu.radv.replay import replay_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import FamilyWorker

SEED = 20
FRAME = (256, 192)


class Kept:
    """One JSON file for each shader of a family, in each of two folders."""

    def __init__(self, folder: Path, family: str):
        self._folder = folder / f"{family}.kept"
        for stage in ("compiled", "counted"):
            (self._folder / stage).mkdir(parents=True, exist_ok=True)

    def _path(self, stage: str, shader_id: str) -> Path:
        return self._folder / stage / f"{hashlib.sha1(shader_id.encode()).hexdigest()}.json"

    def holds(self, stage: str, shader_id: str) -> bool:
        return self._path(stage, shader_id).exists()

    def put(self, stage: str, shader_id: str, row: dict[str, Any]) -> None:
        path = self._path(stage, shader_id)
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps({"id": shader_id, **row}))
        partial.replace(path)

    def rows(self, stage: str) -> Iterator[dict[str, Any]]:
        for path in sorted((self._folder / stage).glob("*.json")):
            yield json.loads(path.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    steps = parser.add_subparsers(dest="step", required=True)
    for name in ("compile", "count", "files"):
        step = steps.add_parser(name)
        if name == "compile":
            step.add_argument("corpus", type=Path)
            step.add_argument("--ids", type=Path, required=True, help="a file with an id a line")
            step.add_argument("--shaders", type=int, default=2000)
        step.add_argument("folder", type=Path)
        step.add_argument("--family", required=True)
        if name == "count":
            step.add_argument("--patience", type=float, default=10.0, help="seconds for one count")
            step.add_argument("--form-only", action="store_true", help="no executed instructions")
            step.add_argument(
                "--part", type=int, default=0, help="of the --parts to be counted here"
            )
            step.add_argument("--parts", type=int, default=1)
    options = parser.parse_args()
    kept = Kept(options.folder, options.family)
    {"compile": compile_all, "count": count_all, "files": write_files}[options.step](options, kept)


def compile_all(options: argparse.Namespace, kept: Kept) -> None:
    ids = options.ids.read_text().split()
    random.Random(SEED).shuffle(ids)
    ids = ids[: options.shaders]
    texts = published_samples.texts(options.corpus, set(ids))
    (target,) = compiled.choose(compiled.available().result().targets, [options.family])
    print(target.driver, flush=True)
    causes: Counter[str] = Counter()
    with closing(FamilyWorker(target, keeping_loops=target.keeps_loops)) as worker:
        for each in ids:
            if kept.holds("compiled", each):
                continue
            try:
                program = compile_text(texts[each], each, None)
                row = _left(program, worker.compile(program).result())
            except ShaderlabError as error:
                row = {"error": f"{type(error).__name__}: {str(error)[:90]}"}
            causes[row.get("error", "compiled")] += 1
            kept.put("compiled", each, row)
    for cause, n in causes.most_common():
        print(f"{n} x {cause}")


def _left(program: Program, stats: CompiledStats) -> dict[str, Any]:
    """What the compiler left, and its code by the block of the program that each block is."""
    replay = replay_of(program, stats)
    listing = listing_of(stats.chosen, stats.vendor)
    matched = structure.match(replay.function, listing, stats.vendor)
    owner, blocks, guessed = 0, [], 0.0
    for block in listing.blocks:
        owner = owner if matched is None else matched.get(block.number, owner)
        units = Counter(each.unit.value for each in block.instructions)
        blocks.append([replay.block_lines.get(owner, 0), units])
        guessed += 10.0 ** listing.depth(block.number) * len(block.instructions)
    return {
        "source": program.text,
        "text": replay.text,
        "blocks": blocks if matched is not None else None,
        "guessed": guessed,
        "subgroup": stats.chosen.subgroup_size,
        "registers": stats.common.registers,
        "instructions": stats.common.instructions,
        "cycles": stats.common.cycles,
    }


def count_all(options: argparse.Namespace, kept: Kept) -> None:
    from models.laboratory.trace_store import TraceStore
    from shaderlab.gpu import discovery
    from shaderlab.workers.device import DeviceWorker
    from shaderlab.workers.supervisor.limits import Limits

    store = TraceStore(options.folder / f"{options.family}.traces")
    info = discovery.discover().choose("llvmpipe")
    causes: Counter[str] = Counter()
    with closing(DeviceWorker(info, Limits(trace=options.patience))) as device:
        for number, row in enumerate(kept.rows("compiled")):
            if number % options.parts != options.part or "error" in row:
                continue
            if kept.holds("counted", row["id"]):
                continue
            if options.form_only:
                row["blocks"] = None
            try:
                made = _counted(row, device, store)
            except ShaderlabError as error:
                made = {"error": f"{type(error).__name__}: {str(error)[:90]}"}
            causes[made.get("error", "counted")] += 1
            kept.put("counted", row["id"], made)
    for cause, n in causes.most_common():
        print(f"{n} x {cause}")


def _counted(row: dict[str, Any], device: Any, store: Any) -> dict[str, Any]:
    """Trace what was left, optimised as the compiled form is, and as it is for its blocks."""
    from shaderlab.scene.draw import Draw

    written = compile_text(row["source"], row["id"], None)
    plain = compile_text(row["text"], row["id"], None)
    form = optimized(plain).bound_as(written)
    store.put(row["id"], device.trace(Draw.of(form, FRAME)).result())
    made: dict[str, Any] = {"executed": None}
    if row["blocks"] is not None:
        trace = device.trace(Draw.of(plain.bound_as(written), FRAME)).result()
        groups: dict[int, float] = {}
        for block in trace.blocks:
            n = block.lane_groups if block.lane_groups is not None else block.count / 32
            for at in block.lines:
                groups[at.line] = max(groups.get(at.line, 0.0), float(n))
        executed: Counter[str] = Counter()
        for line, units in row["blocks"]:
            for unit, n in units.items():
                executed[unit] += groups.get(line, 0.0) * n
        made["executed"] = {unit: 32 * n / (FRAME[0] * FRAME[1]) for unit, n in executed.items()}
    return made


def write_files(options: argparse.Namespace, kept: Kept) -> None:
    from models.laboratory.trace_store import TraceStore
    from models.recipes import model_samples, shared
    from shaderlab.prediction.forms import Form
    from shaderlab.spirv.trace import Trace
    from shaderlab.training import shader_data

    store = TraceStore(options.folder / f"{options.family}.traces")
    name = shader_data.FORMS[Form.COMPILED]
    radv = shader_data.read_shaders(shared.SAMPLES / name)
    optimized_form = shader_data.read_shaders(shared.SAMPLES / shader_data.FORMS[Form.OPTIMIZED])
    counted = {row["id"]: row for row in kept.rows("counted") if "error" not in row}
    shaders, lines = {}, []
    for row in kept.rows("compiled"):
        shader_id = row["id"]
        trace = store.get(shader_id) if shader_id in counted else ""
        if not isinstance(trace, Trace) or shader_id not in radv:
            continue
        written = compile_text(row["source"], shader_id, None)
        form = optimized(compile_text(row["text"], shader_id, None)).bound_as(written)
        known = radv[shader_id]
        shaders[shader_id] = model_samples.scaled(
            form, trace, known.reads_uninitialised, known.divides_by_zero
        )
        figures = {
            k: row[k] for k in ("guessed", "subgroup", "registers", "instructions", "cycles")
        }
        executed = counted[shader_id]["executed"]
        lines.append(json.dumps({"id": shader_id, **figures, "executed": executed}))
    print(f"{len(shaders)} shaders")
    for folder, own in (
        (options.folder / options.family, shaders),
        (options.folder / f"{options.family}-radv", {i: radv[i] for i in shaders}),
    ):
        folder.mkdir(exist_ok=True)
        shutil.copyfile(shared.SAMPLES / shader_data.TIMES, folder / shader_data.TIMES)
        of_optimized = [optimized_form[i] for i in shaders if i in optimized_form]
        shader_data.write_shaders(folder / shader_data.FORMS[Form.OPTIMIZED], of_optimized)
        shader_data.write_shaders(folder / name, list(own.values()))
    (options.folder / f"{options.family}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
