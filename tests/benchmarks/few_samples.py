"""How well does a calibration do on a GPU it knows from few samples alone?  Leave one target out.

    python tests/benchmarks/few_samples.py [--samples 50] [--repeats 5] [--target rtx3060]...
        [--optimized | --compiled]

For each target with committed samples: a calibration from so many shaders drawn from the training
split, starting from the other targets only, judged on the validation split beside the shipped
additive model, which was fitted to the whole training split.  The others are fitted anew for it, as
those shipped have learned from each other.  Counts are those of the programs as written, or of
another form (`prediction.forms`), for targets with a model of that.  The test split is not looked
at.  Needs torch.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from models.laboratory.additive import fit, recipe_of
from shaderlab import units
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import calibrate
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Weights, predict_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import evaluate
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of


def fitted(
    slug: str, form: Form, shaders: Mapping[str, CountedShader], times: Sequence[TimedShader]
) -> Weights:
    """What the target's own training samples say."""
    train = [each for each in times if split_of(each.id) is Split.TRAIN]
    examples = [shaders[each.id].example for each in train]
    return fit(examples, np.array([each.full_s for each in train]), recipe_of(slug, form))


def masks(weights: Weights) -> bool:
    return weights.execution is Execution.PREDICATING


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--target", action="append")
    forms = parser.add_mutually_exclusive_group()
    for form in (Form.OPTIMIZED, Form.COMPILED):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form)
    parser.set_defaults(form=Form.WRITTEN)
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small
    shaders, times = shader_data.read(data_folder(), shader_data.FORMS[options.form])
    alone = {slug: fitted(slug, options.form, shaders, times[slug]) for slug in sorted(times)}
    shipped = bases(options.form)
    generator = np.random.default_rng(0)
    for slug in options.target or sorted(shipped.keys() & times.keys()):
        timed = [each for each in times[slug] if not shaders[each.id].reads_uninitialised]
        train = [each for each in timed if split_of(each.id) is Split.TRAIN]
        held_out = [each for each in times[slug] if split_of(each.id) is Split.VALIDATION]
        examples = [shaders[each.id].example for each in held_out]
        measured_s = np.array([each.full_s for each in held_out])
        full = evaluate(measured_s, predict_s(shipped[slug], examples))
        floor_s = min(each.full_s for each in train)
        others = {other: each for other, each in alone.items() if other != slug}
        ratios = []
        for _ in range(options.repeats):
            drawn = [train[row] for row in generator.choice(len(train), options.samples, False)]
            work = [
                TimedWork(
                    each.id,
                    shaders[each.id].example,
                    each.full_s,
                )
                for each in drawn
            ]
            found = calibrate(others, work, floor_s, predicates=masks(shipped[slug]))
            few = evaluate(measured_s, predict_s(found.weights, examples))
            own = np.median(np.abs(found.held_out_s / found.measured_s - 1))
            ratios.append(few.median_ape.value / full.median_ape.value)
            print(
                f"{slug} from {found.base}: median error "
                f"{units.percent(few.median_ape.value)} "
                f"[{units.percent(few.median_ape.low)} to {units.percent(few.median_ape.high)}], "
                f"within 20 % {units.percent(few.within20.value)}, its own held-out "
                f"{units.percent(own)}; all samples: {units.percent(full.median_ape.value)}",
                flush=True,
            )
        print(f"{slug}: {np.median(ratios):.2f} times the error of all samples, in the median")


if __name__ == "__main__":
    main()
