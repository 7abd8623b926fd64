"""Small image files of the formats that Pillow does not write."""

from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa

from shaderlab.textures.ktx2 import MAGIC

RGBA8, RGBA8_SRGB, RGBA32F = 37, 43, 109


def ktx2(
    levels: list[np.ndarray],
    texels: int = RGBA8,
    *,
    faces: int = 1,
    layers: int = 0,
    zstd: bool = False,
) -> bytes:
    """`levels`: (images, depth, height, width, components) each, as they are stored."""
    images, depth, height, width, _ = levels[0].shape
    assert images == max(1, layers) * faces
    scheme = 2 if zstd else 0
    head = MAGIC + struct.pack(
        "<9I", texels, 1, width, height, depth if depth > 1 else 0, layers, faces, len(levels),
        scheme,
    )  # fmt: skip
    head += struct.pack("<4I2Q", 0, 0, 0, 0, 0, 0)
    body = b""
    start = len(head) + 24 * len(levels)
    for level in levels:
        plain = level.tobytes()
        data = pa.Codec("zstd").compress(plain, asbytes=True) if zstd else plain
        head += struct.pack("<3Q", start + len(body), len(data), len(plain))
        body += data
    return head + body


def dds(
    texels: bytes,
    size: tuple[int, int],
    *,
    four_cc: bytes = b"",
    bits: int = 32,
    masks: tuple[int, int, int, int] = (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
    levels: int = 1,
    cube: bool = False,
    extended: tuple[int, int, int, int, int] | None = None,
) -> bytes:
    """`extended`: DXGI format, dimension, flags, layers, more flags."""
    width, height = size
    flags = 0x1007 | (0x20000 if levels > 1 else 0)
    four_cc = b"DX10" if extended else four_cc
    head = struct.pack("<7I", 124, flags, height, width, 0, 0, levels) + bytes(44)
    kind = 4 if four_cc else 0x41
    head += struct.pack("<II4s5I", 32, kind, four_cc or bytes(4), bits, *masks)
    head += struct.pack("<4I4x", 0x1000, 0xFE00 if cube else 0, 0, 0)
    if extended:
        head += struct.pack("<5I", *extended)
    return b"DDS " + head + texels


def radiance(codes: np.ndarray, *, runs: bool = True) -> bytes:
    """`codes`: (height, width, 4) of mantissas and exponent."""
    height, width, _ = codes.shape
    head = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode()
    if not runs:
        return head + codes.tobytes()
    body = b""
    for row in codes:
        body += struct.pack(">2BH", 2, 2, width)
        for channel in range(4):
            values = row[:, channel].tobytes()
            at = 0
            while at < width:
                end = at + 1
                while end < width and values[end] == values[at] and end - at < 127:
                    end += 1
                if end - at > 2:
                    body += bytes([128 + end - at, values[at]])
                else:
                    body += bytes([1, values[at]])
                    end = at + 1
                at = end
    return head + body
