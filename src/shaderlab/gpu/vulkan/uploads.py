"""Texels on their way into images: aspects apart, in a buffer, and the copies into the image."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.scene.texel_layouts import DEPTH

COLOUR = vk.VK_IMAGE_ASPECT_COLOR_BIT
_DEPTH = vk.VK_IMAGE_ASPECT_DEPTH_BIT
_STENCIL = vk.VK_IMAGE_ASPECT_STENCIL_BIT
_TO = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL


class Plane(NamedTuple):
    """Bytes of one aspect, as a copy into an image takes them."""

    aspect: int
    """VkImageAspectFlagBits."""
    data: np.ndarray


def format_number(name: str) -> int:
    """VkFormat.  Raises UnsupportedShader for a name that is none."""
    try:
        return getattr(vk, f"VK_FORMAT_{name}")
    except AttributeError:
        raise UnsupportedShader(f"Vulkan has no format {name}") from None


def aspects(name: str) -> int:
    """VkImageAspectFlags of a format."""
    if name not in DEPTH:
        return COLOUR
    depth = 0 if name == "S8_UINT" else _DEPTH
    return depth | (_STENCIL if "S8" in name else 0)


def planes(name: str, data: bytes) -> list[Plane]:
    """The aspects apart, of texels as RenderDoc packs them."""
    raw = np.frombuffer(data, np.uint8)
    if name == "D24_UNORM_S8_UINT":
        words = raw.view("<u4")
        depth = np.ascontiguousarray(words & 0xFFFFFF).view(np.uint8)
        return [Plane(_DEPTH, depth), Plane(_STENCIL, (words >> 24).astype(np.uint8))]
    if name in ("D32_SFLOAT_S8_UINT", "D16_UNORM_S8_UINT"):
        split = 4 if name.startswith("D32") else 2
        texels = raw.reshape(-1, 2 * split)
        depth = np.ascontiguousarray(texels[:, :split]).reshape(-1)
        return [Plane(_DEPTH, depth), Plane(_STENCIL, np.ascontiguousarray(texels[:, split]))]
    return [Plane(aspects(name), raw)]


def plane_bytes(name: str) -> dict[int, int]:
    """Bytes of a texel in each aspect of a depth format, as a copy out of an image gives them."""
    found = {}
    if aspects(name) & _DEPTH:
        found[_DEPTH] = 2 if name.startswith("D16") else 4
    if aspects(name) & _STENCIL:
        found[_STENCIL] = 1
    return found


def depth_bytes(name: str, depth: np.ndarray) -> np.ndarray:
    """Depths, float32, as a copy into an image of a depth format takes them; uint8."""
    if name.startswith("D32"):
        return depth.view(np.uint8)
    most, dtype = ((1 << 16) - 1, "<u2") if name.startswith("D16") else ((1 << 24) - 1, "<u4")
    return np.rint(np.clip(depth.astype(np.float64), 0, 1) * most).astype(dtype).view(np.uint8)


def packed(name: str, given: Mapping[int, np.ndarray]) -> bytes:
    """Texels as RenderDoc packs them, of the bytes of each aspect: what `planes` takes apart."""
    if len(given) == 1:
        return next(iter(given.values())).tobytes()
    depth, stencil = given[_DEPTH], given[_STENCIL]
    if name == "D24_UNORM_S8_UINT":
        words = (depth.view("<u4") & 0xFFFFFF) | stencil.astype("<u4") << 24
        return words.tobytes()
    split = 4 if name.startswith("D32") else 2
    texels = np.zeros((len(stencil), 2 * split), np.uint8)
    texels[:, :split] = depth.reshape(-1, split)
    texels[:, split] = stencil
    return texels.tobytes()


class Upload:
    """Bytes ready to be copied into an image, as often as wanted."""

    def __init__(
        self,
        device: Device,
        image: DeviceImage,
        parts: list[tuple[int, int, list[Plane]]],
        stack: ExitStack,
    ):
        """`parts`: level, layer and planes.  Raises OutOfDeviceMemory."""
        self._image = image
        all_planes = [(level, layer, plane) for level, layer, each in parts for plane in each]
        sizes = [-(-len(plane.data) // 16) * 16 for _, _, plane in all_planes]
        offsets = np.cumsum([0, *sizes]).tolist()
        usage = vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
        self._buffer = HostBuffer(device, max(16, offsets[-1]), usage, stack)
        self._regions = []
        for at, (level, layer, plane) in zip(offsets, all_planes, strict=False):
            self._buffer.bytes[at : at + len(plane.data)] = plane.data
            width, height = (max(1, side >> level) for side in image.size)
            self._regions.append(
                vk.VkBufferImageCopy(
                    bufferOffset=at,
                    imageSubresource=vk.VkImageSubresourceLayers(
                        aspectMask=plane.aspect,
                        mipLevel=level,
                        baseArrayLayer=layer,
                        layerCount=1,
                    ),
                    imageExtent=vk.VkExtent3D(
                        width=width, height=height, depth=max(1, image.extent.depth >> level)
                    ),
                )
            )
        self._buffer.flush()

    def record(self, commands: Any, layout: int) -> None:
        """Record the copy; whatever the image held is gone, and it is left in `layout`."""
        self._image.change(commands, (vk.VK_IMAGE_LAYOUT_UNDEFINED, _TO))
        vk.vkCmdCopyBufferToImage(
            commands,
            self._buffer.handle,
            self._image.handle,
            _TO,
            len(self._regions),
            self._regions,
        )
        self._image.change(commands, (_TO, layout))
