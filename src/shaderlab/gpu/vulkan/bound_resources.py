"""Descriptors of what another program had bound for a draw."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.device_textures import bound_texture
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.gpu.vulkan.stored_images import (
    StoredImages,
    image_view,
    stored_sampler,
    upload,
)
from shaderlab.gpu.vulkan.uploads import format_number
from shaderlab.scene.bound import BoundBuffer, BoundImage, SamplerState
from shaderlab.scene.texel_layouts import layout
from shaderlab.scene.textures import Filter
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Resource, ResourceKind
from shaderlab.spirv.trace import BoundTexture

_READ = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
_GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL
_BUFFERS = {
    ResourceKind.UNIFORM_BLOCK: vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
    ResourceKind.STORAGE_BUFFER: vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    ResourceKind.UNIFORM_TEXEL_BUFFER: vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
    ResourceKind.STORAGE_TEXEL_BUFFER: vk.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
}


class BoundResources:
    """Makes the resources of one shader variable, which `stack` destroys."""

    def __init__(self, device: Device, resource: Resource, stack: ExitStack):
        self._device, self._resource, self._stack = device, resource, stack
        self.stored: DeviceImage | None = None
        """The first storage image that was made."""
        self.attached: tuple[Any, tuple[int, int]] | None = None
        """View, VkFormat and samples of the last image that was made."""
        self.texture: BoundTexture | None = None
        """The first image that was made."""

    def made(self, bound: BoundBuffer | BoundImage) -> Any:
        """VkDescriptorBufferInfo, VkBufferView or VkDescriptorImageInfo.

        Raises UnsupportedShader, OutOfDeviceMemory, and WrongUse for a damaged file.
        """
        if isinstance(bound, BoundBuffer):
            return self._buffer(bound)
        return self._image(bound)

    def _wrong(self, what: str) -> UnsupportedShader:
        at = self._resource.descriptor
        name = printable(self._resource.name)
        return UnsupportedShader(f"{name} (set {at.set}, binding {at.binding}): {what}")

    def _buffer(self, bound: BoundBuffer) -> Any:
        usage = _BUFFERS.get(self._resource.kind)
        if usage is None:
            raise self._wrong("the capture has a buffer there")
        data = bound.contents.read()
        room = max(16, -(-len(data) // 16) * 16)
        buffer = HostBuffer(self._device, room, usage, self._stack, near=True)
        buffer.bytes[:] = 0
        buffer.bytes[: len(data)] = memoryview(data)
        buffer.flush()
        if self._resource.block is not None:
            return vk.VkDescriptorBufferInfo(buffer=buffer.handle, range=vk.VK_WHOLE_SIZE)
        its = layout(bound.format)
        if its is None or len(data) < its.nbytes:
            raise self._wrong("the capture has no texels there")
        info = vk.VkBufferViewCreateInfo(
            buffer=buffer.handle,
            format=format_number(bound.format),
            range=len(data) // its.nbytes * its.nbytes,
        )
        return self._device.create("BufferView", info, self._stack)

    def _image(self, bound: BoundImage) -> Any:
        kind, declared = self._resource.kind, self._resource.image
        if kind in _BUFFERS:
            raise self._wrong("the capture has no buffer there")
        fields: dict[str, Any] = {}
        if bound.sampler is not None:
            fields["sampler"] = stored_sampler(self._device, bound.sampler, self._stack)
        elif kind in (ResourceKind.SAMPLER, ResourceKind.SAMPLED_TEXTURE):
            raise self._wrong("the capture has no sampler there")
        if kind is ResourceKind.SAMPLER or declared is None:
            return vk.VkDescriptorImageInfo(**fields)
        if bound.image is None or bound.view is None:
            raise self._wrong("the capture has no texture there")
        if declared.multisampled != (bound.image.samples > 1):
            raise self._wrong(f"the capture has {bound.image.samples} samples per pixel there")
        at = _READ
        usage = vk.VK_IMAGE_USAGE_STORAGE_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
        if kind is ResourceKind.STORAGE_IMAGE:
            at = _GENERAL
            made = upload(self._device, bound.image, usage, at, self._stack)
            self.stored = self.stored or made
        elif kind is ResourceKind.INPUT_ATTACHMENT:
            usage = vk.VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
            made = upload(self._device, bound.image, usage, at, self._stack)
        else:
            images = self._device.companion(StoredImages, lambda: StoredImages(self._device))
            made = images.texture(bound.image, self._stack)
        view = image_view(self._device, made, bound, declared, self._stack)
        if self.texture is None:
            self.texture = bound_texture(made, declared, _filter(bound.sampler))
        self.attached = view, (made.format, made.extent.samples)
        return vk.VkDescriptorImageInfo(imageView=view, imageLayout=at, **fields)


def _filter(state: SamplerState | None) -> str:
    """As `BoundTexture` has it; a fetch has no sampler."""
    if state is None or "LINEAR" not in (state.magnify, state.minify):
        return Filter.NEAREST.value
    return (Filter.MIPMAP if state.mip == "LINEAR" and state.lod[1] > 0 else Filter.LINEAR).value
