"""Targets of the user's own: additive models calibrated here, kept in the user's data folder.

Each form of the program that a target has a model of (`calibrated_forms`) is a bundle as those that
ship are, and is checked like them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shaderlab import __version__, locations, units
from shaderlab.errors import InvalidModel, UnknownTarget, WrongUse
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import TextureCard
from shaderlab.prediction.bundles.bundle import Problem
from shaderlab.prediction.bundles.card import (
    UNWRITTEN,
    CanonicalRun,
    Card,
    MethodCard,
    Origin,
    TargetCard,
)
from shaderlab.prediction.calibration import held_out
from shaderlab.prediction.calibration.calibrated_forms import errors_on_both
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import AVERAGE, FEWEST, Calibrated, Relative
from shaderlab.prediction.calibration.texture_prices import (
    calibrate_textures,
    without_texture_prices,
)
from shaderlab.prediction.catalogue import laws
from shaderlab.prediction.catalogue.listed import folder
from shaderlab.prediction.forms import FITTED, METHODS, Form
from shaderlab.prediction.models import registry
from shaderlab.prediction.models.additive import Weights, tensors_of
from shaderlab.prediction.models.additive_model import (
    EXECUTIONS,
    architecture_of,
    form_of,
    weights_of,
)
from shaderlab.prediction.models.model import Model

DEVICE, BASE = "calibrated_on", "base"
"""Entries of a card's configuration: slugs of the device and of the base (`Choice.base`)."""

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class CalibratedDevice:
    """The device a calibration ran on, and how it timed."""

    slug: str
    name: str
    vendor: str
    driver: str
    clocks: str
    floor_s: float | None
    """Seconds of an empty pass by the clock the shaders were timed with; None where unknown."""
    size: tuple[int, int]
    trials: int
    draws: int
    """Most per trial."""
    software: bool
    """Whether it is the processor."""
    here: bool = True
    """Whether it is in this machine; else its times are of samples that were given away."""

    @property
    def relative(self) -> Relative | None:
        """Whose prices its own start from; None where no GPU by its vendor has samples."""
        return None if self.software else laws.relative_of(self.slug, self.vendor.lower())


def default_slug(device_slug: str) -> str:
    """`my-rtx3060`: never the slug of a target that ships."""
    kept = re.sub(r"[^a-z0-9-]+", "-", device_slug.lower()).strip("-") or "device"
    return f"my-{kept}"[:40]


def check_slug(slug: str) -> str:
    """The slug.  Raises `WrongUse` where it is of the wrong form."""
    if not _SLUG.fullmatch(slug):
        raise WrongUse(f"not a target's name (small letters, digits and hyphens): {slug!r}")
    return slug


def load(
    home: Path, taken: Collection[str] = ()
) -> tuple[dict[str, tuple[Model, ...]], list[Problem]]:
    """The user's models by target, and those that were refused, as all of `taken` slugs are."""
    bundles, problems = bundle.read_all(home)
    own = [each for each in bundles if each.card.architecture in EXECUTIONS]
    strange = [
        Problem(
            each.name,
            f"{each.name}: architecture {each.card.architecture!r} is none of a calibration",
        )
        for each in bundles
        if each.card.architecture not in EXECUTIONS
    ]
    models, refused = registry.load(own, taken)
    return models, [*problems, *strange, *refused]


def bases(form: Form = Form.WRITTEN, models_dir: Path | None = None) -> Mapping[str, Weights]:
    """Weights of the targets that ship with an additive model of the form, by slug: what a
    calibration can start from.  Without prices of texture reads, which have a fit of their own."""
    bundles, _ = bundle.read_all(models_dir or locations.models())
    found: dict[str, Weights] = {}
    for each in bundles:
        # The catalogue meets the same problems and reports them.
        with bundle.refusing(each.name, []):
            if each.card.architecture in EXECUTIONS and form_of(each.card) is form:
                found[each.card.target.slug] = without_texture_prices(weights_of(each))
    return found


def cards_of(
    slug: str, found: Mapping[Form, Calibrated], device: CalibratedDevice
) -> dict[Form, Card]:
    """What the target's cards state about its models, as `calibrate_forms` found them."""
    cards: dict[Form, Card] = {}
    before: Calibrated | None = None
    for form, calibrated in found.items():
        cards[form] = _card(slug, form, calibrated, device, before)
        before = calibrated
    return cards


