"""The targets that can be predicted: what is installed, and what of it could not be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path

from shaderlab import locations
from shaderlab.errors import NoTargets, UnknownTarget, WrongUse
from shaderlab.prediction.bundles.bundle import (
    CARD,
    DOMAIN,
    PRODUCTS,
    WEIGHTS,
    Problem,
    read_all,
    refusing,
)
from shaderlab.prediction.bundles.card import Card, MethodCard, TargetKind
from shaderlab.prediction.catalogue import (
    change_bands,
    domain_file,
    laws,
    listed,
    user_targets,
    widths,
    witnesses,
)
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.catalogue.domain import Domain
from shaderlab.prediction.catalogue.listed import ALL
from shaderlab.prediction.catalogue.widths import Widths
from shaderlab.prediction.catalogue.witnesses import Witnesses
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Evidence, Forecast, Validation, evidence_word
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import registry
from shaderlab.prediction.models.model import Model, StageCost
from shaderlab.products import products


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
    by_kind: tuple[Mapping[str, Validation], ...] = ()
    """The same over shaders without undefined values, and over the others, of the methods whose
    errors were separated: a forecast states that of its kind."""
    rests_on: Evidence = "measured"
    """What the default method's forecasts rest on."""
    year: int | None = None
    """In which it came out; None of what is no product."""
    user: bool = False
    """Whether the user calibrated it; all others ship."""
    on_request: bool = False
    """Whether it is predicted where one names or lists it alone."""
    changes: Mapping[str, ChangeBand] = field(default_factory=dict)
    """By method: how far a change of its forecast may be off, where that is known."""
    forms: Mapping[str, frozenset[Form]] = field(default_factory=dict)
    """Of every method: the forms beside the written one that it looks at where they were traced."""

    @property
    def evidence(self) -> str:
        """What the default method's forecasts rest on, in one word (`evidence_word`)."""
        return evidence_word(self.rests_on, self.validated)

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
    on_request: bool = False
    """Whether it is predicted where one names or lists it alone."""

    @property
    def card(self) -> Card:
        """Of the bundle that leads."""
        return self.models[0].card

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        """The default first."""
        return tuple(method for model in self.models for method in model.methods)

    @property
    def year(self) -> int | None:
        """In which it came out; None of what is no product."""
        product = products().get(self.card.target.slug)
        return product.year if product else None

    def meets(self, rules: Iterable[str]) -> bool:
        """Whether it is of a vendor and year that `Catalogue.choose` takes.  Raises WrongUse."""
        for rule in rules:
            name, _, value = rule.partition("=")
            if name == "vendor" and value.lower() != self.card.target.vendor.lower():
                return False
            if name == "since":
                if not value.isdecimal():
                    raise WrongUse(f"{value!r} is no year")
                if (self.year or 0) < int(value):
                    return False
            elif name not in ("vendor", ALL):
                raise WrongUse(f"targets are chosen by vendor= and since=, not by {name!r}")
        return True

    @property
    def rests_on(self) -> Evidence:
        """What the default method's forecasts rest on."""
        return self.models[0].RESTS_ON

    @property
    def device(self) -> str:
        """Slug of the device of this machine whose times it predicts, if it is one."""
        slug = self.card.target.slug
        return str(self.card.configuration.get(user_targets.DEVICE, slug))

    def model(self, method: str) -> Model | None:
        """The one that has a method; None where none has."""
        return next(
            (each for each in self.models if method in [m.name for m in each.methods]), None
        )

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By the default method or the one named; raises `WrongUse` if the target does not have it.

        Where the default gives way (a published regression without a possible time), the target's
        next model is used; where the one named has no forecast, the default is used.
        """
        if method is None:
            first, *others = self._able(traced)
            why = first.gives_way(traced) if others else None
            return _standing_in(others[0].forecast(traced), why) if why else first.forecast(traced)
        model = self.model(method)
        if model is None:
            there = ", ".join(each.name for each in self.methods)
            raise WrongUse(f"{self.card.target.slug} has no method {method!r}; it has {there}")
        why = model.refusal(traced) if model is not self.models[0] else None
        return _standing_in(self.forecast(traced), why) if why else model.forecast(traced, method)

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        """Of a stage as written, by the first model that has prices for it; None if none has."""
        found = (each.stage_cost(traced) for each in self.models)
        return next((cost for cost in found if cost is not None), None)

    def _able(self, traced: TracedProgram) -> list[Model]:
        """The models in the order they are asked.

        Models of the latest form that was traced come first; models of a form without a trace
        come last.
        """
        of = {form: [each for each in self.models if each.form is form] for form in Form}
        rest = of.pop(Form.WRITTEN)
        leads = bool(rest) and rest[0].HAS_FORMS
        ahead, behind = [], []
        for form in reversed(of):
            (ahead if leads and traced.form(form) else behind).extend(of[form])
        return [*ahead, *rest, *behind]


def _standing_in(forecast: Forecast, why: str) -> Forecast:
    return replace(forecast, basis=f"{why} {forecast.basis}")


@dataclass(frozen=True)
class Catalogue:
    """Everything found in a models folder."""

    targets: tuple[Target, ...]
    """By slug."""
    problems: tuple[Problem, ...]
    """Bundles that were refused; the others work."""
    domain: Domain | None = None
    """What the training shaders are like; None where that is not installed."""
    widths: Widths | None = None
    """How wide the bands of which shaders have to be; likewise."""
    witnesses: Witnesses | None = None
    changes: tuple[ChangeBand, ...] = ()
    """What this machine's own times say of forecasts for others; likewise."""
    unasked: tuple[Target, ...] = ()
    """Products that are predicted where one names or lists them: some have samples, the forecasts
    for all others follow from another target's and data sheets."""

    def choose(self, wanted: Sequence[str] | None) -> tuple[Target, ...]:
        """The wanted targets in that order, or all that are installed.

        Wanted is a slug, or `all`, which also names every product that is not predicted unasked,
        or of all those `vendor=V` and `since=YEAR`, which hold together.  Raises `NoTargets` where
        nothing is installed that can be used, with the reason, and `UnknownTarget`.
        """
        if not self.targets:
            why = "; ".join(each.reason for each in self.problems[:3]) or "no models are installed"
            error = NoTargets(f"no target can be predicted: {why}")
            raise error.with_remedy("`shaderlab doctor` lists what is missing.")
        if wanted is None:
            return self.targets
        every = {each.card.target.slug: each for each in (*self.targets, *self.unasked)}
        rules = [each for each in wanted if each == ALL or "=" in each]
        slugs = [each for each in wanted if each not in rules]
        if rules:
            slugs += sorted(slug for slug, each in every.items() if each.meets(rules))
        for slug in slugs:
            if slug not in every:
                there = ", ".join(each.card.target.slug for each in self.targets)
                more = f"; `shaderlab targets --all` lists {len(self.unasked)} more"
                more = more if self.unasked else ""
                raise UnknownTarget(f"no target {slug!r}; installed: {there}{more}")
        if not slugs:
            raise UnknownTarget(f"no target is of {' and '.join(rules)}")
        return tuple(every[slug] for slug in dict.fromkeys(slugs))


