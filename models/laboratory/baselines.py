"""Fitting the baselines: Simple Heuristics, PILR (paper §6.1) and gradient-boosted trees.

Needs scikit-learn for trees and scipy for the non-negative fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.models.model import CountedShader
from shaderlab.prediction.models.regressions import TOTAL, LinearFit
from shaderlab.prediction.models.trees import CONTEXT_PREFIX, LEAF, Forest, feature_table

WEIGHT_S = 1e-6
"""Added to the time in the weights of the published fits."""

LEAST_SHADERS = 8
"""An opcode that fewer training shaders executed has no price, as in the additive model.

The authors had 8,600 shaders; from our 1,300, two that negate integers made their negation cost
2 ns, and one validation shader 37 ms instead of 0.14.
"""

_TOLD_APART = 1e-8
"""Singular values below this part of the largest are round-off of float32 counts.

Calls equal returns but for those of the entry point, so opcodes add up to a constant: without a
limit the fit would set coefficients of 1e-5 s against an intercept of half a minute.
"""


def regression(
    shaders: Sequence[CountedShader],
    times_s: np.ndarray,
    *,
    total: bool,
    nonnegative: bool,
    least: int = LEAST_SHADERS,
) -> LinearFit:
    """Least squares of times (n,) seconds over executed instructions, each weighted by 1 / time.

    As published (paper §6.1): raw counts in float32, 1 µs added to the time in the weights, free
    intercept.  Unlike there, an opcode that fewer than `least` shaders executed has no coefficient.
    `total`: one feature, all instructions (Simple Heuristics).  `nonnegative`: intercept and
    coefficients are zero or more (Lawson and Hanson 1974).  Solved in float64 with scaled columns;
    where columns depend on each other, the solution of least norm (`_TOLD_APART`).
    """
    names = (TOTAL,) if total else opcodes(shaders, least)
    columns = np.column_stack([np.ones(len(shaders)), counts(shaders, names)])
    scale = np.abs(columns).max(axis=0)
    root = np.sqrt(1 / (np.asarray(times_s, np.float64) + WEIGHT_S))
    matrix, wanted = columns / scale * root[:, None], times_s * root
    if nonnegative:
        from scipy.optimize import nnls  # comes with scikit-learn

        found, _ = nnls(matrix, wanted)
    else:
        found = np.linalg.lstsq(matrix, wanted, rcond=_TOLD_APART)[0]
    found = found / scale
    return LinearFit(names, float(np.float32(found[0])), found[1:].astype(np.float32))


def opcodes(shaders: Sequence[CountedShader], least: int = 1) -> tuple[str, ...]:
    """Every opcode that so many of them executed, ascending."""
    seen = Counter(name for each in shaders for name, n in each.executed.items() if n)
    return tuple(sorted(name for name, n in seen.items() if n >= least))


def counts(shaders: Sequence[CountedShader], names: Sequence[str]) -> np.ndarray:
    """(shaders, names) float64 executed instructions, rounded to float32 as in the published fits.

    `TOTAL` alone stands for all of them.
    """
    if tuple(names) == (TOTAL,):
        rows = [[sum(each.executed.values())] for each in shaders]
    else:
        rows = [[each.executed.get(name, 0) for name in names] for each in shaders]
    return np.array(rows, np.float32).astype(np.float64)


def regression_s(fit: LinearFit, shaders: Sequence[CountedShader]) -> np.ndarray:
    """What a fit gives for shaders, (n,) seconds; may be negative."""
    found = counts(shaders, fit.features) @ fit.coefficients.astype(np.float64)
    return fit.intercept_s + found


@dataclass(frozen=True)
class TreesRecipe:
    """Choices of the boosting."""

    trees: int = 400
    depth: int = 4
    learning_rate: float = 0.05
    subsample: float = 0.7
    """Part of the shaders each tree is grown on."""
    columns: float = 0.3
    """Part of the features each split may choose from."""
    least_leaf: int = 5
    huber: float = 0.5
    """Quantile of the errors of log time beyond which they count linearly."""
    least_shaders: int = 20
    """A count seen in fewer training shaders is no feature."""
    seed: int = 0


def trees(
    shaders: Sequence[CountedShader], times_s: np.ndarray, recipe: TreesRecipe | None = None
) -> tuple[tuple[str, ...], Forest]:
    """Features and trees fitted to log time (Friedman 2001, Huber loss).

    The same seed gives the same trees.
    """
    from sklearn.ensemble import GradientBoostingRegressor

    recipe = recipe or TreesRecipe()
    names = tree_features(shaders, recipe.least_shaders)
    boosting = GradientBoostingRegressor(
        loss="huber",
        alpha=recipe.huber,
        n_estimators=recipe.trees,
        max_depth=recipe.depth,
        learning_rate=recipe.learning_rate,
        subsample=recipe.subsample,
        max_features=recipe.columns,
        min_samples_leaf=recipe.least_leaf,
        random_state=recipe.seed,
    )
    boosting.fit(feature_table(shaders, names), np.log(times_s))
    grown = [each.tree_ for each in boosting.estimators_[:, 0]]
    base = float(np.ravel(vars(boosting.init_)["constant_"])[0])
    roots = np.concatenate([[0], np.cumsum([each.node_count for each in grown])[:-1]])

    def joined(part: Callable) -> np.ndarray:
        return np.concatenate([part(tree, root) for tree, root in zip(grown, roots, strict=True)])

    def child(side: str) -> np.ndarray:
        return joined(
            lambda tree, root: (
                np.where(getattr(tree, side) < 0, np.arange(tree.node_count), getattr(tree, side))
                + root
            )
        )

    leaf = joined(lambda tree, _: tree.children_left < 0)
    return names, Forest(
        base=base,
        roots=roots.astype(np.int64),
        feature=np.where(leaf, LEAF, joined(lambda tree, _: tree.feature)).astype(np.int64),
        threshold=np.where(leaf, 0, _rounded_down(joined(lambda tree, _: tree.threshold))),
        left=child("children_left").astype(np.int64),
        right=child("children_right").astype(np.int64),
        value=joined(lambda tree, _: tree.value[:, 0, 0]) * recipe.learning_rate,
    )


def tree_features(shaders: Sequence[CountedShader], least: int) -> tuple[str, ...]:
    """Opcodes and kinds that enough shaders have, and the properties of whole shaders."""
    seen = Counter(
        name
        for each in shaders
        for counted in (each.executed, each.example.operations)
        for name, n in counted.items()
        if n
    )
    common = sorted(name for name, n in seen.items() if n >= least)
    return (*(f"{CONTEXT_PREFIX}{name}" for name in CONTEXT), *common)


def _rounded_down(thresholds: np.ndarray) -> np.ndarray:
    """The largest float32 at or below each: no float32 feature changes sides."""
    nearest = thresholds.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest.astype(np.float64) > thresholds, below, nearest)