def _card(
    slug: str,
    form: Form,
    found: Calibrated,
    device: CalibratedDevice,
    before: Calibrated | None,
) -> Card:
    """`before`: the calibration of the form before it, which has a larger error."""
    n, free = len(found.measured_s), found.freedom
    which = f"Cross-validation over the {n} shaders timed on {device.name}, each predicted without"
    checked = held_out.validation(found.measured_s, found.held_out_s, f"{which} its own time")
    median = units.percent(checked.median_ape or 0.0)
    return Card(
        architecture=architecture_of(found.weights),
        target=TargetCard(
            slug=slug,
            name=_shown_name(device),
            vendor=device.vendor,
            kind="measured",
            device=_line(device.name, 200),
            driver=_line(device.driver, 200),
            clocks=_line(device.clocks, 200),
            floor_s=device.floor_s,
            floor_source="Time of an empty pass, measured with the shaders."
            if device.floor_s
            else "Fitted together with the prices.",
            notes="",
        ),
        run=CanonicalRun(device.size, 1.0, 1, device.trials, device.draws),
        methods=(
            MethodCard(
                name=METHODS[form],
                origin=Origin("shaderlab", __version__, None, None, f"calibration-{device.slug}"),
                loss=(
                    f"Huber loss of log time around {_start(found.base)}; prior "
                    f"deviations {free.groups:g} by group, {free.kinds:g} by kind, "
                    f"{free.context:g} by context, {free.scale:g} in all"
                ),
                training_samples=n,
                features=found.weights.kinds,
                validation=checked,
                by_time=(),
                bands=(held_out.band(found.measured_s, found.held_out_s),),
            ),
        ),
        default_reason=(
            f"Calibrated on {n} shaders on {_line(device.name, 80)}, held-out median error "
            f"{median}{_than(found, before)}; the prices started from {_start(found.base)}."
            + (" Its clock is taken to rise with the load." if found.weights.late else "")
        ),
        largest_block_count=None,
        weights=UNWRITTEN,
        reproduce=f"shaderlab calibrate --device {device.slug} --name {slug}"
        if device.here
        else "shaderlab dataset merge FILE -o STORE --refit",
        configuration={DEVICE: device.slug, BASE: found.base},
        preference=-FITTED.index(form),  # the form that needs no other trace leads
    )


def with_textures(
    card: Card, weights: Weights, reading: Sequence[TimedWork]
) -> tuple[Card, Weights]:
    """The model with prices of texture reads from shaders that make some; as it is with too few."""
    if len(reading) < FEWEST:
        return card, weights
    examples = [each.example for each in reading]
    found = calibrate_textures(weights, examples, np.array([each.time_s for each in reading]))
    n = len(reading)
    which = f"Cross-validation over {n} shaders that read textures, each predicted without"
    (method,) = card.methods
    textures = TextureCard(
        training_samples=n,
        reproduce=card.reproduce,
        validation=held_out.validation(found.measured_s, found.held_out_s, f"{which} its own time"),
        bands=(held_out.band(found.measured_s, found.held_out_s),),
    )
    method = replace(method, features=found.weights.kinds, textures=textures)
    return replace(card, methods=(method,)), found.weights


def save(models: Mapping[Form, tuple[Card, Weights]], into: Path | None = None) -> Path:
    """Write a target's models in place of those there were; the folder of the one that all have.

    First all are written beside these, read back and checked as every bundle is.  Where it stops
    half-way, the
    target has the models of fewer forms, never of another calibration.  Raises `InvalidModel` where
    the check fails, `WrongUse` where the folder cannot be written.
    """
    home = into or folder()
    slug = models[Form.WRITTEN][0].target.slug
    unfinished = {form: home / f".{_name(slug, form)}.part" for form in models}
    place = home / slug
    try:
        for form, (card, weights) in models.items():
            shutil.rmtree(unfinished[form], ignore_errors=True)
            bundle.write(unfinished[form], card, tensors_of(weights))
        _, problems = registry.load(map(bundle.read, unfinished.values()))
        if problems:
            raise InvalidModel(problems[0].reason)
        for old in _folders(home, slug):
            shutil.rmtree(old)
        for form, written in unfinished.items():
            written.replace(home / _name(slug, form))
    except OSError as error:
        raise WrongUse(f"cannot write {place}: {error.strerror or error}") from None
    finally:
        for each in unfinished.values():
            shutil.rmtree(each, ignore_errors=True)
    return place


def remove(slug: str, out_of: Path | None = None) -> None:
    """Delete a target of the user's.  Raises `UnknownTarget` if there is none."""
    home = out_of or folder()
    found = _folders(home, check_slug(slug))
    if not found:
        names = sorted(each.name for each in home.glob("[a-z0-9]*") if _SLUG.fullmatch(each.name))
        raise UnknownTarget(
            f"no calibrated target {slug!r}; there are: {', '.join(names) or 'none'}"
        )
    for place in found:
        try:
            shutil.rmtree(place)
        except OSError as error:
            raise WrongUse(f"cannot delete {place}: {error.strerror or error}") from None


def _name(slug: str, form: Form) -> str:
    """Of a model's folder.  No other target has it: slugs hold no dot."""
    return slug if form is Form.WRITTEN else f"{slug}.{form}"


def _folders(home: Path, slug: str) -> list[Path]:
    """Those there are of the target's models, of the latest form first."""
    places = (home / _name(slug, form) for form in reversed(FITTED))
    return [place for place in places if place.is_dir()]


def _shown_name(device: CalibratedDevice) -> str:
    plain = re.sub(r"\s*\([^)]*\)", "", device.name).strip() or device.name
    return f"{_line(plain, 60)}, {'this machine' if device.here else 'shared times'}"


def _start(base: str) -> str:
    return "the average of the shipped targets" if base == AVERAGE else f"those of {base}"


def _than(found: Calibrated, before: Calibrated | None) -> str:
    if before is None:
        return ""
    error, other = errors_on_both(found, before)
    return (
        f" ({units.percent(error)}, compared with {units.percent(other)} for the form before it, "
        "on the shaders traced in both)"
    )


def _line(text: str, longest: int) -> str:
    """One printable line, as cards demand; devices may call themselves anything."""
    shown = "".join(c if c.isprintable() else " " for c in text).strip()
    return shown[:longest] or "unknown"
