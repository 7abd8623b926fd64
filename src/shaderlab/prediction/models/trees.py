"""Gradient-boosted trees over a shader's counts: log time as a sum of small decision trees.

Features are counts of the frame as log(1 + n), in float32: executed instructions by opcode
(`OpFMul`), lane work by kind (`varying:OpFMul`, see `lane_work`), and properties of the whole
shader (`context:log_trips`, see `features.context`) as they are.  A tree takes the left branch
where its feature is at most its threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle, check_shapes
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.models import distrust
from shaderlab.prediction.models.bands import FLOOR, calibrated_or_floor, checked_floor
from shaderlab.prediction.models.model import (
    CountedShader,
    CountedShaders,
    Installed,
    Model,
    Predicted,
    banded,
    only_method,
    sentences,
)

ARCHITECTURE = "gradient-boosted-trees"
METHOD = "trees"
CONTEXT_PREFIX = "context:"
LEAF = -1
"""In place of a leaf's feature."""

_MOST_NODES = 1 << 20
_MOST_TREES = 1 << 14
_DEEPEST = 64
_LARGEST_LOG_TIME = 100.0
_NODE_PARTS = ("feature", "threshold", "left", "right", "value")


@dataclass(frozen=True)
class Forest:
    """All trees of a model, their nodes in one array, every parent before its children."""

    base: float
    """Log seconds that the trees add to."""
    roots: np.ndarray
    """(trees,) int64 node."""
    feature: np.ndarray
    """(nodes,) int64 column, `LEAF` for leaves."""
    threshold: np.ndarray
    """(nodes,) float32"""
    left: np.ndarray
    """(nodes,) int64 node; the leaf itself for leaves."""
    right: np.ndarray
    value: np.ndarray
    """(nodes,) float64 log time a leaf adds."""

    def log_s(self, features: np.ndarray) -> np.ndarray:
        """Log seconds, (n,), of features (n, columns) float32."""
        at = np.broadcast_to(self.roots, (len(features), len(self.roots)))
        rows = np.arange(len(features))[:, None]
        while (column := self.feature[at]).max(initial=LEAF) > LEAF:
            # Leaves lead to themselves whatever their column.
            goes_left = features[rows, column] <= self.threshold[at]
            at = np.where(goes_left, self.left[at], self.right[at])
        return self.base + self.value[at].sum(axis=1)


def features_of(
    names: Sequence[str],
    executed: Mapping[str, float],
    operations: Mapping[str, float],
    context: np.ndarray,
) -> np.ndarray:
    """(names,) float32, as the module's docstring says; counts that are not there are 0.

    Raises `KeyError` for a context property that does not exist.
    """
    properties = dict(zip(CONTEXT, context.tolist(), strict=True))
    counts = {**executed, **operations}  # opcodes have no colon, kinds have one
    return np.array(
        [
            properties[name.removeprefix(CONTEXT_PREFIX)]
            if name.startswith(CONTEXT_PREFIX)
            else np.log1p(counts.get(name, 0))
            for name in names
        ],
        np.float32,
    )


def feature_table(shaders: Sequence[CountedShader], names: Sequence[str]) -> np.ndarray:
    """(shaders, names) float32."""
    return np.array(
        [
            features_of(names, each.executed, each.example.operations, each.example.context)
            for each in shaders
        ]
    )


