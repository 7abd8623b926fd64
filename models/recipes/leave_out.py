"""Fit the additive models again without whole groups of shaders, and record what they say of them.

    python -m models.recipes.leave_out [--data models/datasets/model-samples]
        [--out models/datasets/leave-out/predictions.parquet] [--target rtx3060]...
        [--method additive]... [--ray ADDRESS]

Some 20 fits for each target and form of its programs (`training.leave_out` says which shaders are
left out), half as long as those that ship, on the training and validation splits and to the
programs that those are fitted to (`additive_models.BY_BOTH`); the test split is not looked at.
What the file holds of targets and methods not asked for stays.  Needs torch and scikit-learn; half
an hour on one core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from models.laboratory.additive import fit, recipe_of
from models.recipes import shared
from models.recipes.additive_models import BY_BOTH, WITHOUT, later
from shaderlab.prediction.forms import FORMS
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import leave_out, shader_data
from shaderlab.training.leave_out import Fold, LeftOut
from shaderlab.training.methods import Cohort
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of

STEPS = 600
"""Of each fit."""
LEAST = 100
"""Shaders that have to be left for a fit."""


def folds_of(
    written: Mapping[str, CountedShader], times: Mapping[str, Sequence[TimedShader]]
) -> dict[str, list[Fold]]:
    """By target, in the order of their numbers; `written`: shaders by id, `times` by target."""
    known = {i: each for i, each in written.items() if split_of(i) is not Split.TEST}
    common = leave_out.folds(known)
    found = {}
    for slug, timed in times.items():
        mine = [each for each in timed if each.id in known]
        measured_s = np.array([each.full_s for each in mine])
        found[slug] = [*common, *leave_out.decades([each.id for each in mine], measured_s)]
    return found


def left_out(
    name: str, cohort: Cohort, numbered: tuple[int, Fold], later: Cohort | None = None
) -> list[LeftOut]:
    """What a model of one target, fitted without a fold, says of its shaders; `cohort` is counted
    in the method's form.  Empty where too few are left.

    `later`: the shaders as another compiler leaves them, which the model is fitted to as well.
    """
    recipe = replace(recipe_of(cohort.target, FORMS[name]), steps=STEPS)
    examples = [shader.example for shader in cohort.shaders]
    number, fold = numbered
    out = np.array([each in fold.group_of for each in cohort.ids])
    if not out.any() or (~out).sum() < LEAST:
        return []
    kept = [each for each, gone in zip(examples, out.tolist(), strict=True) if not gone]
    kept_s = cohort.measured_s[~out]
    if later is not None:
        also = [place for place, i in enumerate(later.ids) if i not in fold.group_of]
        kept += [later.shaders[place].example for place in also]
        kept_s = np.r_[kept_s, later.measured_s[also]]
    weights = fit(kept, kept_s, recipe)
    gone = np.flatnonzero(out).tolist()
    predicted_s = predict_s(weights, [examples[place] for place in gone])
    return [
        LeftOut(
            cohort.target, name, number, fold.criterion, fold.group_of[cohort.ids[place]],
            cohort.ids[place], time_s,
        )
        for place, time_s in zip(gone, predicted_s.tolist(), strict=True)
    ]  # fmt: skip


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.LEFT_OUT)
    parser.add_argument("--target", action="append", help="all in the data by default")
    parser.add_argument("--method", action="append", choices=FORMS, help="all by default")
    shared.offer_cluster(parser)
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small, and sums keep their order

    written, every = shader_data.read(options.data)
    folds = folds_of(written, every)
    names, slugs = options.method or list(FORMS), options.target or sorted(every)
    before = leave_out.read(options.out) if options.out.exists() else []
    rows = [each for each in before if each.method not in names or each.target not in slugs]
    splits = (Split.TRAIN, Split.VALIDATION)
    with shared.engine(parser, options) as engine:
        for name in names:
            shaders, times = shader_data.read(options.data, shader_data.FORMS[FORMS[name]])
            for slug in slugs:
                if (slug, name) in WITHOUT:
                    continue
                cohort = shared.cohort(slug, shaders, times, *splits)
                of_both = (slug, name) in BY_BOTH
                other = later(slug, cohort.timed, options.data, *splits) if of_both else None
                fitted = partial(left_out, name, cohort, later=other)
                fits = engine.each(fitted, enumerate(folds[slug]))
                rows += chain.from_iterable(fits)
                print(f"{slug}, {name}: {len(rows)} rows", flush=True)
    leave_out.write(options.out, rows)


if __name__ == "__main__":
    main()
