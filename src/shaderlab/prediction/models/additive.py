"""The additive model: time as a sum of priced lane work, above a floor.

    work  = exp(bound * tanh(context)) * sum over kinds of price x operations
    time  = (floor^k + work^k)^(1/k)

and on a GPU whose clock rises with the load, the earlier of that and of

    late  = late floor + late slope x work

The sum prices each kind of scalar operation (`lane_work`) with a non-negative number of seconds, so
it divides exactly over instructions and source lines.  The context factor is a small network of
whole-shader properties, bounded so that it can correct, not replace, the sum.  The exponent k joins
work and floor: work far below the floor hides behind it, as a pass's fixed costs overlap with it.

Floor and context are all that is not additive: operations of blocks sum to the program's, two
shaders in one pass take the sum of their work, and a further target costs one dot product
(`tests/unit/prediction/models/test_additivity.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import check_shapes, check_within
from shaderlab.prediction.cost import Bound
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.kinds import OTHER, nearest, operation_table
from shaderlab.prediction.features.lane_work import Execution, LaneWork
from shaderlab.prediction.features.texture_work import is_texture_read

_MOST_HIDDEN = 256
_HIGHEST_PRICE_S = 1e-3
"""Seconds per scalar operation no GPU needs; anything more is a damaged file."""
_LONGEST_FLOOR_S = 10.0
_LARGEST_EXPONENT = 100.0
_LARGEST_BOUND = 5.0
_LEAST_SLOPE = 1e-3


@dataclass(frozen=True)
class Late:
    """How time goes on where the clock has risen: min(time, floor_s + slope x work), smoothly."""

    floor_s: float
    slope: float
    """Of the price of work at the low clock."""
    exponent: float
    """At least 1; the larger, the sharper the bend."""


@dataclass(frozen=True)
class Weights:
    """Learned numbers of one target."""

    kinds: tuple[str, ...]
    prices: np.ndarray
    """(kinds,) seconds per scalar operation, non-negative."""
    floor_s: float
    exponent: float
    """k above, at least 1."""
    bound: float
    """The context factor lies between exp(-bound) and exp(bound)."""
    mean: np.ndarray
    """(context,)"""
    scale: np.ndarray
    """(context,) positive."""
    low: np.ndarray
    """(context,) least value in training; the factor takes smaller ones for it."""
    high: np.ndarray
    """(context,) largest value in training, likewise."""
    hidden: np.ndarray
    """(context + 1, hidden): weights, the last row biases."""
    out: np.ndarray
    """(hidden + 1,): weights, the last entry the bias."""
    late: Late | None = None
    """None where the clock stays what it is."""
    execution: Execution = Execution.JUMPING
    """What prices are of."""

    @cached_property
    def price_of(self) -> Mapping[str, float | None]:
        """Seconds per operation of any kind, by the nearest that has a price; None if none has."""
        return _NearestPrices(zip(self.kinds, self.prices.tolist(), strict=True))

    @classmethod
    def read(
        cls, tensors: Mapping[str, np.ndarray], kinds: tuple[str, ...], execution: Execution
    ) -> Self:
        """The weights in what `tensors_of` wrote.  Raises `InvalidModel`."""
        inputs = len(CONTEXT)
        out = tensors.get("context.out", np.zeros(0))
        hidden = out.size - 1
        if not 1 <= hidden <= _MOST_HIDDEN or out.ndim != 1:
            raise InvalidModel(f"weights: context.out: not 2 to {_MOST_HIDDEN + 1} numbers")
        check_shapes(
            tensors,
            {
                "prices": (len(kinds),),
                "floor": (1,),
                "exponent": (1,),
                "bound": (1,),
                "context.mean": (inputs,),
                "context.scale": (inputs,),
                "context.low": (inputs,),
                "context.high": (inputs,),
                "context.hidden": (inputs + 1, hidden),
                "context.out": (hidden + 1,),
            }
            | ({"late": (3,)} if "late" in tensors else {}),
        )
        check_within(tensors, "prices", 0.0, _HIGHEST_PRICE_S)
        check_within(tensors, "floor", 1e-9, _LONGEST_FLOOR_S)
        check_within(tensors, "exponent", 1.0, _LARGEST_EXPONENT)
        check_within(tensors, "bound", 0.0, _LARGEST_BOUND)
        check_within(tensors, "context.scale", 1e-9, 1e9)
        if "late" in tensors:
            floor_s, slope, sharpness = tensors["late"].tolist()
            if not (
                1e-9 <= floor_s <= _LONGEST_FLOOR_S
                and _LEAST_SLOPE <= slope <= 1
                and 1 <= sharpness <= _LARGEST_EXPONENT
            ):
                raise InvalidModel("weights: late: a number out of its range")
        if (tensors["context.low"] > tensors["context.high"]).any():
            raise InvalidModel("weights: context.low: above context.high")
        values = {name: each.astype(np.float64) for name, each in tensors.items()}
        return cls(
            kinds=kinds,
            prices=values["prices"],
            floor_s=float(values["floor"][0]),
            exponent=float(values["exponent"][0]),
            bound=float(values["bound"][0]),
            mean=values["context.mean"],
            scale=values["context.scale"],
            low=values["context.low"],
            high=values["context.high"],
            hidden=values["context.hidden"],
            out=values["context.out"],
            late=Late(*values["late"].tolist()) if "late" in values else None,
            execution=execution,
        )


def tensors_of(weights: Weights) -> dict[str, np.ndarray]:
    """What `Weights.read` reads, float32."""
    values = {
        "prices": weights.prices,
        "floor": [weights.floor_s],
        "exponent": [weights.exponent],
        "bound": [weights.bound],
        "context.mean": weights.mean,
        "context.scale": weights.scale,
        "context.low": weights.low,
        "context.high": weights.high,
        "context.hidden": weights.hidden,
        "context.out": weights.out,
    }
    if weights.late is not None:
        values["late"] = [weights.late.floor_s, weights.late.slope, weights.late.exponent]
    return {name: np.asarray(value, np.float32) for name, value in values.items()}


class _NearestPrices(dict[str, "float | None"]):
    """Finds what it does not have once, then has it."""

    def __missing__(self, kind: str) -> float | None:
        found = nearest(kind, self)
        self[kind] = price = None if found is None else self[found]
        return price


@dataclass(frozen=True)
class Priced:
    """What the model makes of one frame."""

    time_s: float
    work_s: float
    """Priced work with the context factor; not part of the time one to one."""
    unknown_share: float
    """Part of the operations whose kind has no price, and no coarser one either."""
    parts: np.ndarray
    """(rows of the work,) share of the work; sums to 1 where there is any."""
    instruction: np.ndarray
    """(rows of the work,) index of the instruction in the module."""
    by_kind: Mapping[str, float]
    """Share of the work by kind; sums to 1 where there is any."""
    reads_textures: bool
    prices_textures: bool
    """Whether every texture read has a price."""


def price(weights: Weights, work: LaneWork, context: np.ndarray) -> Priced:
    """Time of a traced frame, and how its work divides; `work` as `weights.execution` has it."""
    found = [weights.price_of[kind] for kind in work.kinds]
    other = weights.price_of[OTHER] or 0.0
    # Texture reads without a price are left to `forecasts.texture_term`.
    reads = np.array([is_texture_read(kind) for kind in work.kinds], bool)
    known = np.array([price is not None for price in found], bool)
    prices = np.array([other if price is None else price for price in found], np.float64)
    prices[reads & ~known] = 0.0
    spent = prices[work.kind] * work.operations if len(work.kind) else np.zeros(0)
    total, operations = spent.sum(), work.operations.sum()
    work_s = float(total * np.exp(log_factor(weights, context[None, :])[0]))
    unknown = work.operations[~(known | reads)[work.kind]].sum() if operations else 0.0
    used = np.unique(work.kind)
    return Priced(
        time_s=seconds(weights, work_s),
        work_s=work_s,
        unknown_share=float(unknown / operations) if operations else 0.0,
        parts=spent / total if total else spent,
        instruction=work.instruction,
        by_kind=_by_kind(work, spent / total) if total else {},
        reads_textures=bool(reads[used].any()),
        prices_textures=bool(known[used][reads[used]].all()),
    )


def _by_kind(work: LaneWork, parts: np.ndarray) -> dict[str, float]:
    shares = np.bincount(work.kind, parts, len(work.kinds)).tolist()
    return {kind: share for kind, share in zip(work.kinds, shares, strict=True) if share}


def bound_by(weights: Weights, work_s: float) -> Bound:
    """What the time of a frame with that priced work follows.

    Work below the floor hides behind it.  Where the clock has risen, and the time it takes to rise
    outweighs the work at the high clock, the clock decides.
    """
    if work_s < weights.floor_s:
        return Bound.PASS
    late = weights.late
    if late is not None:
        early_s = join(weights.floor_s, work_s, weights.exponent)
        risen_s = late.slope * work_s
        if late.floor_s + risen_s < early_s and risen_s < late.floor_s:
            return Bound.CLOCK
    return Bound.WORK


def predict_s(weights: Weights, examples: Sequence[Example]) -> np.ndarray:
    """Seconds per draw of many shaders, (n,)."""
    return np.array([seconds(weights, each) for each in work_s(weights, examples).tolist()])


def work_s(weights: Weights, examples: Sequence[Example]) -> np.ndarray:
    """Their priced work, context factor included, (n,) seconds."""
    factors = np.exp(log_factor(weights, np.array([each.context for each in examples])))
    operations = operation_table(
        [each.spent[weights.execution] for each in examples], weights.kinds
    )
    return (operations @ weights.prices) * factors


def log_factor(weights: Weights, contexts: np.ndarray) -> np.ndarray:
    """Logarithm of the context factor, (n,), for contexts (n, context)."""
    return weights.bound * np.tanh(network(weights, scaled(weights, contexts)))


def scaled(weights: Weights, contexts: np.ndarray) -> np.ndarray:
    """Contexts (n, context) in standard deviations from the mean, within the range of training."""
    return (np.clip(contexts, weights.low, weights.high) - weights.mean) / weights.scale


def network(weights: Weights, scaled: np.ndarray) -> np.ndarray:
    """(n,) output of the context network for scaled contexts, before its bound."""
    hidden = np.tanh(scaled @ weights.hidden[:-1] + weights.hidden[-1])
    return hidden @ weights.out[:-1] + weights.out[-1]


def seconds(weights: Weights, work_s: float) -> float:
    """Time of a frame whose priced work, context factor included, is `work_s`."""
    early = join(weights.floor_s, work_s, weights.exponent)
    if weights.late is None or not early:
        return early
    late = weights.late.floor_s + weights.late.slope * work_s
    return 1 / join(1 / early, 1 / late, weights.late.exponent)


def join(floor_s: float, work_s: float, exponent: float) -> float:
    """(floor^k + work^k)^(1/k), safe for any size of either."""
    larger, smaller = max(floor_s, work_s), min(floor_s, work_s)
    return larger * (1 + (smaller / larger) ** exponent) ** (1 / exponent) if larger else 0.0
