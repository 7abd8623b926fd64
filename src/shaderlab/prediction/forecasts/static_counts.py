"""A `Trace` without a run: likely counts of a program that cannot be run here.

Which odds and trip counts to expect, how far forecasts from such counts are from those of a real
trace, and how far from measured times, was found on real shaders and is stored in
`models/static.json` (`models.recipes.static_counts`), which is checked like a model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shaderlab import files, locations
from shaderlab.errors import InvalidModel, WrongUse
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.forecast import Validation
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.analysis.dispatch import Dispatch
from shaderlab.spirv.analysis.frequencies import Odds, executions
from shaderlab.spirv.analysis.launch_flow import LaunchFlow
from shaderlab.spirv.analysis.launch_values import LaunchValues
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import Trace
from shaderlab.spirv.warps import LANES

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program

FILE = "static.json"
DEVICE = "none"
"""What such a trace names as its device."""
FORMAT = 1

_KEYS = ("target", "method", "loops")
_MAX_BYTES = 256 * 1024
_MOST = 2**62


@dataclass(frozen=True)
class Spread:
    """How far forecasts lie from those of a real trace: factors on the forecast."""

    low: float
    high: float
    n: int
    """Validation shaders behind the quantiles."""


class Counted(NamedTuple):
    """Likely counts of a program."""

    trace: Trace
    guessed: bool
    """Whether any loop's trips are a guess; otherwise constants bound all of them."""


@dataclass(frozen=True)
class StaticCounts:
    """All of `static.json`."""

    invocations: Odds
    lanes: Odds
    """The same for groups of lanes, of which one lane suffices."""
    level: float
    """Share of shaders that the spreads held."""
    known: Spread
    """Of programs whose loops all have constant bounds and no other way out."""
    guessed: Spread
    """Of all others."""
    validated: Mapping[str, Validation]
    """Error without a trace by target, method and loops: `rtx3060 additive known`."""

    def spread(self, guessed: bool) -> Spread:
        return self.guessed if guessed else self.known

    def error(self, target: str, method: str, guessed: bool) -> Validation | None:
        """Error of a method without a trace on validation shaders of the same kind."""
        return self.validated.get(error_key(target, method, guessed))

    def count(
        self,
        program: Program,
        size: tuple[int, int] = (1024, 768),
        dispatch: Dispatch | None = None,
    ) -> Counted:
        """Likely counts of one frame at iTime 1, or of a dispatch.  Raises `InvalidModule`."""
        module = program.module
        entry = module.run_entry_point(program.entry_point)
        values = LaunchValues(module, dispatch) if dispatch else None
        by_lane, by_warp = (LaunchFlow(values, each) if values else None for each in (False, True))
        per_invocation, guessed = executions(module, entry.id, self.invocations, by_lane)
        per_group, _ = executions(module, entry.id, self.lanes, by_warp)
        pixels = dispatch.invocations if dispatch else size[0] * size[1]
        blocks = reachable_blocks(module, entry)
        counts = [min(round(per_invocation[each] * pixels), _MOST) for each in blocks]
        # A group spends what its busiest lane runs: never less than its lanes do on average.
        groups = [
            min(round(max(per_group[each], per_invocation[each]) * pixels / LANES), _MOST)
            for each in blocks
        ]
        described = describe(module, blocks, counts, groups)
        return Counted(Trace(DEVICE, size, 1.0, 1, described, float("nan")), guessed)

    @classmethod
    def parse(cls, data: bytes) -> StaticCounts:
        """From UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
        root = Fields.parse(data, FILE, FORMAT)
        root.text("origin", 500)
        found = cls(
            invocations=_odds(root.fields("invocations")),
            lanes=_odds(root.fields("lanes")),
            level=root.number("level", 0.01, 0.999),
            known=_spread(root.fields("known")),
            guessed=_spread(root.fields("guessed")),
            validated={
                " ".join(each.text(name, 80) for name in _KEYS): _validation(each)
                for each in root.list_of_fields("validated", 256)
            },
        )
        root.done()
        return found

    def to_json(self, origin: str) -> str:
        """The text `parse` reads; `origin` says what it was found on."""
        return (
            json.dumps(
                {
                    "format": FORMAT,
                    "origin": origin,
                    "invocations": _odds_data(self.invocations),
                    "lanes": _odds_data(self.lanes),
                    "level": self.level,
                    "known": asdict(self.known),
                    "guessed": asdict(self.guessed),
                    "validated": [
                        dict(zip(_KEYS, name.split(" "), strict=True)) | asdict(each)
                        for name, each in sorted(self.validated.items())
                    ],
                },
                indent=1,
                allow_nan=False,
            )
            + "\n"
        )


def error_key(target: str, method: str, guessed: bool) -> str:
    return f"{target} {method} {'guessed' if guessed else 'known'}"


def read(models_dir: Path | None = None) -> StaticCounts:
    """The shipped odds.  Raises `InvalidModel` where they are missing or damaged."""
    path = (models_dir or locations.models()) / FILE
    try:
        status = path.stat()
    except OSError as error:
        raise InvalidModel(f"{FILE}: {error.strerror}") from None
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, _changed_ns: int, _size: int) -> StaticCounts:
    try:
        return StaticCounts.parse(files.read_bytes(path, _MAX_BYTES))
    except WrongUse as error:
        raise InvalidModel(str(error)) from None


def _odds(field: Fields) -> Odds:
    shares = {
        each.name: field.number(each.name, 0.0, 1.0)
        for each in fields(Odds)
        if each.name != "trips"
    }
    trips = field.fields("trips")
    found = Odds(
        **shares,
        trips=(trips.number("outermost", 0.0, 1e6), trips.number("inner", 0.0, 1e6)),
    )
    trips.done()
    field.done()
    return found


def _odds_data(odds: Odds) -> Mapping[str, object]:
    outermost, inner = odds.trips
    shares = {name: round(value, 4) for name, value in asdict(odds).items() if name != "trips"}
    return shares | {"trips": {"outermost": round(outermost, 2), "inner": round(inner, 2)}}


def _spread(field: Fields) -> Spread:
    found = Spread(
        field.number("low", 1e-6, 1.0), field.number("high", 1.0, 1e6), field.integer("n", 1, 10**9)
    )
    field.done()
    return found


def _validation(field: Fields) -> Validation:
    found = Validation(
        mape=field.optional_number("mape", 0.0, 1e9),
        spearman=field.optional_number("spearman", -1.0, 1.0),
        n=field.optional_integer("n", 1, 10**9),
        source=field.text("source", 500),
        median_ape=field.optional_number("median_ape", 0.0, 1e9),
        within20=field.optional_number("within20", 0.0, 1.0),
    )
    field.done()
    return found
