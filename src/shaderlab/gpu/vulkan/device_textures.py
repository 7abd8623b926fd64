"""Textures, storage images, texel buffers and samplers on a device, with their contents."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import formats
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.formats import Format
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent, HostBuffer
from shaderlab.gpu.vulkan.mip_levels import make_levels
from shaderlab.scene.textures import Filter, Texture, Wrap
from shaderlab.spirv.trace import BoundTexture
from shaderlab.spirv.value_types import Component, Dimension, Image

_TYPES = {
    Dimension.D1: (vk.VK_IMAGE_TYPE_1D, vk.VK_IMAGE_VIEW_TYPE_1D, vk.VK_IMAGE_VIEW_TYPE_1D_ARRAY),
    Dimension.D2: (vk.VK_IMAGE_TYPE_2D, vk.VK_IMAGE_VIEW_TYPE_2D, vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY),
    Dimension.D3: (vk.VK_IMAGE_TYPE_3D, vk.VK_IMAGE_VIEW_TYPE_3D, vk.VK_IMAGE_VIEW_TYPE_3D),
    Dimension.CUBE: (
        vk.VK_IMAGE_TYPE_2D,
        vk.VK_IMAGE_VIEW_TYPE_CUBE,
        vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
    ),
    Dimension.SUBPASS: (
        vk.VK_IMAGE_TYPE_2D,
        vk.VK_IMAGE_VIEW_TYPE_2D,
        vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    ),
}
"""By dimension: image type, view type, view type of arrays."""

_WRAPS = {
    Wrap.REPEAT: vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
    Wrap.CLAMP: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    Wrap.MIRROR: vk.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    Wrap.BORDER: vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
}

SAMPLES = 4
"""Per pixel of a multisampled texture or input attachment that shaderlab fills itself."""

_WITH_DEPTH = vk.VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT


def sampled_format(device: Device, levels: np.ndarray, srgb: bool, compared: bool) -> Format:
    """The format that holds texels of an array's type; filterable where it can be filtered."""
    if compared:
        has_float = device.supports(formats.DEPTH32.vulkan, _WITH_DEPTH)
        return formats.DEPTH32 if has_float else formats.DEPTH16
    if levels.dtype == np.int32:
        return formats.RGBA32I
    if levels.dtype == np.uint32:
        return formats.RGBA32UI
    if levels.dtype == np.uint8:
        return formats.SRGBA8 if srgb else formats.RGBA8
    linear = vk.VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT
    is_filtered = device.supports(formats.RGBA32F.vulkan, linear)
    return formats.RGBA32F if is_filtered else formats.RGBA16F


def image_types(image: Image) -> tuple[int, int, int]:
    """VkImageType, VkImageViewType, and that of arrays.  Raises UnsupportedShader."""
    if image.dimension not in _TYPES:
        raise UnsupportedShader(f"Vulkan has no textures of dimension {image.dimension.value}")
    return _TYPES[image.dimension]


def device_image(
    device: Device,
    image: Image,
    levels: tuple[np.ndarray, ...],
    image_format: Format,
    usage: int,
    layout: int,
    stack: ExitStack,
    *,
    chained: bool = False,
) -> DeviceImage:
    """An image with contents, in `layout`.

    `levels`: (layers, depth, height, width, 4) for each mip level; `chained`: the first of all, the
    others are made on the device (`mip_levels`).  One with several samples per
    pixel shows the mean of its texels everywhere: images can only be copied sample by sample.
    Raises OutOfDeviceMemory, UnsupportedShader.
    """
    layers, depth, height, width, _ = levels[0].shape
    image_type, view, array_view = image_types(image)
    count = max(depth, height, width).bit_length() if chained else len(levels)
    is_depth = image_format in (formats.DEPTH32, formats.DEPTH16)
    extent = Extent(
        image_type,
        array_view if image.arrayed else view,
        depth,
        layers,
        1 if image.multisampled else count,
        SAMPLES if image.multisampled else 1,
        vk.VK_IMAGE_ASPECT_DEPTH_BIT if is_depth else vk.VK_IMAGE_ASPECT_COLOR_BIT,
    )
    usage |= vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
    if chained:
        usage |= vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
    made = DeviceImage(device, (width, height), image_format.vulkan, usage, stack, extent)
    transfer = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
    with ExitStack() as meanwhile:
        if image.multisampled:
            fill = _clearing(made, levels[0], transfer)
        else:
            fill = _copying(device, made, levels, image_format, transfer, meanwhile)

        def record(commands: Any) -> None:
            made.change(commands, (vk.VK_IMAGE_LAYOUT_UNDEFINED, transfer))
            fill(commands)
            if chained:
                make_levels(commands, made)
            written = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL if chained else transfer
            made.change(commands, (written, layout))

        device.run_once(record)
    return made


