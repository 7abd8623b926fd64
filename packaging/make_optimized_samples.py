"""Make the counts of the samples' optimised programs: `optimized.parquet` of a data set.

    python packaging/make_optimized_samples.py CORPUS --traces FOLDER
        [--campaigns models/datasets] [--data models/datasets/published-samples]

Every shader of the data set and of the campaigns is compiled from CORPUS (`.jsonl.zst` of `id` and
`code`) and put through `spirv-opt -O`.  How often its blocks ran is what the first campaign that
has it counted; shaders they lack, being too slow for their limits, are traced on llvmpipe and kept
in FOLDER.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.prediction.traced_program import TracedProgram
from shaderlab.prediction.undefined import undefined_reads
from shaderlab.samples.operations import operations_by_label
from shaderlab.spirv.grammar import INSTRUCTIONS
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockCount, Trace
from shaderlab.training import published_samples, shader_data
from shaderlab.training.examples import example
from shaderlab.training.shader_data import OPTIMIZED, SIZE, Shader
from shaderlab.training.trace_store import TraceStore
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.limits import Limits

CAMPAIGN = (512, 384)
"""Width, height of the campaign's frames."""
SLOW = (256, 192)
"""Of the frames traced here: what the campaign left out is slow.  Counts are scaled alike."""
DEADLINE_S = 60.0


def compiled(text: str, shader_id: str) -> tuple[Program, Program]:
    """A shader as written and optimised."""
    program = compile_text(text, shader_id, None)
    return program, optimized(program)


def recorded_trace(module: Module, record: Mapping, *, exactly: bool) -> Trace | None:
    """The trace in a sample's record; None where it was of another module.

    `exactly`: whether operations must agree, which differ with the version of the front end only
    before optimisation.
    """
    blocks = [(f.id, block) for f in module.functions for block in f.blocks]
    if len(blocks) != len(record["blocks"]):
        return None
    operations = operations_by_label(module) if exactly else {}
    found = []
    for (function, block), counted in zip(blocks, record["blocks"], strict=True):
        if exactly and dict(operations[block.label]) != dict(counted["operations"]):
            return None
        opcodes = Counter(
            INSTRUCTIONS[int(module.opcodes[index])].name
            for index in range(block.first + 1, block.last + 1)
        )
        found.append(
            BlockCount(
                function, f"%{function}", block.label, counted["count"], (), opcodes,
                counted["lane_groups"],
            )
        )  # fmt: skip
    return Trace(record["device"], CAMPAIGN, 1.0, 1, tuple(found), float("nan"))


def missing(rows: Mapping[str, Mapping], wanted: Sequence[str]) -> list[str]:
    return [each for each in wanted if each not in rows]


def trace_missing(store: TraceStore, ids: Sequence[str], texts: Mapping[str, str]) -> None:
    info = discovery.choose(discovery.discover().devices, "llvmpipe")
    with closing(DeviceWorker(info, Limits(trace=DEADLINE_S))) as worker:
        for shader_id in ids:
            if store.holds(shader_id):
                continue
            try:
                _, program = compiled(texts[shader_id], shader_id)
                store.put(shader_id, worker.trace(program, Uniforms(size=SLOW)).result())
            except ShaderlabError as error:
                store.put(shader_id, error)


def shader(written: Program, program: Program, trace: Trace, undefined: bool) -> Shader:
    scale = SIZE[0] * SIZE[1] // (trace.size[0] * trace.size[1])
    return Shader(
        program.name,
        {name: n * scale for name, n in TracedProgram(program, trace).executed.items()},
        example(program.module, trace, SIZE[0] * SIZE[1]),
        undefined,
    )


def shaders(
    ids: Sequence[str],
    texts: Mapping[str, str],
    rows: Mapping[str, Mapping],
    known: Mapping[str, Shader],
    store: TraceStore,
) -> Iterator[Shader]:
    for shader_id in ids:
        try:
            written, program = compiled(texts[shader_id], shader_id)
        except ShaderlabError as error:
            print(f"  {shader_id}: {error}", file=sys.stderr)
            continue
        row = rows.get(shader_id)
        trace: Trace | str | None = None
        if row is not None:
            trace = recorded_trace(program.module, row["optimized"], exactly=True)
        elif store.holds(shader_id):
            trace = store.get(shader_id)
        if not isinstance(trace, Trace):
            print(f"  {shader_id}: {trace or 'not the module that was traced'}", file=sys.stderr)
            continue
        if shader_id in known:
            undefined = known[shader_id].reads_undefined
        else:
            before = recorded_trace(written.module, row["trace"], exactly=False)
            if before is None:
                print(f"  {shader_id}: not the module that was traced", file=sys.stderr)
                continue
            ran = {(block.function, block.label) for block in before.blocks if block.count}
            undefined = bool(undefined_reads(written.module, written.entry_point, ran))
        yield shader(written, program, trace, undefined)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--campaigns", type=Path, default=Path("models/datasets"))
    parser.add_argument("--data", type=Path, default=Path("models/datasets/published-samples"))
    options = parser.parse_args()

    rows: dict[str, Mapping] = {}
    for path in sorted(options.campaigns.glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            if row["trace"] and row["optimized"]:
                rows.setdefault(row["program"]["id"], row)
    known, _ = shader_data.read(options.data)
    ids = sorted({*rows, *known})
    texts = published_samples.texts(options.corpus, set(ids))
    ids = [each for each in ids if each in texts]
    store = TraceStore(options.traces)
    trace_missing(store, missing(rows, ids), texts)
    found = list(shaders(ids, texts, rows, known, store))
    shader_data.write_shaders(options.data / OPTIMIZED, found)
    print(f"{len(found)} of {len(ids)} shaders in {options.data / OPTIMIZED}")


if __name__ == "__main__":
    main()
