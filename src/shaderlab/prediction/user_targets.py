"""Targets of the user's own: additive models calibrated here, kept in the user's data folder.

Each is a bundle as those that ship are, and is read as distrustfully.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shaderlab import __version__, locations, units
from shaderlab.errors import InvalidModel, UnknownTarget, WrongUse
from shaderlab.prediction import bundle, held_out
from shaderlab.prediction.additive import Weights
from shaderlab.prediction.additive_model import (
    ARCHITECTURES,
    METHOD,
    AdditiveModel,
    architecture_of,
    tensors_of,
)
from shaderlab.prediction.calibration import AVERAGE, FREEDOM, Calibrated
from shaderlab.prediction.card import (
    CanonicalRun,
    Card,
    MethodCard,
    Origin,
    TargetCard,
    WeightsCard,
)

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


def folder() -> Path:
    """Where they lie, one folder per target."""
    return locations.user_data() / "targets"


def default_slug(device_slug: str) -> str:
    """`my-rtx3060`: never the slug of a target that ships."""
    kept = re.sub(r"[^a-z0-9-]+", "-", device_slug.lower()).strip("-") or "device"
    return f"my-{kept}"[:40]


def check_slug(slug: str) -> str:
    """The slug.  Raises `WrongUse` where it is of the wrong form."""
    if not _SLUG.fullmatch(slug):
        raise WrongUse(f"not a target's name (small letters, digits and hyphens): {slug!r}")
    return slug


def bases(models_dir: Path | None = None) -> Mapping[str, Weights]:
    """Additive weights of the targets that ship, by slug: what a calibration can start from."""
    bundles, _ = bundle.read_all(models_dir or locations.models())
    found = {}
    for each in bundles:
        # Models of other forms price work that a calibration does not count.
        additive = each.card.architecture in ARCHITECTURES
        if additive and each.card.methods[0].name == METHOD:
            try:
                found[each.card.target.slug] = AdditiveModel.from_bundle(each).weights
            except InvalidModel:
                continue  # told by the catalogue, which meets it as well
    return found


def card_of(slug: str, found: Calibrated, device: CalibratedDevice) -> Card:
    """What the calibrated target says of itself."""
    n = len(found.measured_s)
    which = f"Cross-validation over the {n} shaders timed on {device.name}, each predicted without"
    checked = held_out.validation(found.measured_s, found.held_out_s, f"{which} its own time")
    median = units.percent(checked.median_ape or 0.0)
    return Card(
        architecture=architecture_of(found.weights),
        target=TargetCard(
            slug=slug,
            name=_shown_name(device.name),
            vendor=device.vendor,
            kind="measured",
            device=_line(device.name, 200),
            driver=_line(device.driver, 200),
            clocks=_line(device.clocks, 200),
            floor_s=device.floor_s,
            floor_source="Time of an empty pass, measured with the shaders."
            if device.floor_s
            else "Learned with the prices.",
            notes="",
        ),
        run=CanonicalRun(device.size, 1.0, 1, device.trials, device.draws),
        methods=(
            MethodCard(
                name=METHOD,
                origin=Origin("shaderlab", __version__, None, None, f"calibration-{device.slug}"),
                loss=(
                    f"Huber loss of log time around {_start(found.base)}; prior "
                    f"deviations {FREEDOM.groups:g} by group, {FREEDOM.kinds:g} by kind, "
                    f"{FREEDOM.context:g} by context"
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
            f"{median}; the prices started from {_start(found.base)}."
        ),
        largest_block_count=None,
        weights=WeightsCard("0" * 64, 8),
        reproduce=f"shaderlab calibrate --device {device.slug} --name {slug}",
        configuration={DEVICE: device.slug, BASE: found.base},
    )


def save(card: Card, weights: Weights, into: Path | None = None) -> Path:
    """Write the target, at once or not at all; its folder.

    What was written is read back and checked as every bundle is.  Raises `InvalidModel` where that
    fails, `WrongUse` where the folder cannot be written.
    """
    home = into or folder()
    place, unfinished = home / card.target.slug, home / f".{card.target.slug}.part"
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        bundle.write(unfinished, card, tensors_of(weights))
        AdditiveModel.from_bundle(bundle.read(unfinished))
        if place.exists():
            shutil.rmtree(place)
        unfinished.replace(place)
    except OSError as error:
        raise WrongUse(f"cannot write {place}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return place


def remove(slug: str, out_of: Path | None = None) -> None:
    """Delete a target of the user's.  Raises `UnknownTarget` where there is none such."""
    home = out_of or folder()
    place = home / check_slug(slug)
    if not place.is_dir():
        there = ", ".join(sorted(each.name for each in home.glob("[a-z0-9]*"))) or "none"
        raise UnknownTarget(f"no calibrated target {slug!r}; there are: {there}")
    try:
        shutil.rmtree(place)
    except OSError as error:
        raise WrongUse(f"cannot delete {place}: {error.strerror or error}") from None


def _shown_name(device: str) -> str:
    plain = re.sub(r"\s*\([^)]*\)", "", device).strip() or device
    return f"{_line(plain, 60)}, this machine"


def _start(base: str) -> str:
    return "the average of those that ship" if base == AVERAGE else f"those of {base}"


def _line(text: str, longest: int) -> str:
    """One printable line, as cards demand; devices may call themselves anything."""
    shown = "".join(c if c.isprintable() else " " for c in text).strip()
    return shown[:longest] or "unknown"
