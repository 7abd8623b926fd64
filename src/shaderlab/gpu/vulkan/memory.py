"""Buffers and images with their memory."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device


class HostBuffer:
    """A buffer the host has mapped for as long as it lives."""

    def __init__(self, device: Device, nbytes: int, usage: int, stack: ExitStack):
        """Cached memory where there is such, since the host mostly reads.

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
        memory, flags = _allocate(
            device, requirements, (coherent | cached, visible | cached, coherent), stack
        )
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


class DeviceImage:
    """A 2D image (or cube of 2D faces) in the device's own memory, with a view of all of it."""

    def __init__(
        self,
        device: Device,
        size: tuple[int, int],
        image_format: int,
        usage: int,
        stack: ExitStack,
        *,
        cube: bool = False,
    ):
        """Raises OutOfDeviceMemory."""
        self.layers = 6 if cube else 1
        self.handle = device.create(
            "Image",
            vk.VkImageCreateInfo(
                flags=vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT if cube else 0,
                imageType=vk.VK_IMAGE_TYPE_2D,
                format=image_format,
                extent=vk.VkExtent3D(width=size[0], height=size[1], depth=1),
                mipLevels=1,
                arrayLayers=self.layers,
                samples=vk.VK_SAMPLE_COUNT_1_BIT,
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
                viewType=vk.VK_IMAGE_VIEW_TYPE_CUBE if cube else vk.VK_IMAGE_VIEW_TYPE_2D,
                format=image_format,
                subresourceRange=self.whole,
            ),
            stack,
        )

    @property
    def whole(self) -> vk.Struct:
        """VkImageSubresourceRange of all its layers."""
        return vk.VkImageSubresourceRange(
            aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount=1, layerCount=self.layers
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
    """Memory of the first kind in `wanted` (property flags) there is, and its property flags."""
    _check_heaps(device, requirements.size)
    properties = device.memory_properties
    for flags in wanted:
        for index in range(properties.memoryTypeCount):
            kind = properties.memoryTypes[index]
            if not requirements.memoryTypeBits >> index & 1 or kind.propertyFlags & flags != flags:
                continue
            memory = vk.vkAllocateMemory(
                device.handle,
                vk.VkMemoryAllocateInfo(allocationSize=requirements.size, memoryTypeIndex=index),
                None,
            )
            device.owned("Memory", vk.vkFreeMemory, memory, stack)
            return memory, kind.propertyFlags
    raise OutOfDeviceMemory(f"{device.info.name} has no memory of the kind needed")
