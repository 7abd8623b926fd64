"""The off-screen attachments a shader draws into, and the render passes over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import formats
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.formats import Format
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent, copy_to_host
from shaderlab.scene.draw import Attachments, ColourFormat
from shaderlab.spirv.value_types import Component
from shaderlab.spirv.varyings import Output

_COLOURS = {
    ColourFormat.RGBA8: formats.RGBA8,
    ColourFormat.RGBA8_SRGB: formats.SRGBA8,
    ColourFormat.RGBA16F: formats.RGBA16F,
    ColourFormat.RGBA32F: formats.RGBA32F,
}
_INTEGERS = {Component.INT: formats.RGBA32I, Component.UINT: formats.RGBA32UI}
_COLOUR_LAYOUT = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
_DEPTH_LAYOUT = vk.VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
_SOURCE_LAYOUT = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
_INPUT_LAYOUT = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL


def check_size(device: Device, size: tuple[int, int]) -> None:
    """Raise WrongUse for a picture that is empty or larger than the device can draw."""
    limits = device.limits
    widest = min(
        limits.maxImageDimension2D, limits.maxFramebufferWidth, limits.maxViewportDimensions[0]
    )
    highest = min(
        limits.maxImageDimension2D, limits.maxFramebufferHeight, limits.maxViewportDimensions[1]
    )
    width, height = size
    if not (0 < width <= widest and 0 < height <= highest):
        raise WrongUse(
            f"size {width}x{height} is not between 1x1 and the {widest}x{highest} "
            f"{device.info.name} can draw"
        )


def check_samples(device: Device, samples: int) -> None:
    """Raise WrongUse for a number of samples per pixel the device does not offer."""
    limits = device.limits
    both = limits.framebufferColorSampleCounts & limits.framebufferDepthSampleCounts
    if samples not in (1, 2, 4, 8) or not both & samples:
        offered = ", ".join(str(n) for n in (1, 2, 4, 8) if both & n)
        raise WrongUse(f"{samples} samples per pixel: {device.info.name} offers {offered}")


@dataclass(frozen=True)
class TargetLayout:
    """What attachments a draw has, before any image is made.

    In the render pass they lie in this order: colours by ascending location, their resolved
    pictures where there are several samples, depth, input attachments.
    """

    written: tuple[bool, ...]
    """By output location: whether the shader writes it.  What it does not write is undefined."""
    colours: Mapping[int, Format]
    """By location; location 0 is always there."""
    samples: int = 1
    depth: int | None = None
    """VkFormat of the depth attachment, where there is one."""
    inputs: tuple[int, ...] = ()
    """Indices of input attachments, ascending."""
    input_formats: tuple[tuple[int, int], ...] = ()
    """VkFormat and samples per pixel of each."""
    given: bool = False
    """Whether attachments are another program's: location 0 need not be there, and all stay as
    attachments after a pass."""

    @property
    def locations(self) -> list[int]:
        return sorted(self.colours)

    def render_pass(self, device: Device, stack: ExitStack, *, keep: bool = False) -> Any:
        """VkRenderPass that starts from opaque black, or (`keep`) draws onto what is there."""
        locations, multiple = self.locations, self.samples > 1 and not self.given
        load = vk.VK_ATTACHMENT_LOAD_OP_LOAD if keep else vk.VK_ATTACHMENT_LOAD_OP_CLEAR
        undefined = vk.VK_IMAGE_LAYOUT_UNDEFINED

        def attachment(kind: int, samples: int, final: int, load: int = load) -> vk.Struct:
            is_loaded = load == vk.VK_ATTACHMENT_LOAD_OP_LOAD
            return vk.VkAttachmentDescription(
                format=kind,
                samples=samples,
                loadOp=load,
                storeOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
                stencilLoadOp=load,
                stencilStoreOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
                initialLayout=final if is_loaded else undefined,
                finalLayout=final,
            )

        def final(location: int) -> int:
            is_shown = location == 0 and not self.given
            return _SOURCE_LAYOUT if is_shown else _COLOUR_LAYOUT

        attachments = [
            attachment(
                self.colours[n].vulkan, self.samples, _COLOUR_LAYOUT if multiple else final(n)
            )
            for n in locations
        ]
        resolved = len(attachments)
        if multiple:
            dont_care = vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE
            attachments += [
                attachment(self.colours[n].vulkan, 1, final(n), dont_care) for n in locations
            ]
        depth = len(attachments)
        if self.depth is not None:
            attachments.append(attachment(self.depth, self.samples, _DEPTH_LAYOUT))
        first_input = len(attachments)
        loaded = vk.VK_ATTACHMENT_LOAD_OP_LOAD
        attachments += [
            attachment(kind, samples, _INPUT_LAYOUT, loaded) for kind, samples in self.input_formats
        ]
        unused = vk.VK_ATTACHMENT_UNUSED

        def references(first: int) -> list[vk.Struct]:
            return [
                vk.VkAttachmentReference(
                    attachment=first + locations.index(n) if n in self.colours else unused,
                    layout=_COLOUR_LAYOUT,
                )
                for n in range(len(self.written))
            ]

        subpass: dict[str, Any] = {"pColorAttachments": references(0)}
        if multiple:
            subpass["pResolveAttachments"] = references(resolved)
        if self.depth is not None:
            subpass["pDepthStencilAttachment"] = vk.VkAttachmentReference(
                attachment=depth, layout=_DEPTH_LAYOUT
            )
        if self.inputs:
            subpass["pInputAttachments"] = [
                vk.VkAttachmentReference(
                    attachment=first_input + self.inputs.index(n) if n in self.inputs else unused,
                    layout=_INPUT_LAYOUT,
                )
                for n in range(max(self.inputs) + 1)
            ]
        info = vk.VkRenderPassCreateInfo(
            pAttachments=attachments,
            pSubpasses=[
                vk.VkSubpassDescription(
                    pipelineBindPoint=vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
                    colorAttachmentCount=len(self.written),
                    **subpass,
                )
            ],
            pDependencies=self._dependencies(),
        )
        return device.create("RenderPass", info, stack)

    def _dependencies(self) -> list[vk.Struct]:
        write = vk.VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
        output = vk.VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
        tests = depth_write = depth_read = 0
        if self.depth is not None:
            tests = (
                vk.VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT
                | vk.VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
            )
            depth_write = vk.VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
            depth_read = vk.VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT
        # No fragment of this pass starts before the last pass's are done: what the profiler times
        # is then as many draws in a row as it recorded.
        before = vk.VkSubpassDependency(
            srcSubpass=vk.VK_SUBPASS_EXTERNAL,
            dstSubpass=0,
            srcStageMask=output | tests | vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
            dstStageMask=output | tests | vk.VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
            srcAccessMask=write | depth_write,
            dstAccessMask=write | vk.VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | depth_write | depth_read,
        )
        after = vk.VkSubpassDependency(
            srcSubpass=0,
            dstSubpass=vk.VK_SUBPASS_EXTERNAL,
            srcStageMask=output,
            dstStageMask=vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
            srcAccessMask=write,
            dstAccessMask=vk.VK_ACCESS_TRANSFER_READ_BIT,
        )
        return [before, after]


def target_layout(
    device: Device,
    attachments: Attachments,
    outputs: tuple[Output, ...],
    *,
    with_depth: bool = False,
    inputs: Mapping[int, tuple[int, int]] | None = None,
) -> TargetLayout:
    """The attachments for a shader's colour outputs.

    `inputs`: VkFormats and samples of input attachments by index.  Raises UnsupportedShader.
    """
    by_location = {output.location: output.component for output in outputs}
    written = tuple(n in by_location for n in range(max(by_location, default=0) + 1))
    by_location.setdefault(0, Component.FLOAT)
    if len(written) > device.limits.maxColorAttachments:
        raise UnsupportedShader(
            f"the shader writes output location {len(written) - 1}; "
            f"{device.info.name} has {device.limits.maxColorAttachments} colour attachments"
        )
    colours = {
        n: _INTEGERS.get(component, _COLOURS[attachments.colour])
        for n, component in by_location.items()
    }
    depth = None
    if with_depth:
        attachment = vk.VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT
        has_float = device.supports(vk.VK_FORMAT_D32_SFLOAT, attachment)
        depth = vk.VK_FORMAT_D32_SFLOAT if has_float else vk.VK_FORMAT_D16_UNORM
    read = dict(sorted((inputs or {}).items()))
    return TargetLayout(
        written, colours, attachments.samples, depth, tuple(read), tuple(read.values())
    )


def framebuffer(
    device: Device, render_pass: Any, views: Sequence[Any], size: tuple[int, int], stack: ExitStack
) -> Any:
    """VkFramebuffer of one layer.  `size`: width, height in pixels."""
    return device.create(
        "Framebuffer",
        vk.VkFramebufferCreateInfo(
            renderPass=render_pass, pAttachments=views, width=size[0], height=size[1], layers=1
        ),
        stack,
    )


class RenderTarget:
    """One attachment per colour output; that of location 0 can be read back."""

    def __init__(
        self,
        device: Device,
        size: tuple[int, int],
        layout: TargetLayout,
        stack: ExitStack,
        inputs: Mapping[int, Any] | None = None,
    ):
        """`inputs`: VkImageViews of input attachments by index.

        The size fits the device (`check_size`).  Raises OutOfDeviceMemory.
        """
        self.size = size
        self.layout = layout
        self.format = layout.colours[0]
        """Of the picture that is read back."""
        usage = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
        several = Extent(samples=layout.samples)
        images = [
            DeviceImage(
                device,
                size,
                layout.colours[n].vulkan,
                usage | (0 if n or layout.samples > 1 else vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
                stack,
                several,
            )
            for n in layout.locations
        ]
        self._shown = images[0]
        if layout.samples > 1:
            resolved = [
                DeviceImage(
                    device,
                    size,
                    layout.colours[n].vulkan,
                    usage | (0 if n else vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
                    stack,
                )
                for n in layout.locations
            ]
            self._shown = resolved[0]
            images += resolved
        if layout.depth is not None:
            aspect = vk.VK_IMAGE_ASPECT_DEPTH_BIT
            usage = vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
            extent = several._replace(aspect=aspect)
            images.append(DeviceImage(device, size, layout.depth, usage, stack, extent))
        self.clearing_pass = layout.render_pass(device, stack)
        """Starts from opaque black."""
        keeping_pass = layout.render_pass(device, stack, keep=True)
        views = [image.view for image in images]
        views += [(inputs or {})[index] for index in layout.inputs]
        made = framebuffer(device, self.clearing_pass, views, size, stack)
        self._begin = {
            keep: vk.VkRenderPassBeginInfo(
                renderPass=keeping_pass if keep else self.clearing_pass,
                framebuffer=made,
                renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=size[0], height=size[1])),
                pClearValues=self._clear_values(),
            )
            for keep in (False, True)
        }

    @property
    def picture_bytes(self) -> int:
        """Of the picture as `copy_to` leaves it."""
        return self.size[0] * self.size[1] * self.format.texel_bytes

    @property
    def shown(self) -> DeviceImage:
        """The picture of location 0, in the layout for being copied once a pass has ended."""
        return self._shown

    def begin(self, commands: Any, *, keep: bool = False) -> None:
        """Begin a render pass, which waits for the one before; `keep` draws onto its picture."""
        vk.vkCmdBeginRenderPass(commands, self._begin[keep], vk.VK_SUBPASS_CONTENTS_INLINE)

    def end(self, commands: Any) -> None:
        vk.vkCmdEndRenderPass(commands)

    def copy_to(self, commands: Any, buffer: Any) -> None:
        """Record the copy of location 0's picture, tightly packed, for the host to read."""
        copy_to_host(commands, self._shown, _SOURCE_LAYOUT, buffer)

    def values(self, raw: np.ndarray) -> np.ndarray:
        """(height, width, 4) of what `copy_to` left, in the attachment's own type; a view."""
        dtype = np.dtype(self.format.dtype)
        return raw[: self.picture_bytes].view(dtype).reshape(self.size[1], self.size[0], 4)

    def shown_pixels(self, raw: np.ndarray) -> np.ndarray:
        """(height, width, 4) uint8 RGBA of what `copy_to` left.

        Floats are clamped to 0 to 1; integers are shown as they are, clamped to 0 to 255.
        """
        values = self.values(raw)
        if values.dtype == np.uint8:
            return values
        if np.issubdtype(values.dtype, np.integer):
            return np.clip(values, 0, 255).astype(np.uint8)
        numbers = np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
        return (np.clip(numbers, 0.0, 1.0) * 255 + 0.5).astype(np.uint8)

    def _clear_values(self) -> list[vk.Struct]:
        """Opaque black; for depth 1; for attachments that are not cleared anything."""
        layout = self.layout
        black = vk.VkClearValue(color=vk.VkClearColorValue(float32=[0.0, 0.0, 0.0, 1.0]))
        nothing = vk.VkClearValue(color=vk.VkClearColorValue(uint32=[0, 0, 0, 0]))
        whole = (formats.RGBA32I, formats.RGBA32UI)
        values = [nothing if layout.colours[n] in whole else black for n in layout.locations]
        if layout.samples > 1:
            values *= 2
        if layout.depth is not None:
            far = vk.VkClearDepthStencilValue(depth=1.0)
            values.append(vk.VkClearValue(depthStencil=far))
        return values + [nothing] * len(layout.inputs)
