"""How well times of one device follow from another's: `models/pairs.json`, checked like a model.

`models.recipes.pairs` writes it; what `shaderlab pairs --json` prints of one pair has
the same form but for the curve, and is read here too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.fields import Fields
from shaderlab.prediction.catalogue import table_file

FILE = "pairs.json"
FORMAT = 1
CURVE = 50
"""Percents of error that inlier curves have: 1 to 50."""
BAND = 0.8
"""Share of shaders that the band of a time by the host's is made to hold."""
CAVEAT = (
    "an order, not a significance: the same shaders chose the features, and features rise and fall "
    "together, so a coefficient below 0 does not mean that the work is free"
)

_MAX_BYTES = 4 << 20
_MOST_PAIRS, _MOST_METHODS, _MOST_FEATURES, _MOST_KNOTS, _MOST_TIMES = 64, 32, 1024, 512, 100_000
_TOP = 1e12


@dataclass(frozen=True)
class HostCurve:
    """Seconds on the target over seconds on the host: medians of 31 neighbours at some times, and
    in between a line through their logarithms."""

    host_s: tuple[float, ...]
    """Ascending."""
    target_s: tuple[float, ...]
    bands: tuple[tuple[float, float, float], ...] = ()
    """(host's seconds up to which, low factor, high factor), ascending."""
    last_band: tuple[float, ...] = (1.0, 1.0)
    """Factors above all of them."""
    n: int = 0
    """Shaders that the errors are of, each forecast by a curve made without its fold."""
    mape: float = 0.0
    median_ape: float = 0.0
    within20: float = 0.0
    spearman: float = 0.0

    def at(self, host_s: np.ndarray | float) -> np.ndarray:
        """Seconds on the target; beyond the ends of the curve, those of its ends."""
        return np.exp(np.interp(np.log(host_s), np.log(self.host_s), np.log(self.target_s)))

    def factors(self, host_s: float) -> tuple[float, float]:
        """Low and high end of the band over the time."""
        for end, low, high in self.bands:
            if host_s <= end:
                return low, high
        low, high = self.last_band
        return low, high

    def holds(self, host_s: float) -> bool:
        """Whether the host took so long for some shader of the pair."""
        return self.host_s[0] <= host_s <= self.host_s[-1]


@dataclass(frozen=True)
class MethodLine:
    """One method on a pair."""

    method: str
    kind: str
    """`linear`, `trees`, `competitor`, `learned` or `chosen`."""
    shaders: str
    """Which it is judged on."""
    refused: str = ""
    """Why it could not be fitted; then it has no figures."""
    beats: bool | None = None
    """Of a regression: whether it beats every competitor by more than chance."""
    n: int = 0
    fold_error: float = math.nan
    median_ape: float = math.nan
    median_low: float = math.nan
    """The 95 % interval."""
    median_high: float = math.nan
    spearman: float = math.nan
    features: float = math.nan
    curve: tuple[float, ...] = ()
    """Shares of shaders with an error of at most 1, 2, ... `CURVE` %."""


@dataclass(frozen=True)
class RankedFeature:
    feature: str
    p_value: float
    coefficient_s: float
    """Seconds per standard deviation."""


@dataclass(frozen=True)
class PairTable:
    """A study of one pair."""

    host: str
    target: str
    shaders: int
    features: int
    weights: str
    best: str
    """Empty where no method may be called so."""
    methods: tuple[MethodLine, ...]
    ranking: tuple[RankedFeature, ...] = ()
    alone: tuple[tuple[str, float], ...] = ()
    """Shaders that the host alone has timed, with seconds on the target by the best method."""
    curve: HostCurve | None = None


@dataclass(frozen=True)
class PairTables:
    """All of `pairs.json`."""

    every: tuple[PairTable, ...]

    def of(self, host: str, target: str) -> PairTable | None:
        return next((e for e in self.every if (e.host, e.target) == (host, target)), None)

    @classmethod
    def parse(cls, data: bytes) -> PairTables:
        """From UTF-8 JSON.  Raises `InvalidModel` with the first field that is wrong."""
        root = Fields.parse(data, FILE, FORMAT)
        root.text("origin", 500)
        root.text("reproduce", 500)
        every = tuple(_table(each) for each in root.list_of_fields("pairs", _MOST_PAIRS))
        root.done()
        if len({(e.host, e.target) for e in every}) != len(every):
            raise InvalidModel(f"{FILE}: pairs: the same host and target twice")
        return cls(every)


def to_json(pairs: Sequence[dict[str, Any]], origin: str, reproduce: str) -> str:
    """The text `PairTables.parse` reads; each of `pairs` as `pairs --json` has it, and its
    curve."""
    data = {"format": FORMAT, "origin": origin, "reproduce": reproduce, "pairs": list(pairs)}
    return json.dumps(data, allow_nan=False, separators=(",", ":")) + "\n"


