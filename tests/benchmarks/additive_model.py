"""How well does the additive model predict shaders it was not fitted on, by cross-validation?

    python tests/benchmarks/additive_model.py [--target rtx3060]... [--optimized] [NAME=VALUE]...

Fits the committed samples of each target five times, on four fifths of the training and validation
splits, and judges the rest; the test split is not looked at (`shaderlab evaluate --split test`
does, with the shipped model).  NAME=VALUE changes the recipe (`training.additive.Recipe`), as in
`weight_decay=0.01`.  `--optimized`: of the programs after `spirv-opt -O`.  Each row: MAPE / median
error / share within 20 % / Spearman, of all shaders and of those that read nothing undefined.
Needs torch; takes half a minute.
"""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import fields, replace

import numpy as np
import torch

from shaderlab.prediction.splits import Split, split_of
from shaderlab.training import shader_data
from shaderlab.training.additive import Recipe, fit
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import evaluate
from shaderlab.training.examples import predict_s
from shaderlab.training.shader_data import Shader, TimedShader

FOLDS = 5


def fold_of(shader_id: str) -> int:
    return int(hashlib.sha256(shader_id.encode()).hexdigest(), 16) % FOLDS


def cross_validate(
    shaders: list[Shader], times: list[TimedShader], recipe: Recipe
) -> tuple[np.ndarray, np.ndarray]:
    """Measured and predicted seconds, both (n,)."""
    examples = [shader.example for shader in shaders]
    measured_s = np.array([each.full_s for each in times])
    folds = np.array([fold_of(each.id) for each in times])
    predicted_s = np.zeros(len(times))
    for held_out in range(FOLDS):
        rest, mine = np.flatnonzero(folds != held_out), np.flatnonzero(folds == held_out)
        weights = fit([examples[i] for i in rest], measured_s[rest], recipe)
        predicted_s[mine] = predict_s(weights, [examples[i] for i in mine])
    return measured_s, predicted_s


def row(measured_s: np.ndarray, predicted_s: np.ndarray) -> str:
    result = evaluate(measured_s, predicted_s, resamples=1)
    metrics = (result.mape, result.median_ape, result.within20, result.spearman)
    return f"n {result.n:4}  " + " / ".join(f"{each.value:.3f}" for each in metrics)


def changed(recipe: Recipe, changes: list[str]) -> Recipe:
    kinds = {field.name: type(getattr(recipe, field.name)) for field in fields(recipe)}
    pairs = [change.partition("=") for change in changes]
    return replace(
        recipe,
        **{
            name: (value == "True" if kinds[name] is bool else kinds[name](value))
            for name, _, value in pairs
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("changes", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--target", action="append")
    parser.add_argument("--optimized", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small
    recipe = changed(Recipe(), options.changes)

    counts = shader_data.OPTIMIZED if options.optimized else shader_data.SHADERS
    shaders, times = shader_data.read(data_folder(), counts)
    for target in options.target or sorted(times):
        timed = [each for each in times[target] if split_of(each.id) is not Split.TEST]
        mine = [shaders[each.id] for each in timed]
        defined = np.array([not shader.reads_undefined for shader in mine])
        measured_s, predicted_s = cross_validate(mine, timed, recipe)
        print(f"{target:9} all      {row(measured_s, predicted_s)}")
        print(f"{'':9} defined  {row(measured_s[defined], predicted_s[defined])}", flush=True)


if __name__ == "__main__":
    main()
