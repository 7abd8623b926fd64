"""Buffers and images with their memory."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device

_ANY_ACCESS = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT


class HostBuffer:
    """A buffer the host has mapped for as long as it lives."""

    def __init__(
        self, device: Device, nbytes: int, usage: int, stack: ExitStack, *, near: bool = False
    ):
        """Cached memory where there is such, since the host mostly reads.

        `near`: a discrete GPU's own memory where the host can map it, as a program that works with
        the buffer has it: through the bus a dispatch would be timed with the bus.
        Raises OutOfDeviceMemory.
        """
        _check_heaps(device, nbytes)  # lavapipe crashes on a buffer it has no memory for
        self._device = device
        self.handle = device.create(
            "Buffer",
            vk.VkBufferCreateInfo(
                size=nbytes, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE
            ),
            stack,
        )
        visible = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
        coherent = visible | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
        cached = vk.VK_MEMORY_PROPERTY_HOST_CACHED_BIT
        requirements = vk.vkGetBufferMemoryRequirements(device.handle, self.handle)
        wanted = (coherent | cached, visible | cached, coherent)
        if near and device.info.kind == "discrete":
            wanted = (coherent | vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, *wanted)
        memory, flags = _allocate(device, requirements, wanted, stack)
        vk.vkBindBufferMemory(device.handle, self.handle, memory, 0)
        self._range = None
        if not flags & vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT:
            self._range = vk.VkMappedMemoryRange(memory=memory, size=vk.VK_WHOLE_SIZE)
        address = vk.vkMapMemory(device.handle, memory, 0, vk.VK_WHOLE_SIZE, 0)
        mapped: Any = vk.ffi.buffer(address, nbytes)
        self.bytes: np.ndarray = np.frombuffer(mapped, np.uint8)
        """(nbytes,) uint8 view of the mapped memory; dead once the stack has unwound."""

    def invalidate(self) -> None:
        """Make what the device wrote visible to the host."""
        if self._range is not None:
            vk.vkInvalidateMappedMemoryRanges(self._device.handle, 1, self._range)

    def flush(self) -> None:
        """Make what the host wrote visible to the device."""
        if self._range is not None:
            vk.vkFlushMappedMemoryRanges(self._device.handle, 1, self._range)


class Extent(NamedTuple):
    """Dimensions of an image beside width and height."""

    type: int = vk.VK_IMAGE_TYPE_2D
    view: int = vk.VK_IMAGE_VIEW_TYPE_2D
    depth: int = 1
    layers: int = 1
    levels: int = 1
    samples: int = 1
    aspect: int = vk.VK_IMAGE_ASPECT_COLOR_BIT
    flags: int = 0
    """VkImageCreateFlags, that for cubes apart."""


FLAT = Extent()
"""2D, one layer, one level, one sample."""

_CUBES = (vk.VK_IMAGE_VIEW_TYPE_CUBE, vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY)


class DeviceImage:
    """An image in the device's own memory, with a view of all of it."""

    def __init__(
        self,
        device: Device,
        size: tuple[int, int],
        image_format: int,
        usage: int,
        stack: ExitStack,
        extent: Extent = FLAT,
    ):
        """Raises OutOfDeviceMemory, also for one beyond the device's limits."""
        self.size = size
        self.format = image_format
        """VkFormat."""
        self.extent = extent
        flags = extent.flags
        if extent.view in _CUBES:
            flags |= vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
        _check_image(device, size, image_format, usage, extent, flags)
        self.handle = device.create(
            "Image",
            vk.VkImageCreateInfo(
                flags=flags,
                imageType=extent.type,
                format=image_format,
                extent=vk.VkExtent3D(width=size[0], height=size[1], depth=extent.depth),
                mipLevels=extent.levels,
                arrayLayers=extent.layers,
                samples=extent.samples,
                tiling=vk.VK_IMAGE_TILING_OPTIMAL,
                usage=usage,
                sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE,
                initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
            ),
            stack,
        )
        requirements = vk.vkGetImageMemoryRequirements(device.handle, self.handle)
        memory, _ = _allocate(
            device, requirements, (vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0), stack
        )
        vk.vkBindImageMemory(device.handle, self.handle, memory, 0)
        self.view = device.create(
            "ImageView",
            vk.VkImageViewCreateInfo(
                image=self.handle,
                viewType=extent.view,
                format=image_format,
                subresourceRange=self.whole,
            ),
            stack,
        )

    @property
    def texels(self) -> int:
        """Of its first level."""
        return self.size[0] * self.size[1] * self.extent.depth * self.extent.layers

    @property
    def whole(self) -> vk.Struct:
        """VkImageSubresourceRange of all its layers and levels."""
        return vk.VkImageSubresourceRange(
            aspectMask=self.extent.aspect,
            levelCount=self.extent.levels,
            layerCount=self.extent.layers,
        )

    def change(
        self,
        commands: Any,
        layouts: tuple[int, int],
        part: vk.Struct | None = None,
    ) -> None:
        """Record the change from one layout to another, after all before and before all after.

        `part`: VkImageSubresourceRange; None for the whole.
        """
        barrier = vk.VkImageMemoryBarrier(
            srcAccessMask=_ANY_ACCESS,
            dstAccessMask=_ANY_ACCESS,
            oldLayout=layouts[0],
            newLayout=layouts[1],
            srcQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            dstQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            image=self.handle,
            subresourceRange=part or self.whole,
        )
        all_of_it = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
        vk.vkCmdPipelineBarrier(commands, all_of_it, all_of_it, 0, 0, None, 0, None, 1, [barrier])


