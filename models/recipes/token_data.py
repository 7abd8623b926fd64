"""Make the token sequences that ShaderPerFormer is trained on, from a corpus and its traces.

    python -m models.recipes.token_data CORPUS --out FILE [--traces FOLDER]
        [--campaigns models/datasets] [--times models/datasets/model-samples]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.  The texts of the shaders in TIMES are
compiled again; their counts are those of the campaigns' committed samples, or of the traces that
`models.recipes.model_samples --traces FOLDER` made.  A shader whose blocks are not those counted,
operation by operation, is left out and named.  Counts and times are scaled to 1024x768 by pixels.
FILE is not to be published: it holds the shaders' code.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from models.laboratory import campaign_times, published_samples, token_data
from models.laboratory.campaign_counts import CampaignCounts
from models.laboratory.token_data import TokenizedShader
from models.laboratory.trace_store import TraceStore
from models.recipes import shared
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.models.shaderperformer import token_counts
from shaderlab.spirv.tokens import tokenize
from shaderlab.spirv.trace import Trace
from shaderlab.training import shader_data
from shaderlab.training.shader_data import SIZE

PIXELS = SIZE[0] * SIZE[1]
PUBLISHED = ("rtx3060", "rx6600xt")
"""Targets whose times the paper's authors printed, for shaders within their limit alone."""
LIMIT = 4096


def counts_of(trace: Trace) -> dict[int, int]:
    """By the result id of the block's OpLabel, at 1024x768."""
    scale = PIXELS / (trace.size[0] * trace.size[1])
    return {block.label: round(block.count * scale) for block in trace.blocks}


def measured(folder: Path) -> dict[str, dict[str, float]]:
    """Seconds at 1024x768 by shader id and target."""
    times: dict[str, dict[str, float]] = {}
    for target, timed in shader_data.read(folder)[1].items():
        for each in timed:
            times.setdefault(each.id, {})[target] = each.full_s
    return times


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--campaigns", type=Path, default=shared.DATA_SETS)
    parser.add_argument("--times", type=Path, default=shared.SAMPLES)
    options = parser.parse_args()

    times = measured(options.times)
    store = TraceStore(options.traces) if options.traces else None
    counts = CampaignCounts(campaign_times.files(options.campaigns), store)
    texts = published_samples.texts(options.corpus, times)
    shaders, other, untold = [], [], []
    for number, (id, text) in enumerate(sorted(texts.items()), 1):
        if number % 100 == 0:
            print(f"{number} of {len(texts)}, {len(shaders)} taken", file=sys.stderr, flush=True)
        try:
            program = compile_text(text, id, None)
            trace = counts.of(id, program)
            if trace is None:
                other.append(id)
                continue
            tokens = tokenize(program.module, program.entry_point)
        except ShaderlabError as error:
            untold.append(f"{id}: {error}")
            continue
        shaders.append(
            TokenizedShader(id, tokens.ids, token_counts(tokens, counts_of(trace)), times[id])
        )
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
