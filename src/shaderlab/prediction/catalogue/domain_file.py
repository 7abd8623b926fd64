"""A `Domain` on disk: a card and its points beside the model bundles, read as untrusted input."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import (
    CARD,
    DOMAIN,
    read_card,
    read_tensors,
    write_tensors,
)
from shaderlab.prediction.bundles.card import WeightsCard
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.catalogue.domain import NEIGHBOURS, Domain
from shaderlab.prediction.features.context import CONTEXT

FORMAT = 1
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_:]{0,79}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_KINDS, _MOST_POINTS = 4096, 100_000
_POINTS, _FAR = "points", "far"


def read(models_dir: Path) -> Domain | None:
    """The domain in a folder of models; None where there is none.  Raises `InvalidModel`."""
    folder = models_dir / DOMAIN
    if not folder.exists():
        return None
    root = Fields.parse(read_card(folder), CARD, FORMAT)
    context, kinds, rare = (_names(root, name) for name in ("context", "kinds", "rare_kinds"))
    for name, longest in (("data", 200), ("reproduce", 500), ("validation", 1000)):
        root.text(name, longest)
    weights = root.fields("weights")
    expected = WeightsCard(weights.matching("sha256", _SHA256), weights.integer("bytes", 8, 2**40))
    weights.done()
    root.done()
    if context != CONTEXT:
        raise root.wrong("context", "not what this shaderlab looks at")
    tensors = read_tensors(folder, expected)
    if set(tensors) != {_POINTS, _FAR} or tensors[_FAR].shape != (1,):
        raise InvalidModel(f"weights: not {_POINTS!r} and one {_FAR!r}")
    points = tensors[_POINTS].astype(np.float64)
    columns = len(CONTEXT) + len(kinds)
    if points.ndim != 2 or points.shape[1] != columns:
        raise InvalidModel(f"weights: {_POINTS}: shape {points.shape} has not {columns} columns")
    if not NEIGHBOURS < len(points) <= _MOST_POINTS:
        raise InvalidModel(f"weights: {_POINTS}: not {NEIGHBOURS + 1} to {_MOST_POINTS} shaders")
    far = float(tensors[_FAR][0])
    if far <= 0:
        raise InvalidModel(f"weights: {_FAR}: not positive")
    return Domain(kinds, frozenset(rare), points, far)


def write(models_dir: Path, domain: Domain, data: str, validation: str, reproduce: str) -> None:
    """Write what `read` reads; the same domain always gives the same bytes.

    `data`: what it was made from; `validation`: what it warned of on the validation split.
    """
    folder = models_dir / DOMAIN
    tensors = {
        _POINTS: domain.points.astype(np.float32),
        _FAR: np.array([domain.far], np.float32),
    }
    weights = write_tensors(folder, tensors)
    card = {
        "format": FORMAT,
        "data": data,
        "validation": validation,
        "context": list(CONTEXT),
        "kinds": list(domain.kinds),
        "rare_kinds": sorted(domain.rare),
        "weights": asdict(weights),
        "reproduce": reproduce,
    }
    (folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _names(fields: Fields, name: str) -> tuple[str, ...]:
    values = fields.take(name)
    if not isinstance(values, list) or len(values) > _MOST_KINDS:
        raise fields.wrong(name, f"not a list of at most {_MOST_KINDS} names")
    if not all(isinstance(value, str) and _KIND.fullmatch(value) for value in values):
        raise fields.wrong(name, "a name is not letters, digits and underscores")
    if len(set(values)) != len(values):
        raise fields.wrong(name, "two of one name")
    return tuple(values)
