"""What a card says of errors: shaders a method was judged on, bands, texture prices."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.forecast import Validation

LONGEST_TIME_S = 1e4

MOST_SAMPLES = 10**9


@dataclass(frozen=True)
class TimeRangeError:
    """Mean error over the validation shaders whose measured time lies in [from_s, to_s)."""

    from_s: float
    to_s: float | None
    """None: no upper end."""
    mape: float | None
    """Mean absolute percentage error as a fraction; None: no validation shader in the range."""


@dataclass(frozen=True)
class BandCard:
    """How far measured times lay from forecasts in [from_s, to_s) on validation shaders.

    Split-conformal, one set of quantiles per range of predicted time (Mondrian): of exchangeable
    shaders at least `level` lie between `low` and `high` times the forecast.
    """

    from_s: float
    to_s: float | None
    """None: no upper end."""
    low: float
    """In (0, 1]: factor on the forecast."""
    high: float
    """At least 1."""
    level: float
    n: int
    """Validation shaders behind the quantiles."""
    coverage: float
    """Share of held-out halves of them that lay inside, quantiles taken from the other half."""


@dataclass(frozen=True)
class TextureCard:
    """How the method prices texture reads: fitted to, and judged on, shaders that make some."""

    training_samples: int
    reproduce: str
    """Command that makes these prices again."""
    validation: Validation
    bands: tuple[BandCard, ...]
    """As `MethodCard.bands`, of shaders that read textures."""


def textures_to_json(textures: TextureCard) -> dict[str, Any]:
    return {
        "training_samples": textures.training_samples,
        "reproduce": textures.reproduce,
        "validation": validation_to_json(textures.validation),
        "bands": [asdict(each) for each in textures.bands],
    }


def validation_to_json(validation: Validation) -> dict[str, Any]:
    optional = ("median_ape", "within20")
    return {
        name: value
        for name, value in asdict(validation).items()
        if value is not None or name not in optional
    }


def read_textures(fields: Fields) -> TextureCard:
    validation = fields.fields("validation")
    textures = TextureCard(
        training_samples=fields.integer("training_samples", 1, MOST_SAMPLES),
        reproduce=fields.text("reproduce", 500),
        validation=read_validation(validation),
        bands=read_bands(fields),
    )
    validation.done()
    fields.done()
    return textures


def read_by_time(fields: Fields) -> tuple[TimeRangeError, ...]:
    ranges = _ascending(
        fields,
        "by_time",
        lambda each: TimeRangeError(
            from_s=each.number("from_s", 0.0, LONGEST_TIME_S),
            to_s=each.optional_number("to_s", 0.0, LONGEST_TIME_S),
            mape=each.optional_number("mape", 0.0, 1e6),
        ),
    )
    if all(each.mape is None for each in ranges):
        raise fields.wrong("by_time", "no range has an error")
    return ranges


_Range = TypeVar("_Range", TimeRangeError, BandCard)


def _ascending(fields: Fields, name: str, read: Callable[[Fields], _Range]) -> tuple[_Range, ...]:
    """Ranges of time from 0 up, each beginning where the one before it ends."""
    found: list[_Range] = []
    expected = 0.0
    for each in fields.list_of_fields(name, 64):
        times = read(each)
        each.done()
        if times.from_s != expected or (times.to_s is not None and times.to_s <= times.from_s):
            raise fields.wrong(name, "not ascending from 0 without gaps")
        expected = math.inf if times.to_s is None else times.to_s
        found.append(times)
    if expected != math.inf:
        raise fields.wrong(name, "the last range has an upper end")
    return tuple(found)


def read_validation(fields: Fields) -> Validation:
    return Validation(
        mape=fields.optional_number("mape", 0.0, 1e6),
        spearman=fields.optional_number("spearman", -1.0, 1.0),
        n=fields.optional_integer("n", 1, MOST_SAMPLES),
        source=fields.text("source", 500),
        median_ape=_if_there(fields, "median_ape", 1e6),
        within20=_if_there(fields, "within20", 1.0),
    )


def read_part(fields: Fields, name: str) -> Validation | None:
    if not fields.has(name):
        return None
    part = fields.fields(name)
    found = read_validation(part)
    part.done()
    return found


def _if_there(fields: Fields, name: str, high: float) -> float | None:
    return fields.number(name, 0.0, high) if fields.has(name) else None


def read_bands(fields: Fields) -> tuple[BandCard, ...]:
    return _ascending(
        fields,
        "bands",
        lambda each: BandCard(
            from_s=each.number("from_s", 0.0, LONGEST_TIME_S),
            to_s=each.optional_number("to_s", 0.0, LONGEST_TIME_S),
            low=each.number("low", 1e-6, 1.0),
            high=each.number("high", 1.0, 1e6),
            level=each.number("level", 0.0, 1.0),
            n=each.integer("n", 1, MOST_SAMPLES),
            coverage=each.number("coverage", 0.0, 1.0),
        ),
    )
