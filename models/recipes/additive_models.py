"""Fit the additive models to the committed samples and write their bundles.  Needs torch.

    python -m models.recipes.additive_models [--data models/datasets/model-samples]
        [--out models] [--target rtx3060]... [--method additive]...

Three for each target: of programs as written, after `spirv-opt -O`, and as RADV's compiler leaves
them, each of which needs its own trace (`prediction.forms`). Fitted on the training split, judged
and its bands calibrated on the validation split; the test split is not looked at.  A GPU's prices
start from what every other target's samples taught, and are drawn towards it; a software device's
do not, nor does what is in `UNTAUGHT`, which cross-validation found no better.  What is in
`BY_BOTH` is fitted to the programs that two versions of RADV leave, and judged on the first one's.
GPUs of `shared.GPUS` start from their relative's shipped prices, by both data sheets, and teach
none; their bundles are in `products`.
The same data always give the same bytes on one machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from models.laboratory import cards
from models.laboratory.additive import Recipe, fit, recipe_of, teaching
from models.recipes import shared
from models.recipes.shared import cohort
from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.card import UNWRITTEN, Card, MethodCard, Origin, TargetCard
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.calibration.fitting import Relative
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.catalogue.laws import hardware
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.prediction.models.additive import Weights, predict_s, tensors_of
from shaderlab.prediction.models.additive_model import (
    COMPILED,
    METHOD,
    OPTIMIZED,
    architecture_of,
    believed_s,
)
from shaderlab.prediction.models.law import ratios
from shaderlab.prediction.models.model import CountedShader
from shaderlab.products import products
from shaderlab.samples import exchange
from shaderlab.training import shader_data
from shaderlab.training.evaluation import evaluate
from shaderlab.training.methods import Cohort
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split

PREFERENCES = {METHOD: 10, OPTIMIZED: 9, COMPILED: 8}
"""Over the published regressions, which stay selectable."""
COUNTS = {method: shader_data.FORMS[form] for method, form in FORMS.items()}
"""The file each method's counts are in."""
UNTAUGHT = {("rx6600xt", COMPILED)}
"""GPUs and methods fitted without the prices of other targets."""
BY_BOTH = {("rx6600xt", COMPILED)}
"""Targets and methods fitted to Mesa 25's programs too, as are those that teach them: better on
those, and no worse on 22.3's."""
RELATIVES = {"h200": "rtx3060"}
"""By whose prices those of `shared.GPUS` begin."""
WITHOUT = {("swiftshader", COMPILED)}
"""Targets and methods for which another form of the program validates better."""

_OWN_CLOCK = (
    "Processor time of one machine, measured at 512x384 and taken four times; another processor "
    "differs."
)
LLVMPIPE = TargetCard(
    slug="llvmpipe",
    name="llvmpipe, 2 cores",
    vendor="Mesa",
    kind="measured",
    device="llvmpipe (LLVM 15.0.6, 256 bits) on two cores of a server, Mesa 22.3.6, Linux",
    driver="Mesa 22.3.6, LLVM 15.0.6",
    clocks="not locked; other work ran on the machine, processor time counted",
    floor_s=None,
    floor_source="Fitted together with the prices.",
    notes=(
        f"{_OWN_CLOCK} Four campaigns, on the first one's clock: the machine was 2.7 and 1.4 "
        "times slower under the second and third, as fast under the fourth, and drifted by tens of "
        "percent within the first two."
    ),
)
SWIFTSHADER = replace(
    LLVMPIPE,
    slug="swiftshader",
    name="SwiftShader, 2 cores",
    vendor="Google",
    device="SwiftShader Device (Subzero) on two cores of a server, Linux",
    driver="SwiftShader, Vulkan 1.3.0",
    clocks="not locked; little else ran on the machine, processor time counted",
    notes=(
        f"{_OWN_CLOCK} Four campaigns, on the first one's clock: the machine was two to three "
        "times as fast under the others. A shader's times in the second and third lie 3.3 % apart "
        "in the median, 13 % from the first, 11 % from the fourth, on another processor."
    ),
)
SOFTWARE = {each.slug: each for each in (LLVMPIPE, SWIFTSHADER)}
"""Devices without published figures."""
NOTES = {
    "rx6600xt": (
        "The published times mix two clock states: about one shader in twenty ran several times "
        "faster or slower than similar ones, which no method can predict."
    )
}


