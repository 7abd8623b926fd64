"""KTX 2.0 files (Khronos, "KTX File Format Specification" 2.0), uncompressed or by Zstandard."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from shaderlab.textures import stored
from shaderlab.textures.stored import Damaged, Stored
from shaderlab.textures.texel_formats import VULKAN, TexelFormat

MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
_HEADER = struct.Struct("<9I")
_AFTER_INDEX = 80
_LEVEL = struct.Struct("<3Q")
_NONE, _BASIS, _ZSTD, _ZLIB = range(4)


class _Header(NamedTuple):
    format: int
    type_size: int
    width: int
    height: int
    depth: int
    layers: int
    faces: int
    levels: int
    scheme: int


def read(data: bytes) -> Stored:
    """Raises Damaged."""
    if len(data) < _AFTER_INDEX:
        raise Damaged("it ends within its header")
    header = _Header(*_HEADER.unpack_from(data, len(MAGIC)))
    texels = _format(header)
    size = (max(1, header.depth), max(1, header.height), header.width)
    if header.faces not in (1, 6) or (header.faces == 6 and size[1] != size[2]):
        raise Damaged(f"it has {header.faces:,} faces of {size[2]:,} x {size[1]:,} texels")
    images = max(1, header.layers) * header.faces
    stored.check_size(size[2], size[1], size[0], images, texels.texel_bytes)
    count = max(1, header.levels)
    if count > stored.most_levels(size[2], size[1], size[0]):
        raise Damaged(f"it has {count:,} mip levels, more than its size allows")
    if _AFTER_INDEX + count * _LEVEL.size > len(data):
        raise Damaged("it ends within its index of levels")
    levels = []
    for level in range(count):
        its_size = stored.level_size(size, level)
        needed = images * texels.nbytes(its_size)
        raw = _level(data, level, needed, header.scheme)
        each = texels.nbytes(its_size)
        parts = (raw[n * each : (n + 1) * each] for n in range(images))
        levels.append(stored.together((texels.decoded(p, its_size) for p in parts), images))
    return Stored(tuple(levels), header.faces == 6, texels.srgb, texels.note)


def _format(header: _Header) -> TexelFormat:
    if header.scheme == _BASIS or header.format == 0:
        raise Damaged("Basis Universal textures are not read; transcode it to BC7 or RGBA8")
    if header.scheme not in (_NONE, _ZSTD, _ZLIB):
        raise Damaged(f"its supercompression scheme {header.scheme} is unknown")
    texels = VULKAN.get(header.format)
    if texels is None:
        raise Damaged(f"texels of VkFormat {header.format} are not read, RGBA8 and BC1 to BC7 are")
    return texels


def _level(data: bytes, level: int, needed: int, scheme: int) -> memoryview:
    """The bytes of a level, as many as it needs."""
    start, length, plain = _LEVEL.unpack_from(data, _AFTER_INDEX + level * _LEVEL.size)
    if start + length > len(data):
        raise Damaged(f"its mip level {level} ends beyond the file")
    raw = memoryview(data)[start : start + length]
    if scheme != _NONE and plain == needed:
        raw = _inflated(raw, needed, scheme, level)
    if len(raw) < needed or (scheme != _NONE and plain != needed):
        raise Damaged(f"its mip level {level} does not have the {needed:,} bytes that it needs")
    return raw[:needed]


def _inflated(raw: memoryview, needed: int, scheme: int, level: int) -> memoryview:
    import pyarrow as pa  # 5 MB of memory, which few files need

    try:
        if scheme == _ZSTD:
            # Into a buffer of that size: what would be more is an error.
            return memoryview(pa.Codec("zstd").decompress(raw, needed, asbytes=True))
        return memoryview(zlib.decompressobj().decompress(raw, needed))
    except (pa.ArrowException, OSError, ValueError, zlib.error) as error:
        reason = " ".join(str(error).split())[:100]
        raise Damaged(f"its mip level {level} cannot be decompressed: {reason}") from None
