"""Write what the training shaders are like, so that forecasts can warn of others.

    python -m models.recipes.domain [--data FOLDER] [--out models]

From the training split, of the shaders that all GPUs were timed on: what software devices' models
saw besides says nothing about theirs.  The validation split shows how many shaders are warned of,
and how much further off the default methods are on those.  The test split is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from models.recipes import shared
from shaderlab import locations, units
from shaderlab.prediction.catalogue import domain, domain_file
from shaderlab.prediction.catalogue.domain import Domain
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.methods import features
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of


def validated(
    found: Domain,
    validation: Sequence[CountedShader],
    times: Mapping[str, Sequence[TimedShader]],
    models_dir: Path,
) -> str:
    """How many validation shaders are warned of, and the median errors with and without."""
    outside = {each.id for each in validation if found.outside(features(each))}
    parts = [
        f"Warns of {len(outside)} of {len(validation)} validation shaders"
        f" ({units.percent(len(outside) / len(validation))})."
    ]
    weights = bases(models_dir=models_dir)
    for target in catalogue(models_dir).targets:
        slug = target.card.target.slug
        if slug not in weights or slug not in times:
            continue
        timed = {each.id: each.full_s for each in times[slug]}
        mine = [each for each in validation if each.id in timed and not each.undefined_on(slug)]
        measured_s = np.array([timed[each.id] for each in mine])
        errors = np.abs(predict_s(weights[slug], [each.example for each in mine]) / measured_s - 1)
        warned = np.array([each.id in outside for each in mine])
        parts.append(
            f"{target.card.target.name}, additive, no undefined values: "
            f"median error {units.percent(np.median(errors[warned]))} of the {warned.sum()} "
            f"warned of, {units.percent(np.median(errors[~warned]))} of the {(~warned).sum()} "
            "others."
        )
    return " ".join(parts)


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--out", type=Path, default=locations.models())
    options = parser.parse_args()
    shaders, times = shader_data.read(options.data)
    gpus = {slug: timed for slug, timed in times.items() if slug not in shared.SOFTWARE}
    known = sorted(shader_data.timed_everywhere(gpus))
    training, validation = (
        [shaders[each] for each in known if split_of(each) is split]
        for split in (Split.TRAIN, Split.VALIDATION)
    )
    found = domain.fit([features(each) for each in training])
    text = validated(found, validation, times, options.out)
    print(text)
    domain_file.write(
        options.out,
        found,
        data=f"{len(training)} training shaders of {options.data.name}",
        validation=text,
        reproduce=shared.command("domain"),
    )


if __name__ == "__main__":
    main()
