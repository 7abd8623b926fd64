"""Attachments with the formats and contents that another program's draw found."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.formats import Format
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent, HostBuffer
from shaderlab.gpu.vulkan.render_target import RenderTarget, TargetLayout, framebuffer
from shaderlab.gpu.vulkan.stored_images import (
    Upload,
    aspects,
    format_number,
    packed,
    plane_bytes,
    planes,
)
from shaderlab.scene.fixed_functions import FixedFunctions
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
) -> TargetLayout:
    """The attachments of a draw, of which its shader may write some; `size`: in pixels.

    Raises UnsupportedShader, and WrongUse for another size than that of the contents.
    """
    if len(fixed.colours) > device.limits.maxColorAttachments:
        raise UnsupportedShader(
            f"it has {len(fixed.colours)} colour attachments; "
            f"{device.info.name} takes {device.limits.maxColorAttachments}"
        )
    for target in (*fixed.colours, fixed.depth):
        its = target and layout(target.format)
        if target and its and target.before.nbytes != its.size(*size):
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
        depth=format_number(fixed.depth.format) if fixed.depth else None,
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
    ):
        """Raises OutOfDeviceMemory, and WrongUse for contents that cannot be read."""
        self.size = size
        self.layout = layout
        self._fixed = fixed
        self._images: dict[int, DeviceImage] = {}
        self._depth: DeviceImage | None = None
        self._uploads: list[tuple[Upload, int]] = []
        transfer = vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT
        for location in layout.locations:
            target = fixed.colours[location]
            assert target is not None
            usage = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | transfer
            number = layout.colours[location].vulkan
            made = DeviceImage(device, size, number, usage, stack)
            self._images[location] = made
            part = [(0, 0, planes(target.format, target.before.read()))]
            self._uploads.append((Upload(device, made, part, stack), _COLOUR))
        views = [image.view for image in self._images.values()]
        if fixed.depth is not None and layout.depth is not None:
            usage = vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | transfer
            extent = Extent(aspect=aspects(fixed.depth.format))
            made = DeviceImage(device, size, layout.depth, usage, stack, extent)
            self._depth = made
            part = [(0, 0, planes(fixed.depth.format, fixed.depth.before.read()))]
            self._uploads.append((Upload(device, made, part, stack), _DEPTH))
            views.append(made.view)
        self.clearing_pass = layout.render_pass(device, stack, keep=True)
        made = framebuffer(device, self.clearing_pass, views, size, stack)
        area = vk.VkRect2D(extent=vk.VkExtent2D(width=size[0], height=size[1]))
        begin = vk.VkRenderPassBeginInfo(
            renderPass=self.clearing_pass, framebuffer=made, renderArea=area
        )
        self._begin = {True: begin, False: begin}

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
        return self.size[0] * self.size[1]

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
            at += self.layout.colours[location].texel_bytes * self._pixels

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
        pixels, at = width * height, 0
        spans: dict[int, tuple[int, int]] = {}
        for aspect, nbytes in plane_bytes(depth.format).items():
            spans[aspect] = at, nbytes * pixels
            at += -(-nbytes * pixels // 16) * 16
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

            def copy(commands: Any) -> None:
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
                clamped = np.clip(np.nan_to_num(values), 0.0, 1.0) * 255 + 0.5
                shown = clamped.astype(np.uint8).reshape(height, width, -1)
                pixels[..., : min(3, shown.shape[2])] = shown[..., :3]
                break
        return pixels
