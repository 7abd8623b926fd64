"""`Widths`: how wide the band of a shader of some kind has to be, and how far off its forecast is.

A model's own bands hold for shaders like those it was fitted on.  How much wider they must be for
others was found by leaving such shaders out of the fit, whole groups at a time
(`shaderlab.training.leave_out`): two quantile regressions on how far a shader is from the training
data, how long it is and which rare operations it runs say how many times its lower and upper part
a band has to reach.  Of such a regression every group that is one of its columns is
held as often as the level says (Jung et al. 2023, Gibbs et al. 2023).

Stored in `models/widths.json`, which is checked like a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.catalogue import table_file
from shaderlab.prediction.catalogue.domain import Features, Novelty
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.forecast import Validation

FILE = "widths.json"
FORMAT = 1
DISTANCES = (0.2, 0.4, 0.8, 1.5)
"""Where the regression on the logarithm of the distance may bend."""
NARROWEST, WIDEST = 0.8, 20.0
"""Times a part of the model's own band, whatever the regression says.  Outside the training data at
least once: there no forecast is surer than among shaders that the model was fitted to."""

SIZE = CONTEXT.index("log_instructions")
"""What of the context sizes are of."""

_NEAREST, _FURTHEST_BEYOND, _NEW_WORK, _MOST_NEW = 0.05, 5.0, 20.0, 3.0
_OTHERS = "*"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}|\*")
_MAX_BYTES = 512 * 1024
_MOST_MODELS, _MOST_NAMES = 256, 256


@dataclass(frozen=True)
class ModelWidths:
    """Of one method on one target."""

    below: np.ndarray
    """(columns,) of the regression for the lower part of the band."""
    above: np.ndarray
    """(columns,) for the upper part."""
    outside: Validation
    """Error on shaders left out that lay outside what was left."""


@dataclass(frozen=True)
class Widths:
    """All of `widths.json`."""

    sizes: tuple[float, ...]
    """Logarithms of instruction counts from which on a shader is of the next size."""
    operations: tuple[str, ...]
    """Rare operations that are a column."""
    models: Mapping[tuple[str, str], ModelWidths]
    """By target and method."""
    others: ModelWidths
    """For methods without samples of their own to leave out: all others' together."""

    def of(self, target: str, method: str) -> ModelWidths | None:
        """None for a method that none were left out of."""
        return self.models.get((target, method))

    def factors(
        self, target: str, method: str, novelty: Novelty, features: Features
    ) -> tuple[float, float]:
        """How many times its lower and its upper part the band has to reach, of logarithms."""
        return self.factors_at(target, method, novelty, self.columns(novelty, features))

    def columns(self, novelty: Novelty, features: Features) -> np.ndarray:
        """What of a program the factors follow, whatever the target."""
        return columns(novelty, features, self.sizes, self.operations)

    def factors_at(
        self, target: str, method: str, novelty: Novelty, here: np.ndarray
    ) -> tuple[float, float]:
        """`factors` of a program with these `columns`."""
        own = self.of(target, method)
        found, least = own or self.others, NARROWEST if own and not novelty.outside else 1.0
        below, above = (
            min(max(float(here @ each), least), WIDEST) for each in (found.below, found.above)
        )
        return below, above

    @classmethod
    def parse(cls, data: bytes) -> Widths:
        """From UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
        root = Fields.parse(data, FILE, FORMAT)
        root.text("origin", 500)
        root.text("reproduce", 500)
        sizes = _numbers(root, "sizes", 0.0, 100.0)
        names = root.take("operations")
        if not isinstance(names, list) or len(names) > _MOST_NAMES:
            raise root.wrong("operations", f"not a list of at most {_MOST_NAMES} names")
        if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
            raise root.wrong("operations", "a name is not letters, digits and underscores")
        if (np.diff(sizes) <= 0).any():
            raise root.wrong("sizes", "do not ascend")
        length = width(len(sizes), len(names))
        found = {}
        for each in root.list_of_fields("models", _MOST_MODELS):
            target, method = each.matching("target", _SLUG), each.matching("method", _SLUG)
            below, above = (_numbers(each, name, -1e3, 1e3) for name in ("below", "above"))
            if len(below) != length or len(above) != length:
                raise each.wrong("below", f"not {length} numbers")
            found[target, method] = ModelWidths(below, above, _validation(each.fields("outside")))
            each.done()
        root.done()
        if (_OTHERS, _OTHERS) not in found:
            raise InvalidModel(f"{FILE}: models: none for other methods")
        others = found.pop((_OTHERS, _OTHERS))
        return cls(tuple(sizes.tolist()), tuple(names), found, others)

    def to_json(self, origin: str, reproduce: str) -> str:
        """The text `parse` reads."""
        every = {**self.models, (_OTHERS, _OTHERS): self.others}
        data = {
            "format": FORMAT,
            "origin": origin,
            "reproduce": reproduce,
            "sizes": [round(each, 4) for each in self.sizes],
            "operations": list(self.operations),
            "models": [
                {
                    "target": target,
                    "method": method,
                    "below": np.round(each.below, 4).tolist(),
                    "above": np.round(each.above, 4).tolist(),
                    "outside": asdict(each.outside),
                }
                for (target, method), each in sorted(every.items())
            ],
        }
        return json.dumps(data, indent=1, allow_nan=False) + "\n"


def width(sizes: int, operations: int) -> int:
    """How many columns there are."""
    return 4 + len(DISTANCES) + sizes + operations


def columns(
    novelty: Novelty, features: Features, sizes: Sequence[float], operations: Sequence[str]
) -> np.ndarray:
    """(columns,) what the regressions look at, the constant first."""
    distance = np.log(max(novelty.distance, _NEAREST))
    size = features.context[SIZE]
    return np.array(
        [
            1.0,
            *(max(distance - np.log(each), 0.0) for each in DISTANCES),
            min(novelty.beyond, _FURTHEST_BEYOND),
            min(novelty.new_work * _NEW_WORK, _MOST_NEW),
            float(novelty.distance > 1),
            *(float(size > each) for each in sizes),
            *(float(bool(features.work.get(name))) for name in operations),
        ]
    )


def read(models_dir: Path) -> Widths | None:
    """Those in a folder of models; None where there are none.  Raises `InvalidModel`."""
    return table_file.read(models_dir / FILE, Widths.parse, _MAX_BYTES)


def _numbers(fields: Fields, name: str, low: float, high: float) -> np.ndarray:
    values = fields.take(name)
    if not isinstance(values, list) or not 1 <= len(values) <= 2 * _MOST_NAMES:
        raise fields.wrong(name, "not a list of numbers")
    if not all(type(each) in (int, float) and low <= each <= high for each in values):
        raise fields.wrong(name, f"a number out of range {low:g} to {high:g}")
    return np.array(values, np.float64)


def _validation(fields: Fields) -> Validation:
    found = Validation(
        mape=fields.optional_number("mape", 0.0, 1e6),
        spearman=fields.optional_number("spearman", -1.0, 1.0),
        n=fields.optional_integer("n", 1, 10**9),
        source=fields.text("source", 500),
        median_ape=fields.optional_number("median_ape", 0.0, 1e6),
        within20=fields.optional_number("within20", 0.0, 1.0),
    )
    fields.done()
    return found
