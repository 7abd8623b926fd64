"""Make the data set that models are fitted to and judged on, without the shaders' texts.

    python packaging/make_model_samples.py FIGURES CORPUS --traces FOLDER
        [--campaigns models/datasets] [--out models/datasets/model-samples]

FIGURES holds `measured_samples.jsonl`, times the paper's authors printed (libreliu/
ShaderPerFormer, collected as data); CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.
Their shaders and those of the campaigns' Parquet files are compiled again, and put through
`spirv-opt -O`.  How often their blocks ran is what a campaign counted; what none counted, being too
slow for its limits, is traced on llvmpipe and kept in FOLDER.  Every shader that has counts keeps
its times.  Writes `shaders.parquet`, `untraced.parquet`, `optimized.parquet`, `times.parquet`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.prediction.examples import example
from shaderlab.prediction.traced_program import TracedProgram
from shaderlab.prediction.undefined import undefined_reads
from shaderlab.spirv.trace import Trace
from shaderlab.training import campaign_times, published_samples, shader_data, untraced
from shaderlab.training.campaign_counts import CampaignCounts
from shaderlab.training.shader_data import OPTIMIZED, SIZE, UNTRACED, Shader, TimedShader
from shaderlab.training.trace_store import TraceStore
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.limits import Limits

TARGETS = {"RTX3060": "rtx3060", "RX6600XT": "rx6600xt"}
SLOW = (256, 192)
"""Width, height of the frames traced here: what campaigns left out is slow."""
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Found:
    """One shader, of each kind of counts."""

    traced: Shader
    untraced: Shader
    optimized: Shader | None
    """None where `spirv-opt` or the trace of what it made fails."""


def compiled(text: str, shader_id: str) -> tuple[Program | None, Program | None]:
    """As written and optimised, as far as either can be made."""
    written = None
    try:
        written = compile_text(text, shader_id, None)
        return written, optimized(written)
    except ShaderlabError as error:
        print(f"  {shader_id}: {error}", file=sys.stderr)
        return written, None


def scaled(program: Program, trace: Trace, reads_undefined: bool) -> Shader:
    pixels = SIZE[0] * SIZE[1]
    scale = pixels // (trace.size[0] * trace.size[1])
    return Shader(
        program.name,
        {name: n * scale for name, n in TracedProgram(program, trace).executed.items()},
        example(program.module, trace, pixels),
        reads_undefined,
    )


def found(text: str, shader_id: str, counts: CampaignCounts) -> Found | None:
    written, after = compiled(text, shader_id)
    trace = counts.of(shader_id, written) if written else None
    if written is None or trace is None:
        return None
    ran = {(block.function, block.label) for block in trace.blocks if block.count}
    undefined = bool(undefined_reads(written.module, written.entry_point, ran))
    traced = scaled(written, trace, undefined)
    of_after = counts.of(shader_id, after, optimized=True) if after else None
    return Found(
        traced,
        untraced.shader(written, traced),
        scaled(after, of_after, undefined) if after and of_after else None,
    )


def trace_missing(texts: Mapping[str, str], ids: Collection[str], counts: CampaignCounts) -> None:
    """Trace what of these shaders has no counts and was not tried before, as far as it can be."""
    info = discovery.choose(discovery.discover().devices, "llvmpipe")
    with closing(DeviceWorker(info, Limits(trace=DEADLINE_S))) as worker:
        for shader_id in sorted(ids):
            for after, program in enumerate(compiled(texts[shader_id], shader_id)):
                known = program is None or counts.of(shader_id, program, optimized=bool(after))
                if known or counts.tried(shader_id, optimized=bool(after)):
                    continue
                outcome: Trace | ShaderlabError
                try:
                    outcome = worker.trace(program, Uniforms(size=SLOW)).result()
                except ShaderlabError as error:
                    print(f"  {shader_id}: {error}", file=sys.stderr)
                    outcome = error
                counts.keep(shader_id, outcome, optimized=bool(after))


def published_times(figures: Path) -> Iterator[TimedShader]:
    for platform, by_id in published_samples.read(figures).items():
        for each in by_id.values():
            yield TimedShader(
                each.shader_id, TARGETS[platform], published_samples.SIZE, each.time_s,
                each.pilr_s, each.transformer_s, each.black,
            )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--campaigns", type=Path, default=Path("models/datasets"))
    parser.add_argument("--out", type=Path, default=Path("models/datasets/model-samples"))
    options = parser.parse_args()

    campaigns = campaign_times.files(options.campaigns)
    times = [*published_times(options.figures)]
    times += campaign_times.united(campaigns)
    texts = published_samples.texts(options.corpus, {each.id for each in times})
    counts = CampaignCounts(campaigns, TraceStore(options.traces))

    def make(ids: Collection[str]) -> dict[str, Found | None]:
        ids = sorted(ids)
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(ids, pool.map(lambda i: found(texts[i], i, counts), ids), strict=True))

    made = make(texts)
    missing = [i for i, each in made.items() if each is None or each.optimized is None]
    print(f"{len(texts) - len(missing)} shaders counted by campaigns; {len(missing)} to trace")
    trace_missing(texts, missing, counts)
    shaders = [each for each in {**made, **make(missing)}.values() if each is not None]

    known = {each.traced.id for each in shaders}
    times = [each for each in times if each.id in known]
    shader_data.write(options.out, [each.traced for each in shaders], times)
    shader_data.write_shaders(options.out / UNTRACED, [each.untraced for each in shaders])
    after = [each.optimized for each in shaders if each.optimized is not None]
    shader_data.write_shaders(options.out / OPTIMIZED, after)
    print(f"{len(shaders)} shaders, {len(after)} of them optimised too, {len(times)} times")


if __name__ == "__main__":
    main()
