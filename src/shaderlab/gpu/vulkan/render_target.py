"""The off-screen attachments a shader draws into, and the render passes over them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage
from shaderlab.scene.draw import Attachments, ColourFormat
from shaderlab.spirv.reflection import Output
from shaderlab.spirv.value_types import Component

_SHOWN_FORMATS = {ColourFormat.RGBA8: vk.VK_FORMAT_R8G8B8A8_UNORM}
"""Of location 0."""
COLOUR_FORMATS = {
    Component.FLOAT: vk.VK_FORMAT_R8G8B8A8_UNORM,
    Component.INT: vk.VK_FORMAT_R32G32B32A32_SINT,
    Component.UINT: vk.VK_FORMAT_R32G32B32A32_UINT,
}


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


class RenderTarget:
    """One attachment per colour output; that of location 0 can be read back."""

    def __init__(
        self,
        device: Device,
        attachments: Attachments,
        outputs: tuple[Output, ...],
        stack: ExitStack,
    ):
        """Their size fits the device (`check_size`).  Raises OutOfDeviceMemory,
        UnsupportedShader.
        """
        self._device = device
        self.size = size = attachments.size
        by_location = {output.location: output.component for output in outputs}
        self.written = tuple(n in by_location for n in range(max(by_location, default=0) + 1))
        """By location: whether the shader writes it.  What it does not write is undefined."""
        by_location.setdefault(0, Component.FLOAT)
        if len(self.written) > device.limits.maxColorAttachments:
            raise UnsupportedShader(
                f"the shader writes output location {len(self.written) - 1}; "
                f"{device.info.name} has {device.limits.maxColorAttachments} colour attachments"
            )
        self._locations = sorted(by_location)
        self._formats = [
            COLOUR_FORMATS[by_location[n]] if n else _SHOWN_FORMATS[attachments.colour]
            for n in self._locations
        ]
        usage = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
        self._images = [
            DeviceImage(
                device,
                size,
                image_format,
                usage | (vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT if location == 0 else 0),
                stack,
            )
            for location, image_format in zip(self._locations, self._formats, strict=True)
        ]
        self.clearing_pass = self._render_pass(stack, keep=False)
        """Starts from opaque black."""
        self._keeping_pass = self._render_pass(stack, keep=True)
        self._framebuffer = device.create(
            "Framebuffer",
            vk.VkFramebufferCreateInfo(
                renderPass=self.clearing_pass,
                pAttachments=[image.view for image in self._images],
                width=size[0],
                height=size[1],
                layers=1,
            ),
            stack,
        )
        black = vk.VkClearColorValue(float32=[0.0, 0.0, 0.0, 1.0])
        nothing = vk.VkClearColorValue(uint32=[0, 0, 0, 0])
        is_float = [f == vk.VK_FORMAT_R8G8B8A8_UNORM for f in self._formats]
        begin = {
            keep: vk.VkRenderPassBeginInfo(
                renderPass=self._keeping_pass if keep else self.clearing_pass,
                framebuffer=self._framebuffer,
                renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=size[0], height=size[1])),
                pClearValues=[vk.VkClearValue(color=black if f else nothing) for f in is_float],
            )
            for keep in (False, True)
        }
        self._begin = begin

    def begin(self, commands: Any, *, keep: bool = False) -> None:
        """Begin a render pass, which waits for the one before; `keep` draws onto its picture."""
        vk.vkCmdBeginRenderPass(commands, self._begin[keep], vk.VK_SUBPASS_CONTENTS_INLINE)

    def end(self, commands: Any) -> None:
        vk.vkCmdEndRenderPass(commands)

    def copy_to(self, commands: Any, buffer: Any) -> None:
        """Record the copy of location 0's picture, tightly packed RGBA8, for the host to read."""
        width, height = self.size
        vk.vkCmdCopyImageToBuffer(
            commands,
            self._images[0].handle,
            vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
            buffer,
            1,
            vk.VkBufferImageCopy(
                imageSubresource=vk.VkImageSubresourceLayers(
                    aspectMask=vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount=1
                ),
                imageExtent=vk.VkExtent3D(width=width, height=height, depth=1),
            ),
        )
        to_host = vk.VkMemoryBarrier(
            srcAccessMask=vk.VK_ACCESS_TRANSFER_WRITE_BIT, dstAccessMask=vk.VK_ACCESS_HOST_READ_BIT
        )
        vk.vkCmdPipelineBarrier(
            commands,
            vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
            vk.VK_PIPELINE_STAGE_HOST_BIT,
            0, 1, [to_host], 0, None, 0, None,
        )  # fmt: skip

    def _render_pass(self, stack: ExitStack, *, keep: bool) -> Any:
        source = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
        colour = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
        last = [source if location == 0 else colour for location in self._locations]
        load = vk.VK_ATTACHMENT_LOAD_OP_LOAD if keep else vk.VK_ATTACHMENT_LOAD_OP_CLEAR
        attachments = [
            vk.VkAttachmentDescription(
                format=image_format,
                samples=vk.VK_SAMPLE_COUNT_1_BIT,
                loadOp=load,
                storeOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
                stencilLoadOp=vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                stencilStoreOp=vk.VK_ATTACHMENT_STORE_OP_DONT_CARE,
                initialLayout=final if keep else vk.VK_IMAGE_LAYOUT_UNDEFINED,
                finalLayout=final,
            )
            for image_format, final in zip(self._formats, last, strict=True)
        ]
        references = [
            vk.VkAttachmentReference(
                attachment=self._locations.index(location)
                if location in self._locations
                else vk.VK_ATTACHMENT_UNUSED,
                layout=colour,
            )
            for location in range(len(self.written))
        ]
        write = vk.VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
        output = vk.VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
        # No fragment of this pass starts before the last pass's are done: what the profiler times
        # is then as many draws in a row as it recorded.
        before = vk.VkSubpassDependency(
            srcSubpass=vk.VK_SUBPASS_EXTERNAL,
            dstSubpass=0,
            srcStageMask=output | vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
            dstStageMask=output | vk.VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
            srcAccessMask=write,
            dstAccessMask=write | vk.VK_ACCESS_COLOR_ATTACHMENT_READ_BIT,
        )
        after = vk.VkSubpassDependency(
            srcSubpass=0,
            dstSubpass=vk.VK_SUBPASS_EXTERNAL,
            srcStageMask=output,
            dstStageMask=vk.VK_PIPELINE_STAGE_TRANSFER_BIT,
            srcAccessMask=write,
            dstAccessMask=vk.VK_ACCESS_TRANSFER_READ_BIT,
        )
        return self._device.create(
            "RenderPass",
            vk.VkRenderPassCreateInfo(
                pAttachments=attachments,
                pSubpasses=[
                    vk.VkSubpassDescription(
                        pipelineBindPoint=vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
                        pColorAttachments=references,
                    )
                ],
                pDependencies=[before, after],
            ),
            stack,
        )
