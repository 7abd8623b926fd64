"""Two claims of a forecast beside its time: what bounds it, and how often its band holds.

    python tests/benchmarks/bounds_and_bands.py [--split validation|test] [--under 18e-6]

Bound: on the RTX 3060, whose clock was locked, a shader is measured as pass-bound where it took
less than `--under` seconds, a tenth over its floor; the compiled program's model says so where its
priced work is below the floor.  Bands: of `additive-latest`, share of measured times inside, by the
models' own bands and as they are shown (`Widening`), of all shaders of a split and of those outside
the training data.
"""

from __future__ import annotations

import argparse

import numpy as np

from shaderlab.prediction.catalogue.targets import Target, catalogue
from shaderlab.prediction.cost import Bound
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import bound_by, work_s
from shaderlab.prediction.models.additive_model import AdditiveModel
from shaderlab.prediction.models.model import Predicted, latest_first
from shaderlab.stats import coverage
from shaderlab.training import comparison, methods
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split

LOCKED = "rtx3060"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    splits = [Split.VALIDATION.value, Split.TEST.value]
    parser.add_argument("--split", choices=splits, default=Split.VALIDATION.value)
    parser.add_argument("--under", type=float, default=18e-6, help="seconds")
    options = parser.parse_args()
    installed = catalogue()
    targets = {each.card.target.slug: each for each in installed.targets if not each.user}
    for cohort in comparison.cohorts(Split(options.split)):
        target = targets[cohort.target]
        if cohort.target == LOCKED:
            print(pass_bound(cohort, target, options.under))
        assert installed.domain is not None
        outside = np.array(
            [bool(installed.domain.novelty(methods.features(e)).outside) for e in cohort.shaders]
        )
        shown = methods.methods_of(cohort)[methods.LATEST](cohort)
        assert shown is not None
        print(bands(cohort, own(cohort, target), shown, outside))


def pass_bound(cohort: Cohort, target: Target, under_s: float) -> str:
    """How often the compiled program's model tells which shaders hide behind the pass."""
    model = next(
        each
        for each in target.models
        if isinstance(each, AdditiveModel) and each.form is Form.COMPILED
    )
    counted = cohort.of_form(Form.COMPILED)
    there = np.array([each is not None for each in counted])
    work = work_s(model.weights, [each.example for each in counted if each is not None])
    said = np.array([bound_by(model.weights, each) is Bound.PASS for each in work.tolist()])
    true = cohort.measured_s[there] < under_s
    right = int((said & true).sum())
    return (
        f"{cohort.target}: pass-bound, n {len(true)}: {true.mean():.1%} of shaders; "
        f"accuracy {(said == true).mean():.1%}, precision {right / max(said.sum(), 1):.1%}, "
        f"recall {right / max(true.sum(), 1):.1%}"
    )


def own(cohort: Cohort, target: Target) -> Predicted:
    """By the latest form there is, with the model's own band."""
    columns = np.full((3, len(cohort.timed)), np.nan)
    for model in latest_first(each for each in target.models if each.HAS_FORMS):
        found = model.predict(model.methods[0].name, cohort)
        assert found is not None
        assert found.low_s is not None
        assert found.high_s is not None
        ends = np.stack([found.time_s, found.low_s, found.high_s])
        columns = np.where(np.isnan(columns), ends, columns)
    return Predicted(*columns)


def bands(cohort: Cohort, before: Predicted, shown: Predicted, outside: np.ndarray) -> str:
    def held(found: Predicted, chosen: np.ndarray) -> str:
        assert found.low_s is not None
        assert found.high_s is not None
        low_s, high_s = found.low_s[chosen], found.high_s[chosen]
        return f"{coverage(cohort.measured_s[chosen], low_s, high_s):.3f}"

    known = np.isfinite(shown.time_s)
    parts = [f"{held(before, known)} -> {held(shown, known)}"]
    if (far := known & outside).any():
        parts.append(f"outside, n {far.sum()}: {held(before, far)} -> {held(shown, far)}")
    return f"{cohort.target}: bands hold {'; '.join(parts)}"


if __name__ == "__main__":
    main()
