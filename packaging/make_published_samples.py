"""Make the data set that models are fitted to and judged on, without the shaders' texts.

    python packaging/make_published_samples.py FIGURES CORPUS --traces FOLDER
        [--out models/datasets/published-samples]

FIGURES holds `measured_samples.jsonl`, times the paper's authors printed (libreliu/
ShaderPerFormer, collected as data); CORPUS is a `.jsonl.zst` of shaders with `id` and `code`;
FOLDER the traces that `tests/benchmarks/published_pilr.py --traces FOLDER` made.  Times of the same
shaders on devices of our own join the set by `packaging/add_campaign_times.py`.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.traced_program import TracedProgram
from shaderlab.prediction.undefined import undefined_reads
from shaderlab.spirv.trace import Trace
from shaderlab.training import published_samples, shader_data
from shaderlab.training.examples import example
from shaderlab.training.shader_data import SIZE, Shader, TimedShader
from shaderlab.training.trace_store import TraceStore

TARGETS = {"RTX3060": "rtx3060", "RX6600XT": "rx6600xt"}


def shader(shader_id: str, text: str, trace: Trace) -> Shader | None:
    try:
        program = compile_text(text, shader_id, None)
    except ShaderlabError as error:
        print(f"  {shader_id}: {error}", file=sys.stderr)
        return None
    pixels = SIZE[0] * SIZE[1]
    scale = pixels // (trace.size[0] * trace.size[1])
    ran = {(block.function, block.label) for block in trace.blocks if block.count}
    return Shader(
        shader_id,
        {name: n * scale for name, n in TracedProgram(program, trace).executed.items()},
        example(program.module, trace, pixels),
        bool(undefined_reads(program.module, program.entry_point, ran)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("models/datasets/published-samples"))
    options = parser.parse_args()

    samples = published_samples.read(options.figures)
    texts = published_samples.texts(options.corpus, set().union(*samples.values()))
    store = TraceStore(options.traces)
    traces = {i: store.get(i) for i in texts if store.holds(i)}
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(
            lambda i: shader(i, texts[i], traces[i]),
            [i for i, trace in traces.items() if isinstance(trace, Trace)],
        )
        shaders = [each for each in made if each is not None]
    known = {each.id for each in shaders}
    times = [
        TimedShader(
            each.shader_id, TARGETS[platform], published_samples.SIZE, each.time_s, each.pilr_s,
            each.transformer_s, each.black,
        )
        for platform, by_id in samples.items()
        for each in by_id.values()
        if each.shader_id in known
    ]  # fmt: skip
    shader_data.write(options.out, shaders, times)
    print(f"{len(shaders)} shaders, {len(times)} times in {options.out}")


if __name__ == "__main__":
    main()
