"""The regressions of a pair, against other implementations."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the training extra")

from scipy.optimize import nnls

from shaderlab.training.pair_models import (
    METHODS,
    Weights,
    criterion,
    least_squares,
    running_median,
    stepwise,
)

PARAMS = {
    Weights.RAW: (
        -0.331549089484, 0.508661018474, 0.00102153302597, -0.000546435005822, 1.993215258e-06,
        0.00396805799334, 2.96483023846e-05, -0.0965070071323, -0.0527686866426,
    ),
    Weights.RELATIVE: (
        -0.374633502343, 0.501961194859, 0.0010128076717, -0.00189360232137, 1.99877756554e-06,
        0.00495070213481, 0.000207352409098, -0.0968571564287, -0.0396830310293,
    ),
}  # fmt: skip
P_VALUES = {
    Weights.RAW: (
        3.96738990128e-25, 7.23227306798e-33, 0.911793753481, 1.76555501368e-57, 0.787085644685,
        0.930188254275, 7.90768721286e-12, 0.0420696935767,
    ),
    Weights.RELATIVE: (
        5.61086161601e-24, 1.9989876341e-31, 0.690516534066, 1.25147449241e-50, 0.719644126123,
        0.517401866334, 1.68419903018e-12, 0.062241801022,
    ),
}  # fmt: skip
"""By statsmodels 0.15.0 (WLS) on `matrix`, the intercept first, twelve digits."""


@pytest.fixture(scope="module")
def matrix() -> tuple[np.ndarray, np.ndarray]:
    """60 x 8 features over six decades, and times above 1."""
    random = np.random.default_rng(60)
    features = random.gamma(2.0, 1.0, (60, 8)) * np.array([1, 1e3, 5, 1e6, 2, 1e2, 3, 1])
    times = 2.0 + features @ np.array([0.5, 1e-3, 0, 2e-6, 0, 0, -0.1, 0])
    times = times + random.normal(0, 0.3, 60)
    return features, times - times.min() + 1


def with_ones(features: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(features)), features])


@pytest.mark.parametrize("weights", Weights)
def test_ordinary_least_squares_are_statsmodels(matrix, weights):
    features, times = matrix
    found = least_squares(non_negative=False)(features, times, weights)
    expected = with_ones(features) @ np.array(PARAMS[weights])
    assert found.predict(features) == pytest.approx(np.maximum(expected, times.min()), rel=1e-8)
    assert found.coefficients == pytest.approx(
        np.array(PARAMS[weights][1:]) * features.std(axis=0), rel=1e-8
    )


@pytest.mark.parametrize("weights", Weights)
def test_p_values_are_statsmodels(matrix, weights):
    features, times = matrix
    kept = [c for c, p in enumerate(P_VALUES[weights]) if p < 1e-9]
    found = stepwise(non_negative=False, forward=True, bic=True)(features[:, kept], times, weights)
    assert sorted(found.selected) == list(range(len(kept)))
    whole = least_squares_with_p(features, times, weights)
    assert whole == pytest.approx(P_VALUES[weights], rel=1e-6)


def least_squares_with_p(features: np.ndarray, times: np.ndarray, weights: Weights) -> list[float]:
    from shaderlab.training import pair_models as own

    scaled = own._Scaled.of(features)
    problem = own._problem(scaled.design(features), times, weights)
    columns = list(range(9))
    return own._p_values(problem, columns, problem.free(columns))[1:].tolist()


@pytest.mark.parametrize("weights", Weights)
def test_non_negative_least_squares_are_scipys_with_the_intercept_held(matrix, weights):
    features, times = matrix
    roots = times**-0.5 if weights is Weights.RELATIVE else np.ones(60)
    beta = nnls(with_ones(features / features.std(axis=0)) * roots[:, None], times * roots)[0]
    found = least_squares(non_negative=True)(features, times, weights)
    expected = with_ones(features / features.std(axis=0)) @ beta
    assert found.predict(features) == pytest.approx(np.maximum(expected, times.min()), rel=1e-8)
    assert min(found.coefficients or ()) > 0


@pytest.mark.parametrize("non_negative", [False, True])
@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("bic", [False, True])
def test_stepwise_selection_is_the_greedy_search_written_out(matrix, non_negative, forward, bic):
    features, times = matrix
    design = with_ones(features / features.std(axis=0)) * times[:, None] ** -0.5
    aim = times**0.5

    def score(columns: list[int]) -> float:
        part = design[:, columns]
        beta = nnls(part, aim)[0] if non_negative else np.linalg.lstsq(part, aim, rcond=None)[0]
        rss = float(((part @ beta - aim) ** 2).sum())
        return criterion(rss, 60, len(columns), np.log(60) if bic else 2.0)

    chosen = [0] if forward else list(range(9))
    while True:
        if forward:
            tried = [[*chosen, c] for c in range(1, 9) if c not in chosen]
        else:
            tried = [[c for c in chosen if c != out] for out in chosen[1:]]
        if not tried or (best := min(tried, key=score)) is None or score(best) >= score(chosen):
            break
        chosen = best
    fit = stepwise(non_negative=non_negative, forward=forward, bic=bic)
    found = fit(features, times, Weights.RELATIVE)
    assert sorted(found.selected) == sorted(c - 1 for c in chosen if c)


def test_too_few_shaders_are_refused_with_the_reason(matrix):
    features, times = matrix
    with pytest.raises(ValueError, match="9 shaders for 8 features"):
        least_squares(non_negative=False)(features[:9], times[:9], Weights.RAW)
    with pytest.raises(ValueError, match="needs 20 shaders more"):
        stepwise(non_negative=False, forward=False, bic=True)(
            features[:28], times[:28], Weights.RAW
        )


def test_the_running_median_is_of_the_nearest_host_times():
    hosts = np.geomspace(1e-5, 1e-1, 200)[:, None]
    found = running_median(hosts, 3 * hosts[:, 0], Weights.RELATIVE)
    assert found.predict(hosts[100:101]) == pytest.approx(3 * hosts[100])
    assert found.predict(np.array([[1e-7]])) == pytest.approx(3 * hosts[15])  # of the lowest 31


def test_there_are_thirteen_regressions_and_two_competitors():
    assert len(METHODS) == 15
    assert list(METHODS)[-2:] == ["one factor", "running median"]
