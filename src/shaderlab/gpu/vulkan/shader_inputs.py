"""The resources bound to a draw's shaders, and the tracer's buffer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.bound_resources import BoundResources
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.device_textures import (
    bound_texture,
    buffer_view,
    device_image,
    refill,
    sampled_format,
    sampler,
    texel_format,
)
from shaderlab.gpu.vulkan.formats import stored_format
from shaderlab.gpu.vulkan.memory import DeviceImage, HostBuffer
from shaderlab.gpu.vulkan.mip_levels import can_make_levels
from shaderlab.gpu.vulkan.pass_pictures import PassPictures
from shaderlab.gpu.vulkan.set_layouts import (
    DESCRIPTOR_TYPES,
    Sets,
    Slot,
    StageInterface,
    joined,
    push_bytes,
    push_stages,
    set_layouts,
    sets_of,
    slots_of,
    with_place_left,
)
from shaderlab.gpu.vulkan.shared_textures import SharedTextures
from shaderlab.gpu.vulkan.texel_cache import TexelCache, is_dated
from shaderlab.scene.binding import Binding
from shaderlab.scene.bound import BoundBuffer, BoundImage
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.keys import Keys
from shaderlab.scene.textures import BLACK, PassPicture, Texture
from shaderlab.spirv.comparisons import compared_variables
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.trace import BoundTexture
from shaderlab.spirv.value_types import Component, Image
from shaderlab.textures.sources import pixels, shows_keys
from shaderlab.textures.texels import Pixels

_STORAGE = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
_BUFFER_USAGES = {
    ResourceKind.UNIFORM_BLOCK: vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
    ResourceKind.STORAGE_BUFFER: vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
}
TEXEL_BUFFERS = (ResourceKind.UNIFORM_TEXEL_BUFFER, ResourceKind.STORAGE_TEXEL_BUFFER)
_READ = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL


class StorageBinding(NamedTuple):
    """A storage buffer of the tracer's, and where the instrumented module looks for it."""

    descriptor_set: int
    binding: int
    buffer: HostBuffer


Pictures = Mapping[PassPicture, PassPictures]
"""By the passes' names."""


