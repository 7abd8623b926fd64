"""Bundles into models: which class reads which architecture, and in what order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle, Problem, refusing
from shaderlab.prediction.models.additive_model import AdditiveModel
from shaderlab.prediction.models.matched import MatchedModel
from shaderlab.prediction.models.model import Model
from shaderlab.prediction.models.refitted import RefittedModel
from shaderlab.prediction.models.regressions import RegressionModel
from shaderlab.prediction.models.shaderperformer_model import ShaderPerFormerModel
from shaderlab.prediction.models.trees import TreesModel

MODELS: tuple[type[Model], ...] = (
    AdditiveModel,
    MatchedModel,
    RegressionModel,
    RefittedModel,
    TreesModel,
    ShaderPerFormerModel,
)
BY_ARCHITECTURE: Mapping[str, type[Model]] = {
    name: model for model in MODELS for name in model.ARCHITECTURES
}


def load(
    bundles: Iterable[Bundle], taken: Collection[str] = ()
) -> tuple[dict[str, tuple[Model, ...]], list[Problem]]:
    """The models of bundles by target, each target's default first, and those that were refused.

    `taken`: slugs of targets that must not come back.
    """
    found: dict[str, list[Model]] = {}
    problems: list[Problem] = []
    known = [(BY_ARCHITECTURE.get(each.card.architecture), each) for each in bundles]
    for model, bundle in sorted(
        known, key=lambda each: each[0].stage(each[1].card) if each[0] else 0
    ):
        card = bundle.card
        with refusing(bundle.name, problems):
            if card.target.slug in taken:
                raise InvalidModel(f"a target {card.target.slug} is there already")
            if model is None:
                raise InvalidModel(
                    f"architecture {card.architecture!r} is unknown to this shaderlab"
                )
            own = found.get(card.target.slug, [])
            _check_beside(bundle, own)
            found[card.target.slug] = [*own, model.from_bundle(bundle, found)]
    return {
        slug: tuple(sorted(models, key=lambda model: -model.card.preference))
        for slug, models in found.items()
    }, problems


def _check_beside(bundle: Bundle, others: Iterable[Model]) -> None:
    """Raises `InvalidModel` where two bundles would be ambiguous."""
    card = bundle.card
    for other in others:
        if other.card.preference == card.preference:
            raise InvalidModel(
                f"a second bundle for target {card.target.slug} of preference {card.preference}"
            )
        if clash := {m.name for m in other.methods} & {m.name for m in card.methods}:
            raise InvalidModel(f"a second {sorted(clash)[0]!r} for target {card.target.slug}")
