"""`Card`: what a model bundle says about itself, read from `card.json` as untrusted input.

A card names the target, where every number comes from and how well the methods did on shaders they
were not fitted on, so that no prediction is ever shown without its origin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import (
    LONGEST_TIME_S,
    MOST_SAMPLES,
    BandCard,
    TextureCard,
    TimeRangeError,
    read_bands,
    read_by_time,
    read_part,
    read_textures,
    read_validation,
    textures_to_json,
    validation_to_json,
)
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.forecast import Validation

FORMAT = 1
"""Version of the bundle format this shaderlab reads and writes."""

MAX_BYTES = 256 * 1024
"""Largest card accepted, bytes."""

TargetKind = Literal["measured", "published", "compiled", "law"]
"""Fitted to measured times of single shaders, as published by others, a compiler's statistics, by
data sheets from another target."""

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_FEATURE = re.compile(r"[A-Za-z][A-Za-z0-9_:]{0,79}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_FEATURES = 4096
_INITIALISED, _UNINITIALISED = "without_undefined_reads", "with_undefined_reads"


@dataclass(frozen=True)
class Origin:
    """Where a fit was published or made."""

    repository: str
    revision: str
    notebook: str | None
    """None: fitted with shaderlab, as the card's command says."""
    cell: int | None
    dataset: str


@dataclass(frozen=True)
class MethodCard:
    """One fitted method of a bundle."""

    name: str
    """Short name as in `Forecast.method`: `pilr`, `sh`."""
    origin: Origin
    loss: str
    """What the fit minimised."""
    training_samples: int
    features: tuple[str, ...]
    """Meaning of each weight, in the order of the weights."""
    validation: Validation
    by_time: tuple[TimeRangeError, ...]
    """Ascending and without gaps, from 0 seconds up; empty where nothing was validated."""
    initialised: Validation | None = None
    """Error over the validation shaders without undefined values; None where not separated."""
    uninitialised: Validation | None = None
    """Error over the others."""
    bands: tuple[BandCard, ...] = ()
    """By predicted time, ascending and without gaps from 0; empty where none were calibrated."""
    textures: TextureCard | None = None
    """None where texture reads have no price."""

    def validation_of(self, reads_uninitialised: bool) -> Validation:
        """Error over the validation shaders of the same kind, where they were separated."""
        part = self.uninitialised if reads_uninitialised else self.initialised
        return part or self.validation


@dataclass(frozen=True)
class TargetCard:
    """The GPU a bundle is for."""

    slug: str
    name: str
    """Marketing name."""
    vendor: str
    kind: TargetKind
    device: str
    """What the origin says the machine was."""
    driver: str
    clocks: str
    floor_s: float | None
    """Seconds below which no frame of the canonical run comes on this GPU; None where unknown."""
    floor_source: str
    notes: str
    """What a user must know about this target's data beyond the numbers; may be empty."""


@dataclass(frozen=True)
class CanonicalRun:
    """The run whose time the bundle predicts ."""

    size: tuple[int, int]
    time_s: float
    frame: int
    trials: int
    draws: int


@dataclass(frozen=True)
class WeightsCard:
    """The weights file that belongs to the card."""

    sha256: str
    bytes: int


UNWRITTEN = WeightsCard("0" * 64, 8)
"""Of a card whose weights are not written yet (`bundle.write`)."""