def catalogue(models_dir: Path | None = None) -> Catalogue:
    """Read `models_dir`; read again only when a file in it changed.

    If None: the shipped models, and with them the targets the user calibrated or listed.
    """
    if models_dir is not None:
        return _catalogue(models_dir, _fingerprint(models_dir))
    folder, own = locations.models(), user_targets.folder()
    if not own.is_dir():
        return _catalogue(folder, _fingerprint(folder))
    return _with_own(folder, _fingerprint(folder), own, _fingerprint(own))


def installed(
    models_dir: Path | None = None, wanted: Sequence[str] | None = None
) -> tuple[TargetInfo, ...]:
    """The installed targets, by slug, or those that `Catalogue.choose` finds for `wanted`."""
    found = catalogue(models_dir)
    chosen = found.targets if wanted is None else found.choose(wanted)
    return tuple(_info(target, found.changes) for target in chosen)


def problems(models_dir: Path | None = None) -> tuple[Problem, ...]:
    """Bundles that were refused, each with the reason."""
    return catalogue(models_dir).problems


_Fingerprint = tuple[tuple[str, int, int], ...]


_ALONE = (widths.FILE, witnesses.FILE, change_bands.FILE, laws.FILE, listed.FILE)
"""Tables beside the bundles."""


def _fingerprint(folder: Path) -> _Fingerprint:
    """Path, time and size of every bundle's files, so that a changed model is noticed.

    Computed for every forecast, so it avoids `pathlib` and lists no bundle folder.
    """
    alone = (f"{folder}{os.sep}{name}" for name in _ALONE)
    return *map(_stamp, alone), *(
        _stamp(f"{path}{os.sep}{name}")
        for path in (*_folders(folder), *_folders(f"{folder}{os.sep}{PRODUCTS}"))
        for name in (CARD, WEIGHTS)
    )


