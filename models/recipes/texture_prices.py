"""Price texture reads in the additive models of software devices, all other prices kept.

    python -m models.recipes.texture_prices
        [--data models/datasets/model-samples/textures] [--out models]

After `additive_models`, whose bundles it adds to: forecasts of shaders without textures stay what
they are.  Fitted on the training split of the shaders that read textures, judged and its bands
calibrated on their validation split.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from models.laboratory import cards
from models.recipes import shared
from models.recipes.additive_models import check_loads
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import TextureCard
from shaderlab.prediction.calibration.texture_prices import (
    with_texture_prices,
    without_texture_prices,
)
from shaderlab.prediction.features.texture_work import is_texture_read
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Weights, predict_s, tensors_of
from shaderlab.prediction.models.additive_model import METHOD, OPTIMIZED, weights_of
from shaderlab.training import shader_data
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split

FORMS = {METHOD: Form.WRITTEN, OPTIMIZED: Form.OPTIMIZED}
WHICH = "of the committed samples, shaders that read textures"


def reading(cohort: Cohort) -> Cohort:
    """The shaders of a cohort that read a texture."""
    chosen = [
        place
        for place, shader in enumerate(cohort.shaders)
        if any(map(is_texture_read, shader.example.operations))
    ]
    return replace(
        cohort,
        shaders=tuple(cohort.shaders[place] for place in chosen),
        timed=tuple(cohort.timed[place] for place in chosen),
    )


def priced(folder: Path, data: Path, target: str, method: str) -> str:
    """Add the prices to a bundle; its errors as one line."""
    found = bundle.read(folder)
    shaders, times = shader_data.read(data, shader_data.FORMS[FORMS[method]])
    train, held_out = (
        reading(shared.cohort(target, shaders, times, split))
        for split in (Split.TRAIN, Split.VALIDATION)
    )
    weights = with_texture_prices(
        without_texture_prices(weights_of(found)),
        [each.example for each in train.shaders],
        train.measured_s,
    )
    predicted_s = predict_s(weights, [each.example for each in held_out.shaders])
    defined = held_out.defined
    textures = TextureCard(
        training_samples=len(train.timed),
        reproduce=shared.command("texture_prices"),
        validation=cards.validation(held_out.measured_s, predicted_s, WHICH),
        bands=cards.bands(held_out.measured_s[defined], predicted_s[defined]),
    )
    (own,) = found.card.methods
    own = replace(own, features=weights.kinds, textures=textures, **judged(weights, target, method))
    card = replace(found.card, methods=(own,))
    bundle.write(folder, card, tensors_of(weights))
    return f"{target}, {method}, n {len(train.timed)}: {textures.validation.source}"


def judged(weights: Weights, target: str, method: str) -> cards.Judged:
    """On the shaders that the other prices were judged on, a few of which read textures, too."""
    shaders, times = shader_data.read(shared.SAMPLES, shader_data.FORMS[FORMS[method]])
    held_out = shared.cohort(target, shaders, times, Split.VALIDATION)
    predicted_s = predict_s(weights, [each.example for each in held_out.shaders])
    return cards.judged(held_out.measured_s, predicted_s, held_out.defined)


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.TEXTURES)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    _, times = shader_data.read(options.data)
    for target in sorted(times):
        for method in FORMS:
            folder = options.out / f"{target}-{method}"
            print(priced(folder, options.data, target, method))
            check_loads(options.out, folder.name)


if __name__ == "__main__":
    main()
