"""The targets that can be predicted: what is installed, and what of it could not be read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from shaderlab import locations
from shaderlab.errors import InvalidModel, UnknownTarget, WrongUse
from shaderlab.prediction.bundles.bundle import (
    CARD,
    COVERAGE,
    WEIGHTS,
    Bundle,
    Problem,
    read_all,
    refusing,
)
from shaderlab.prediction.bundles.card import Card, MethodCard, TargetKind
from shaderlab.prediction.catalogue import domain_file as coverage_file
from shaderlab.prediction.catalogue import user_targets
from shaderlab.prediction.catalogue.domain import Coverage
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import (
    additive_model,
    matched,
    refitted,
    regressions,
    shaderperformer_model,
    trees,
)
from shaderlab.prediction.models.additive_model import AdditiveModel
from shaderlab.prediction.models.matched import MatchedModel
from shaderlab.prediction.models.refitted import RefittedModel
from shaderlab.prediction.models.regressions import RegressionModel
from shaderlab.prediction.models.shaderperformer_model import ShaderPerFormerModel
from shaderlab.prediction.models.trees import TreesModel


class Model(Protocol):
    """One bundle, ready to predict its target."""

    @property
    def card(self) -> Card: ...

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        """The bundle's default first."""

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By its default method, or by the one named, which is among `methods`."""


@dataclass(frozen=True)
class TargetInfo:
    """One target as plain data."""

    target: str
    """Slug: `rtx3060`."""
    name: str
    """Marketing name: `GeForce RTX 3060`."""
    vendor: str
    kind: TargetKind
    methods: tuple[str, ...]
    """Short names, the default first."""
    clock: str
    """What the origin says about its clocks."""
    driver: str
    samples: int
    """Shaders the default method was fitted on."""
    validated: Validation
    """Error of the default method."""
    floor_s: float | None
    """Seconds no frame of the canonical run takes less than; None where unknown."""
    notes: str
    """What to know about its data; may be empty."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why each method leads, or does not: its validated error and the others'."""
    validations: Mapping[str, Validation] = field(default_factory=dict)
    """Error of every method, each as its own origin states it."""
    user: bool = False
    """Whether the user calibrated it; all others ship."""
    forms: Mapping[str, frozenset[Form]] = field(default_factory=dict)
    """Of every method: the forms beside the written one that it looks at where they were traced."""

    def forms_of(self, method: str | None = None) -> frozenset[Form]:
        """What to trace beside the program as written for the method, or for whichever leads."""
        return frozenset().union(
            *(forms for name, forms in self.forms.items() if method in (None, name))
        )