def _folders(folder: Path | str) -> list[str]:
    """Those in it; none where there is no such folder."""
    try:
        return sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []


def _stamp(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116, for every forecast: see `_fingerprint`
    except OSError:
        return path, 0, 0
    return path, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _catalogue(folder: Path, _stamps: _Fingerprint) -> Catalogue:
    bundles, problems = read_all(folder)
    models, refused = registry.load(bundles)
    problems = [*problems, *refused]
    domain, wide, heard, changes, unasked = None, None, None, (), ()
    with refusing(DOMAIN, problems):
        domain = domain_file.read(folder)
    with refusing(widths.FILE, problems):
        wide = widths.read(folder)
    with refusing(witnesses.FILE, problems):
        heard = witnesses.read(folder)
    with refusing(change_bands.FILE, problems):
        changes = change_bands.read(folder)
    with refusing(laws.FILE, problems):
        known = laws.read(folder)
        others, damaged = read_all(folder / PRODUCTS) if (folder / PRODUCTS).is_dir() else ((), ())
        timed, refused = registry.load(others, models)
        problems += (*damaged, *refused)
        here = models | timed
        lawful = laws.by_law(known, here) if known else ()
        several = (*timed.values(), *((each,) for each in lawful))
        unasked = tuple(Target(each, on_request=True) for each in several)
    targets = tuple(Target(models[slug]) for slug in sorted(models))
    ordered = tuple(sorted(problems, key=lambda each: each.bundle))
    return Catalogue(targets, ordered, domain, wide, heard, changes, unasked)


@lru_cache(maxsize=8)
def _with_own(folder: Path, fingerprint: _Fingerprint, own: Path, _: _Fingerprint) -> Catalogue:
    """The catalogue with the user's targets and the products the user listed; a target that takes
    a shipped one's name is refused."""
    shipped = _catalogue(folder, fingerprint)
    models, problems = user_targets.load(
        own, {target.card.target.slug for target in shipped.targets}
    )
    unasked = {
        each.card.target.slug: each
        for each in shipped.unasked
        if each.card.target.slug not in models
    }
    wanted = [unasked.pop(slug) for slug in listed.read(own) if slug in unasked]
    targets = [*shipped.targets, *wanted, *(Target(each, user=True) for each in models.values())]
    return Catalogue(
        tuple(sorted(targets, key=lambda each: each.card.target.slug)),
        (*shipped.problems, *problems),
        shipped.domain,
        shipped.widths,
        shipped.witnesses,
        shipped.changes,
        tuple(unasked.values()),
    )


def _changes(models: Sequence[Model], changes: Sequence[ChangeBand]) -> Mapping[str, ChangeBand]:
    """By method; one that maps another target's forecasts has the bands of that one's changes."""
    known = {(each.target, each.method): each for each in changes}
    found = {}
    for model in models:
        slug = model.card.target.slug
        bases, wider = model.mapped
        theirs = [known.get((each.card.target.slug, each.methods[0].name)) for each in bases]
        for method in model.methods:
            band = known.get((slug, method.name))
            if band is None and None not in theirs:
                every = [each for each in theirs if each is not None]
                band = change_bands.inherited(every, slug, method.name, wider)
            if band is not None:
                found[method.name] = band
    return found


def _info(all_of_it: Target, changes: Sequence[ChangeBand]) -> TargetInfo:
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
        by_kind=tuple(
            {m.name: found for m in all_of_it.methods if (found := part(m)) is not None}
            for part in (attrgetter("initialised"), attrgetter("uninitialised"))
        ),
        rests_on=all_of_it.rests_on,
        year=all_of_it.year,
        user=all_of_it.user,
        on_request=all_of_it.on_request,
        changes=_changes(models, changes),
        forms={m.name: model.looks_at for model in models for m in model.methods},
    )
