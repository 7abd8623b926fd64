"""How long shaders are in ShaderPerFormer's tokens, beside the lengths published with Fig. 5b.

    python -m tests.benchmarks.token_percentiles CORPUS [--most 400]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.  Of its shaders those with the least
SHA-256 of their ids are taken, so that a run with a larger number has all of a smaller one's.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.tokens import tokenize
from shaderlab.training import measured_figures, published_samples

LIMIT = 4096
PUBLISHED = {75: 3384, 85: 4727, 95: 8356}
FIT = 0.813
"""Share of the published shaders within the limit."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--most", type=int, default=400)
    measured_figures.add_option(parser)
    options = parser.parse_args()
    texts = published_samples.texts(options.corpus)
    chosen = sorted(texts, key=lambda each: hashlib.sha256(each.encode()).digest())
    lengths, failed = [], 0
    for each in chosen[: options.most]:
        try:
            program = compile_text(texts[each], each, None)
            lengths.append(len(tokenize(program.module, program.entry_point).ids))
        except ShaderlabError:
            failed += 1
    found = np.array(lengths)
    print(f"{len(found)} of {len(texts)} shaders, {failed} not compiled or not tokenised")
    for percent, published in PUBLISHED.items():
        print(f"{percent} %: {np.percentile(found, percent):.0f} tokens, published {published}")
    measured_figures.keep(
        options.keep,
        "token percentiles",
        {
            "shaders": len(found),
            **{f"{percent} %": float(np.percentile(found, percent)) for percent in PUBLISHED},
            "within": float((found <= LIMIT).mean()),
        },
    )
    print(f"up to {LIMIT}: {(found <= LIMIT).mean():.1%}, published {FIT:.1%}")


if __name__ == "__main__":
    main()