def curve_data(curve: HostCurve) -> dict[str, Any]:
    """As `to_json` wants it."""
    return {
        "knots": [
            {"host_s": a, "target_s": b}
            for a, b in zip(curve.host_s, curve.target_s, strict=True)
        ],
        "bands": [
            {"to_s": to_s, "low": low, "high": high}
            for to_s, low, high in [*curve.bands, (None, *curve.last_band)]
        ],
        "n": curve.n,
        "mape": curve.mape,
        "median_ape": curve.median_ape,
        "within20": curve.within20,
        "spearman": curve.spearman,
    }  # fmt: skip


def read(models_dir: Path) -> PairTables | None:
    """Those in a folder of models; None where there are none.  Raises `InvalidModel`."""
    return table_file.read(models_dir / FILE, PairTables.parse, _MAX_BYTES)


def parse_one(data: bytes) -> PairTable:
    """What `shaderlab pairs --json` printed.  Raises `InvalidModel`."""
    if len(data) > _MAX_BYTES:
        raise InvalidModel(f"pairs: larger than the {_MAX_BYTES} bytes allowed")
    try:
        raw = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidModel(f"pairs: not valid JSON ({error})") from None
    return _table(Fields(raw, "pairs"))


def _table(fields: Fields) -> PairTable:
    found = PairTable(
        host=fields.text("host", 80),
        target=fields.text("target", 80),
        shaders=fields.integer("shaders", 1, 10**9),
        features=fields.integer("features", 1, 10**6),
        weights=fields.text("weights", 10),
        best=fields.optional_text("best", 40) or "",
        methods=tuple(_method(e) for e in fields.list_of_fields("methods", _MOST_METHODS)),
        ranking=tuple(_ranked(each) for each in fields.optional_fields("ranking", _MOST_FEATURES)),
        alone=tuple(
            (name[:200], seconds)
            for name, seconds in fields.numbers("forecasts_s", 0.0, 1e9, _MOST_TIMES).items()
        ),
        curve=_curve(fields.fields("curve")) if fields.has("curve") else None,
    )
    fields.done()
    return found


def _method(fields: Fields) -> MethodLine:
    name, kind = fields.text("method", 40), fields.text("kind", 20)
    shaders = fields.text("shaders", 40)
    refused = fields.optional_text("refused", 500) or ""
    beats = fields.optional_truth("beats_competitors")
    if refused:
        fields.done()
        return MethodLine(name, kind, shaders, refused, beats)
    median, spearman = fields.fields("median_ape"), fields.fields("spearman")
    curve = fields.number_list("inlier_curve", 0.0, 1.0, CURVE)
    if len(curve) != CURVE:
        raise fields.wrong("inlier_curve", f"{len(curve)} shares, not {CURVE}")
    found = MethodLine(
        name, kind, shaders, "", beats,
        fields.integer("n", 1, 10**9),
        fields.number("fold_error", 0.0, _TOP),
        median.number("value", 0.0, _TOP),
        _or_nan(median, "low"),
        _or_nan(median, "high"),
        _or_nan(spearman, "value"),
        _or_nan(fields, "features"),
        curve,
    )  # fmt: skip
    for unread in ("mape", "inliers"):
        fields.fields(unread)
    fields.done()
    return found


def _or_nan(fields: Fields, name: str) -> float:
    value = fields.optional_number(name, -_TOP, _TOP)
    return math.nan if value is None else value


def _ranked(fields: Fields) -> RankedFeature:
    found = RankedFeature(
        fields.text("feature", 80),
        fields.number("p_value", 0.0, 1.0),
        fields.number("coefficient_s", -_TOP, _TOP),
    )
    fields.done()
    return found


def _curve(fields: Fields) -> HostCurve:
    knots = [
        (each.number("host_s", 1e-12, 1e9), each.number("target_s", 1e-12, 1e9))
        for each in fields.list_of_fields("knots", _MOST_KNOTS)
    ]
    if len(knots) < 2 or any(b[0] <= a[0] for a, b in pairwise(knots)):
        raise fields.wrong("knots", "fewer than two, or not ascending")
    bands = [
        (
            each.optional_number("to_s", 1e-12, 1e9),
            each.number("low", 1e-9, 1.0),
            each.number("high", 1.0, 1e9),
        )
        for each in fields.list_of_fields("bands", 16)
    ]
    ends = [end for end, _, _ in bands[:-1]]
    if bands[-1][0] is not None or None in ends or ends != sorted(e for e in ends if e is not None):
        raise fields.wrong("bands", "the ends must ascend, and only the last may be open")
    found = HostCurve(
        tuple(a for a, _ in knots),
        tuple(b for _, b in knots),
        tuple((end or 0.0, low, high) for end, low, high in bands[:-1]),
        bands[-1][1:],
        fields.integer("n", 1, 10**9),
        fields.number("mape", 0.0, _TOP),
        fields.number("median_ape", 0.0, _TOP),
        fields.number("within20", 0.0, 1.0),
        fields.number("spearman", -1.0, 1.0),
    )
    fields.done()
    return found
