"""DirectDraw Surface files (Microsoft, "Programming Guide for DDS")."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from shaderlab.textures import stored
from shaderlab.textures.stored import Damaged, Stored
from shaderlab.textures.texel_formats import DXGI, Blocks, Masked, Plain, TexelFormat

MAGIC = b"DDS "
_HEADER = struct.Struct("<7I44x8I4I4x")
_EXTENDED = struct.Struct("<5I")
_HAS_LEVELS, _HAS_DEPTH = 0x20000, 0x800000
_ALPHA, _ONLY_ALPHA, _FOUR_CC, _RGB, _LUMINANCE = 0x1, 0x2, 0x4, 0x40, 0x20000
_CUBE, _ALL_FACES, _VOLUME = 0x200, 0xFE00, 0x200000
_EXTENDED_CUBE, _EXTENDED_3D = 0x4, 4
_BY_FOUR_CC: dict[bytes, TexelFormat] = {
    b"DXT1": Blocks(1),
    b"DXT2": Blocks(2),
    b"DXT3": Blocks(2),
    b"DXT4": Blocks(3),
    b"DXT5": Blocks(3),
    b"ATI1": Blocks(4),
    b"BC4U": Blocks(4),
    b"BC4S": Blocks(4, signed=True),
    b"ATI2": Blocks(5),
    b"BC5U": Blocks(5),
    b"BC5S": Blocks(5, signed=True),
    struct.pack("<I", 36): Plain("unorm", 16, "RGBA"),
    struct.pack("<I", 111): Plain("sfloat", 16, "R"),
    struct.pack("<I", 112): Plain("sfloat", 16, "RG"),
    struct.pack("<I", 113): Plain("sfloat", 16, "RGBA"),
    struct.pack("<I", 114): Plain("sfloat", 32, "R"),
    struct.pack("<I", 115): Plain("sfloat", 32, "RG"),
    struct.pack("<I", 116): Plain("sfloat", 32, "RGBA"),
}


class _Layout(NamedTuple):
    texels: TexelFormat
    images: int
    """Faces and layers, each followed by its mip levels."""
    is_cube: bool
    is_volume: bool
    start: int


def read(data: bytes) -> Stored:
    """Raises Damaged."""
    if len(data) < 4 + _HEADER.size:
        raise Damaged("it ends within its header")
    _, flags, height, width, _, depth, levels, *rest = _HEADER.unpack_from(data, 4)
    layout = _layout(data, rest[:8], rest[9])
    texels = layout.texels
    size = (max(1, depth) if layout.is_volume and flags & _HAS_DEPTH else 1, height, width)
    stored.check_size(width, height, size[0], layout.images, texels.texel_bytes)
    count = max(1, levels) if flags & _HAS_LEVELS else 1
    if count > stored.most_levels(width, height, size[0]):
        raise Damaged(f"it has {count:,} mip levels, more than its size allows")
    sizes = [stored.level_size(size, level) for level in range(count)]
    needed = layout.images * sum(texels.nbytes(each) for each in sizes)
    if len(data) - layout.start < needed:
        raise Damaged(f"it has {len(data) - layout.start:,} bytes of texels instead of {needed:,}")
    return Stored(
        tuple(_level(data, layout, sizes, level) for level in range(count)),
        layout.is_cube,
        texels.srgb,
        texels.note,
    )


def _level(
    data: bytes, layout: _Layout, sizes: list[tuple[int, int, int]], level: int
) -> np.ndarray:
    """One mip level of all images, each of which has its levels together."""
    texels, view = layout.texels, memoryview(data)
    before = sum(texels.nbytes(each) for each in sizes[:level])
    whole = sum(texels.nbytes(each) for each in sizes)
    first, nbytes = layout.start + before, texels.nbytes(sizes[level])
    parts = (view[first + n * whole :][:nbytes] for n in range(layout.images))
    return stored.together((texels.decoded(part, sizes[level]) for part in parts), layout.images)


def _layout(data: bytes, pixel_format: list[int], caps: int) -> _Layout:
    four_cc = struct.pack("<I", pixel_format[2])
    start = 4 + _HEADER.size
    if pixel_format[1] & _FOUR_CC and four_cc == b"DX10":
        if len(data) < start + _EXTENDED.size:
            raise Damaged("it ends within its header")
        number, dimension, misc, layers, _ = _EXTENDED.unpack_from(data, start)
        texels = DXGI.get(number)
        if texels is None:
            raise Damaged(f"texels of DXGI_FORMAT {number} are not read")
        is_cube = bool(misc & _EXTENDED_CUBE)
        images = max(1, layers) * (6 if is_cube else 1)
        return _Layout(texels, images, is_cube, dimension == _EXTENDED_3D, start + _EXTENDED.size)
    is_cube = bool(caps & _CUBE)
    if is_cube and caps & _ALL_FACES != _ALL_FACES:
        raise Damaged("it is a cube that lacks faces")
    texels = _legacy(pixel_format, four_cc)
    return _Layout(texels, 6 if is_cube else 1, is_cube, bool(caps & _VOLUME), start)


def _legacy(pixel_format: list[int], four_cc: bytes) -> TexelFormat:
    """The texels of a header from before Direct3D 10."""
    _, flags, _, bits, *masks = pixel_format
    if flags & _FOUR_CC:
        texels = _BY_FOUR_CC.get(four_cc)
        if texels is None:
            raise Damaged(f"its texels of kind {four_cc!r} are not read")
        return texels
    if not flags & (_RGB | _LUMINANCE | _ONLY_ALPHA):
        raise Damaged("its header does not say what its texels are")
    if bits not in (8, 16, 24, 32):
        raise Damaged(f"its texels have {bits:,} bits, where 8, 16, 24 and 32 are read")
    red, green, blue, alpha = masks
    if not flags & (_ALPHA | _ONLY_ALPHA):
        alpha = 0
    if flags & _LUMINANCE:
        green = blue = 0
    if flags & _ONLY_ALPHA:
        red = green = blue = 0
    chosen = (red, green, blue, alpha)
    for mask in chosen:
        lowest = mask & -mask
        if mask >> bits or (mask and mask // lowest & (mask // lowest + 1)):
            raise Damaged("the masks of its components are not runs of bits in a texel")
    if not any(chosen):
        raise Damaged("its texels have no components")
    return Masked(bits, chosen, is_luminance=bool(flags & _LUMINANCE))