@dataclass(frozen=True)
class TreesModel(Model):
    """The trees of one target."""

    forest: Forest
    floor_s: float
    """Seconds of the fastest training shader."""

    ARCHITECTURES = (ARCHITECTURE,)
    BY_COUNTS = True

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> TreesModel:
        card, tensors = bundle.card, bundle.tensors
        names = only_method(card, METHOD).features
        properties = {f"{CONTEXT_PREFIX}{name}" for name in CONTEXT}
        for name in names:
            if name.startswith(CONTEXT_PREFIX) and name not in properties:
                raise InvalidModel(f"methods[0]: features: {name!r} is unknown to this shaderlab")
        nodes = tensors[_NODE_PARTS[0]].size if _NODE_PARTS[0] in tensors else 0
        trees = tensors["roots"].size if "roots" in tensors else 0
        if not (1 <= nodes <= _MOST_NODES and 1 <= trees <= _MOST_TREES):
            raise InvalidModel(f"weights: {trees} trees of {nodes} nodes")
        shapes = {name: (nodes,) for name in _NODE_PARTS}
        check_shapes(tensors, shapes | {"roots": (trees,), "base": (1,), FLOOR: (1,)})
        floor_s = checked_floor(tensors)
        own = np.arange(nodes)
        feature = _whole(tensors, "feature", LEAF, len(names) - 1)
        leaf = feature == LEAF
        branches = {name: _whole(tensors, name, 0, nodes - 1) for name in ("left", "right")}
        for name, child in branches.items():
            # Children lie behind their parents, so every way down ends.
            if not np.where(leaf, child == own, child > own).all():
                raise InvalidModel(f"weights: {name}: does not lead on")
        for name in ("value", "base"):
            if np.abs(tensors[name]).max() > _LARGEST_LOG_TIME:
                raise InvalidModel(f"weights: {name}: a time no frame takes")
        roots = _whole(tensors, "roots", 0, nodes - 1)
        _check_depth(roots, leaf, branches["left"], branches["right"])
        forest = Forest(
            base=float(tensors["base"][0]),
            roots=roots,
            feature=feature,
            threshold=tensors["threshold"].astype(np.float32),
            left=branches["left"],
            right=branches["right"],
            value=tensors["value"].astype(np.float64),
        )
        return cls(card, forest, floor_s)

    def times_s(self, features: np.ndarray) -> np.ndarray:
        """Seconds, (n,), of features (n, columns); never under the floor."""
        return np.maximum(np.exp(np.minimum(self.forest.log_s(features), 50.0)), self.floor_s)

    @property
    def fixed_s(self) -> float:
        return self.floor_s

    def predict(self, method: str, counted: CountedShaders) -> Predicted:
        (own,) = self.methods
        time_s = self.times_s(feature_table(counted.shaders, own.features))
        return banded(
            time_s, counted, self.card.target.device,
            partial(calibrated_or_floor, own, self.floor_s),
        )  # fmt: skip

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        (own,) = self.methods
        features = features_of(own.features, traced.executed, traced.work.totals, traced.context)
        time_s = float(self.times_s(features[None, :])[0])
        undefined = distrust.undefined_values(self.card, traced)
        band = calibrated_or_floor(own, self.floor_s, time_s, bool(undefined))
        target = self.card.target
        basis = sentences(
            "Gradient-boosted trees over counts, fitted by shaderlab to times of "
            f"{own.training_samples:,} shaders on the {target.name} (clocks: {target.clocks}).",
            band.origin,
            f"Lines share the time above the floor of {units.seconds(self.floor_s)} by "
            "executed instructions.",
        )
        lines = self.lines(traced, time_s, self.floor_s)
        warnings = undefined + distrust.of_trace(self.card, traced)
        validated = own.validation_of(bool(undefined))
        return self.answer(own, time_s, band, basis, lines, warnings, validated)


def tensors_of(forest: Forest, floor_s: float) -> dict[str, np.ndarray]:
    """What `from_bundle` reads, float32; node numbers are exact in it."""
    values = {name: getattr(forest, name) for name in (*_NODE_PARTS, "roots")}
    values |= {"base": [forest.base], FLOOR: [floor_s]}
    return {name: np.asarray(value, np.float32) for name, value in values.items()}


def _check_depth(roots: np.ndarray, leaf: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Raises `InvalidModel` where a way down is so long that a forecast would take for ever."""
    level = np.unique(roots)
    for _ in range(_DEEPEST + 1):
        level = level[~leaf[level]]
        if not len(level):
            return
        level = np.unique(np.concatenate([left[level], right[level]]))
    raise InvalidModel(f"weights: a tree of more than {_DEEPEST} levels")


def _whole(tensors: Mapping[str, np.ndarray], name: str, low: int, high: int) -> np.ndarray:
    values = tensors[name].astype(np.float64)
    if not ((values == np.floor(values)) & (values >= low) & (values <= high)).all():
        raise InvalidModel(f"weights: {name}: not whole numbers from {low} to {high}")
    return values.astype(np.int64)
