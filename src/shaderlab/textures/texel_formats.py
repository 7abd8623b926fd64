"""Texels as files store them, and their decoding into arrays.

Vulkan specification, "Format Definition"; Direct3D's `DXGI_FORMAT`; the compressed blocks BC1 to
BC7 through Pillow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PIL import Image as PillowImage

from shaderlab.textures.stored import Damaged

Size = tuple[int, int, int]
"""Depth, height, width."""


class TexelFormat(Protocol):
    """How texels are stored."""

    @property
    def srgb(self) -> bool:
        """Whether colours are encoded as sRGB."""
        ...

    @property
    def texel_bytes(self) -> int:
        """Of a decoded texel."""
        ...

    @property
    def note(self) -> str:
        """What decoding loses, as part of a sentence."""
        ...

    def nbytes(self, size: Size) -> int:
        """Stored bytes of an image."""
        ...

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        """(depth, height, width, 4) of uint8, float32, int32 or uint32, from `nbytes` bytes."""
        ...


@dataclass(frozen=True)
class Plain:
    """Components of one type, one after the other."""

    kind: str
    """`unorm`, `snorm`, `uint`, `sint`, `sfloat`."""
    bits: int
    order: str
    """Of the components: `RGBA`, `BGR`; `L` is red, green and blue alike, `A` alone is alpha, `X`
    is nothing."""
    srgb: bool = False
    note: str = ""

    @property
    def texel_bytes(self) -> int:
        return 4 if self.kind == "unorm" and self.bits == 8 else 16

    def nbytes(self, size: Size) -> int:
        depth, height, width = size
        return depth * height * width * len(self.order) * self.bits // 8

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        letter = {"unorm": "u", "uint": "u", "snorm": "i", "sint": "i", "sfloat": "f"}[self.kind]
        stored = np.frombuffer(data, f"<{letter}{self.bits // 8}")
        stored = stored.reshape(*size, len(self.order))
        if self.order == "RGBA" and self.texel_bytes == 4:
            return stored
        kinds = {"uint": np.uint32, "sint": np.int32}
        kind = kinds.get(self.kind, np.uint8 if self.texel_bytes == 4 else np.float32)
        made = np.zeros((*size, 4), kind)
        made[..., 3] = 255 if kind is np.uint8 else 1
        for n, letter in enumerate(self.order):
            values = stored[..., n]
            if self.kind == "unorm" and self.bits > 8:
                values = values / np.float32(2**self.bits - 1)
            elif self.kind == "snorm":
                values = np.maximum(values / np.float32(2 ** (self.bits - 1) - 1), -1)
            if letter == "L":
                made[..., :3] = values[..., None]
            elif letter != "X":
                made[..., "RGBA".index(letter)] = values
        return made


@dataclass(frozen=True)
class Masked:
    """Unsigned normalised components packed into one little-endian number."""

    bits: int
    masks: tuple[int, int, int, int]
    """Of red, green, blue and alpha; 0 for what is missing."""
    is_luminance: bool = False
    """Whether green and blue are as red."""
    srgb: bool = False
    note: str = ""

    @property
    def texel_bytes(self) -> int:
        return 4 if max(mask.bit_count() for mask in self.masks) <= 8 else 16

    def nbytes(self, size: Size) -> int:
        depth, height, width = size
        return depth * height * width * self.bits // 8

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        stored = np.frombuffer(data, np.uint8).reshape(*size, self.bits // 8)
        packed = np.zeros(size, np.uint32)
        for n in range(self.bits // 8):
            packed |= stored[..., n].astype(np.uint32) << np.uint32(8 * n)
        is_small = self.texel_bytes == 4
        made = np.zeros((*size, 4), np.uint8 if is_small else np.float32)
        made[..., 3] = 255 if is_small else 1
        for n, mask in enumerate(self.masks):
            if not mask:
                continue
            shift = (mask & -mask).bit_length() - 1
            values = (packed & np.uint32(mask)) >> np.uint32(shift)
            scaled = values / np.float32(mask >> shift)
            made[..., n] = np.rint(scaled * 255) if is_small else scaled
        if self.is_luminance:
            made[..., 1:3] = made[..., :1]
        return made


@dataclass(frozen=True)
class SmallFloats:
    """Unsigned floats of 11, 11 and 10 bits in one number (`B10G11R11`)."""

    srgb: bool = False
    note: str = ""
    texel_bytes: int = 16

    def nbytes(self, size: Size) -> int:
        return 4 * size[0] * size[1] * size[2]

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        packed = np.frombuffer(data, "<u4").reshape(size)
        made = np.ones((*size, 4), np.float32)
        for channel, (at, bits) in enumerate(((0, 11), (11, 11), (22, 10))):
            stored = packed >> np.uint32(at) & np.uint32(2**bits - 1)
            # The same exponent as a 16-bit float's, with fewer bits after it and no sign.
            half = (stored << np.uint32(15 - bits)).astype(np.uint16)
            made[..., channel] = half.view(np.float16)
        return made


@dataclass(frozen=True)
class SharedExponent:
    """Three mantissas of 9 bits with one exponent (`E5B9G9R9`)."""

    srgb: bool = False
    note: str = ""
    texel_bytes: int = 16

    def nbytes(self, size: Size) -> int:
        return 4 * size[0] * size[1] * size[2]

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        packed = np.frombuffer(data, "<u4").reshape(size)
        scale = np.exp2((packed >> np.uint32(27)).astype(np.float32) - 24)
        made = np.ones((*size, 4), np.float32)
        for channel in range(3):
            made[..., channel] = (packed >> np.uint32(9 * channel) & np.uint32(511)) * scale
        return made


@dataclass(frozen=True)
class Blocks:
    """Compressed blocks of 4 x 4 texels."""

    number: int
    """1 to 7, of BC1 to BC7."""
    signed: bool = False
    srgb: bool = False

    @property
    def texel_bytes(self) -> int:
        return 4

    @property
    def note(self) -> str:
        if self.number == 6:
            return "BC6H is cut off at 1"
        return "signed components are read as 0 to 1" if self.signed else ""

    def nbytes(self, size: Size) -> int:
        depth, height, width = size
        return depth * -(-height // 4) * -(-width // 4) * (8 if self.number in (1, 4) else 16)

    def decoded(self, data: memoryview, size: Size) -> np.ndarray:
        depth, height, width = size
        each = self.nbytes((1, height, width))
        made = np.empty((*size, 4), np.uint8)
        mode = {4: "L", 5: "RGB", 6: "RGB"}.get(self.number, "RGBA")
        name = f"BC{self.number}" + ("H" if self.number == 6 else "") + ("S" if self.signed else "")
        # Whole blocks: Pillow takes the bytes of a smaller image for an incomplete one.
        whole = (-(-width // 4) * 4, -(-height // 4) * 4)
        for n in range(depth):
            part = bytes(data[n * each : (n + 1) * each])
            try:
                picture = PillowImage.frombytes(mode, whole, part, "bcn", self.number, name)
            except (ValueError, OSError) as error:
                raise Damaged(f"its blocks cannot be decoded: {error}") from None
            texels = np.asarray(picture)[:height, :width]
            made[n] = _of_blocks(texels, self.number)
        return made


def _of_blocks(texels: np.ndarray, number: int) -> np.ndarray:
    """(height, width, 4)."""
    if texels.ndim == 3 and texels.shape[2] == 4:
        return texels
    made = np.zeros((*texels.shape[:2], 4), np.uint8)
    made[..., 3] = 255
    if number == 4:
        made[..., 0] = texels
    else:
        count = 2 if number == 5 else 3
        made[..., :count] = texels[..., :count]
    return made


def _vulkan() -> dict[int, TexelFormat]:
    """By `VkFormat`."""
    known: dict[int, TexelFormat] = {}
    kinds = ("unorm", "snorm", None, None, "uint", "sint", "srgb")
    for first, order in (
        (9, "R"),
        (16, "RG"),
        (23, "RGB"),
        (30, "BGR"),
        (37, "RGBA"),
        (44, "BGRA"),
    ):
        for n, kind in enumerate(kinds):
            if kind == "srgb":
                known[first + n] = Plain("unorm", 8, order, srgb=True)
            elif kind:
                known[first + n] = Plain(kind, 8, order)
    kinds = ("unorm", "snorm", None, None, "uint", "sint", "sfloat")
    for first, order in ((70, "R"), (77, "RG"), (84, "RGB"), (91, "RGBA")):
        known |= {first + n: Plain(kind, 16, order) for n, kind in enumerate(kinds) if kind}
    for first, order in ((98, "R"), (101, "RG"), (104, "RGB"), (107, "RGBA")):
        known |= {
            first + n: Plain(kind, 32, order) for n, kind in enumerate(("uint", "sint", "sfloat"))
        }
    known[58] = Masked(32, (0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000))
    known[64] = Masked(32, (0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000))
    known[122], known[123] = SmallFloats(), SharedExponent()
    for first, number in ((131, 1), (133, 1), (135, 2), (137, 3), (145, 7)):
        known[first], known[first + 1] = Blocks(number), Blocks(number, srgb=True)
    for first, number in ((139, 4), (141, 5), (143, 6)):
        known[first], known[first + 1] = Blocks(number), Blocks(number, signed=True)
    return known


def _dxgi() -> dict[int, TexelFormat]:
    """By `DXGI_FORMAT`."""
    known: dict[int, TexelFormat] = {
        24: Masked(32, (0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000)),
        26: SmallFloats(),
        65: Plain("unorm", 8, "A"),
        67: SharedExponent(),
        85: Masked(16, (0xF800, 0x7E0, 0x1F, 0)),
        86: Masked(16, (0x7C00, 0x3E0, 0x1F, 0x8000)),
        87: Plain("unorm", 8, "BGRA"),
        88: Plain("unorm", 8, "BGRX"),
        91: Plain("unorm", 8, "BGRA", srgb=True),
        93: Plain("unorm", 8, "BGRX", srgb=True),
        29: Plain("unorm", 8, "RGBA", srgb=True),
    }
    for bits, first, order, kinds in (
        (32, 2, "RGBA", ("sfloat", "uint", "sint")),
        (32, 6, "RGB", ("sfloat", "uint", "sint")),
        (16, 10, "RGBA", ("sfloat", "unorm", "uint", "snorm", "sint")),
        (32, 16, "RG", ("sfloat", "uint", "sint")),
        (8, 30, "RGBA", ("uint", "snorm", "sint")),
        (8, 28, "RGBA", ("unorm",)),
        (16, 34, "RG", ("sfloat", "unorm", "uint", "snorm", "sint")),
        (32, 41, "R", ("sfloat", "uint", "sint")),
        (8, 49, "RG", ("unorm", "uint", "snorm", "sint")),
        (16, 54, "R", ("sfloat",)),
        (16, 56, "R", ("unorm", "uint", "snorm", "sint")),
        (8, 61, "R", ("unorm", "uint", "snorm", "sint")),
    ):
        known |= {first + n: Plain(kind, bits, order) for n, kind in enumerate(kinds)}
    for first, number in ((71, 1), (74, 2), (77, 3), (98, 7)):
        known[first], known[first + 1] = Blocks(number), Blocks(number, srgb=True)
    for first, number in ((80, 4), (83, 5), (95, 6)):
        known[first], known[first + 1] = Blocks(number), Blocks(number, signed=True)
    return known


VULKAN = _vulkan()
"""By `VkFormat`."""
DXGI = _dxgi()
"""By `DXGI_FORMAT`."""
