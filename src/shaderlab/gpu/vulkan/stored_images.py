"""Images of another program on a device: uploaded as their formats keep them, and seen by views."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.device_textures import image_types
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent
from shaderlab.gpu.vulkan.sample_copies import SampleFill, attachment_usage
from shaderlab.gpu.vulkan.uploads import Upload, aspects, format_number, planes
from shaderlab.scene.bound import BoundImage, ImageView, SamplerState, StoredImage
from shaderlab.scene.texel_layouts import DEPTH
from shaderlab.spirv.value_types import Component, Image

_BUDGET = 512 << 20
"""Bytes of images kept for draws to come."""
_COLOUR = vk.VK_IMAGE_ASPECT_COLOR_BIT
_DEPTH = vk.VK_IMAGE_ASPECT_DEPTH_BIT
_STENCIL = vk.VK_IMAGE_ASPECT_STENCIL_BIT


def upload(
    device: Device, stored: StoredImage, usage: int, layout: int, stack: ExitStack
) -> DeviceImage:
    """An image with its contents, in `layout`.

    Raises UnsupportedShader, OutOfDeviceMemory, and WrongUse for a damaged file.
    """
    if stored.is_cube:
        view = vk.VK_IMAGE_VIEW_TYPE_CUBE
    else:
        view = (vk.VK_IMAGE_VIEW_TYPE_1D_ARRAY, vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                vk.VK_IMAGE_VIEW_TYPE_3D)[stored.dimension - 1]  # fmt: skip
    extent = Extent(
        (vk.VK_IMAGE_TYPE_1D, vk.VK_IMAGE_TYPE_2D, vk.VK_IMAGE_TYPE_3D)[stored.dimension - 1],
        view,
        stored.size[2],
        stored.layers,
        len(stored.levels),
        aspect=aspects(stored.format),
        flags=vk.VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT if stored.format not in DEPTH else 0,
    )
    number = format_number(stored.format)
    if stored.samples > 1:
        return _of_samples(device, stored, usage, layout, stack)
    usage |= vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
    made = DeviceImage(device, stored.size[:2], number, usage, stack, extent)
    with ExitStack() as meanwhile:
        parts = [
            (level, layer, planes(stored.format, contents.read()))
            for level, layers in enumerate(stored.levels)
            for layer, contents in enumerate(layers)
        ]
        copied = Upload(device, made, parts, meanwhile)
        device.run_once(lambda commands: copied.record(commands, layout))
    return made


def _of_samples(
    device: Device, stored: StoredImage, usage: int, layout: int, stack: ExitStack
) -> DeviceImage:
    """The same of several samples per pixel."""
    if stored.layers > 1:
        raise UnsupportedShader("multisampled texture arrays are not replayed")
    usage |= attachment_usage(stored.format)
    extent = Extent(samples=stored.samples, aspect=aspects(stored.format))
    size, number = stored.size[:2], format_number(stored.format)
    made = DeviceImage(device, size, number, usage, stack, extent)
    with ExitStack() as meanwhile:
        data = stored.levels[0][0].read()
        fill = SampleFill(device, made, stored.format, data, meanwhile)
        device.run_once(lambda commands: fill.record(commands, layout))
    return made


class StoredImages:
    """Textures kept on a device, since draws of one frame share them.  Its companion."""

    def __init__(self, device: Device):
        self._device = device
        self._kept: dict[StoredImage, tuple[DeviceImage, ExitStack, int]] = {}
        self._users: dict[StoredImage, int] = {}

    def texture(self, stored: StoredImage, stack: ExitStack) -> DeviceImage:
        """In the layout for being read; stays at least until `stack` unwinds."""
        if stored not in self._kept:
            nbytes = sum(each.nbytes for layers in stored.levels for each in layers)
            self._make_room(nbytes)
            with ExitStack() as own:
                usage = vk.VK_IMAGE_USAGE_SAMPLED_BIT
                layout = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
                made = upload(self._device, stored, usage, layout, own)
                self._kept[stored] = made, own.pop_all(), nbytes
        self._users[stored] = self._users.get(stored, 0) + 1
        stack.callback(self._release, stored)
        return self._kept[stored][0]

    def _release(self, stored: StoredImage) -> None:
        self._users[stored] -= 1

    def _make_room(self, nbytes: int) -> None:
        total = nbytes + sum(each for _, _, each in self._kept.values())
        for stored in list(self._kept):
            if total <= _BUDGET:
                return
            if not self._users.get(stored):
                _, own, freed = self._kept.pop(stored)
                own.close()
                total -= freed

    def close(self) -> None:
        for _, own, _ in self._kept.values():
            own.close()
        self._kept.clear()


def image_view(
    device: Device, made: DeviceImage, bound: BoundImage, declared: Image, stack: ExitStack
) -> Any:
    """VkImageView of what a shader that declares `declared` reads."""
    stored, view = bound.image, bound.view
    assert stored is not None
    assert view is not None
    aspect = aspects(stored.format)
    name = view.format
    if aspect != _COLOUR:  # one aspect is read at a time
        name = stored.format
        is_stencil = declared.component is not Component.FLOAT or aspect == _STENCIL
        aspect = _STENCIL if is_stencil else _DEPTH
    _, plain, arrayed = image_types(declared)
    kind = arrayed if declared.arrayed else plain
    layers = view.layers
    if kind in (plain, vk.VK_IMAGE_VIEW_TYPE_3D) and not declared.arrayed:
        layers = 6 if kind == vk.VK_IMAGE_VIEW_TYPE_CUBE else 1
    _check_view(stored, view, layers)
    swizzles = ("R", "G", "B", "A", "ZERO", "ONE")
    red, green, blue, alpha = (
        getattr(vk, f"VK_COMPONENT_SWIZZLE_{each}") if each in swizzles else 0
        for each in view.swizzle
    )
    info = vk.VkImageViewCreateInfo(
        image=made.handle,
        viewType=kind,
        format=format_number(name),
        components=vk.VkComponentMapping(r=red, g=green, b=blue, a=alpha),
        subresourceRange=vk.VkImageSubresourceRange(
            aspectMask=aspect,
            baseMipLevel=view.first_level,
            levelCount=view.levels,
            baseArrayLayer=view.first_layer,
            layerCount=layers,
        ),
    )
    return device.create("ImageView", info, stack)


def _check_view(stored: StoredImage, view: ImageView, layers: int) -> None:
    if view.first_layer + layers > stored.layers:
        raise UnsupportedShader(
            f"a texture of {stored.layers} layers is read as one of {view.first_layer + layers}"
        )


def stored_sampler(device: Device, state: SamplerState, stack: ExitStack) -> Any:
    """VkSampler."""
    has_anisotropy = state.anisotropy > 1 and "samplerAnisotropy" in device.features
    first, second, third = (
        getattr(vk, f"VK_SAMPLER_ADDRESS_MODE_{each}") for each in state.address
    )
    info = vk.VkSamplerCreateInfo(
        magFilter=getattr(vk, f"VK_FILTER_{state.magnify}"),
        minFilter=getattr(vk, f"VK_FILTER_{state.minify}"),
        mipmapMode=getattr(vk, f"VK_SAMPLER_MIPMAP_MODE_{state.mip}"),
        addressModeU=first,
        addressModeV=second,
        addressModeW=third,
        mipLodBias=state.lod_bias,
        anisotropyEnable=has_anisotropy,
        maxAnisotropy=min(state.anisotropy, device.limits.maxSamplerAnisotropy)
        if has_anisotropy
        else 1.0,
        compareEnable=state.compare is not None,
        compareOp=getattr(vk, f"VK_COMPARE_OP_{state.compare or 'NEVER'}"),
        minLod=state.lod[0],
        maxLod=state.lod[1],
        borderColor=_border(state.border),
        unnormalizedCoordinates=state.unnormalized,
    )
    return device.create("Sampler", info, stack)


def _border(colour: tuple[float, float, float, float]) -> int:
    """The nearest of Vulkan's fixed border colours."""
    if colour[3] < 0.5:
        return vk.VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK
    is_white = sum(colour[:3]) >= 1.5
    black, white = vk.VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, vk.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
    return white if is_white else black