@dataclass(frozen=True)
class Target:
    """All bundles of one target, the preferred first: what leads where only the program as written
    was traced."""

    models: tuple[Model, ...]
    user: bool = False
    """Whether the user calibrated it."""

    @property
    def card(self) -> Card:
        """Of the bundle that leads."""
        return self.models[0].card

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        """The default first."""
        return tuple(method for model in self.models for method in model.methods)

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By the default method or the one named, `WrongUse` where the target has none such.

        Where a published default gives no possible time, the target's next bundle stands in;
        where the Transformer cannot read the program, the default does.
        """
        if method is None:
            first, *others = self._able(traced)
            if others and isinstance(first, RegressionModel) and (why := first.refusal(traced)):
                found = others[0].forecast(traced)
                return replace(found, basis=f"{why} {found.basis}")
            return first.forecast(traced)
        for model in self.models:
            if any(each.name == method for each in model.methods):
                stands_in = isinstance(model, ShaderPerFormerModel) and model is not self.models[0]
                if stands_in and (why := model.refusal(traced)):
                    found = self.forecast(traced)
                    return replace(found, basis=f"{why} {found.basis}")
                return model.forecast(traced, method)
        there = ", ".join(each.name for each in self.methods)
        raise WrongUse(f"{self.card.target.slug} has no method {method!r}; it has {there}")

    def _able(self, traced: TracedProgram) -> list[Model]:
        """The models in the order they are asked.

        A model of another form goes before its sibling where there is a trace for it, the latest
        form first, and behind all others where there is none.
        """
        of = {form: [each for each in self.models if form_of(each) is form] for form in Form}
        rest = of.pop(Form.WRITTEN)
        leads = bool(rest) and isinstance(rest[0], AdditiveModel)
        ahead, behind = [], []
        for form in reversed(of):
            (ahead if leads and traced.form(form) else behind).extend(of[form])
        return [*ahead, *rest, *behind]


def form_of(model: Model) -> Form:
    """What it asks for a trace of."""
    return model.form if isinstance(model, AdditiveModel) else Form.WRITTEN


def _looks_at(model: Model) -> frozenset[Form]:
    """The forms beside the written one that are of use to it."""
    stands_on: Sequence[AdditiveModel] = ()
    if isinstance(model, AdditiveModel):
        stands_on = (model, *model.dividing)
    elif isinstance(model, MatchedModel):
        stands_on = model.bases
    return frozenset(each.form for each in stands_on) - {Form.WRITTEN}


@dataclass(frozen=True)
class Catalogue:
    """Everything found in a models folder."""

    targets: tuple[Target, ...]
    """By slug."""
    problems: tuple[Problem, ...]
    """Bundles that were refused; the others work."""
    coverage: Coverage | None = None
    """What the training shaders are like; None where that is not installed."""

    def choose(self, wanted: Sequence[str] | None) -> tuple[Target, ...]:
        """The named targets in that order, or all.

        Raises `UnknownTarget`, which lists what is installed.
        """
        if wanted is None:
            return self.targets
        by_slug = {target.card.target.slug: target for target in self.targets}
        for slug in wanted:
            if slug not in by_slug:
                there = ", ".join(by_slug) or "none"
                raise UnknownTarget(f"no target {slug!r}; installed: {there}")
        return tuple(by_slug[slug] for slug in dict.fromkeys(wanted))


def catalogue(models_dir: Path | None = None) -> Catalogue:
    """Read `models_dir`; read again only when a file in it changed.

    If None: the shipped models, and with them the targets the user calibrated.
    """
    if models_dir is not None:
        return _catalogue(models_dir, _fingerprint(models_dir))
    folder, own = locations.models(), user_targets.folder()
    if not own.is_dir():
        return _catalogue(folder, _fingerprint(folder))
    return _with_own(folder, _fingerprint(folder), own, _fingerprint(own))


def installed(models_dir: Path | None = None) -> tuple[TargetInfo, ...]:
    """All targets that can be predicted, by slug."""
    return tuple(_info(target) for target in catalogue(models_dir).targets)


def problems(models_dir: Path | None = None) -> tuple[Problem, ...]:
    """Bundles that were refused, each with the reason."""
    return catalogue(models_dir).problems


_Fingerprint = tuple[tuple[str, int, int], ...]


def _fingerprint(folder: Path) -> _Fingerprint:
    """Path, time and size of every bundle's files, so that a changed model is noticed.

    Asked for with every forecast, so it goes without `pathlib` and lists no folder of a bundle.
    """
    try:
        inner = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return ()
    return tuple(_stamp(f"{path}{os.sep}{name}") for path in inner for name in (CARD, WEIGHTS))


def _stamp(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _catalogue(folder: Path, fingerprint: _Fingerprint) -> Catalogue:
    bundles, refused = read_all(folder)
    problems = list(refused)
    models: dict[str, list[Model]] = {}
    additive: dict[str, list[AdditiveModel]] = {}
    builders: Mapping[str, Callable[[Bundle], Model]] = {
        regressions.ARCHITECTURE: RegressionModel.from_bundle,
        **dict.fromkeys(
            additive_model.ARCHITECTURES,
            lambda each: AdditiveModel.from_bundle(each, additive.get(each.card.target.slug, ())),
        ),
        refitted.ARCHITECTURE: RefittedModel.from_bundle,
        trees.ARCHITECTURE: TreesModel.from_bundle,
        shaderperformer_model.ARCHITECTURE: ShaderPerFormerModel.from_bundle,
        matched.ARCHITECTURE: lambda each: MatchedModel.from_bundle(each, additive),
    }
    for bundle in sorted(bundles, key=_reading_order):
        card = bundle.card
        others = models.setdefault(card.target.slug, [])
        with refusing(bundle.name, problems):
            build = builders.get(card.architecture)
            if build is None:
                raise InvalidModel(
                    f"architecture {card.architecture!r} is unknown to this shaderlab"
                )
            _check_beside(card, others)
            model = build(bundle)
            if isinstance(model, AdditiveModel):
                additive.setdefault(card.target.slug, []).append(model)
            others.append(model)
    coverage = None
    with refusing(COVERAGE, problems):
        coverage = coverage_file.read(folder)
    targets = [Target(_preferred(models[slug])) for slug in sorted(models) if models[slug]]
    refused = tuple(sorted(problems, key=lambda problem: problem.bundle))
    return Catalogue(tuple(targets), refused, coverage)


@lru_cache(maxsize=8)
def _with_own(folder: Path, fingerprint: _Fingerprint, own: Path, _: _Fingerprint) -> Catalogue:
    """The catalogue with the user's targets; one that takes a shipped target's name is refused."""
    shipped = _catalogue(folder, fingerprint)
    taken = {target.card.target.slug for target in shipped.targets}
    bundles, refused = read_all(own)
    problems = list(refused)
    models: dict[str, list[AdditiveModel]] = {}
    for bundle in sorted(bundles, key=_reading_order):
        card = bundle.card
        others = models.get(card.target.slug, [])
        with refusing(bundle.name, problems):
            if card.target.slug in taken:
                raise InvalidModel(f"a target {card.target.slug} is there already")
            if card.architecture not in additive_model.ARCHITECTURES:
                raise InvalidModel(f"architecture {card.architecture!r} is none of a calibration")
            _check_beside(card, others)
            models[card.target.slug] = [*others, AdditiveModel.from_bundle(bundle, others)]
    targets = [*shipped.targets, *(Target(_preferred(own), user=True) for own in models.values())]
    return Catalogue(
        tuple(sorted(targets, key=lambda each: each.card.target.slug)),
        (*shipped.problems, *problems),
        shipped.coverage,
    )


def _preferred(models: Sequence[Model]) -> tuple[Model, ...]:
    """Those of one target, its default first."""
    return tuple(sorted(models, key=lambda model: -model.card.preference))


def _reading_order(bundle: Bundle) -> int:
    """How late it is to be read: matched models stand on additive ones, and of these those of
    compiled programs on those of the program's other forms."""
    card = bundle.card
    if card.architecture == matched.ARCHITECTURE:
        return 2
    return int(additive_model.stands_on_others(card))


def _check_beside(card: Card, others: Sequence[Model]) -> None:
    """Raises `InvalidModel` where it could not be told which of two bundles is meant."""
    for other in others:
        if other.card.preference == card.preference:
            raise InvalidModel(
                f"a second bundle for target {card.target.slug} of preference {card.preference}"
            )
        if clash := {m.name for m in other.methods} & {m.name for m in card.methods}:
            raise InvalidModel(f"a second {sorted(clash)[0]!r} for target {card.target.slug}")


def _info(all_of_it: Target) -> TargetInfo:
    card, default, models = all_of_it.card, all_of_it.methods[0], all_of_it.models
    target = card.target
    return TargetInfo(
        target=target.slug,
        name=target.name,
        vendor=target.vendor,
        kind=target.kind,
        methods=tuple(method.name for method in all_of_it.methods),
        clock=target.clocks,
        driver=target.driver,
        samples=default.training_samples,
        validated=default.validation,
        floor_s=target.floor_s,
        notes=target.notes,
        reasons={m.name: model.card.default_reason for model in models for m in model.methods},
        validations={method.name: method.validation for method in all_of_it.methods},
        user=all_of_it.user,
        forms={m.name: _looks_at(model) for model in models for m in model.methods},
    )