def refill(
    device: Device, made: DeviceImage, levels: tuple[np.ndarray, ...], image_format: Format
) -> None:
    """Other contents for an image that shaders read; `levels` as they were when it was made."""
    read = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
    transfer = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
    with ExitStack() as meanwhile:
        fill = _copying(device, made, levels, image_format, transfer, meanwhile)

        def record(commands: Any) -> None:
            made.change(commands, (read, transfer))
            fill(commands)
            made.change(commands, (transfer, read))

        device.run_once(record)


def _copying(
    device: Device,
    made: DeviceImage,
    levels: tuple[np.ndarray, ...],
    image_format: Format,
    layout: int,
    stack: ExitStack,
) -> Any:
    parts = [image_format.encode(level).reshape(-1) for level in levels]
    offsets = np.cumsum([0, *(-(-len(part) // 16) * 16 for part in parts)]).tolist()
    usage = vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
    buffer = HostBuffer(device, max(16, offsets[-1]), usage, stack)
    regions = []
    for number, (level, part) in enumerate(zip(levels, parts, strict=True)):
        buffer.bytes[offsets[number] : offsets[number] + len(part)] = part
        layers, depth, height, width, _ = level.shape
        regions.append(
            vk.VkBufferImageCopy(
                bufferOffset=offsets[number],
                imageSubresource=vk.VkImageSubresourceLayers(
                    aspectMask=made.extent.aspect, mipLevel=number, layerCount=layers
                ),
                imageExtent=vk.VkExtent3D(width=width, height=height, depth=depth),
            )
        )
    buffer.flush()

    def copy(commands: Any) -> None:
        vk.vkCmdCopyBufferToImage(
            commands, buffer.handle, made.handle, layout, len(regions), regions
        )

    return copy


def _clearing(made: DeviceImage, level: np.ndarray, layout: int) -> Any:
    mean = level.reshape(-1, 4).mean(axis=0, dtype=np.float64)
    if level.dtype == np.uint8:
        mean /= 255
    if made.extent.aspect == vk.VK_IMAGE_ASPECT_DEPTH_BIT:
        depth = vk.VkClearDepthStencilValue(depth=float(np.clip(mean[0], 0, 1)))
        return lambda commands: vk.vkCmdClearDepthStencilImage(
            commands, made.handle, layout, depth, 1, [made.whole]
        )
    if level.dtype == np.int32:
        colour = vk.VkClearColorValue(int32=[int(each) for each in mean])
    elif level.dtype == np.uint32:
        colour = vk.VkClearColorValue(uint32=[int(each) for each in mean])
    else:
        colour = vk.VkClearColorValue(float32=mean.tolist())
    return lambda commands: vk.vkCmdClearColorImage(
        commands, made.handle, layout, colour, 1, [made.whole]
    )


def sampler(
    device: Device,
    texture: Texture,
    stack: ExitStack,
    *,
    whole: bool = False,
    compared: bool = False,
) -> Any:
    """VkSampler.  `whole`: for integers, which are not filtered; `compared`: for comparisons."""
    is_linear = texture.filter is not Filter.NEAREST and not whole
    chosen = vk.VK_FILTER_LINEAR if is_linear else vk.VK_FILTER_NEAREST
    has_levels = texture.filter is Filter.MIPMAP
    smooth = has_levels and not whole
    wrap = _WRAPS[texture.wrap]
    info = vk.VkSamplerCreateInfo(
        magFilter=chosen,
        minFilter=chosen,
        mipmapMode=vk.VK_SAMPLER_MIPMAP_MODE_LINEAR if smooth else 0,
        addressModeU=wrap,
        addressModeV=wrap,
        addressModeW=wrap,
        maxLod=vk.VK_LOD_CLAMP_NONE if has_levels else 0.0,
        compareEnable=compared,
        compareOp=vk.VK_COMPARE_OP_LESS_OR_EQUAL if compared else vk.VK_COMPARE_OP_NEVER,
    )
    return device.create("Sampler", info, stack)


def buffer_view(
    device: Device, texels: np.ndarray, image_format: Format, usage: int, stack: ExitStack
) -> Any:
    """VkBufferView of a texel buffer with these texels, (n, 4)."""
    texels = texels[: device.limits.maxTexelBufferElements]
    contents = image_format.encode(texels).reshape(-1)
    buffer = HostBuffer(device, len(contents), usage, stack)
    buffer.bytes[:] = contents
    buffer.flush()
    info = vk.VkBufferViewCreateInfo(
        buffer=buffer.handle, format=image_format.vulkan, range=vk.VK_WHOLE_SIZE
    )
    return device.create("BufferView", info, stack)


def bound_texture(
    shown: DeviceImage, declared: Image, filter: str = Filter.NEAREST.value
) -> BoundTexture:
    """What a trace keeps of an image that a descriptor held."""
    extent = shown.extent
    return BoundTexture(
        declared.dimension.value,
        (*shown.size, extent.depth),
        extent.layers,
        extent.levels,
        formats.NAMES.get(shown.format, "other"),
        filter,
    )


def texel_format(image: Image) -> Format:
    """Of a texel buffer that is read."""
    found = {Component.INT: formats.RGBA32I, Component.UINT: formats.RGBA32UI}
    return found.get(image.component, formats.RGBA32F)
