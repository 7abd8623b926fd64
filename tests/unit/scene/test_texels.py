from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.scene.texel_decoding import decoded, differing
from shaderlab.scene.texel_layouts import layout


@pytest.mark.parametrize(
    ("name", "size", "nbytes"),
    [
        ("R8G8B8A8_SRGB", (3, 2, 1), 24),
        ("R16_SFLOAT", (3, 2, 4), 48),
        ("B10G11R11_UFLOAT_PACK32", (1, 1, 1), 4),
        ("A2B10G10R10_UNORM_PACK32", (2, 1, 1), 8),
        ("D32_SFLOAT_S8_UINT", (2, 2, 1), 32),
        ("BC1_RGBA_UNORM_BLOCK", (5, 4, 1), 16),
        ("BC7_SRGB_BLOCK", (1, 1, 1), 16),
    ],
)
def test_bytes_of_an_image(name: str, size: tuple[int, int, int], nbytes: int):
    its = layout(name)
    assert its is not None
    assert its.size(*size) == nbytes


@pytest.mark.parametrize("name", ["", "R8", "R5_UNORM", "R8G8B8A8_UNORM;", "BC9_UNORM_BLOCK"])
def test_names_that_are_no_formats(name: str):
    assert layout(name) is None


def test_channels_come_in_the_order_of_rgba():
    blue_first = decoded("B8G8R8A8_UNORM", bytes([255, 0, 51, 102]))
    assert blue_first is not None
    assert blue_first[0] == pytest.approx([0.2, 0, 1, 0.4])


def test_packed_floats():
    one_half_two = (15 << 6) | ((14 << 6) << 11) | ((16 << 5) << 22)
    found = decoded("B10G11R11_UFLOAT_PACK32", int(one_half_two).to_bytes(4, "little"))
    assert found is not None
    assert found[0].tolist() == [1.0, 0.5, 2.0]


@given(st.binary(min_size=16, max_size=16))
def test_nothing_differs_from_itself(data: bytes):
    for name in ("R8G8B8A8_UNORM", "R32_SFLOAT", "R16G16_UINT", "R16G16_SNORM"):
        off = differing(name, data, data, 2 / 255)
        assert off is not None
        assert not off.any()


def test_integers_differ_where_they_are_not_equal_and_floats_by_their_size():
    one, other = (np.array([n], "<u4").tobytes() for n in (7, 8))
    assert differing("R32_UINT", one, other, 2 / 255).tolist() == [True]
    large = (np.array([n], "<f4").tobytes() for n in (1000.0, 1003.0))
    assert differing("R32_SFLOAT", *large, 2 / 255).tolist() == [False]
    endless = (np.array([n], "<f4").tobytes() for n in (np.nan, 1.0))
    assert differing("R32_SFLOAT", *endless, 2 / 255).tolist() == [True]


@pytest.mark.parametrize(
    ("name", "word", "expected"),
    [
        ("R5G6B5_UNORM_PACK16", 0xF800, [1, 0, 0]),
        ("B5G6R5_UNORM_PACK16", 0xF800, [0, 0, 1]),
        ("A1R5G5B5_UNORM_PACK16", 0x83E0, [0, 1, 0, 1]),
        ("R5G5B5A1_UNORM_PACK16", 0x07C1, [0, 1, 0, 1]),
        ("B4G4R4A4_UNORM_PACK16", 0x0F0F, [0, 1, 0, 1]),
    ],
)
def test_texels_of_16_bits_have_their_first_channel_in_the_highest(
    name: str, word: int, expected: list[float]
):
    found = decoded(name, word.to_bytes(2, "little"))
    assert found is not None
    assert found.tolist() == [expected]
