"""The resources bound to a shader: the uniform block, the textures, and the tracer's buffer."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.reflection import Descriptor, Interface, ResourceKind
from shaderlab.spirv.value_types import Dimension

_DESCRIPTOR_TYPES = {
    ResourceKind.UNIFORM_BLOCK: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    ResourceKind.SAMPLED_TEXTURE: vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
}
_STORAGE = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER


class StorageBinding(NamedTuple):
    """A storage buffer of the tracer's, and where the instrumented module looks for it."""

    descriptor_set: int
    binding: int
    buffer: HostBuffer


class ShaderInputs:
    """Descriptor sets for the resources a module declares, with the pipeline layout."""

    def __init__(
        self,
        device: Device,
        interface: Interface,
        stack: ExitStack,
        storage: StorageBinding | None = None,
    ):
        """`interface` is supported (`support`).  Raises OutOfDeviceMemory."""
        self._device = device
        self._binding = Binding(interface)
        self._blocks: dict[Descriptor, HostBuffer] = {}
        sets = _sets(interface)
        if storage is not None:
            sets.setdefault(storage.descriptor_set, {})[storage.binding] = _STORAGE
        layouts = _set_layouts(device, sets, stack)
        self.layout = _joined(device, layouts, stack)
        self._sets = self._allocate(layouts, sets, stack)
        for at, contents in self._binding.blocks(Inputs(), (1, 1)).items():
            usage = vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
            block = HostBuffer(device, _room(len(contents)), usage, stack)
            self._blocks[at] = block
            self._write_buffer(at, vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, block)
        for resource in interface.resources:
            if resource.image is not None:
                is_cube = resource.image.dimension is Dimension.CUBE
                self._write_texture(resource.descriptor, is_cube, stack)
        if storage is not None:
            at = Descriptor(storage.descriptor_set, storage.binding)
            self._write_buffer(at, _STORAGE, storage.buffer)

    def set_values(self, inputs: Inputs, size: tuple[int, int]) -> None:
        """Values of uniforms for the next submission, of a picture of `size` pixels."""
        for at, contents in self._binding.blocks(inputs, size).items():
            block = self._blocks[at]
            block.bytes[: len(contents)] = memoryview(contents)
            block.flush()

    def bind(self, commands: Any) -> None:
        vk.vkCmdBindDescriptorSets(
            commands,
            vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
            self.layout,
            0, len(self._sets), self._sets, 0, None,
        )  # fmt: skip

    def _allocate(
        self, layouts: list[Any], sets: dict[int, dict[int, int]], stack: ExitStack
    ) -> list[Any]:
        kinds = [kind for types in sets.values() for kind in types.values()]
        sizes = [
            vk.VkDescriptorPoolSize(type=kind, descriptorCount=kinds.count(kind))
            for kind in dict.fromkeys(kinds)
        ] or [vk.VkDescriptorPoolSize(type=vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, descriptorCount=1)]
        pool = self._device.create(
            "DescriptorPool",
            vk.VkDescriptorPoolCreateInfo(maxSets=len(layouts), pPoolSizes=sizes),
            stack,
        )
        made = vk.ffi.new("VkDescriptorSet[]", len(layouts))
        info = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=layouts)
        vk.vkAllocateDescriptorSets(self._device.handle, info, made)
        return list(made)

    def _write_buffer(self, at: Descriptor, kind: int, buffer: HostBuffer) -> None:
        whole = vk.VkDescriptorBufferInfo(buffer=buffer.handle, range=vk.VK_WHOLE_SIZE)
        write = vk.VkWriteDescriptorSet(
            dstSet=self._sets[at.set],
            dstBinding=at.binding,
            descriptorType=kind,
            pBufferInfo=[whole],
        )
        vk.vkUpdateDescriptorSets(self._device.handle, 1, [write], 0, None)

    def _write_texture(self, at: Descriptor, cube: bool, stack: ExitStack) -> None:
        image = _black_texture(self._device, cube, stack)
        sampler = self._device.create(
            "Sampler",
            vk.VkSamplerCreateInfo(
                magFilter=vk.VK_FILTER_LINEAR,
                minFilter=vk.VK_FILTER_LINEAR,
                addressModeU=vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
                addressModeV=vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
                addressModeW=vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
            ),
            stack,
        )
        texture = vk.VkDescriptorImageInfo(
            sampler=sampler,
            imageView=image.view,
            imageLayout=vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        )
        write = vk.VkWriteDescriptorSet(
            dstSet=self._sets[at.set],
            dstBinding=at.binding,
            descriptorType=vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            pImageInfo=[texture],
        )
        vk.vkUpdateDescriptorSets(self._device.handle, 1, [write], 0, None)


