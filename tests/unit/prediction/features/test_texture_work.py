"""Reads of textures by what was bound, and how many texels they touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.features.lane_work import LaneWork
from shaderlab.prediction.features.texture_work import is_texture_read, reads_of, refined
from shaderlab.spirv.trace import BoundTexture

NOISE = BoundTexture("2D", (256, 256, 1), 1, 9, "rgba8", "mipmap")
CUBE = BoundTexture("Cube", (128, 128, 1), 6, 1, "rgba32f", "linear")
KINDS = ("uniform:OpImageFetch", "varying:OpFMul", "varying:OpImageSampleImplicitLod")
READS = {7: (0, 1), 8: (0, 2), 9: None}
TEXTURES = {(0, 1): NOISE, (0, 2): CUBE}


def work(*rows: tuple[int, float, int]) -> LaneWork:
    """Rows of kind, operations and instruction."""
    kind, operations, instruction = zip(*rows, strict=True)
    return LaneWork(
        KINDS,
        np.array(kind, np.int64),
        np.array(operations, np.float64),
        np.array(instruction, np.int64),
    )


def test_reads_are_named_after_what_is_bound() -> None:
    found = refined(work((2, 40.0, 7), (1, 5.0, 3), (0, 8.0, 8), (2, 4.0, 9)), READS, TEXTURES)
    assert found.totals == {
        "varying:OpImageSampleImplicitLod:2D:mipmap:rgba8": 40.0,
        "varying:OpFMul": 5.0,
        "uniform:OpImageFetch:Cube:rgba32f": 8.0,
        "varying:OpImageSampleImplicitLod": 4.0,
    }
    assert list(found.kinds) == sorted(found.kinds)


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(1, 1e6), st.integers(1, 12)), min_size=1))
def test_naming_reads_changes_no_amount(rows: list[tuple[int, float, int]]) -> None:
    before = work(*rows)
    found = refined(before, READS, TEXTURES)
    assert (found.operations == before.operations).all()
    assert sum(found.totals.values()) == pytest.approx(sum(before.totals.values()))


def test_without_textures_nothing_changes() -> None:
    before = work((2, 40.0, 7))
    assert refined(before, READS, {}) is before
    assert refined(before, {}, TEXTURES) is before


@pytest.mark.parametrize(
    ("kind", "reads"),
    [
        ("varying:OpImageSampleExplicitLod:2D:linear:rgba8", True),
        ("constant:OpImageFetch", True),
        ("varying:OpImageGather:2D:rgba8", True),
        ("uniform:OpImage", False),
        ("uniform:OpImageQuerySizeLod", False),
        ("waiting:carried:OpImageFetch", False),
        ("varying:OpFMul", False),
        ("other", False),
    ],
)
def test_only_what_reads_texels_is_a_texture_read(kind: str, reads: bool) -> None:
    assert is_texture_read(kind) is reads


@pytest.mark.parametrize(
    ("name", "reads", "texels", "writes"),
    [("OpImageSampleExplicitLod", 10, 40, False), ("OpImageGather", 10, 40, False),
     ("OpImageFetch", 10, 10, False), ("OpImageRead", 10, 10, False),
     ("OpImageSampleDrefExplicitLod", 40, 160, False), ("OpImageWrite", 40, 40, True)],
)  # fmt: skip
def test_an_access_without_a_filter_reaches_one_texel(name, reads, texels, writes) -> None:
    kinds = (f"varying:{name}",)
    made = replace(work((0, 40.0, 7)), kinds=kinds)
    (found,) = reads_of(made, READS, TEXTURES)
    assert (found.reads, found.texels, found.writes) == (reads, texels, writes)


def test_no_more_texels_are_read_than_there_are() -> None:
    few, many, unknown = reads_of(work((2, 40.0, 7), (0, 4e6, 8), (2, 4.0, 9)), READS, TEXTURES)
    assert (few.reads, few.texels, few.texel_bytes, few.filters) == (10.0, 40.0, 4, True)
    assert (many.reads, many.texels, many.texel_bytes) == (1e6, 6 * 128 * 128, 16)
    assert (unknown.bound, unknown.reads, unknown.texels) == (None, 1.0, 0.0)
