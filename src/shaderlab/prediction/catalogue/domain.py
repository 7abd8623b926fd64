"""`Domain`: whether a shader lies among those the models were fitted on, and if not, why.

Three tests, of which any one suffices.  A property beyond its range in training (size, work, trips,
divergence).  A notable part of the work of a kind that no training shader had.  And the distance to
the third nearest training shader, over the logarithms of work by kind and the context of the
additive model, each in standard deviations: above that of all but a few training shaders from
their own neighbours (k-nearest-neighbour novelty, Ramaswamy et al. 2000).

The models of every target are fitted on shaders of one collection, so one domain serves all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shaderlab import units
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.texture_work import is_texture_read
from shaderlab.prediction.features.traced_program import TracedProgram

NEIGHBOURS = 3
LEVEL = 0.97
"""Share of the training shaders that count as near to their neighbours."""
LEAST_SHADERS = 8
"""Kinds of work that fewer training shaders had are no axis: one shader more would be far off."""

_NOTABLE = 0.01
"""Least part of the work of new kinds that is worth a warning."""
_NAMED = 3
"""Most names in one reason."""
_LARGE = 0.08
"""Least part of a squared distance that makes its axis worth naming."""

_BEYOND = {
    "log_instructions": "it has more instructions than any training shader",
    "log_operations_per_pixel": "it does more work per pixel than any training shader",
    "log_trips": "a loop runs more often per pixel than in any training shader",
}
_BELOW = {"coherence": "neighbouring pixels diverge more than in any training shader"}

_AXES = {
    "log_instructions": "size",
    "coherence": "divergence",
    "log_blocks": "number of blocks",
    "log_operations_per_pixel": "work per pixel",
    "log_trips": "loop trips",
    "constant_share": "share of constant work",
    "uniform_share": "share of uniform work",
    "branches_per_instruction": "share of branches",
    "calls_per_instruction": "share of calls",
    "discards": "discard",
}
"""What the context is called in a reason."""


@dataclass(frozen=True)
class Features:
    """One shader as the domain sees it."""

    context: np.ndarray
    """(context,) as `additive.context`."""
    work: Mapping[str, float]
    """Scalar operations per pixel by operation alone, however refined: `FMin`, `OpFMul`.  Without
    texture reads, of which each forecast says itself what it makes of them."""


def features_of(
    context: np.ndarray, operations: Iterable[tuple[str, float]], pixels: int
) -> Features:
    """`operations` of a frame of `pixels`, by kind as `LaneWork.totals` names them."""
    work: defaultdict[str, float] = defaultdict(float)
    for kind, n in operations:
        if n and not is_texture_read(kind):
            work[kind.split(":")[1]] += n / pixels
    return Features(np.asarray(context, np.float64), work)


def features_of_traced(traced: TracedProgram) -> Features:
    """Of a program and one of its frames."""
    width, height = traced.trace.size
    return features_of(traced.context, traced.work.totals.items(), width * height)


@dataclass(frozen=True)
class Novelty:
    """How far a shader is from the training shaders."""

    distance: float
    """To the third nearest, as a multiple of that from which on a shader is unlike them."""
    beyond: float
    """Furthest that a property of the context lies beyond its range, in standard deviations."""
    new_work: float
    """Part of its work that is of kinds no training shader had."""
    outside: str
    """Why it lies outside, as one sentence; empty for one that does not."""


@dataclass(frozen=True)
class Domain:
    """The training shaders, as far as needed to see whether another one is like them."""

    kinds: tuple[str, ...]
    """Kinds of work that are axes, in the order of their columns behind the context's."""
    rare: frozenset[str]
    """Kinds that some training shaders had, but too few to be an axis."""
    points: np.ndarray
    """(training shaders, context + kinds)"""
    far: float
    """Distance to the third nearest from which on a shader is unlike the training shaders."""

    @cached_property
    def _mean(self) -> np.ndarray:
        return self.points.mean(0)

    @cached_property
    def _scale(self) -> np.ndarray:
        return self.points.std(0) + 1e-6

    @cached_property
    def _scaled(self) -> np.ndarray:
        return (self.points - self._mean) / self._scale

    @cached_property
    def _norms(self) -> np.ndarray:
        return (self._scaled**2).sum(1)

    @cached_property
    def _range(self) -> tuple[np.ndarray, np.ndarray]:
        context = self.points[:, : len(CONTEXT)]
        return context.min(0), context.max(0)

    def outside(self, features: Features) -> str:
        """Why a shader lies outside, as one sentence; empty for one that does not."""
        return self.novelty(features).outside

    def novelty(self, features: Features) -> Novelty:
        """How far a shader is from the training shaders, and whether that is outside."""
        distance, axes = self.distance(features)
        low, high = self._range
        here = features.context
        beyond = np.maximum(np.maximum(here - high, low - here), 0) / self._scale[: len(here)]
        return Novelty(
            distance=distance / self.far,
            beyond=float(beyond.max()),
            new_work=self._new_share(features.work),
            outside=self._sentence(features, distance, axes),
        )

    def _sentence(self, features: Features, distance: float, axes: Sequence[str]) -> str:
        reasons = [
            *self._out_of_range(features.context),
            *self._new_work(features.work),
        ]
        # Whatever is out of range is far off too, and needs no second reason.
        if distance > self.far and not reasons:
            because = f", most of all in {_and(axes)}" if axes else ""
            reasons.append(f"no training shader is near it{because}")
        if not reasons:
            return ""
        return f"Outside the training data: {'; '.join(reasons)}."

    def distance(self, features: Features) -> tuple[float, tuple[str, ...]]:
        """To the third nearest training shader, in root mean square standard deviations, and what
        makes most of it."""
        here = (_row(features, self.kinds) - self._mean) / self._scale
        # |a - b|^2 in three parts: one product of a matrix and a vector for all shaders.
        squared = self._norms - 2 * (self._scaled @ here) + here @ here
        place = min(NEIGHBOURS, len(squared)) - 1
        neighbour = int(np.argpartition(squared, place)[place])
        squares = (self._scaled[neighbour] - here) ** 2
        parts = squares / max(squares.sum(), 1e-12)
        names = [*(_AXES[name] for name in CONTEXT), *self.kinds]
        large = [i for i in np.argsort(-parts)[:_NAMED] if parts[i] >= _LARGE]
        return float(np.sqrt(squares.mean())), tuple(names[i] for i in large)

    def _out_of_range(self, context: np.ndarray) -> list[str]:
        values = dict(zip(CONTEXT, context.tolist(), strict=True))
        low, high = (dict(zip(CONTEXT, each.tolist(), strict=True)) for each in self._range)
        # The file holds 32-bit numbers, so the very training shader may lie a trifle beyond.
        found = [text for name, text in _BEYOND.items() if values[name] > high[name] + 1e-5]
        return found + [text for name, text in _BELOW.items() if values[name] < low[name] - 1e-5]

    def _new_work(self, work: Mapping[str, float]) -> list[str]:
        new, share = self._unseen(work), self._new_share(work)
        if share < _NOTABLE:
            return []
        names = _and(sorted(new, key=lambda kind: -new[kind])[:_NAMED])
        return [f"{units.percent(share)} of its work is {names}, which no training shader had"]

    @cached_property
    def _known(self) -> frozenset[str]:
        return self.rare.union(self.kinds)

    def _unseen(self, work: Mapping[str, float]) -> dict[str, float]:
        known = self._known
        return {kind: n for kind, n in work.items() if kind not in known}

    def _new_share(self, work: Mapping[str, float]) -> float:
        total = sum(work.values())
        return sum(self._unseen(work).values()) / total if total else 0.0


def fit(shaders: Sequence[Features], level: float = LEVEL) -> Domain:
    """The domain of training shaders, of which there must be more than `NEIGHBOURS`."""
    seen = Counter(kind for each in shaders for kind in each.work)
    kinds = tuple(sorted(kind for kind, n in seen.items() if n >= LEAST_SHADERS))
    points = np.array([_row(each, kinds) for each in shaders])
    found = Domain(kinds, frozenset(seen) - {*kinds}, points, 0.0)
    scaled = found._scaled
    nearest = []
    for row in scaled:
        distances = np.sqrt(((scaled - row) ** 2).mean(1))
        # The nearest of all is the shader itself.
        nearest.append(np.partition(distances, NEIGHBOURS)[NEIGHBOURS])
    return Domain(found.kinds, found.rare, points, float(np.quantile(nearest, level)))


def _row(features: Features, kinds: Sequence[str]) -> np.ndarray:
    work = [features.work.get(kind, 0.0) for kind in kinds]
    return np.concatenate([features.context, np.log1p(work)])


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
