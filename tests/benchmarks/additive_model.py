"""How well does the additive model predict shaders it was not fitted on?

    python tests/benchmarks/additive_model.py FIGURES CORPUS --traces FOLDER [--test]

Fits the published samples of each GPU from the traces that `published_pilr.py --traces FOLDER`
made, by five-fold cross-validation over the training and validation splits; with `--test` once on
those, judged on the test split with 95 % intervals.  The Transformer predictions the authors
printed for the same shaders stand beside it.  Each row: MAPE, median error, share within 20 %,
Spearman; then the same for shaders over 20 us, which the floor does not decide.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.splits import Split, split_of
from shaderlab.spirv.trace import Trace
from shaderlab.training import published_samples
from shaderlab.training.additive import fit
from shaderlab.training.evaluation import Estimate, evaluate
from shaderlab.training.examples import Example, example, predict_s
from shaderlab.training.trace_store import TraceStore

FOLDS = 5
ABOVE_FLOOR_S = 2e-5


def examples(ids: list[str], codes: dict[str, str], store: TraceStore) -> dict[str, Example]:
    found = {}
    pixels = published_samples.SIZE[0] * published_samples.SIZE[1]
    for shader_id in ids:
        trace = store.get(shader_id) if store.holds(shader_id) else None
        if not isinstance(trace, Trace):
            continue
        try:
            module = compile_text(codes[shader_id], shader_id, None).module
        except ShaderlabError as error:
            print(f"  {error}", file=sys.stderr)
            continue
        found[shader_id] = example(module, trace, pixels)
    return found


def row(name: str, measured_s: np.ndarray, predicted_s: np.ndarray, intervals: bool) -> str:
    def shown(estimate: Estimate) -> str:
        interval = f" [{estimate.low:.3f}, {estimate.high:.3f}]" if intervals else ""
        return f"{estimate.value:.3f}{interval}"

    parts = []
    for chosen in (measured_s > 0, measured_s > ABOVE_FLOOR_S):
        result = evaluate(
            measured_s[chosen], predicted_s[chosen], resamples=2000 if intervals else 1
        )
        metrics = (result.mape, result.median_ape, result.within20, result.spearman)
        parts.append(f"n {result.n:4}  " + "  ".join(shown(each) for each in metrics))
    return f"  {name:12} " + "  |  ".join(parts)


def cross_validate(ids: list[str], table: dict[str, Example], times_s: np.ndarray) -> np.ndarray:
    fold = np.array([int(hashlib.sha256(i.encode()).hexdigest(), 16) % FOLDS for i in ids])
    predicted = np.zeros(len(ids))
    for held_out in range(FOLDS):
        rest = [i for i, f in zip(ids, fold, strict=True) if f != held_out]
        weights = fit([table[i] for i in rest], times_s[fold != held_out])
        mine = [table[i] for i, f in zip(ids, fold, strict=True) if f == held_out]
        predicted[fold == held_out] = predict_s(weights, mine)
    return predicted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--test", action="store_true", help="judge once, on the test split")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small

    samples = published_samples.read(options.figures)
    codes = published_samples.texts(options.corpus, set().union(*samples.values()))
    table = examples(list(codes), codes, TraceStore(options.traces))
    for platform, by_id in samples.items():
        ids = [i for i in by_id if i in table]
        learn = [i for i in ids if split_of(i) is not Split.TEST]
        judge = [i for i in ids if split_of(i) is Split.TEST] if options.test else learn

        def column(get: Callable, chosen: list[str], by_id: dict = by_id) -> np.ndarray:
            return np.array([get(by_id[i]) for i in chosen])

        known_s = column(lambda each: each.time_s, learn)
        if options.test:
            weights = fit([table[i] for i in learn], known_s)
            predicted_s = predict_s(weights, [table[i] for i in judge])
        else:
            predicted_s = cross_validate(learn, table, known_s)
        measured_s = column(lambda each: each.time_s, judge)
        print(f"{platform}, {'test split' if options.test else f'{FOLDS}-fold'}")
        print(row("additive", measured_s, predicted_s, options.test))
        authors_s = column(lambda each: each.transformer_s, judge)
        print(row("Transformer", measured_s, authors_s, options.test), flush=True)


if __name__ == "__main__":
    main()
