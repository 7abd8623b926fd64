"""Fit the baselines to the committed samples, write their bundles and the ablations' predictions.

    python -m models.recipes.baselines [--data models/datasets/model-samples]
        [--out models] [--target rtx3060]... [--only regressions]...

Simple Heuristics and PILR (paper §6.1), free and non-negative, and gradient-boosted trees.  Fitted
on the training split, judged and their bands calibrated on the validation split; the test split is
not looked at.  Then each of them and the additive model once more, fitted and asked without the
trace (`untraced.parquet`, `static.parquet`), and trees over the counts of optimised programs
(`optimized.parquet`): of those no bundle is kept, only what they predict for the other splits, in
`datasets/predictions`.  Needs scikit-learn, and torch for the additive model's ablation.  The same
data always give the same bytes on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from models.laboratory import baselines, cards
from models.laboratory.baselines import TreesRecipe
from models.recipes import shared
from models.recipes.shared import cohort
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.card import UNWRITTEN, Card, MethodCard, Origin, TargetCard
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import refitted, trees
from shaderlab.prediction.models.bands import FLOOR
from shaderlab.training import recorded_predictions, shader_data
from shaderlab.training.methods import ESTIMATED, UNTRACED, Cohort
from shaderlab.training.recorded_predictions import Record
from shaderlab.training.splits import Split

REPRODUCE = shared.command("baselines")
REGRESSIONS = {
    "pilr-nonneg": {"total": False, "nonnegative": True},
    "pilr-refit": {"total": False, "nonnegative": False},
    "sh-nonneg": {"total": True, "nonnegative": True},
    "sh-refit": {"total": True, "nonnegative": False},
}
"""How `baselines.regression` makes each."""
PREFERENCES = {"pilr-refitted": -20, "trees": -30}
"""By bundle: below all that are used by default."""
REASONS = {
    "pilr-refitted": "A baseline for comparison; it is no target's default.",
    "trees": "A baseline for comparison: it has no cost per line, so it is no target's default.",
}
Fitted = Callable[[Cohort], np.ndarray]
"""Seconds, (n,), for a cohort."""


def target_card(slug: str) -> TargetCard:
    """What the leading bundle states about the device."""
    (found,) = targets.catalogue().choose([slug])
    return found.card.target


def linear(name: str, train: Cohort) -> tuple[Fitted, refitted.LinearFit]:
    fit = baselines.regression(train.shaders, train.measured_s, **REGRESSIONS[name])
    floor_s = train.measured_s.min()
    return lambda each: np.maximum(baselines.regression_s(fit, each.shaders), floor_s), fit


def boosted(train: Cohort) -> tuple[Fitted, tuple[str, ...], trees.Forest]:
    names, forest = baselines.trees(train.shaders, train.measured_s)
    floor_s = train.measured_s.min()

    def predict_s(each: Cohort) -> np.ndarray:
        log_s = forest.log_s(trees.feature_table(each.shaders, names))
        return np.maximum(np.exp(log_s), floor_s)

    return predict_s, names, forest


def additive(train: Cohort) -> Fitted:
    import torch  # the bundles above need none

    from models.laboratory.additive import fit, recipe_of
    from shaderlab.prediction.models.additive import predict_s

    torch.set_num_threads(1)  # the matrices are small, and sums keep their order
    examples = [shader.example for shader in train.shaders]
    weights = fit(examples, train.measured_s, recipe_of(train.target))
    return lambda each: predict_s(weights, [shader.example for shader in each.shaders])


def method_card(
    name: str,
    loss: str,
    features: Sequence[str],
    train: Cohort,
    held_out: Cohort,
    predicted_s: np.ndarray,
    origin: Origin,
) -> MethodCard:
    return MethodCard(
        name=name,
        origin=origin,
        loss=loss,
        training_samples=len(train.timed),
        features=tuple(features),
        **cards.judged(held_out.measured_s, predicted_s, held_out.defined),
    )


def write(out: Path, slug: str, kind: str, architecture: str, methods, tensors) -> None:
    card = Card(
        architecture=architecture,
        target=target_card(slug),
        run=shared.RUN,
        methods=tuple(methods),
        default_reason=REASONS[kind],
        largest_block_count=None,
        weights=UNWRITTEN,
        reproduce=f"{REPRODUCE} --target {slug}",
        preference=PREFERENCES[kind],
    )
    bundle.write(out / f"{slug}-{kind}", card, tensors)


def make_regressions(out: Path, train: Cohort, held_out: Cohort, origin: Origin) -> None:
    methods, tensors = [], {FLOOR: np.array([train.measured_s.min()], np.float32)}
    for name, choice in REGRESSIONS.items():
        predict_s, fit = linear(name, train)
        loss = "least squares of the time, weighted by 1 / (time + 1 us), free intercept"
        loss += ", nothing negative" if choice["nonnegative"] else ""
        if not choice["total"]:
            loss += f", opcodes of {baselines.LEAST_SHADERS} training shaders or more"
        methods.append(
            method_card(name, loss, fit.features, train, held_out, predict_s(held_out), origin)
        )
        tensors[f"{name}.intercept"] = np.array([fit.intercept_s], np.float32)
        tensors[f"{name}.coefficients"] = fit.coefficients
    write(out, train.target, "pilr-refitted", refitted.ARCHITECTURE, methods, tensors)


def make_trees(out: Path, train: Cohort, held_out: Cohort, origin: Origin) -> None:
    predict_s, names, forest = boosted(train)
    recipe = TreesRecipe()
    loss = (
        f"Huber loss of log time (quantile {recipe.huber:g}), {recipe.trees} trees of depth "
        f"{recipe.depth}, rate {recipe.learning_rate:g}, seed {recipe.seed}"
    )
    method = method_card(trees.METHOD, loss, names, train, held_out, predict_s(held_out), origin)
    tensors = trees.tensors_of(forest, train.measured_s.min())
    write(out, train.target, "trees", trees.ARCHITECTURE, [method], tensors)


BUNDLES = {"regressions": make_regressions, "trees": make_trees}


def ablations() -> dict[str, dict[str, Callable[[Cohort], Fitted]]]:
    """By family and name: from training shaders to what predicts others."""
    regressions = {name: lambda train, name=name: linear(name, train)[0] for name in REGRESSIONS}
    return {
        "regressions": regressions,
        "trees": {trees.METHOD: lambda train: boosted(train)[0]},
        "additive": {"additive": additive},
    }


WITHOUT = {
    UNTRACED: (shader_data.UNTRACED, "without a trace: every block counted once per pixel"),
    ESTIMATED: (
        shader_data.STATIC,
        "without a trace: likely counts, estimated without running it",
    ),
}
"""By ending of the ablation's name: the counts in place of the traced ones."""


