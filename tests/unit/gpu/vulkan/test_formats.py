"""Texels as the formats of storage images hold them."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.gpu.vulkan import formats
from shaderlab.gpu.vulkan.formats import BY_NAME
from shaderlab.spirv.grammar import ENUMS


def stored(name: str, texel: list[float], dtype: type) -> bytes:
    return BY_NAME[name].encode(np.array([texel], dtype)).tobytes()


def test_every_format_shaders_can_name_is_known_but_those_of_64_bits() -> None:
    assert set(ENUMS["ImageFormat"]) - set(BY_NAME) == {"Unknown", "R64ui", "R64i"}


@pytest.mark.parametrize(
    ("name", "texel", "expected"),
    [
        ("Rgba8", [0.0, 1.0, 0.4, 9.0], bytes([0, 255, 102, 255])),
        ("Rg8Snorm", [-1.0, 1.0, 0.0, 0.0], bytes([129, 127])),
        ("R16", [1.0, 0.0, 0.0, 0.0], b"\xff\xff"),
        ("R32f", [0.5, 0.0, 0.0, 0.0], np.float32(0.5).tobytes()),
        ("Rg16f", [0.5, -2.0, 0.0, 0.0], np.array([0.5, -2.0], np.float16).tobytes()),
        ("R11fG11fB10f", [1.0, 1.0, 1.0, 1.0], bytes(4)),
    ],
)
def test_floats(name: str, texel: list[float], expected: bytes) -> None:
    assert stored(name, texel, np.float32) == expected
    assert len(expected) == BY_NAME[name].texel_bytes


def test_integers_are_kept_within_the_format() -> None:
    assert stored("R8i", [300, 0, 0, 0], np.int32) == b"\x7f"
    assert stored("Rg8ui", [-1, 7, 0, 0], np.int32) == b"\x00\x07"
    assert stored("Rgba32ui", [1, 2, 3, 4], np.uint32) == np.arange(1, 5, dtype=np.uint32).tobytes()


def test_codes_of_eight_bits_stand_for_0_to_1_where_no_integers_are_held() -> None:
    codes = np.array([[0, 255, 51, 255]], np.uint8)
    assert formats.RGBA8.encode(codes).tobytes() == codes.tobytes()
    floats = formats.RGBA32F.encode(codes).view(np.float32)
    assert np.allclose(floats, [[0.0, 1.0, 0.2, 1.0]])
    assert formats.RGBA32I.encode(codes).view(np.int32).tolist() == [[0, 255, 51, 255]]


def test_what_is_no_number_is_stored_as_zero() -> None:
    assert stored("R8", [float("nan"), 0, 0, 0], np.float32) == b"\x00"
