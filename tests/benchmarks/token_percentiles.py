"""How long shaders are in ShaderPerFormer's tokens, beside the lengths published with Fig. 5b.

    python -m tests.benchmarks.token_percentiles CORPUS [--most 400]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.  Of its shaders those with the least
SHA-256 of their ids are taken, so that a run with a larger number has all of a smaller one's.
Samples hold no modules, and `dataset stats` estimates; by how much that is off is said too.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np

from models.laboratory import measured_figures, published_samples
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.samples.operations import static_opcodes
from shaderlab.samples.statistics import MOST_TOKENS, PUBLISHED
from shaderlab.spirv.tokens import estimated, tokenize


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--most", type=int, default=400)
    measured_figures.add_option(parser)
    options = parser.parse_args()
    texts = published_samples.texts(options.corpus)
    chosen = sorted(texts, key=lambda each: hashlib.sha256(each.encode()).digest())
    lengths, guessed, failed = [], [], 0
    for each in chosen[: options.most]:
        try:
            program = compile_text(texts[each], each, None)
            lengths.append(len(tokenize(program.module, program.entry_point).ids))
            guessed.append(estimated(static_opcodes(program.module)))
        except ShaderlabError:
            failed += 1
    found = np.array(lengths)
    off = np.abs(np.array(guessed) / found - 1)
    print(f"{len(found)} of {len(texts)} shaders, {failed} not compiled or not tokenised")
    published = {int(p): n for p, n in PUBLISHED["tokens"].items() if p.isdigit()}
    for percent, theirs in published.items():
        print(
            f"{percent} %: {np.percentile(found, percent):.0f} tokens, published {theirs}, "
            f"estimated {np.percentile(guessed, percent):.0f}"
        )
    print(
        f"up to {MOST_TOKENS}: {(found <= MOST_TOKENS).mean():.1%}, published "
        f"{PUBLISHED['tokens']['within']:.1%}"
    )
    print(
        f"estimates off by {np.median(off):.1%} in the median, {np.percentile(off, 95):.1%} for "
        f"95 %, {off.max():.1%} at most"
    )
    measured_figures.keep(
        options.keep,
        "token percentiles",
        {
            "shaders": len(found),
            **{f"{percent} %": float(np.percentile(found, percent)) for percent in published},
            "within": float((found <= MOST_TOKENS).mean()),
            "estimate, median": float(np.median(off)),
            "estimate, worst": float(off.max()),
        },
    )


if __name__ == "__main__":
    main()