class ShaderInputs:
    """Descriptor sets and push constants of a draw, with the pipeline layout."""

    def __init__(
        self,
        device: Device,
        stages: Sequence[StageInterface],
        inputs: Inputs,
        size: tuple[int, int],
        stack: ExitStack,
        storage: StorageBinding | None = None,
        pictures: Pictures | None = None,
        contents: Mapping[Descriptor, np.ndarray] | None = None,
    ):
        """`stages` are supported (`support`).

        `inputs`: whose textures are made now; `size`: of the picture, pixels; `contents`: bytes of
        storage buffers, which `fill` writes and no frame changes.
        Raises OutOfDeviceMemory, UnsupportedShader, and WrongUse for a file that cannot be read.
        """
        self._device = device
        self._size = size
        self._stack = stack
        self._pictures = pictures or {}
        self._contents = contents or {}
        self.stored_images: dict[Descriptor, tuple[Resource, DeviceImage]] = {}
        """Storage images that the draw may write."""
        self._texels = device.companion(TexelCache, TexelCache)
        self._keys = inputs.uniforms.keys
        self._keyboards: list[tuple[DeviceImage, Image, Texture]] = []
        """Images that follow the keyboard."""
        self._stages = stages
        self._bindings = [Binding.of(each.program) for each in stages]
        self._compared = {
            resource.descriptor
            for each in stages
            if (variables := compared_variables(each.module))
            for resource in each.interface.resources
            if resource.variable in variables
        }
        slots = with_place_left(slots_of(stages), device)
        sets = sets_of(slots)
        if storage is not None:
            kept = sets.setdefault(storage.descriptor_set, {})
            kept[storage.binding] = (_STORAGE, 1, vk.VK_SHADER_STAGE_ALL)
        layouts = set_layouts(device, sets, stack)
        self._push_bytes = push_bytes(self._bindings)
        self._push_stages = push_stages(stages)
        self._push = b""
        self.layout = joined(device, layouts, self._push_bytes, self._push_stages, stack)
        self.layout_key = (
            tuple((n, tuple(sorted(its.items()))) for n, its in sorted(sets.items())),
            self._push_bytes,
            self._push_stages,
        )
        """Equal for compatible layouts."""
        self._sets = self._allocate(layouts, sets, stack)
        self._blocks: dict[Descriptor, HostBuffer] = {}
        self.attachments: dict[int, Any] = {}
        """VkImageViews of input attachments, by their index."""
        self.attachment_formats: dict[int, tuple[int, int]] = {}
        """Their VkFormats and samples per pixel."""
        self.textures: dict[tuple[int, int], BoundTexture] = {}
        """What is bound to be sampled, fetched, loaded or stored; of an array the first."""
        textures: dict[Descriptor, tuple[Texture, ...]] = {}
        for binding in reversed(self._bindings):
            textures.update(binding.texture_elements(inputs))
        bound: dict[Descriptor, tuple[BoundBuffer | BoundImage, ...]] = {}
        for binding in reversed(self._bindings):
            bound.update(binding.bound_images(inputs))
        self._sizes = inputs.bound.block_bytes if inputs.bound is not None else {}
        for at, slot in slots.items():
            if at in bound:
                self._fill_bound(at, slot, bound[at])
                continue
            shown = textures.get(at, (BLACK,))
            self._fill(at, slot, shown if len(shown) == slot.count else shown[:1] * slot.count)
        if storage is not None:
            at = Descriptor(storage.descriptor_set, storage.binding)
            self._write(at, _STORAGE, pBufferInfo=[_whole(storage.buffer)])

    def spec_constants(self, inputs: Inputs) -> list[Mapping[int, bytes]]:
        """Given values of each stage, by SpecId."""
        return [binding.spec_constants(inputs) for binding in self._bindings]

    def set_values(self, inputs: Inputs, size: tuple[int, int], camera: Camera) -> bool:
        """Values for the next submission, of a picture of `size` pixels.

        Returns whether commands must be recorded anew, because push constants are part of them.
        """
        push = b""
        self._follow_keys(inputs.uniforms.keys)
        for binding in self._bindings:
            for at, contents in binding.blocks(inputs, size, camera).items():
                if at in self._contents:
                    continue
                block = self._blocks[at]
                block.bytes[: len(contents)] = memoryview(contents)
                block.flush()
            given = binding.push_constants(inputs, size, camera)
            push = given if len(given) > len(push) else push
        has_changed, self._push = push != self._push, push
        return has_changed

    def _follow_keys(self, keys: Keys) -> None:
        if keys == self._keys:
            return
        self._keys = keys
        for shown, image, texture in self._keyboards:
            found = pixels(texture, image, keys)
            kind = sampled_format(self._device, found.levels[0], found.srgb, False)
            refill(self._device, shown, found.levels, kind)

    def fill(self) -> None:
        """Write the storage buffers' contents anew."""
        for at, contents in self._contents.items():
            block = self._blocks[at]
            block.bytes[: len(contents)] = contents
            block.flush()

    def buffer(self, at: Descriptor) -> np.ndarray:
        """(nbytes,) uint8 of a block, a view of what the device left there."""
        block = self._blocks[at]
        block.invalidate()
        return block.bytes[: len(self._contents[at])] if at in self._contents else block.bytes

    def bind(self, commands: Any, point: int = vk.VK_PIPELINE_BIND_POINT_GRAPHICS) -> None:
        """`point`: VkPipelineBindPoint."""
        vk.vkCmdBindDescriptorSets(
            commands,
            point,
            self.layout,
            0, len(self._sets), self._sets, 0, None,
        )  # fmt: skip
        if self._push_bytes:
            contents = self._push.ljust(self._push_bytes, b"\0")[: self._push_bytes]
            vk.vkCmdPushConstants(
                commands, self.layout, self._push_stages, 0, self._push_bytes, contents
            )

    def _fill_bound(
        self, at: Descriptor, slot: Slot, elements: tuple[BoundBuffer | BoundImage, ...]
    ) -> None:
        """Bind what another program had bound; elements that it left empty show the first."""
        first = next((each for each in elements if each != BoundImage()), elements[0])
        full = [
            elements[n] if n < len(elements) and elements[n] != BoundImage() else first
            for n in range(slot.count)
        ]
        kind = DESCRIPTOR_TYPES[slot.resource.kind]
        maker = BoundResources(self._device, slot.resource, self._stack)
        made = {each: maker.made(each) for each in dict.fromkeys(full)}
        if slot.resource.kind is ResourceKind.INPUT_ATTACHMENT and maker.attached is not None:
            view, kept = maker.attached
            for index in range(slot.resource.attachment, slot.resource.attachment + slot.count):
                self.attachments[index], self.attachment_formats[index] = view, kept
        if maker.stored is not None:
            self.stored_images[at] = slot.resource, maker.stored
        if maker.texture is not None:
            self.textures.setdefault(at, maker.texture)
        infos = [made[each] for each in full]
        if slot.resource.block is not None:
            self._write(at, kind, pBufferInfo=infos)
        elif slot.resource.kind in TEXEL_BUFFERS:
            self._write(at, kind, pTexelBufferView=infos)
        else:
            self._write(at, kind, pImageInfo=infos)

    def _fill(self, at: Descriptor, slot: Slot, shown: tuple[Texture, ...]) -> None:
        """Make what a descriptor refers to; `shown`: by element of an array of descriptors."""
        resource, count = slot.resource, slot.count
        kind = DESCRIPTOR_TYPES[resource.kind]
        image, texture = resource.image, shown[0]
        if resource.block is not None:
            self._blocks[at] = block = self._block(at, resource)
            self._write(at, kind, pBufferInfo=[_whole(block)] * count)
        elif image is None:
            compared = at in self._compared
            made = sampler(self._device, texture, self._stack, compared=compared)
            self._write(at, kind, pImageInfo=[vk.VkDescriptorImageInfo(sampler=made)] * count)
        elif resource.kind in TEXEL_BUFFERS:
            view = self._texel_buffer(resource, image, texture)
            self._write(at, kind, pTexelBufferView=[view] * count)
        elif resource.kind is ResourceKind.STORAGE_IMAGE:
            general = vk.VK_IMAGE_LAYOUT_GENERAL
            view = self._storage_image(at, resource, image, texture)
            info = vk.VkDescriptorImageInfo(imageView=view, imageLayout=general)
            self._write(at, kind, pImageInfo=[info] * count)
        elif resource.kind is ResourceKind.INPUT_ATTACHMENT:
            view, kept = self._input_attachment(at, image, texture)
            for index in range(resource.attachment, resource.attachment + count):
                self.attachments[index], self.attachment_formats[index] = view, kept
            info = vk.VkDescriptorImageInfo(imageView=view, imageLayout=_READ)
            self._write(at, kind, pImageInfo=[info] * count)
        else:
            distinct = dict.fromkeys(shown)
            made = {each: self._texture(at, image, each, resource.kind) for each in distinct}
            self._write(at, kind, pImageInfo=[made[each] for each in shown])

    def _block(self, at: Descriptor, resource: Resource) -> HostBuffer:
        nbytes = max(
            len(contents)
            for binding in self._bindings
            if (contents := binding.blocks(Inputs(), (1, 1)).get(at)) is not None
        )
        nbytes = max(nbytes, self._sizes.get(at, 0), len(self._contents.get(at, b"")))
        usage = _BUFFER_USAGES[resource.kind]
        block = HostBuffer(self._device, _room(nbytes), usage, self._stack, near=True)
        block.bytes[:] = 0
        block.flush()
        return block

    def _texture(
        self, at: Descriptor, image: Image, texture: Texture, kind: ResourceKind
    ) -> vk.Struct:
        compared = image.depth or at in self._compared
        whole = image.component is not Component.FLOAT
        made = vk.ffi.NULL
        if kind is ResourceKind.SAMPLED_TEXTURE:
            made = sampler(self._device, texture, self._stack, whole=whole, compared=compared)
        source = texture.source
        picture = self._pictures.get(source) if isinstance(source, PassPicture) else None
        if picture is not None and picture.fits(image) and not compared:
            shown = picture.image
        else:
            follows = shows_keys(texture, image) and not compared
            shown = self._image_of(texture, image, follows=follows, compared=compared)
            if follows:
                self._keyboards.append((shown, image, texture))
        self.textures.setdefault(at, bound_texture(shown, image, texture.filter.value))
        return vk.VkDescriptorImageInfo(sampler=made, imageView=shown.view, imageLayout=_READ)

    def _image_of(
        self, texture: Texture, image: Image, *, follows: bool, compared: bool
    ) -> DeviceImage:
        """`follows`: the keyboard; all others are shared by draws."""

        def made(found: Pixels, stack: ExitStack) -> DeviceImage:
            kind = sampled_format(self._device, found.levels[0], found.srgb, compared)
            chained = found.lacks_levels
            if chained and (compared or not can_make_levels(self._device, kind.vulkan)):
                # A copy filters no depth, and of colours not what `can_make_levels` names.
                found, chained = self._texels.pixels(texture, image), False
            usage = vk.VK_IMAGE_USAGE_SAMPLED_BIT
            return device_image(
                self._device, image, found.levels, kind, usage, _READ, stack, chained=chained
            )

        if follows:
            return made(pixels(texture, image, self._keys), self._stack)
        if not is_dated(texture):
            return made(self._texels.first(texture, image), self._stack)
        shared = self._device.companion(SharedTextures, SharedTextures)
        return shared.image(
            (texture, image, compared),
            lambda stack: made(self._texels.first(texture, image), stack),
            self._stack,
        )

    def _storage_image(
        self, at: Descriptor, resource: Resource, image: Image, texture: Texture
    ) -> Any:
        stored = stored_format(image)
        if stored is None:
            raise UnsupportedShader(f"{resource.name}: the format {image.format} is not supported")
        levels = self._texels.pixels(texture, image).levels[:1]
        if texture == BLACK:  # nobody gave any: as large as the picture, which it is likely to hold
            layers, depth, *_ = levels[0].shape
            height, width = self._size[::-1]
            if image.dimension.value == "1D":
                height = 1
            elif image.dimension.value == "Cube":
                width = height = min(width, height)
            levels = (np.zeros((layers, depth, height, width, 4), levels[0].dtype),)
        usage = vk.VK_IMAGE_USAGE_STORAGE_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
        general = vk.VK_IMAGE_LAYOUT_GENERAL
        made = device_image(self._device, image, levels, stored, usage, general, self._stack)
        self.stored_images[at] = resource, made
        self.textures.setdefault(at, bound_texture(made, image))
        return made.view

    def _input_attachment(
        self, at: Descriptor, image: Image, texture: Texture
    ) -> tuple[Any, tuple[int, int]]:
        """View, VkFormat and samples; as large as the picture, and the texture repeats over it."""
        level = self._texels.pixels(texture, image).levels[0]
        width, height = self._size
        rows = np.arange(height) % level.shape[2]
        columns = np.arange(width) % level.shape[3]
        filled = np.ascontiguousarray(level[:1, :1, rows][:, :, :, columns])
        kind = sampled_format(self._device, filled, False, False)
        usage = vk.VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
        made = device_image(self._device, image, (filled,), kind, usage, _READ, self._stack)
        self.textures.setdefault(at, bound_texture(made, image))
        return made.view, (kind.vulkan, made.extent.samples)

    def _texel_buffer(self, resource: Resource, image: Image, texture: Texture) -> Any:
        texels = self._texels.pixels(texture, image).levels[0].reshape(-1, 4)
        if resource.kind is ResourceKind.UNIFORM_TEXEL_BUFFER:
            usage = vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
            return buffer_view(self._device, texels, texel_format(image), usage, self._stack)
        stored = stored_format(image)
        if stored is None:
            raise UnsupportedShader(f"{resource.name}: the format {image.format} is not supported")
        usage = vk.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
        return buffer_view(self._device, texels, stored, usage, self._stack)

    def _allocate(self, layouts: list[Any], sets: Sets, stack: ExitStack) -> list[Any]:
        counts: dict[int, int] = {}
        for bindings in sets.values():
            for kind, count, _ in bindings.values():
                counts[kind] = counts.get(kind, 0) + count
        sizes = [
            vk.VkDescriptorPoolSize(type=kind, descriptorCount=count)
            for kind, count in counts.items()
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

    def _write(self, at: Descriptor, kind: int, **contents: list[Any]) -> None:
        write = vk.VkWriteDescriptorSet(
            dstSet=self._sets[at.set],
            dstBinding=at.binding,
            descriptorCount=max(len(each) for each in contents.values()),
            descriptorType=kind,
            **contents,
        )
        vk.vkUpdateDescriptorSets(self._device.handle, 1, [write], 0, None)


def _room(nbytes: int) -> int:
    """Bytes bound for a block of `nbytes`: whole vectors, which a compiler may read."""
    return max(16, -(-nbytes // 16) * 16)


def _whole(buffer: HostBuffer) -> vk.Struct:
    return vk.VkDescriptorBufferInfo(buffer=buffer.handle, range=vk.VK_WHOLE_SIZE)