@dataclass(frozen=True)
class Card:
    """All of `card.json`."""

    architecture: str
    """Names the code that reads the weights."""
    target: TargetCard
    run: CanonicalRun
    methods: tuple[MethodCard, ...]
    """The default first; the others are fallbacks in this order."""
    default_reason: str
    """Why the first method leads."""
    largest_block_count: int | None
    """Most executions of one basic block in a training shader; None where not published."""
    weights: WeightsCard
    reproduce: str
    """Command that makes this bundle again."""
    preference: int = 0
    """Of several bundles for one target the one with the highest gives the default method."""
    configuration: Mapping[str, int | float | str] = field(default_factory=dict)
    """What the architecture's code must know beyond the weights' shapes; empty for most."""
    training: Mapping[str, int | float | str] = field(default_factory=dict)
    """Figures of the training run to repeat it; no code reads them."""

    @classmethod
    def parse(cls, data: bytes) -> Card:
        """The card in UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
        if len(data) > MAX_BYTES:
            raise InvalidModel(f"card.json: {len(data)} bytes, at most {MAX_BYTES} are read")
        root = Fields.parse(data, "card.json", FORMAT)
        card = cls(
            architecture=root.text("architecture", 80),
            target=_target(root.fields("target")),
            run=_run(root.fields("canonical_run")),
            methods=tuple(_method(each) for each in root.list_of_fields("methods", 16)),
            default_reason=root.text("default_reason", 500),
            largest_block_count=root.optional_integer("largest_block_count", 1, 2**63 - 1),
            weights=_weights(root.fields("weights")),
            reproduce=root.text("reproduce", 500),
            preference=root.integer("preference", -100, 100) if root.has("preference") else 0,
            configuration=root.scalars("configuration", 64) if root.has("configuration") else {},
            training=root.scalars("training", 64) if root.has("training") else {},
        )
        root.done()
        if len({method.name for method in card.methods}) != len(card.methods):
            raise InvalidModel("card.json: methods: two of one name")
        return card

    def to_json(self) -> str:
        """The text `parse` reads; the same card always gives the same text."""
        optional = {
            name: value
            for name in ("preference", "configuration", "training")
            if (value := getattr(self, name))
        }
        data = {
            "format": FORMAT,
            "architecture": self.architecture,
            "target": asdict(self.target),
            "canonical_run": asdict(self.run),
            "methods": [_method_to_json(method) for method in self.methods],
            "default_reason": self.default_reason,
            "largest_block_count": self.largest_block_count,
            "weights": asdict(self.weights),
            "reproduce": self.reproduce,
            **optional,
        }
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _method_to_json(method: MethodCard) -> dict[str, Any]:
    parts = ((_INITIALISED, method.initialised), (_UNINITIALISED, method.uninitialised))
    validation = validation_to_json(method.validation) | {
        name: validation_to_json(part) for name, part in parts if part is not None
    }
    if method.by_time:
        validation["by_time"] = [asdict(each) for each in method.by_time]
    return {
        "name": method.name,
        "origin": asdict(method.origin),
        "loss": method.loss,
        "training_samples": method.training_samples,
        "validation": validation,
        **({"bands": [asdict(each) for each in method.bands]} if method.bands else {}),
        **({"textures": textures_to_json(method.textures)} if method.textures else {}),
        "features": list(method.features),
    }


def _target(fields: Fields) -> TargetCard:
    text, kinds = fields.text("kind", 20), get_args(TargetKind)
    kind: TargetKind | None = next((each for each in kinds if each == text), None)
    if kind is None:
        raise fields.wrong("kind", f"{text!r} is none of {', '.join(kinds)}")
    target = TargetCard(
        slug=fields.matching("slug", _SLUG),
        name=fields.text("name", 80),
        vendor=fields.text("vendor", 40),
        kind=kind,
        device=fields.text("device", 200),
        driver=fields.text("driver", 200),
        clocks=fields.text("clocks", 200),
        floor_s=fields.optional_number("floor_s", 1e-9, LONGEST_TIME_S),
        floor_source=fields.text("floor_source", 500),
        notes=fields.text("notes", 500, empty=True),
    )
    fields.done()
    return target


def _run(fields: Fields) -> CanonicalRun:
    size = fields.take("size")
    if not (
        isinstance(size, list)
        and len(size) == 2
        and all(type(side) is int and 1 <= side <= 32768 for side in size)
    ):
        raise fields.wrong("size", "not [width, height] in pixels")
    run = CanonicalRun(
        size=(size[0], size[1]),
        time_s=fields.number("time_s", 0.0, 1e9),
        frame=fields.integer("frame", 0, 2**31 - 1),
        trials=fields.integer("trials", 1, 10**6),
        draws=fields.integer("draws", 1, 10**6),
    )
    fields.done()
    return run


def _method(fields: Fields) -> MethodCard:
    origin = fields.fields("origin")
    validation = fields.fields("validation")
    method = MethodCard(
        name=fields.matching("name", _SLUG),
        origin=Origin(
            repository=origin.text("repository", 200),
            revision=origin.text("revision", 80),
            notebook=origin.optional_text("notebook", 200),
            cell=origin.optional_integer("cell", 0, 10**6),
            dataset=origin.text("dataset", 200),
        ),
        loss=fields.text("loss", 300),
        training_samples=fields.integer("training_samples", 1, MOST_SAMPLES),
        features=_features(fields),
        validation=read_validation(validation),
        initialised=read_part(validation, _INITIALISED),
        uninitialised=read_part(validation, _UNINITIALISED),
        by_time=read_by_time(validation) if validation.has("by_time") else (),
        bands=read_bands(fields) if fields.has("bands") else (),
        textures=read_textures(fields.fields("textures")) if fields.has("textures") else None,
    )
    origin.done()
    validation.done()
    fields.done()
    return method


def _features(fields: Fields) -> tuple[str, ...]:
    names = fields.take("features")
    if not isinstance(names, list) or not 1 <= len(names) <= _MOST_FEATURES:
        raise fields.wrong("features", f"not a list of 1 to {_MOST_FEATURES} names")
    if not all(isinstance(name, str) and _FEATURE.fullmatch(name) for name in names):
        raise fields.wrong("features", "a name is not letters, digits and underscores")
    if len(set(names)) != len(names):
        raise fields.wrong("features", "two of one name")
    return tuple(names)


def _weights(fields: Fields) -> WeightsCard:
    weights = WeightsCard(
        sha256=fields.matching("sha256", _SHA256), bytes=fields.integer("bytes", 8, 2**40)
    )
    fields.done()
    return weights
