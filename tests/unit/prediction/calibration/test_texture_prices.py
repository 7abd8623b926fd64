"""Prices of texture reads beside prices that stay."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.errors import CalibrationFailed
from shaderlab.prediction.calibration.texture_prices import with_texture_prices
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.additive import Weights, predict_s

N = len(CONTEXT)
WEIGHTS = Weights(
    kinds=("other", "varying:OpFMul"),
    prices=np.array([5e-9, 1e-11]),
    floor_s=1e-5,
    exponent=2.0,
    bound=1.0,
    mean=np.zeros(N),
    scale=np.ones(N),
    low=-np.ones(N),
    high=np.ones(N),
    hidden=np.zeros((N + 1, 2)),
    out=np.zeros(3),
)
LINEAR, MIPMAP, RARE = (
    "varying:OpImageSampleImplicitLod:2D:linear:rgba8",
    "varying:OpImageSampleImplicitLod:2D:mipmap:rgba8",
    "varying:OpImageSampleImplicitLod:3D:linear:rgba8",
)
TRUE = {LINEAR: 2e-10, MIPMAP: 6e-10, RARE: 2e-10}


def examples(seed: int, n: int, *kinds: str) -> list[Example]:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        spent = {"varying:OpFMul": float(10 ** random.uniform(6, 8))}
        spent |= {kind: float(10 ** random.uniform(5, 7)) for kind in kinds}
        found.append(Example(dict.fromkeys(Execution, spent), np.zeros(N)))
    return found


def times(shaders: list[Example]) -> np.ndarray:
    work = [
        sum(n * TRUE.get(kind, 1e-11) for kind, n in each.operations.items()) for each in shaders
    ]
    return np.hypot(WEIGHTS.floor_s, np.array(work))


def test_reads_get_their_prices_and_nothing_else_changes() -> None:
    shaders = examples(1, 60, LINEAR, MIPMAP)
    found = with_texture_prices(WEIGHTS, shaders, times(shaders))
    assert found.price_of[LINEAR] == pytest.approx(TRUE[LINEAR], rel=0.05)
    assert found.price_of[MIPMAP] == pytest.approx(TRUE[MIPMAP], rel=0.05)
    for kind in WEIGHTS.kinds:
        assert found.price_of[kind] == WEIGHTS.price_of[kind]
    plain = examples(2, 5)
    assert (predict_s(found, plain) == predict_s(WEIGHTS, plain)).all()


def test_a_rare_read_counts_as_the_coarser_kind() -> None:
    shaders = [*examples(1, 40, LINEAR, MIPMAP), *examples(3, 3, RARE)]
    found = with_texture_prices(WEIGHTS, shaders, times(shaders))
    assert RARE not in found.kinds
    assert found.price_of[RARE] == pytest.approx((TRUE[LINEAR] + TRUE[MIPMAP]) / 2, rel=0.1)
    assert found.price_of["uniform:OpImageSampleImplicitLod:looped"] == found.price_of[RARE]
    assert found.price_of["varying:OpImageGather"] is None


def test_a_read_without_a_price_is_not_priced_as_other_work() -> None:
    (shader,) = examples(1, 1, LINEAR)
    (plain,) = examples(1, 1)
    assert predict_s(WEIGHTS, [shader]) == pytest.approx(predict_s(WEIGHTS, [plain]))


def test_too_few_shaders_are_said() -> None:
    shaders = examples(1, 4, LINEAR)
    with pytest.raises(CalibrationFailed, match="8 shaders"):
        with_texture_prices(WEIGHTS, shaders, times(shaders))