def pipeline_layout(device: Device, interface: Interface, stack: ExitStack) -> Any:
    """VkPipelineLayout for a supported interface, without anything bound."""
    return _joined(device, _set_layouts(device, _sets(interface), stack), stack)


def _room(nbytes: int) -> int:
    """Bytes bound for a block of `nbytes`: whole vectors, which a compiler may read."""
    return max(16, -(-nbytes // 16) * 16)


def _sets(interface: Interface) -> dict[int, dict[int, int]]:
    """VkDescriptorType by set and binding."""
    sets: dict[int, dict[int, int]] = {0: {}}
    for resource in interface.resources:
        at = resource.descriptor
        sets.setdefault(at.set, {})[at.binding] = _DESCRIPTOR_TYPES[resource.kind]
    return sets


def _set_layouts(device: Device, sets: dict[int, dict[int, int]], stack: ExitStack) -> list[Any]:
    return [_set_layout(device, sets.get(n, {}), stack) for n in range(max(sets) + 1)]


def _set_layout(device: Device, types: dict[int, int], stack: ExitStack) -> Any:
    bindings = [
        vk.VkDescriptorSetLayoutBinding(
            binding=binding,
            descriptorType=kind,
            descriptorCount=1,
            stageFlags=vk.VK_SHADER_STAGE_FRAGMENT_BIT,
        )
        for binding, kind in types.items()
    ]
    info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings)
    return device.create("DescriptorSetLayout", info, stack)


def _joined(device: Device, layouts: list[Any], stack: ExitStack) -> Any:
    info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=layouts)
    return device.create("PipelineLayout", info, stack)


def _black_texture(device: Device, cube: bool, stack: ExitStack) -> DeviceImage:
    """A texture of one opaque black texel per face, as Shadertoy shows an empty channel."""
    usage = vk.VK_IMAGE_USAGE_SAMPLED_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
    image = DeviceImage(device, (1, 1), vk.VK_FORMAT_R8G8B8A8_UNORM, usage, stack, cube=cube)

    def change(commands: Any, old: int, new: int, access: tuple[int, int], stages: tuple[int, int]):
        barrier = vk.VkImageMemoryBarrier(
            srcAccessMask=access[0],
            dstAccessMask=access[1],
            oldLayout=old,
            newLayout=new,
            srcQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            dstQueueFamilyIndex=vk.VK_QUEUE_FAMILY_IGNORED,
            image=image.handle,
            subresourceRange=image.whole,
        )
        vk.vkCmdPipelineBarrier(commands, *stages, 0, 0, None, 0, None, 1, [barrier])

    def clear(commands: Any) -> None:
        transfer = vk.VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
        write, read = vk.VK_ACCESS_TRANSFER_WRITE_BIT, vk.VK_ACCESS_SHADER_READ_BIT
        top, copy = vk.VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, vk.VK_PIPELINE_STAGE_TRANSFER_BIT
        change(commands, vk.VK_IMAGE_LAYOUT_UNDEFINED, transfer, (0, write), (top, copy))
        black = vk.VkClearColorValue(float32=[0.0, 0.0, 0.0, 1.0])
        vk.vkCmdClearColorImage(commands, image.handle, transfer, black, 1, [image.whole])
        change(
            commands,
            transfer,
            vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
            (write, read),
            (copy, vk.VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT),
        )

    device.run_once(clear)
    return image
