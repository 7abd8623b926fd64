"""Pictures of passes as textures that other passes, and the next frame's, read."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent
from shaderlab.gpu.vulkan.mip_levels import make_levels
from shaderlab.gpu.vulkan.render_target import RenderTarget
from shaderlab.scene.draw import CUBE_FACES
from shaderlab.spirv.value_types import Component, Dimension, Image

_READ = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
_FROM = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
_TO = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL


class PassPictures:
    """The latest picture of one pass: of a plane or of a cube's faces."""

    def __init__(
        self,
        device: Device,
        size: tuple[int, int],
        image_format: int,
        stack: ExitStack,
        *,
        cube: bool,
        mipmaps: bool,
    ):
        """Transparent black at first.  Raises OutOfDeviceMemory."""
        self._device = device
        self._size = size
        self._is_cube = cube
        levels = max(size).bit_length() if mipmaps else 1
        view = vk.VK_IMAGE_VIEW_TYPE_CUBE if cube else vk.VK_IMAGE_VIEW_TYPE_2D
        usage = (
            vk.VK_IMAGE_USAGE_SAMPLED_BIT
            | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
            | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
        )
        extent = Extent(view=view, layers=CUBE_FACES if cube else 1, levels=levels)
        self._image = DeviceImage(device, size, image_format, usage, stack, extent)
        linear = vk.VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT
        is_filtered = device.supports(image_format, linear)
        self._filter = vk.VK_FILTER_LINEAR if is_filtered else vk.VK_FILTER_NEAREST
        self.clear()

    @property
    def image(self) -> DeviceImage:
        """In the layout for being read."""
        return self._image

    def fits(self, image: Image) -> bool:
        """Whether a shader that declares `image` can read it."""
        dimension = Dimension.CUBE if self._is_cube else Dimension.D2
        is_plain = not (image.arrayed or image.multisampled or image.depth)
        return image.dimension is dimension and image.component is Component.FLOAT and is_plain

    def clear(self) -> None:
        """Make it transparent black."""

        def record(commands: Any) -> None:
            self._image.change(commands, (vk.VK_IMAGE_LAYOUT_UNDEFINED, _TO))
            nothing = vk.VkClearColorValue(float32=[0.0, 0.0, 0.0, 0.0])
            handle, whole = self._image.handle, self._image.whole
            vk.vkCmdClearColorImage(commands, handle, _TO, nothing, 1, [whole])
            self._image.change(commands, (_TO, _READ))

        self._device.run_once(record)

    def take_from(self, commands: Any, other: PassPictures) -> None:
        """Record the copy of another of the same size, format and levels."""
        self._image.change(commands, (_READ, _TO))
        other.image.change(commands, (_READ, _FROM))
        width, height = self._size
        regions = []
        for level in range(self._image.extent.levels):
            part = vk.VkImageSubresourceLayers(
                aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT,
                mipLevel=level,
                layerCount=self._image.extent.layers,
            )
            sides = vk.VkExtent3D(
                width=max(1, width >> level), height=max(1, height >> level), depth=1
            )
            regions.append(vk.VkImageCopy(srcSubresource=part, dstSubresource=part, extent=sides))
        handles = other.image.handle, _FROM, self._image.handle, _TO
        vk.vkCmdCopyImage(commands, *handles, len(regions), regions)
        self._image.change(commands, (_TO, _READ))
        other.image.change(commands, (_FROM, _READ))

    def take(self, commands: Any, target: RenderTarget, face: int = 0) -> None:
        """Record the copy of what a target shows, after its render pass."""
        width, height = self._size
        self._image.change(commands, (_READ, _TO))
        layers = vk.VkImageSubresourceLayers(aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount=1)
        into = vk.VkImageSubresourceLayers(
            aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, baseArrayLayer=face, layerCount=1
        )
        region = vk.VkImageCopy(
            srcSubresource=layers,
            dstSubresource=into,
            extent=vk.VkExtent3D(width=width, height=height, depth=1),
        )
        vk.vkCmdCopyImage(
            commands, target.shown.handle, _FROM, self._image.handle, _TO, 1, [region]
        )
        if self._image.extent.levels == 1:
            self._image.change(commands, (_TO, _READ))
            return
        make_levels(commands, self._image, self._filter, (face, 1))
        self._image.change(commands, (_FROM, _READ))
