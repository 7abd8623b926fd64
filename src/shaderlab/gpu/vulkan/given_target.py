"""Attachments with the formats and contents that another program's draw found."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.formats import Format
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent, HostBuffer
from shaderlab.gpu.vulkan.render_target import RenderTarget, TargetLayout, framebuffer
from shaderlab.gpu.vulkan.sample_copies import SampleFill, SampleRead, attachment_usage
from shaderlab.gpu.vulkan.uploads import (
    Upload,
    aspects,
    depth_bytes,
    format_number,
    packed,
    plane_bytes,
    planes,
)
from shaderlab.scene.fixed_functions import ColourTarget, DepthTarget, FixedFunctions
from shaderlab.scene.texel_decoding import decoded
from shaderlab.scene.texel_layouts import layout
from shaderlab.spirv.varyings import Output

_COLOUR = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
_DEPTH = vk.VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
_SOURCE = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL


def given_layout(
    device: Device,
    fixed: FixedFunctions,
    outputs: tuple[Output, ...],
    size: tuple[int, int],
    inputs: Mapping[int, tuple[int, int]],
) -> TargetLayout:
    """The attachments of a draw, of which its shader may write some; `size`: in pixels; `inputs`:
    VkFormats and samples of input attachments by index.

    Raises UnsupportedShader, and WrongUse for another size than that of the contents.
    """
    if len(fixed.colours) > device.limits.maxColorAttachments:
        raise UnsupportedShader(
            f"it has {len(fixed.colours)} colour attachments; "
            f"{device.info.name} takes {device.limits.maxColorAttachments}"
        )
    for target in (*fixed.colours, fixed.depth):
        its = target and layout(target.format)
        if target and its and target.before.nbytes != its.size(*size) * fixed.samples:
            raise WrongUse("a captured draw has the size that it was captured with")
    written = {output.location for output in outputs}
    colours = {}
    for location, target in enumerate(fixed.colours):
        if target is not None:
            its = layout(target.format)
            nbytes = its.nbytes if its else 0
            colours[location] = Format(format_number(target.format), None, 4, nbytes=nbytes)
    return TargetLayout(
        tuple(n in written for n in range(len(fixed.colours))),
        colours,
        fixed.samples,
        format_number(fixed.depth.format) if fixed.depth else None,
        tuple(sorted(inputs)),
        tuple(its for _, its in sorted(inputs.items())),
        given=True,
    )


class GivenTarget(RenderTarget):
    """Starts each pass from the contents that were given, unless what is there is kept."""

    def __init__(
        self,
        device: Device,
        size: tuple[int, int],
        layout: TargetLayout,
        fixed: FixedFunctions,
        stack: ExitStack,
        inputs: Mapping[int, Any],
    ):
        """`inputs`: VkImageViews of input attachments by index.

        Raises UnsupportedShader, OutOfDeviceMemory, and WrongUse for contents that cannot be read.
        """
        self.size = size
        self.layout = layout
        self._fixed = fixed
        self._images: dict[int, DeviceImage] = {}
        self._depth: DeviceImage | None = None
        self._uploads: list[tuple[Upload | SampleFill, int]] = []
        self._reads: dict[int, SampleRead] = {}
        """Of colour attachments of several samples, by location."""
        for location in layout.locations:
            target = fixed.colours[location]
            assert target is not None
            self._images[location] = made = self._attached(device, target, stack)
            if layout.samples > 1:
                self._reads[location] = SampleRead(
                    device, made, target.format, vk.VK_IMAGE_ASPECT_COLOR_BIT, stack
                )
        views = [image.view for image in self._images.values()]
        if fixed.depth is not None and layout.depth is not None:
            self._depth = self._attached(device, fixed.depth, stack)
            views.append(self._depth.view)
        views += [inputs[index] for index in layout.inputs]
        self.clearing_pass = layout.render_pass(device, stack, keep=True)
        made = framebuffer(device, self.clearing_pass, views, size, stack)
        area = vk.VkRect2D(extent=vk.VkExtent2D(width=size[0], height=size[1]))
        begin = vk.VkRenderPassBeginInfo(
            renderPass=self.clearing_pass, framebuffer=made, renderArea=area
        )
        self._begin = {True: begin, False: begin}

    def _attached(
        self, device: Device, target: ColourTarget | DepthTarget, stack: ExitStack
    ) -> DeviceImage:
        """An attachment, which each pass will fill anew."""
        samples, its, data = self.layout.samples, aspects(target.format), target.before.read()
        extent = Extent(samples=samples, aspect=its)
        transfer = vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
        usage = attachment_usage(target.format)
        if samples == 1:
            usage = usage & ~vk.VK_IMAGE_USAGE_SAMPLED_BIT | transfer
        number = format_number(target.format)
        made = DeviceImage(device, self.size, number, usage, stack, extent)
        into = _COLOUR if its == vk.VK_IMAGE_ASPECT_COLOR_BIT else _DEPTH
        if samples > 1:
            fill: Upload | SampleFill = SampleFill(device, made, target.format, data, stack)
        else:
            fill = Upload(device, made, [(0, 0, planes(target.format, data))], stack)
        self._uploads.append((fill, into))
        return made

    @property
    def picture_bytes(self) -> int:
        return max(
            16, sum(each.texel_bytes for each in self.layout.colours.values()) * self._pixels
        )

    @property
    def shown(self) -> DeviceImage:
        raise UnsupportedShader("the picture of a captured draw is not read by other passes")

    @property
    def _pixels(self) -> int:
        """With all samples of each."""
        return self.size[0] * self.size[1] * self.layout.samples

    def restore(self, commands: Any) -> None:
        """Record the copies of what the attachments held before the draw."""
        for upload, into in self._uploads:
            upload.record(commands, into)

    def begin(self, commands: Any, *, keep: bool = False) -> None:
        if not keep:
            self.restore(commands)
        super().begin(commands, keep=True)

    def copy_to(self, commands: Any, buffer: Any) -> None:
        """Record the copies of all colour attachments, one after the other."""
        at = 0
        width, height = self.size
        for location, image in self._images.items():
            nbytes = self.layout.colours[location].texel_bytes * self._pixels
            if location in self._reads:
                self._reads[location].record(commands, _COLOUR, buffer, at)
                at += nbytes
                continue
            image.change(commands, (_COLOUR, _SOURCE))
            region = vk.VkBufferImageCopy(
                bufferOffset=at,
                imageSubresource=vk.VkImageSubresourceLayers(
                    aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount=1
                ),
                imageExtent=vk.VkExtent3D(width=width, height=height, depth=1),
            )
            vk.vkCmdCopyImageToBuffer(commands, image.handle, _SOURCE, buffer, 1, region)
            image.change(commands, (_SOURCE, _COLOUR))
            at += nbytes

    def texels(self, raw: np.ndarray) -> dict[int, np.ndarray]:
        """Bytes of each colour attachment as `copy_to` left them, by location; views."""
        found, at = {}, 0
        for location, its in self.layout.colours.items():
            nbytes = its.texel_bytes * self._pixels
            found[location] = raw[at : at + nbytes]
            at += nbytes
        return found

    def depth_texels(self, device: Device) -> bytes | None:
        """What the depth attachment holds now, as `DepthTarget` packs it; None without one."""
        depth, image = self._fixed.depth, self._depth
        if depth is None or image is None:
            return None
        width, height = self.size
        at, spans = 0, {}
        several = self.layout.samples > 1
        for aspect, nbytes in plane_bytes(depth.format).items():
            wide = 4 if several and aspect == vk.VK_IMAGE_ASPECT_DEPTH_BIT else nbytes
            spans[aspect] = at, wide * self._pixels
            at += -(-wide * self._pixels // 16) * 16
        regions = [
            vk.VkBufferImageCopy(
                bufferOffset=start,
                imageSubresource=vk.VkImageSubresourceLayers(aspectMask=aspect, layerCount=1),
                imageExtent=vk.VkExtent3D(width=width, height=height, depth=1),
            )
            for aspect, (start, _) in spans.items()
        ]
        with ExitStack() as stack:
            host = HostBuffer(device, max(16, at), vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT, stack)

            reads = [
                (SampleRead(device, image, depth.format, aspect, stack), start)
                for aspect, (start, _) in spans.items()
                if several
            ]

            def copy(commands: Any) -> None:
                for each, start in reads:
                    each.record(commands, _DEPTH, host.handle, start)
                if several:
                    return
                image.change(commands, (_DEPTH, _SOURCE))
                vk.vkCmdCopyImageToBuffer(
                    commands, image.handle, _SOURCE, host.handle, len(regions), regions
                )
                image.change(commands, (_SOURCE, _DEPTH))

            device.run_once(copy)
            host.invalidate()
            given = {
                aspect: host.bytes[start : start + nbytes]
                for aspect, (start, nbytes) in spans.items()
            }
            if several and vk.VK_IMAGE_ASPECT_DEPTH_BIT in given:
                floats = given[vk.VK_IMAGE_ASPECT_DEPTH_BIT].view(np.float32)
                given[vk.VK_IMAGE_ASPECT_DEPTH_BIT] = depth_bytes(depth.format, floats)
            return packed(depth.format, given)

    def shown_pixels(self, raw: np.ndarray) -> np.ndarray:
        """The first colour attachment; black where there is none or its format is not decoded."""
        width, height = self.size
        pixels = np.zeros((height, width, 4), np.uint8)
        pixels[..., 3] = 255
        for location, data in self.texels(raw).items():
            target = self._fixed.colours[location]
            values = decoded(target.format, data.tobytes()) if target else None
            if values is not None:
                values = values.reshape(self.layout.samples, width * height, -1).mean(axis=0)
                clamped = np.clip(np.nan_to_num(values), 0.0, 1.0) * 255 + 0.5
                shown = clamped.astype(np.uint8).reshape(height, width, -1)
                pixels[..., : min(3, shown.shape[2])] = shown[..., :3]
                break
        return pixels
