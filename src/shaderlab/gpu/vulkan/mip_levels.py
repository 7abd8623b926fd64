"""Mip levels made on the device: each a linearly filtered copy of the one before, half as large.

Where a size is odd, two texels are weighed in place of the three that a smaller one covers
(`textures.texels.chain`); where it is even, both ways give their means.
"""

from __future__ import annotations

from typing import Any

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage

_FROM, _TO = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
_NEEDED = (
    vk.VK_FORMAT_FEATURE_BLIT_SRC_BIT
    | vk.VK_FORMAT_FEATURE_BLIT_DST_BIT
    | vk.VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT
)


def can_make_levels(device: Device, image_format: int) -> bool:
    """Whether the device can, for colours of a VkFormat: not of integers, which have no means.

    Not llvmpipe of plain bytes: it filters them in bytes and rounds up, at each level anew, so that
    the smallest ones come out brighter by 4 of 255.
    """
    in_bytes = image_format == vk.VK_FORMAT_R8G8B8A8_UNORM
    if in_bytes and device.info.slug.startswith("llvmpipe"):
        return False
    return device.supports(image_format, _NEEDED)


def make_levels(
    commands: Any,
    image: DeviceImage,
    chosen: int = vk.VK_FILTER_LINEAR,
    layers: tuple[int, int] | None = None,
) -> None:
    """Record that all levels after the first are made of it.

    The image can be copied to before, and from afterwards.  `chosen`: VkFilter; `layers`: the first
    and how many, None for all.
    """
    for level in range(1, image.extent.levels):
        _change(commands, image, level - 1)
        places = [_place(n, layers or (0, image.extent.layers)) for n in (level - 1, level)]
        corners = [_corner(image, n) for n in (level - 1, level)]
        region = vk.VkImageBlit(
            srcSubresource=places[0],
            srcOffsets=[vk.VkOffset3D(), corners[0]],
            dstSubresource=places[1],
            dstOffsets=[vk.VkOffset3D(), corners[1]],
        )
        handle = image.handle
        vk.vkCmdBlitImage(commands, handle, _FROM, handle, _TO, 1, [region], chosen)
    _change(commands, image, image.extent.levels - 1)


def _place(level: int, layers: tuple[int, int]) -> vk.Struct:
    return vk.VkImageSubresourceLayers(
        aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT,
        mipLevel=level,
        baseArrayLayer=layers[0],
        layerCount=layers[1],
    )


def _corner(image: DeviceImage, level: int) -> vk.Struct:
    width, height, depth = (max(1, n >> level) for n in (*image.size, image.extent.depth))
    return vk.VkOffset3D(x=width, y=height, z=depth)


def _change(commands: Any, image: DeviceImage, level: int) -> None:
    part = vk.VkImageSubresourceRange(
        aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT,
        baseMipLevel=level,
        levelCount=1,
        layerCount=image.extent.layers,
    )
    image.change(commands, (_TO, _FROM), part=part)
