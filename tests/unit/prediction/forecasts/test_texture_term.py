"""Published texel rates turned into seconds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.features.texture_work import TextureReads
from shaderlab.prediction.forecasts.texture_term import Rates, joined, published
from shaderlab.spirv.trace import BoundTexture

RATES = Rates(texels_per_s=1e9, cache_bytes=1 << 20, bytes_per_s=1e9)
FLAT = BoundTexture("2D", (256, 256, 1), 1, 1, "rgba8", "linear")
READS = TextureReads(FLAT, filters=True, reads=1e6)


def read(**changes) -> list[TextureReads]:
    return [replace(READS, bound=replace(FLAT, **changes))]


@pytest.mark.parametrize(
    ("reads", "seconds"),
    [
        ([READS], 1e-3),
        ([READS, READS], 2e-3),
        (read(format="rgba16f"), 2e-3),
        (read(format="rgba32f"), 4e-3),
        ([replace(*read(format="rgba32f"), filters=False)], 2e-3),
        (read(filter="mipmap", levels=9), 1e-3),
        (read(dimension="3D", size=(32, 32, 32)), 2e-3),
        ([replace(READS, filters=False, bound=replace(FLAT, size=(32, 32, 32)))], 1e-3),
        ([TextureReads(None, filters=True, reads=1e6)], 1e-3),
    ],
)
def test_wide_texels_and_more_filtering_take_longer(reads, seconds) -> None:
    assert RATES.seconds(reads) == pytest.approx(seconds, rel=1e-2)


def test_what_the_cache_does_not_hold_comes_from_memory() -> None:
    slow_memory = replace(RATES, bytes_per_s=1e6)
    assert slow_memory.seconds([READS]) == pytest.approx(256 * 256 * 4 / 1e6)
    large = [replace(READS, bound=replace(FLAT, size=(2048, 2048, 1)))]
    distinct = min(4e6, 2048 * 2048) * 4
    assert slow_memory.seconds(large) == pytest.approx(
        max(distinct, (1 - (1 << 20) / distinct) * 4e6) / 1e6
    )


@given(st.floats(1, 1e9), st.floats(1, 100))
def test_more_reads_never_take_less(reads: float, times: float) -> None:
    few, many = (replace(READS, reads=reads * each) for each in (1, times))
    assert RATES.seconds([few]) <= RATES.seconds([many]) * (1 + 1e-12)


def test_rates_are_those_of_the_product_at_the_clock_of_its_samples() -> None:
    rates = published("rtx3060")
    assert rates is not None
    assert rates.texels_per_s == pytest.approx(112 * 1.605e9)
    assert published("llvmpipe") is None


def test_compute_shaders_read_through_the_units_that_do_not_draw_as_well() -> None:
    draws, computes = published("h200"), published("h200", computes=True)
    assert draws is not None
    assert computes is not None
    assert computes.texels_per_s == pytest.approx(33 * draws.texels_per_s)


def test_work_hides_part_of_the_reads_and_the_band_all_or_nothing() -> None:
    low_s, time_s, high_s = joined((2e-3, 3e-3, 5e-3), 4e-3)
    assert (low_s, time_s, high_s) == pytest.approx((4e-3, 5e-3, 9e-3))
    assert joined((2e-3, 3e-3, 5e-3), 0.0) == (2e-3, 3e-3, 5e-3)
