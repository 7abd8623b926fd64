"""`Witnesses`: what a machine's own time of a shader says about forecasts for other targets.

Where the time measured on a device and the time forecast for it lie far apart, the shader has
something that the counts do not show, and forecasts for other targets are further off too.  How
much further was found on shaders forecast by models that had not seen them; it is stored in
`models/witnesses.json`, which is checked like a model (`models.recipes.witnesses`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.catalogue import table_file

FILE = "witnesses.json"
FORMAT = 1
LEVELS = (0.5, 1.0)
"""Logarithms of measured over forecast time, either way, from which on a witness disagrees."""

_OTHERS = "*"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}|\*")
_MAX_BYTES = 256 * 1024
_MOST = 1024
_LONGEST = 100.0


@dataclass(frozen=True)
class Finding:
    """What it meant for one target that a device disagreed by one of the `LEVELS` or more."""

    host: str
    """The device that disagreed."""
    target: str
    level: float
    n: int
    """Shaders with which it did."""
    share: float
    """Of all shaders."""
    median_ape: float
    """Median error of the target's forecasts of these shaders."""
    rest: float
    """The same of all others."""
    towards: float
    """How many times as long the band has to be on the side on which the device was off."""
    away: float
    """Likewise on the other side."""


@dataclass(frozen=True)
class Witnesses:
    """All of `witnesses.json`."""

    every: tuple[Finding, ...]

    def on(self, host: str, target: str, ratio: float) -> Finding | None:
        """`ratio`: measured over forecast time on the host.  None where it does not disagree.

        Of a host or target without figures of its own: those of all others.
        """
        off = abs(math.log(ratio))
        level = max((each for each in LEVELS if off > each), default=None)
        found = {(e.host, e.target): e for e in self.every if e.level == level}
        order = ((h, t) for h in (host, _OTHERS) for t in (target, _OTHERS))
        return next((found[each] for each in order if each in found), None)

    @classmethod
    def parse(cls, data: bytes) -> Witnesses:
        """From UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
        root = Fields.parse(data, FILE, FORMAT)
        root.text("origin", 500)
        root.text("reproduce", 500)
        every = tuple(_finding(each) for each in root.list_of_fields("every", _MOST))
        root.done()
        if len({(e.host, e.target, e.level) for e in every}) != len(every):
            raise InvalidModel(f"{FILE}: every: two of one host, target and level")
        return cls(every)

    def to_json(self, origin: str, reproduce: str) -> str:
        """The text `parse` reads."""
        ordered = sorted(self.every, key=lambda each: (each.host, each.target, each.level))
        data = {
            "format": FORMAT,
            "origin": origin,
            "reproduce": reproduce,
            "every": [asdict(each) for each in ordered],
        }
        return json.dumps(data, indent=1, allow_nan=False) + "\n"


def of_others(found: Sequence[Finding], host: str = "", target: str = "") -> Finding:
    """Their means, for hosts or targets without figures of their own: an empty name is any."""
    n = sum(each.n for each in found)
    means: Mapping[str, float] = {
        name: round(sum(getattr(each, name) * each.n for each in found) / n, 4)
        for name in ("share", "median_ape", "rest", "towards", "away")
    }
    return Finding(host or _OTHERS, target or _OTHERS, found[0].level, n, **means)


def read(models_dir: Path) -> Witnesses | None:
    """Those in a folder of models; None where there are none.  Raises `InvalidModel`."""
    return table_file.read(models_dir / FILE, Witnesses.parse, _MAX_BYTES)


def _finding(fields: Fields) -> Finding:
    level = fields.number("level", 0.0, 10.0)
    if level not in LEVELS:
        raise fields.wrong("level", f"none of {LEVELS}")
    found = Finding(
        host=fields.matching("host", _SLUG),
        target=fields.matching("target", _SLUG),
        level=level,
        n=fields.integer("n", 1, 10**9),
        share=fields.number("share", 0.0, 1.0),
        median_ape=fields.number("median_ape", 0.0, 1e6),
        rest=fields.number("rest", 0.0, 1e6),
        towards=fields.number("towards", 1.0, _LONGEST),
        away=fields.number("away", 1.0, _LONGEST),
    )
    fields.done()
    return found
