"""One GPU's times from another's: the regressions of HALWPE, and what they have to beat.

Source: O'Neal et al., *HALWPE* (DAC 2017), Figure 5 and section IV: ordinary and non-negative least
squares, each whole and by stepwise selection with AIC or BIC, Lasso with and without signs, and a
random forest.  There the unknown is cycles per frame and errors count absolutely; over several
decades of time that fits the slowest shaders alone, so `Weights.RELATIVE` is what to use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import stats as distributions
from scipy.optimize import nnls
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, LassoCV

NEIGHBOURS = 31
_LEAST_SHADERS = 8
"""Training shaders a feature has to be non-zero in."""
_SPARE = 20
"""Backward selection wants so many shaders more than features."""
_ALPHAS, _SMALLEST_ALPHA, _LASSO_FOLDS = 30, 1e-3, 5
_TREES, _TREE_FEATURES, _LEAF = 100, 1 / 3, 2


class Weights(StrEnum):
    """Of a shader's squared error."""

    RELATIVE = "1/t"
    """1 / t, as ShaderPerFormer weighs (Eq. 4)."""
    RAW = "raw"
    """1, as published."""


class Kind(StrEnum):
    LINEAR = "linear"
    TREES = "trees"
    COMPETITOR = "competitor"


@dataclass(frozen=True)
class Fitted:
    """A method fitted to the shaders of a fold."""

    predict: Callable[[np.ndarray], np.ndarray]
    """(m, p) features, the host's time first, -> (m,) seconds."""
    selected: tuple[int, ...]
    """Columns of the features that matter."""
    p_values: tuple[float, ...] | None = None
    """Of the selected ones; None where the method has none."""
    coefficients: tuple[float, ...] | None = None
    """Seconds per standard deviation of the selected ones."""


Fit = Callable[[np.ndarray, np.ndarray, Weights], Fitted]
"""From (n, p) features and (n,) seconds.  Raises ValueError where it cannot be fitted."""


@dataclass(frozen=True)
class _Problem:
    """A weighted least-squares problem reduced to a triangle: the intercept is column 0."""

    triangle: np.ndarray
    """(k, k) or fewer rows."""
    rotated: np.ndarray
    lost: float
    """What no coefficients explain."""
    n: int
    fastest: float
    """Seconds of the fastest shader: no forecast is below, as no pass is shorter than an empty one.
    HALWPE has no such bound; with weights 1/t it takes the median error from 23 to 16 %."""

    def rss(self, columns: list[int], beta: np.ndarray) -> float:
        off = self.triangle[:, columns] @ beta - self.rotated
        return self.lost + float(off @ off)

    def free(self, columns: list[int]) -> np.ndarray:
        return np.linalg.lstsq(self.triangle[:, columns], self.rotated, rcond=None)[0]

    def non_negative(self, columns: list[int]) -> np.ndarray:
        return nnls(self.triangle[:, columns], self.rotated, maxiter=30 * len(columns))[0]


@dataclass(frozen=True)
class _Scaled:
    """Columns that enough shaders have, over their standard deviation."""

    columns: np.ndarray
    scales: np.ndarray

    @classmethod
    def of(cls, features: np.ndarray) -> _Scaled:
        common = (features != 0).sum(axis=0) >= min(_LEAST_SHADERS, len(features))
        columns = np.flatnonzero(common & (features.std(axis=0) > 0))
        return cls(columns, features[:, columns].std(axis=0))

    def design(self, features: np.ndarray) -> np.ndarray:
        """(n, 1 + k): ones, then the scaled columns."""
        return np.column_stack([np.ones(len(features)), features[:, self.columns] / self.scales])


def _roots(seconds: np.ndarray, weights: Weights) -> np.ndarray:
    return seconds**-0.5 if weights is Weights.RELATIVE else np.ones(len(seconds))


def _problem(design: np.ndarray, seconds: np.ndarray, weights: Weights) -> _Problem:
    roots = _roots(seconds, weights)
    q, r = np.linalg.qr(design * roots[:, None])
    aim = seconds * roots
    rotated = q.T @ aim
    return _Problem(
        r, rotated, max(float(aim @ aim - rotated @ rotated), 0.0), len(seconds), seconds.min()
    )


def criterion(rss: float, n: int, parameters: int, penalty: float) -> float:
    """n ln(RSS / n) + penalty x parameters; the penalty is 2 of AIC and ln n of BIC."""
    return n * np.log(max(rss, 1e-300) / n) + penalty * parameters


