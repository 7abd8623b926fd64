"""Do our counts in the authors' fits give the times the authors printed?

    python tests/benchmarks/published_pilr.py FIGURES CORPUS --traces FOLDER [--shaders 400]

Compiles corpus shaders, traces them on a software driver at 512x384, multiplies the counts by four
and puts them into the PILR fits of ModelInference.ipynb cell 14 (RTX 3060) and
ModelInference-6600xt.ipynb cell 14 (RX 6600 XT).  The results are compared with the PILR
predictions printed for the same shaders.  Traces are kept in FOLDER, so an interrupted run goes on
where it stopped.  FIGURES holds `published_regressions.json` and `measured_samples.jsonl`; CORPUS
is a `.jsonl.zst` of shaders with `id` and `code`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from models.laboratory import published_samples
from models.laboratory.trace_store import TraceStore
from shaderlab.errors import (
    CompileFailed,
    DeviceLost,
    InvalidModule,
    OutOfDeviceMemory,
    OutOfMemory,
    ShaderTimeout,
    UnsupportedShader,
)
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu import discovery
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models.regressions import LinearFit
from shaderlab.scene.draw import Draw
from shaderlab.spirv.trace import Trace
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits

FITS = {"RTX3060": "ModelInference.ipynb", "RX6600XT": "ModelInference-6600xt.ipynb"}
SHADERS_FAULT = (
    CompileFailed,
    DeviceLost,
    InvalidModule,
    OutOfDeviceMemory,
    OutOfMemory,
    ShaderTimeout,
    UnsupportedShader,
)
"""Errors that say something about the shader; any other ends the run."""
SIZE = (512, 384)
SCALE = (1024 * 768) // (SIZE[0] * SIZE[1])
REQUIRED = {"RTX3060": 0.96, "RX6600XT": 0.97}
"""Agreement an independent tracer reached on 810 shaders."""


def authors_fit(figures: Path, platform: str) -> LinearFit:
    records = json.loads((figures / "published_regressions.json").read_text("utf-8"))["records"]
    (record,) = (
        record
        for record in records
        if record["platform"] == platform
        and record["notebook"].endswith("/" + FITS[platform])
        and record["cell"] == 14
    )
    weights = {
        name: value
        for name, value in record["coef"].items()
        if name not in record["roundoff_only_ops"]
    }
    return LinearFit(
        tuple(weights), record["intercept"], np.array(list(weights.values()), np.float32)
    )


def trace_missing(store: TraceStore, ids: list[str], codes: dict[str, str], device: str) -> None:
    missing = [shader_id for shader_id in ids if not store.holds(shader_id)]
    if not missing:
        return
    info = discovery.discover().choose(device)
    worker = DeviceWorker(info, Limits(trace=60.0))
    try:
        for number, shader_id in enumerate(missing, 1):
            try:
                program = compile_text(codes[shader_id], shader_id, None)
                store.put(shader_id, worker.trace(Draw.of(program, SIZE)).result())
            except SHADERS_FAULT as error:
                store.put(shader_id, error)
            if number % 25 == 0:
                print(f"  traced {number} of {len(missing)}", file=sys.stderr, flush=True)
    finally:
        worker.close()


def full_size(trace: Trace) -> TracedProgram:
    """The trace with counts as of 1024x768.  Only its counts are used, not a program."""
    blocks = tuple(replace(block, count=block.count * SCALE) for block in trace.blocks)
    return TracedProgram(None, replace(trace, blocks=blocks, size=(1024, 768)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True, help="folder that keeps the traces")
    parser.add_argument("--shaders", type=int, default=400)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--misses", action="store_true", help="list the shaders that disagree")
    options = parser.parse_args()

    samples = published_samples.read(options.figures)
    printed = {name: {i: each.pilr_s for i, each in samples[name].items()} for name in FITS}
    codes = published_samples.texts(options.corpus, set().union(*printed.values()))
    both = [shader_id for shader_id in codes if all(shader_id in each for each in printed.values())]
    # In the order of a hash: a sample that does not depend on how the corpus is sorted.
    chosen = sorted(both, key=lambda i: hashlib.sha256(i.encode()).digest())[: options.shaders]
    store = TraceStore(options.traces)
    trace_missing(store, chosen, codes, options.device)

    outcomes = {shader_id: store.get(shader_id) for shader_id in chosen}
    traces = {i: full_size(each) for i, each in outcomes.items() if isinstance(each, Trace)}
    print(f"{platform.processor() or platform.machine()}, {options.device}, {SIZE[0]}x{SIZE[1]}")
    print(f"{len(chosen)} shaders, {len(traces)} traced")
    for shader_id, reason in outcomes.items():
        if isinstance(reason, str):
            print(f"  {shader_id}: {reason[:110]}")
    reached = True
    for name in FITS:
        fit = authors_fit(options.figures, name)
        ours = np.array([fit.predict_s(traced.executed) for traced in traces.values()])
        theirs = np.array([printed[name][shader_id] for shader_id in traces])
        differences = np.abs(ours - theirs) / np.abs(theirs)
        within = float((differences <= 0.05).mean())
        reached &= within >= REQUIRED[name]
        print(
            f"{name:9} within 5 %: {within:.1%} (at least {REQUIRED[name]:.0%}), "
            f"median difference {np.median(differences):.2%}, n {len(ours)}"
        )
        if options.misses:
            for shader_id, mine, other in zip(traces, ours, theirs, strict=True):
                if abs(mine - other) > 0.05 * abs(other):
                    total = traces[shader_id].instructions
                    print(
                        f"  {shader_id}: {mine:.4e} against {other:.4e} s, {total:.3e} instructions"
                    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
