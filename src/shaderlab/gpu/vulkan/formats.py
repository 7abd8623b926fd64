"""How texels lie in memory, by the formats of SPIR-V's images."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.spirv.value_types import Component, Image


class Format(NamedTuple):
    """A Vulkan format, and how the host writes its texels."""

    vulkan: int
    dtype: type | None
    """Of one component; None where several share a word: such texels are written as zeros."""
    components: int
    scale: float = 0.0
    """What 1.0 is stored as; 0 where numbers are stored as they are."""
    nbytes: int = 0
    """Of one texel; 0: as dtype and components say."""

    @property
    def texel_bytes(self) -> int:
        return self.nbytes or self.components * np.dtype(self.dtype).itemsize

    def encode(self, texels: np.ndarray) -> np.ndarray:
        """(…, 4) texels of float32, int32, uint32 or uint8 as uint8, (…, texel_bytes).

        uint8 stands for 0 to 1 in 255 steps where the format holds no integers.
        """
        if self.dtype is None:
            return np.zeros((*texels.shape[:-1], self.texel_bytes), np.uint8)
        part = texels[..., : self.components]
        if self.scale == 255.0 and part.dtype == np.uint8:
            stored = part
        elif self.is_whole:
            limits = np.iinfo(self.dtype)
            stored = np.clip(part, limits.min, limits.max)
        else:
            numbers = part / np.float32(255) if part.dtype == np.uint8 else part
            if self.scale:
                lowest = -1.0 if np.iinfo(self.dtype).min < 0 else 0.0
                stored = np.rint(np.clip(np.nan_to_num(numbers), lowest, 1.0) * self.scale)
            else:
                stored = numbers
        with np.errstate(over="ignore"):
            made = np.ascontiguousarray(stored, self.dtype)
        return made.view(np.uint8).reshape(*texels.shape[:-1], self.texel_bytes)

    @property
    def is_whole(self) -> bool:
        """Whether it holds integers."""
        return self.dtype is not None and not self.scale and np.issubdtype(self.dtype, np.integer)


def _table() -> dict[str, Format]:
    found: dict[str, Format] = {}
    for count, letters in ((4, "rgba"), (2, "rg"), (1, "r")):
        for bits in (8, 16, 32):
            name = letters.title() if len(letters) == 1 else letters.capitalize()
            channels = "".join(f"{letter.upper()}{bits}" for letter in letters)

            def add(
                suffix: str,
                kind: str,
                dtype: str,
                scale: float = 0.0,
                bits: int = bits,
                name: str = name,
                channels: str = channels,
                count: int = count,
            ) -> None:
                vulkan = getattr(vk, f"VK_FORMAT_{channels}_{kind}")
                found[f"{name}{bits}{suffix}"] = Format(
                    vulkan, getattr(np, f"{dtype}{bits}"), count, scale
                )

            add("i", "SINT", "int")
            add("ui", "UINT", "uint")
            if bits < 32:
                add("", "UNORM", "uint", float((1 << bits) - 1))
                add("Snorm", "SNORM", "int", float((1 << bits - 1) - 1))
            if bits > 8:
                add("f", "SFLOAT", "float")
    packed = {
        "R11fG11fB10f": vk.VK_FORMAT_B10G11R11_UFLOAT_PACK32,
        "Rgb10A2": vk.VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        "Rgb10a2ui": vk.VK_FORMAT_A2B10G10R10_UINT_PACK32,
    }
    found.update({name: Format(number, None, 4, nbytes=4) for name, number in packed.items()})
    return found


BY_NAME = _table()
"""By the grammar's name of an `ImageFormat`."""
RGBA8 = BY_NAME["Rgba8"]
RGBA16F = BY_NAME["Rgba16f"]
RGBA32F = BY_NAME["Rgba32f"]
RGBA32I = BY_NAME["Rgba32i"]
RGBA32UI = BY_NAME["Rgba32ui"]
SRGBA8 = Format(vk.VK_FORMAT_R8G8B8A8_SRGB, np.uint8, 4, 255.0)
DEPTH32 = Format(vk.VK_FORMAT_D32_SFLOAT, np.float32, 1)
DEPTH16 = Format(vk.VK_FORMAT_D16_UNORM, np.uint16, 1, 65535.0)
NAMES = {
    **{each.vulkan: name.lower() for name, each in BY_NAME.items()},
    SRGBA8.vulkan: "srgba8",
    DEPTH32.vulkan: "depth32",
    DEPTH16.vulkan: "depth16",
}
"""By VkFormat, as `BoundTexture.format` has them."""


def stored_format(image: Image) -> Format | None:
    """Of a storage image or storage texel buffer; None for one that is not known here."""
    if image.format != "Unknown":
        return BY_NAME.get(image.format)
    return {Component.INT: RGBA32I, Component.UINT: RGBA32UI}.get(image.component, RGBA32F)
