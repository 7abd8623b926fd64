"""How many bytes texels take, by Vulkan's names of formats (specification, "Formats")."""

from __future__ import annotations

import re
from typing import NamedTuple

_CHANNELS = re.compile(r"([RGBAXE]\d+)+_(UNORM|SNORM|UINT|SINT|SFLOAT|UFLOAT|SRGB)(_PACK(\d+))?")
_BITS = re.compile(r"[RGBAXE](\d+)")
_BLOCKS = {
    **dict.fromkeys(("BC1_RGB", "BC1_RGBA", "BC4"), 8),
    **dict.fromkeys(("BC2", "BC3", "BC5", "BC6H", "BC7"), 16),
    **dict.fromkeys(("ETC2_R8G8B8", "ETC2_R8G8B8A1", "EAC_R11"), 8),
    **dict.fromkeys(("ETC2_R8G8B8A8", "EAC_R11G11"), 16),
}
_BLOCK = re.compile(r"(\w+?)_(?:UNORM|SNORM|SRGB|SFLOAT|UFLOAT)_BLOCK")
DEPTH = {
    "D16_UNORM": 2,
    "X8_D24_UNORM_PACK32": 4,
    "D32_SFLOAT": 4,
    "S8_UINT": 1,
    "D16_UNORM_S8_UINT": 4,
    "D24_UNORM_S8_UINT": 4,
    "D32_SFLOAT_S8_UINT": 8,
}
"""Formats with depth or stencil: bytes of a texel as RenderDoc packs both."""


class Layout(NamedTuple):
    """Texels come in blocks of this size."""

    width: int
    height: int
    nbytes: int

    def size(self, width: int, height: int, depth: int = 1) -> int:
        """Bytes of an image."""
        return -(-width // self.width) * -(-height // self.height) * depth * self.nbytes


def layout(name: str) -> Layout | None:
    """Of a format; None for one that is not known here."""
    if name in DEPTH:
        return Layout(1, 1, DEPTH[name])
    if _CHANNELS.fullmatch(name):
        bits = sum(int(each) for each in _BITS.findall(name.split("_")[0]))
        return Layout(1, 1, bits // 8) if bits % 8 == 0 and bits else None
    block = _BLOCK.fullmatch(name)
    if block and block[1] in _BLOCKS:
        return Layout(4, 4, _BLOCKS[block[1]])
    return None
