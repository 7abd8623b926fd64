"""How well does the additive model predict shaders it was not fitted on, by cross-validation?

    python tests/benchmarks/additive_model.py [--target rtx3060]... [--optimized | --compiled]
        [--pretrained] [--data FOLDER] [--labels FILE] [--ray ADDRESS] [NAME=VALUE[,VALUE]...]...

Fits the committed samples of each target five times, on four fifths of the training and validation
splits, and judges the rest; the test split is not looked at (`shaderlab evaluate --split test`
does, with the shipped model).  NAME=VALUE changes the recipe (`models.laboratory.additive.Recipe`),
as in `weight_decay=0.01`.  `--optimized`, `--compiled`: of the programs after `spirv-opt -O`, or
as RADV leaves them (`prediction.forms`), the latter believed where the former's forecast, fitted
alike, is not far below.  `--pretrained`: each fit starts from the average of the other targets',
fitted to the same four fifths of the shaders.
With several VALUEs, every combination is tried, and each gets one row, best first: median and mean
error of the one form.  `--ray`: on a cluster, by Ray Tune, with the same figures.
`--labels`: of the one target, what `executed_instructions` counted, in place of times.  Each row:
MAPE / median error / share within 20 % / Spearman, of all shaders, of those that read nothing
undefined, and of those over 20 microseconds.  Needs torch; takes a minute a target.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from models.laboratory.additive import Recipe, fit, recipe_of, teaching
from models.laboratory.engine import Engine, Figures
from models.recipes import shared
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Weights, predict_s
from shaderlab.prediction.models.additive_model import believed_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data
from shaderlab.training.comparison import FLOOR_S, data_folder
from shaderlab.training.evaluation import evaluate
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of

FOLDS = 5


def fold_of(shader_id: str) -> int:
    return int(hashlib.sha256(shader_id.encode()).hexdigest(), 16) % FOLDS


class Samples:
    """The shaders of all targets that are neither in the test split nor in the fold held out."""

    def __init__(
        self, shaders: Mapping[str, CountedShader], times: Mapping[str, Sequence[TimedShader]]
    ):
        self._shaders = shaders
        self.times = {
            target: [each for each in timed if split_of(each.id) is not Split.TEST]
            for target, timed in times.items()
        }
        self._alone: dict[tuple[str, int], Weights] = {}

    def of(
        self, target: str, fold: int, *, held_out: bool
    ) -> tuple[list[CountedShader], np.ndarray]:
        """Shaders of the target in the fold or outside of it, and their measured seconds (n,)."""
        timed = [each for each in self.times[target] if (fold_of(each.id) == fold) is held_out]
        shaders = [self._shaders[each.id] for each in timed]
        return shaders, np.array([each.full_s for each in timed])

    def base(self, target: str, fold: int) -> Weights:
        """What the other targets taught."""
        return average(
            [self._fitted(other, fold) for other in sorted(self.times) if other != target]
        )

    def _fitted(self, target: str, fold: int) -> Weights:
        if (target, fold) not in self._alone:
            shaders, measured_s = self.of(target, fold, held_out=False)
            examples = [shader.example for shader in shaders]
            self._alone[target, fold] = fit(examples, measured_s, teaching(target))
        return self._alone[target, fold]


@dataclass(frozen=True)
class Held:
    """What a fit said of a shader that was held out of it."""

    measured_s: float
    predicted_s: float
    defined: bool
    """Whether nothing undefined is read."""


def cross_validate(
    samples: Samples, target: str, recipe: Recipe, *, pretrained: bool
) -> Iterator[dict[str, Held]]:
    """By shader id, of one fold after the other."""
    for fold in range(FOLDS):
        found: dict[str, Held] = {}
        base = samples.base(target, fold) if pretrained else None
        shaders, measured_s = samples.of(target, fold, held_out=False)
        weights = fit([shader.example for shader in shaders], measured_s, recipe, base)
        shaders, measured_s = samples.of(target, fold, held_out=True)
        predicted_s = predict_s(weights, [shader.example for shader in shaders])
        for shader, *times in zip(shaders, measured_s, predicted_s, strict=True):
            found[shader.id] = Held(*times, not shader.reads_uninitialised)
        yield found


def figures(
    samples: Samples, target: str, recipe: Recipe, *, pretrained: bool
) -> Iterator[Figures]:
    """Over the folds so far."""
    held: list[Held] = []
    for fold in cross_validate(samples, target, recipe, pretrained=pretrained):
        held += fold.values()
        measured_s, predicted_s = (
            np.array([getattr(each, name) for each in held])
            for name in ("measured_s", "predicted_s")
        )
        result = evaluate(measured_s, predicted_s, resamples=1)
        yield {
            "n": result.n, "median_ape": result.median_ape.value, "mape": result.mape.value,
            "within20": result.within20.value, "spearman": result.spearman.value,
        }  # fmt: skip


def labelled(timed: Sequence[TimedShader], path: Path) -> list[TimedShader]:
    """Instructions in place of times, as if each took a nanosecond."""
    counts = {row["id"]: row["instructions"] for row in map(json.loads, path.open())}
    return [replace(each, time_s=counts[each.id] * 1e-9) for each in timed if counts.get(each.id)]


def row(measured_s: np.ndarray, predicted_s: np.ndarray) -> str:
    result = evaluate(measured_s, predicted_s, resamples=1)
    metrics = (result.mape, result.median_ape, result.within20, result.spearman)
    return f"n {result.n:4}  " + " / ".join(f"{each.value:.3f}" for each in metrics)


def combinations(changes: Sequence[str]) -> list[tuple[str, ...]]:
    """`a=1,2 b=3` as (a=1, b=3) and (a=2, b=3)."""
    pairs = [change.partition("=") for change in changes]
    return list(
        itertools.product(*([f"{name}={each}" for each in v.split(",")] for name, _, v in pairs))
    )


def search(engine: Engine, samples: Samples, target: str, form: Form, tried, pretrained: bool):
    """A row for every combination of changes, best first."""
    recipes = [changed(recipe_of(target, form), each) for each in tried]
    judge = partial(figures, samples, target, pretrained=pretrained)
    found = zip(tried, engine.tried(judge, recipes), strict=True)
    for changes, each in sorted(found, key=lambda pair: pair[1]["median_ape"]):
        metrics = (each[name] for name in ("mape", "median_ape", "within20", "spearman"))
        row = " / ".join(f"{metric:.3f}" for metric in metrics)
        print(f"{target:11} n {each['n']:4}  {row}  {' '.join(changes)}", flush=True)


def changed(recipe: Recipe, changes: Sequence[str]) -> Recipe:
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
    forms = parser.add_mutually_exclusive_group()
    for form in (Form.OPTIMIZED, Form.COMPILED):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form)
    parser.set_defaults(form=Form.WRITTEN)
    parser.add_argument("--pretrained", action="store_true")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--labels", type=Path)
    shared.offer_cluster(parser)
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small

    compiled = options.form is Form.COMPILED
    forms = [Form.OPTIMIZED, Form.COMPILED] if compiled else [options.form]
    samples = {}
    for form in forms:
        shaders, times = shader_data.read(options.data, shader_data.FORMS[form])
        if options.labels:
            (target,) = options.target
            times = {target: labelled(times[target], options.labels)}
        samples[form] = Samples(shaders, times)
    tried = combinations(options.changes)
    if len(tried) > 1:
        with shared.engine(parser, options) as engine:
            for target in options.target or sorted(samples[options.form].times):
                search(
                    engine, samples[options.form], target, options.form, tried, options.pretrained
                )
        return
    for target in options.target or sorted(samples[options.form].times):
        held = {}
        for form in forms:
            changes = options.changes if form is options.form else []
            recipe = changed(recipe_of(target, form), changes)
            folds = cross_validate(samples[form], target, recipe, pretrained=options.pretrained)
            held[form] = dict(itertools.chain.from_iterable(each.items() for each in folds))
        rows = held[options.form]
        measured_s = np.array([each.measured_s for each in rows.values()])
        predicted_s = np.array([each.predicted_s for each in rows.values()])
        defined = np.array([each.defined for each in rows.values()])
        if compiled:
            before = held[Form.OPTIMIZED]
            other_s = [before[i].predicted_s if i in before else np.nan for i in rows]
            predicted_s = believed_s(predicted_s, np.array(other_s))
        above = measured_s >= FLOOR_S
        print(f"{target:11} all      {row(measured_s, predicted_s)}")
        print(f"{'':11} defined  {row(measured_s[defined], predicted_s[defined])}")
        print(f"{'':11} > 20 us  {row(measured_s[above], predicted_s[above])}", flush=True)


if __name__ == "__main__":
    main()