def target_card(slug: str) -> TargetCard:
    """What the published bundle states about the GPU; software devices have none."""
    if slug in SOFTWARE:
        return SOFTWARE[slug]
    if slug in shared.GPUS:
        return _of_samples(slug)
    (found,) = targets.catalogue().choose([slug])
    published = found.model("pilr")
    assert published is not None, f"{slug}: make its published models first"
    return replace(published.card.target, kind="measured", notes=NOTES.get(slug, ""))


def _of_samples(slug: str) -> TargetCard:
    samples, product = list(exchange.accepted(shared.GPUS[slug])), products()[slug]
    floors = [each.timing.floor_s for each in samples if each.timing.floor_s is not None]
    (device,) = {each.device.name for each in samples}
    (driver,) = {each.device.driver for each in samples}
    draws = f"{product.units_drawing} of its {product.units} units draw."
    return TargetCard(
        slug=slug,
        name=product.name,
        vendor="NVIDIA",
        kind="measured",
        device=device,
        driver=driver,
        clocks=f"{product.clock_hz / 1e6:.0f} MHz while the samples were taken",
        floor_s=round(float(np.median(floors)), 8),
        floor_source="Time of an empty pass, measured with the shaders.",
        notes=draws if product.units_drawing < product.units else "",
    )


def default_reason(name: str, written: Cohort, own_s: np.ndarray) -> str:
    """`written`: the validation shaders as they are written, which the published fits are for."""
    times_s, defined = written.measured_s, written.defined
    published = []
    if written.target not in shared.GPUS:
        (target,) = targets.catalogue().choose([written.target])
        published = [(name, target.model(name)) for name in ("pilr", "sh")]

    def brief(name: str, predicted_s: np.ndarray) -> str:
        every = evaluate(times_s, predicted_s, resamples=1)
        some = evaluate(times_s[defined], predicted_s[defined], resamples=1)
        return (
            f"{name} {units.percent(every.median_ape.value)} and {units.percent(every.mape.value)} "
            f"({units.percent(some.median_ape.value)} and {units.percent(some.mape.value)})"
        )

    parts = [brief(name, own_s)]
    for method, model in published:
        other = model.predict(method, written) if model else None
        if other is not None:
            parts.append(brief(f"published {method}", other.time_s))
    return (
        f"Median and mean error on {len(times_s)} validation shaders (on the {defined.sum()} "
        f"without undefined values): {'; '.join(parts)}."
    )


def beside(slug: str, held_out: Cohort, data: Path, models_dir: Path) -> np.ndarray:
    """(n,) what the target's model of optimised programs says; NaN where that cannot be asked."""
    shaders, _ = shader_data.read(data, COUNTS[OPTIMIZED])
    weights = bases(Form.OPTIMIZED, models_dir)[slug]
    counted = [shaders.get(each) for each in held_out.ids]
    found = np.full(len(counted), np.nan)
    have = np.array([each is not None for each in counted])
    found[have] = predict_s(weights, [each.example for each in counted if each])
    return found


def check_loads(models_dir: Path, name: str) -> None:
    """What does not load does not ship.  Raises `InvalidModel`."""
    for problem in targets.problems(models_dir):
        if problem.bundle == name:
            raise InvalidModel(problem.reason)


def later(slug: str, timed: Sequence[TimedShader], data: Path, *splits: Split) -> Cohort:
    """Those of the shaders that there are Mesa 25's programs of."""
    shaders = shader_data.read_shaders(data / shader_data.COMPILED_LATER)
    return cohort(slug, shaders, {slug: [each for each in timed if each.id in shaders]}, *splits)


def both(slug: str, train: Cohort, data: Path) -> Cohort:
    """The training shaders once as they are, and once as Mesa 25's compiler leaves them."""
    also = later(slug, train.timed, data, Split.TRAIN)
    return replace(
        train, shaders=(*train.shaders, *also.shaders), timed=(*train.timed, *also.timed)
    )


def fitted(train: Cohort, recipe: Recipe, base: Weights | None = None) -> Weights:
    return fit([shader.example for shader in train.shaders], train.measured_s, recipe, base)


