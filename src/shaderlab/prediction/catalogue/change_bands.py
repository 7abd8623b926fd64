"""`ChangeBands`: how far a forecast change may be off, by target and method.

The error of a change is not that of two forecasts: what a model gets wrong in a shader it mostly
gets wrong in its edited version too.  Found on edits that were timed before and after and on
published shaders that share most of their lines; stored in `models/changes.json`, which is checked
like a model (`models.recipes.change_bands`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.catalogue import table_file

FILE = "changes.json"
FORMAT = 1

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_MAX_BYTES = 64 * 1024
_MOST = 256


@dataclass(frozen=True)
class ChangeBand:
    """Of one target's method: logarithms of the ratio of two times."""

    target: str
    method: str
    n: int
    """Pairs it was calibrated on."""
    base: float
    slope: float
    """Half its width: `base`, and so much more for each unit of the change itself."""
    coverage: float
    """Share of pairs held out of the calibration that lay inside."""

    def ends(self, change: float) -> tuple[float, float]:
        """Low and high end of the logarithm, for a forecast change."""
        half = self.base + self.slope * abs(change)
        return change - half, change + half


def inherited(
    found: Sequence[ChangeBand], target: str, method: str, wider: float
) -> ChangeBand | None:
    """Of a method that maps forecasts with these bands, whichever of them leads; None without any.

    As wide as the widest, and by `wider` more, half the width of the mapping's own error, as
    logarithms of independent errors add.
    """
    if not found:
        return None
    return ChangeBand(
        target,
        method,
        min(each.n for each in found),
        math.hypot(max(each.base for each in found), wider),
        max(each.slope for each in found),
        min(each.coverage for each in found),
    )


def parse(data: bytes) -> tuple[ChangeBand, ...]:
    """From UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
    root = Fields.parse(data, FILE, FORMAT)
    root.text("origin", 500)
    root.text("reproduce", 500)
    found = tuple(_band(each) for each in root.list_of_fields("every", _MOST))
    root.done()
    if len({(each.target, each.method) for each in found}) != len(found):
        raise InvalidModel(f"{FILE}: every: two of one target and method")
    return found


def to_json(bands: Iterable[ChangeBand], origin: str, reproduce: str) -> str:
    """The text `parse` reads."""
    every = [asdict(each) for each in sorted(bands, key=lambda e: (e.target, e.method))]
    data = {"format": FORMAT, "origin": origin, "reproduce": reproduce, "every": every}
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def read(models_dir: Path) -> tuple[ChangeBand, ...]:
    """Those in a folder of models; empty where there are none.  Raises `InvalidModel`."""
    return table_file.read(models_dir / FILE, parse, _MAX_BYTES) or ()


def _band(fields: Fields) -> ChangeBand:
    found = ChangeBand(
        target=fields.matching("target", _SLUG),
        method=fields.matching("method", _SLUG),
        n=fields.integer("n", 1, 10**9),
        base=fields.number("base", 0.0, 100.0),
        slope=fields.number("slope", 0.0, 10.0),
        coverage=fields.number("coverage", 0.0, 1.0),
    )
    fields.done()
    return found
