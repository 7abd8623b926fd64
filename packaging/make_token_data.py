"""Make the token sequences that ShaderPerFormer is trained on, from a corpus and its traces.

    python packaging/make_token_data.py CORPUS --out FILE [--traces FOLDER]
        [--samples models/datasets/llvmpipe-512x384.parquet]
        [--times models/datasets/published-samples]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.  The counts are those of the committed
SAMPLES: the text is compiled again, and a shader whose blocks are not the sample's, operation by
operation, is left out and named.  FOLDER may hold more traces
(`tests/benchmarks/published_pilr.py --traces FOLDER`) of shaders SAMPLES has not.  Times are those
of all campaigns beside SAMPLES and the published ones.  Counts and times are scaled to 1024x768 by
pixels.  FILE is not to be published: it holds the shaders' code.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.prediction.shaderperformer import token_counts
from shaderlab.samples import exchange
from shaderlab.samples.operations import operations_by_label
from shaderlab.samples.sample import Sample
from shaderlab.spirv.instrumentation import fragment_entry_point, reachable_functions
from shaderlab.spirv.tokens import tokenize
from shaderlab.spirv.trace import Trace
from shaderlab.training import published_samples, shader_data, token_data
from shaderlab.training.campaign_times import read
from shaderlab.training.shader_data import SIZE
from shaderlab.training.token_data import TokenizedShader
from shaderlab.training.trace_store import TraceStore

PIXELS = SIZE[0] * SIZE[1]
COLLECTION = "shadertoy"
PUBLISHED = ("rtx3060", "rx6600xt")
"""Targets whose times the paper's authors printed, for shaders within their limit alone."""
LIMIT = 4096


def sampled_counts(program: Program, sample: Sample) -> dict[int, int] | None:
    """The sample's counts by the result id of the block's OpLabel, at 1024x768.

    None where the program's blocks are not those that were counted.
    """
    operations = operations_by_label(program.module)
    entry = fragment_entry_point(program.module, program.entry_point)
    labels = [
        block.label
        for function in reachable_functions(program.module, entry)
        for block in function.blocks
    ]
    counted = sample.trace.blocks
    if [operations[label] for label in labels] != [dict(block.operations) for block in counted]:
        return None
    scale = PIXELS / (sample.inputs.width * sample.inputs.height)
    return {label: round(block.count * scale) for label, block in zip(labels, counted, strict=True)}


def stored_counts(trace: Trace) -> dict[int, int]:
    scale = PIXELS / (trace.size[0] * trace.size[1])
    return {block.label: round(block.count * scale) for block in trace.blocks}


def canonical_samples(path: Path) -> dict[str, Sample]:
    """Traced samples at the canonical instant by shader id."""
    return {
        each.program.id: each
        for each in exchange.accepted(path)
        if each.program.collection == COLLECTION
        and each.trace is not None
        and each.trace.blocks
        and (each.inputs.time_s, each.inputs.frame) == (1.0, 1)
    }


def measured(campaigns: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Seconds at 1024x768 by shader id and target: of every campaign, and the published ones."""
    timed = [each for path in sorted(campaigns.glob("*.parquet")) for each in read(path)]
    timed += [each for of in shader_data.read(folder)[1].values() for each in of]
    times: dict[str, dict[str, float]] = {}
    for each in timed:
        times.setdefault(each.id, {})[each.target] = each.full_s
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--traces", type=Path)
    parser.add_argument(
        "--samples", type=Path, default=Path("models/datasets/llvmpipe-512x384.parquet")
    )
    parser.add_argument("--times", type=Path, default=Path("models/datasets/published-samples"))
    options = parser.parse_args()

    samples = canonical_samples(options.samples)
    times = measured(options.samples.parent, options.times)
    store = TraceStore(options.traces) if options.traces else None
    texts = published_samples.texts(options.corpus, times)
    shaders, other, untold = [], [], []
    for number, (id, text) in enumerate(sorted(texts.items()), 1):
        if number % 100 == 0:
            print(f"{number} of {len(texts)}, {len(shaders)} taken", file=sys.stderr, flush=True)
        try:
            if id not in samples and not (store and store.holds(id)):
                continue
            program = compile_text(text, id, None)
            if id in samples:
                counts = sampled_counts(program, samples[id])
            else:
                trace = store.get(id)
                counts = stored_counts(trace) if isinstance(trace, Trace) else None
            if counts is None:
                other.append(id)
                continue
            tokens = tokenize(program.module, program.entry_point)
        except ShaderlabError as error:
            untold.append(f"{id}: {error}")
            continue
        shaders.append(TokenizedShader(id, tokens.ids, token_counts(tokens, counts), times[id]))
    token_data.write(options.out, shaders)
    for line in untold:
        print(line, file=sys.stderr)
    print(f"{len(shaders)} shaders in {options.out}; counts of another module: {len(other)}, "
          f"not compiled or not tokenised: {len(untold)}")  # fmt: skip
    print(" ".join(other))
    lengths = np.array([len(each.tokens) for each in shaders])
    theirs = np.array([any(target in PUBLISHED for target in each.times_s) for each in shaders])
    for name, chosen in (("published", lengths[theirs]), ("other", lengths[~theirs])):
        print(f"{name}: {len(chosen)} shaders, longest {chosen.max(initial=0)} tokens, "
              f"{(chosen > LIMIT).sum()} over the paper's limit of {LIMIT}")  # fmt: skip


if __name__ == "__main__":
    main()