def make(
    slug: str,
    name: str,
    train: Cohort,
    held_out: Cohort,
    others: Mapping[str, Weights],
    beside_s: np.ndarray | None,
    written: Mapping[str, CountedShader],
    origin: Origin,
) -> tuple[Card, dict[str, np.ndarray]]:
    """`others`: weights of targets to start from, none for none.  `beside_s`: of a compiled
    program's model, what `beside` says.  `written`: the shaders as they are written, by id."""
    recipe = recipe_of(slug, FORMS[name])
    weights = fitted(train, recipe, average(list(others.values())) if others else None)
    tensors = tensors_of(weights)

    predicted_s = predict_s(weights, [shader.example for shader in held_out.shaders])
    if beside_s is not None:
        predicted_s = believed_s(predicted_s, beside_s)
    method = MethodCard(
        name=name,
        origin=origin,
        loss=(
            f"Huber loss ({recipe.huber:g}) of log time, Adam, {recipe.steps} steps, "
            f"price decay {recipe.base_decay if others else recipe.price_decay:g}, "
            f"context decay {recipe.weight_decay:g}, "
            f"seed {recipe.seed}" + _drawn(list(others))
        ),
        training_samples=len(set(train.ids)),
        features=weights.kinds,
        **cards.judged(held_out.measured_s, predicted_s, held_out.defined),
    )
    card = Card(
        architecture=architecture_of(weights),
        target=target_card(slug),
        run=shared.RUN,
        methods=(method,),
        default_reason=default_reason(
            name,
            replace(held_out, shaders=tuple(written[each] for each in held_out.ids)),
            predicted_s,
        ),
        largest_block_count=None,
        weights=UNWRITTEN,
        reproduce=shared.command("additive_models", f"--target {slug}", f"--method {name}"),
        preference=PREFERENCES[name],
    )
    return card, tensors


def _drawn(towards: Sequence[str]) -> str:
    if not towards:
        return ""
    names = ", ".join(towards)
    return f"; prices drawn towards {'the average of ' if len(towards) > 1 else 'those of '}{names}"


def _origin(slug: str, name: str) -> Origin:
    """Of a model of `shared.GPUS`."""
    files = (shared.SAMPLES / COUNTS[name], shared.GPUS[slug])
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()
    return shared.own_origin(f"{files[0].name} and {files[1].name}, SHA-256 {digest[:16]}")


def by_data_sheets(slug: str, form: Form) -> dict[str, Weights]:
    """The shipped prices of the GPU's relative, as both data sheets scale them."""
    there = RELATIVES[slug]
    both = hardware(products()[there]), hardware(products()[slug])
    relative = Relative(there, ratios(*both, shared.INTEGERS))
    return {f"{there} by both data sheets": relative.weights(bases(form)[there])}


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--target", action="append", help="all in the data by default")
    parser.add_argument("--method", action="append", choices=COUNTS, help="all by default")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small, and sums keep their order

    written, _ = shader_data.read(options.data)
    gpus = {
        slug: tuple(
            TimedShader(id, slug, shader_data.SIZE, time_s, None, None, None)
            for id, time_s in sorted(shared.gpu_times(slug).items())
        )
        for slug in shared.GPUS
    }
    for name in options.method or list(COUNTS):
        shaders, times = shader_data.read(options.data, COUNTS[name])
        files = (COUNTS[name], shader_data.TIMES)
        teachers = sorted(times)
        times |= {
            slug: tuple(each for each in timed if each.id in shaders and each.id in written)
            for slug, timed in gpus.items()
        }
        train = {slug: cohort(slug, shaders, times, Split.TRAIN) for slug in times}
        alone: dict[tuple[str, bool], Weights] = {}
        for slug in options.target or [*teachers, *gpus]:
            if (slug, name) in WITHOUT:
                continue
            apart = slug in shared.GPUS
            taught = slug not in SOFTWARE and not apart and (slug, name) not in UNTAUGHT
            others = [each for each in teachers if each != slug] if taught else []
            of_both = (slug, name) in BY_BOTH
            out = options.out / bundle.PRODUCTS if apart else options.out
            for other in others:
                if (other, of_both) not in alone:
                    seen = both(other, train[other], options.data) if of_both else train[other]
                    alone[other, of_both] = fitted(seen, teaching(other))
            held_out = cohort(slug, shaders, times, Split.VALIDATION)
            compiled = FORMS[name] is Form.COMPILED
            card, tensors = make(
                slug,
                name,
                both(slug, train[slug], options.data) if of_both else train[slug],
                held_out,
                by_data_sheets(slug, FORMS[name])
                if apart
                else {other: alone[other, of_both] for other in others},
                beside(slug, held_out, options.data, out) if compiled else None,
                written,
                _origin(slug, name)
                if apart
                else shared.origin(options.data, *files, *[shader_data.COMPILED_LATER] * of_both),
            )
            folder = out / f"{slug}-{name}"
            bundle.write(folder, card, tensors)
            check_loads(options.out, folder.name)
            print(f"{slug}, {name}: {card.default_reason}")
            for band in card.methods[0].bands:
                print(f"  {band}")


if __name__ == "__main__":
    main()