def record_ablations(out: Path, data: Path, families: Sequence[str]) -> None:
    fits = ablations()
    for ending, (counts, what) in WITHOUT.items():
        for name, fit in ((n, fit) for family in families for n, fit in fits[family].items()):
            record(out, data, counts, f"{name}{ending}", fit, f"{name}, {what}")


def record(
    out: Path, data: Path, counts: str, name: str, fit: Callable[[Cohort], Fitted], about: str
) -> None:
    """Fit to other counts than the traced ones, and keep what comes out for the other splits."""
    shaders, times = shader_data.read(data, counts)
    records = []
    for slug in sorted(times):
        predict_s = fit(cohort(slug, shaders, times, Split.TRAIN))
        others = cohort(slug, shaders, times, Split.VALIDATION, Split.TEST)
        records += [
            Record(each, slug, float(time_s))
            for each, time_s in zip(others.ids, predict_s(others), strict=True)
        ]
    recorded_predictions.write(
        out / shared.PREDICTIONS / f"{name}.parquet",
        records,
        made_by=REPRODUCE,
        about=f"{about}; fitted to the training split of model-samples.",
    )
    print(f"{name}: {len(records)} predictions", flush=True)


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--target", action="append", help="bundles of these alone; no ablation")
    parser.add_argument("--only", action="append", choices=[*ablations()], help="these alone")
    options = parser.parse_args()
    families = options.only or list(ablations())

    shaders, times = shader_data.read(options.data)
    origin = shared.origin(options.data, shader_data.SHADERS, shader_data.TIMES)
    for slug in options.target or sorted(times):
        train = cohort(slug, shaders, times, Split.TRAIN)
        held_out = cohort(slug, shaders, times, Split.VALIDATION)
        for family, make in BUNDLES.items():
            if family in families:
                make(options.out, train, held_out, origin)
                print(f"{slug}: {family}", flush=True)
    if not options.target:
        if "trees" in families:
            what = "trees over the counts of the program after spirv-opt -O"
            fit = ablations()["trees"][trees.METHOD]
            counts, name = shader_data.FORMS[Form.OPTIMIZED], f"{trees.METHOD}-optimized"
            record(options.out, options.data, counts, name, fit, what)
        record_ablations(options.out, options.data, families)


if __name__ == "__main__":
    main()