def show_to_host(commands: Any, *, copied: bool = False) -> None:
    """Record that the host may read, after all this, what fragment shaders stored or, with
    `copied`, what was copied."""
    stage, access = (
        (vk.VK_PIPELINE_STAGE_TRANSFER_BIT, vk.VK_ACCESS_TRANSFER_WRITE_BIT)
        if copied
        else (vk.VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, vk.VK_ACCESS_SHADER_WRITE_BIT)
    )
    barrier = vk.VkMemoryBarrier(srcAccessMask=access, dstAccessMask=vk.VK_ACCESS_HOST_READ_BIT)
    host = vk.VK_PIPELINE_STAGE_HOST_BIT
    vk.vkCmdPipelineBarrier(commands, stage, host, 0, 1, [barrier], 0, None, 0, None)


def copy_to_host(commands: Any, image: DeviceImage, layout: int, buffer: Any) -> None:
    """Record the copy of a colour image, tightly packed, into a buffer for the host to read."""
    region = vk.VkBufferImageCopy(
        imageSubresource=vk.VkImageSubresourceLayers(
            aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount=1
        ),
        imageExtent=vk.VkExtent3D(width=image.size[0], height=image.size[1], depth=1),
    )
    vk.vkCmdCopyImageToBuffer(commands, image.handle, layout, buffer, 1, [region])
    show_to_host(commands, copied=True)


def _check_image(
    device: Device, size: tuple[int, int], image_format: int, usage: int, extent: Extent, flags: int
) -> None:
    try:
        most = vk.vkGetPhysicalDeviceImageFormatProperties(
            device.physical, image_format, extent.type, vk.VK_IMAGE_TILING_OPTIMAL, usage, flags
        )
    except vk.VulkanError:
        raise OutOfDeviceMemory(
            f"{device.info.name} has no images of the kind needed (Vulkan format {image_format})"
        ) from None
    largest = most.maxExtent
    fits = (
        size[0] <= largest.width
        and size[1] <= largest.height
        and extent.depth <= largest.depth
        and extent.layers <= most.maxArrayLayers
    )
    if not fits:
        raise OutOfDeviceMemory(
            f"an image of {size[0]} x {size[1]} x {max(extent.depth, extent.layers)} is larger "
            f"than {largest.width} x {largest.height} x {max(largest.depth, most.maxArrayLayers)}, "
            f"the most of {device.info.name}"
        )
    if not most.sampleCounts & extent.samples:
        raise OutOfDeviceMemory(
            f"{device.info.name} has no images of this kind with {extent.samples} samples per pixel"
        )


def _check_heaps(device: Device, nbytes: int) -> None:
    properties = device.memory_properties
    largest = max(properties.memoryHeaps[n].size for n in range(properties.memoryHeapCount))
    if nbytes > largest:
        raise OutOfDeviceMemory(
            f"{nbytes >> 20} MiB are asked of {device.info.name}, which has {largest >> 20} MiB"
        )


def _allocate(
    device: Device, requirements: Any, wanted: tuple[int, ...], stack: ExitStack
) -> tuple[Any, int]:
    """Memory of the first kind in `wanted` (property flags) that is there and not used up, and its
    property flags."""
    _check_heaps(device, requirements.size)
    properties = device.memory_properties
    for flags in wanted:
        for index in range(properties.memoryTypeCount):
            kind = properties.memoryTypes[index]
            if not requirements.memoryTypeBits >> index & 1 or kind.propertyFlags & flags != flags:
                continue
            what = vk.VkMemoryAllocateInfo(allocationSize=requirements.size, memoryTypeIndex=index)
            try:
                memory = vk.vkAllocateMemory(device.handle, what, None)
            except OutOfDeviceMemory:
                if flags == wanted[-1]:
                    raise
                break  # the part of its memory that the host can map may be small
            device.owned("Memory", vk.vkFreeMemory, memory, stack)
            return memory, kind.propertyFlags
    raise OutOfDeviceMemory(f"{device.info.name} has no memory of the kind needed")