def least_squares(*, non_negative: bool) -> Fit:
    """Of all features.  Of the non-negative kind the intercept is not negative either."""

    def fit(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
        scaled = _Scaled.of(features)
        if not non_negative and len(seconds) <= len(scaled.columns) + 1:
            raise ValueError(
                f"{len(seconds)} shaders for {len(scaled.columns)} features: every shader would be "
                "met exactly and nothing learnt"
            )
        problem = _problem(scaled.design(features), seconds, weights)
        every = list(range(problem.triangle.shape[1]))
        beta = problem.non_negative(every) if non_negative else problem.free(every)
        return _linear(scaled, problem, every, beta, with_p=False)

    return fit


def stepwise(*, non_negative: bool, forward: bool, bic: bool) -> Fit:
    """Features added or removed one at a time while that lowers the criterion."""

    def fit(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
        scaled = _Scaled.of(features)
        n = len(seconds)
        if not forward and n <= len(scaled.columns) + _SPARE:
            raise ValueError(
                f"{n} shaders for {len(scaled.columns)} features: backward selection starts from "
                f"all of them and needs {_SPARE} shaders more"
            )
        problem = _problem(scaled.design(features), seconds, weights)
        penalty = float(np.log(n)) if bic else 2.0
        solve = problem.non_negative if non_negative else problem.free
        search = _forward if forward else _backward
        columns = search(problem, solve, penalty, free=not non_negative)
        # Its p-values are an order and no significance: the same shaders chose the features.
        return _linear(scaled, problem, columns, solve(columns), with_p=not non_negative)

    return fit


def _forward(
    problem: _Problem, solve: Callable[[list[int]], np.ndarray], penalty: float, *, free: bool
) -> list[int]:
    chosen = [0]
    best = criterion(problem.rss(chosen, solve(chosen)), problem.n, 1, penalty)
    every = range(1, problem.triangle.shape[1])
    while left := [each for each in every if each not in chosen]:
        if free:
            gains = _gains(problem, chosen, left)
            candidates = [left[int(gains.argmax())]]
        else:
            candidates = left
        scored = [
            (criterion(problem.rss(s := [*chosen, c], solve(s)), problem.n, len(s), penalty), c)
            for c in candidates
        ]
        value, candidate = min(scored)
        if value >= best:
            break
        best = value
        chosen.append(candidate)
    return chosen


def _gains(problem: _Problem, chosen: list[int], left: list[int]) -> np.ndarray:
    """What each further column takes off the sum of squares."""
    basis = np.linalg.qr(problem.triangle[:, chosen])[0]
    rest = problem.rotated - basis @ (basis.T @ problem.rotated)
    columns = problem.triangle[:, left]
    columns = columns - basis @ (basis.T @ columns)
    squares = (columns**2).sum(axis=0)
    known = squares > 1e-12 * (problem.triangle[:, left] ** 2).sum(axis=0)
    return np.where(known, (columns.T @ rest) ** 2 / np.where(known, squares, 1.0), -1.0)


def _backward(
    problem: _Problem, solve: Callable[[list[int]], np.ndarray], penalty: float, *, free: bool
) -> list[int]:
    chosen = list(range(problem.triangle.shape[1]))
    beta = solve(chosen)
    if not free:  # what is 0 goes first: its removal costs nothing and saves the penalty
        chosen = [c for c, b in zip(chosen, beta, strict=True) if b > 0 or c == 0]
    best = criterion(problem.rss(chosen, solve(chosen)), problem.n, len(chosen), penalty)
    while len(chosen) > 1:
        candidates = [_cheapest(problem, chosen)] if free else chosen[1:]
        scored = []
        for candidate in candidates:
            rest = [each for each in chosen if each != candidate]
            rss = problem.rss(rest, solve(rest))
            scored.append((criterion(rss, problem.n, len(rest), penalty), candidate))
        value, candidate = min(scored)
        if value >= best:
            break
        best = value
        chosen.remove(candidate)
    return chosen


def _cheapest(problem: _Problem, chosen: list[int]) -> int:
    """The column whose removal adds least to the sum of squares."""
    losses = problem.free(chosen) ** 2 / _spreads(problem, chosen)
    return chosen[1 + int(losses[1:].argmin())]


def _spreads(problem: _Problem, columns: list[int]) -> np.ndarray:
    """Diagonal of the inverse of the normal equations' matrix: large where columns nearly repeat
    one another."""
    triangle = np.asarray(np.linalg.qr(problem.triangle[:, columns], mode="r"))
    diagonal = np.abs(np.diag(triangle))
    np.fill_diagonal(
        triangle, np.where(diagonal < 1e-12 * diagonal.max(), 1e-12, np.diag(triangle))
    )
    return (np.linalg.inv(triangle) ** 2).sum(axis=1)


def _linear(
    scaled: _Scaled, problem: _Problem, columns: list[int], beta: np.ndarray, *, with_p: bool
) -> Fitted:
    def predict(features: np.ndarray) -> np.ndarray:
        return np.maximum(scaled.design(features)[:, columns] @ beta, problem.fastest)

    kept = [(c, b) for c, b in zip(columns, beta, strict=True) if c and b != 0]
    values = None
    if with_p:
        by_column = dict(zip(columns, _p_values(problem, columns, beta), strict=True))
        values = tuple(float(by_column[c]) for c, _ in kept)
    return Fitted(
        predict,
        tuple(int(scaled.columns[c - 1]) for c, _ in kept),
        values,
        tuple(float(b) for _, b in kept),
    )


def _p_values(problem: _Problem, columns: list[int], beta: np.ndarray) -> np.ndarray:
    """Two-sided, of Student's t with n - k degrees of freedom."""
    freedom = problem.n - len(columns)
    variance = problem.rss(columns, beta) / freedom
    spread = np.sqrt(variance * _spreads(problem, columns))
    return 2 * distributions.t.sf(np.abs(beta) / np.maximum(spread, 1e-300), freedom)


def lasso(*, non_negative: bool) -> Fit:
    """With the penalty of least error over inner folds."""

    def fit(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
        scaled = _Scaled.of(features)
        x, unit = scaled.design(features)[:, 1:], float(np.median(seconds))
        y, w = seconds / unit, _roots(seconds, weights) ** 2
        w = w / w.mean()
        centred = x - np.average(x, axis=0, weights=w)
        most = np.abs(centred.T @ (w * (y - np.average(y, weights=w)))).max() / len(y)
        alphas = most * np.geomspace(1.0, _SMALLEST_ALPHA, _ALPHAS)
        found = LassoCV(alphas=alphas, cv=_LASSO_FOLDS, positive=non_negative, max_iter=3000)
        found.fit(x, y, sample_weight=w)
        if non_negative and found.intercept_ < 0:
            found = Lasso(found.alpha_, positive=True, fit_intercept=False, max_iter=3000)
            found.fit(x, y, sample_weight=w)

        def predict(others: np.ndarray) -> np.ndarray:
            made = np.asarray(found.predict(scaled.design(others)[:, 1:])) * unit
            return np.maximum(made, seconds.min())

        kept = np.flatnonzero(found.coef_)
        coefficients = tuple((found.coef_[kept] * unit).tolist())
        return Fitted(predict, tuple(scaled.columns[kept].tolist()), None, coefficients)

    return fit


def forest(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
    """A random forest over all features, of the logarithm of the time whatever the weights."""
    del weights
    trees = RandomForestRegressor(
        _TREES, max_features=_TREE_FEATURES, min_samples_leaf=_LEAF, random_state=0
    )
    trees.fit(features, np.log(seconds))

    def predict(others: np.ndarray) -> np.ndarray:
        return np.exp(np.asarray(trees.predict(others)))

    return Fitted(predict, tuple(np.flatnonzero(trees.feature_importances_ > 0).tolist()))


def one_factor(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
    """The host's time by the median ratio."""
    del weights
    factor = float(np.median(seconds / features[:, 0]))
    return Fitted(lambda others: factor * others[:, 0], (0,))


def running_median(features: np.ndarray, seconds: np.ndarray, weights: Weights) -> Fitted:
    """The median time of the shaders with the nearest host times."""
    del weights
    order = np.argsort(features[:, 0], kind="stable")
    hosts, times = np.log(features[order, 0]), seconds[order]
    count = min(NEIGHBOURS, len(times))

    def predict(others: np.ndarray) -> np.ndarray:
        wanted = np.log(others[:, 0])
        near = np.argsort(np.abs(hosts[None, :] - wanted[:, None]), axis=1, kind="stable")
        return np.median(times[near[:, :count]], axis=1)

    return Fitted(predict, (0,))


METHODS: dict[str, tuple[Kind, Fit]] = {
    "OLS": (Kind.LINEAR, least_squares(non_negative=False)),
    "NNLS": (Kind.LINEAR, least_squares(non_negative=True)),
    **{
        f"{name}/{'F' if forward else 'B'}/{'BIC' if bic else 'AIC'}": (
            Kind.LINEAR,
            stepwise(non_negative=name == "NNLS", forward=forward, bic=bic),
        )
        for name in ("OLS", "NNLS")
        for forward in (True, False)
        for bic in (False, True)
    },
    "Lasso": (Kind.LINEAR, lasso(non_negative=False)),
    "Lasso/NNLS": (Kind.LINEAR, lasso(non_negative=True)),
    "RF": (Kind.TREES, forest),
    "one factor": (Kind.COMPETITOR, one_factor),
    "running median": (Kind.COMPETITOR, running_median),
}
"""The thirteen of Figure 5, then what every one of them has to beat."""
