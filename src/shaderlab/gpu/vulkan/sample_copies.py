"""Contents of multisampled images.

Vulkan cannot copy buffers to or from them, so an image with a layer for each sample is copied, and
draws transfer it sample by sample.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import DeviceImage, Extent
from shaderlab.gpu.vulkan.pipeline import shader_module
from shaderlab.gpu.vulkan.render_target import framebuffer
from shaderlab.gpu.vulkan.uploads import Upload, aspects, format_number, planes
from shaderlab.locations import resources

_READ = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
_COLOUR_LAYOUT = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
_DEPTH_LAYOUT = vk.VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
_SOURCE = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
_COLOUR, _DEPTH = vk.VK_IMAGE_ASPECT_COLOR_BIT, vk.VK_IMAGE_ASPECT_DEPTH_BIT
_STENCIL = vk.VK_IMAGE_ASPECT_STENCIL_BIT
_FRAGMENT = vk.VK_SHADER_STAGE_FRAGMENT_BIT
_IMAGE = vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
_BITS = 8
"""Of a stencil value."""


def attachment_usage(name: str) -> int:
    """VkImageUsageFlags of a multisampled image that `SampleFill` and `SampleRead` take."""
    kind = vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
    if aspects(name) != _COLOUR:
        kind = vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
    return kind | vk.VK_IMAGE_USAGE_SAMPLED_BIT


def _numbers(name: str) -> str:
    """What shaders take the texels of a colour format for."""
    kind = name.split("_PACK")[0].rsplit("_", 1)[-1]
    return {"UINT": "uint", "SINT": "int"}.get(kind, "float")


class _Step:
    """Pipeline, layout and descriptor set of one draw over the whole image."""

    def __init__(
        self,
        device: Device,
        shader: str,
        view: Any,
        render_pass: Any,
        samples: int,
        depth: vk.Struct | None,
        has_colour: bool,
        stack: ExitStack,
    ):
        """`view`: VkImageView that the shader reads."""
        binding = vk.VkDescriptorSetLayoutBinding(
            descriptorType=_IMAGE, descriptorCount=1, stageFlags=_FRAGMENT
        )
        info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=[binding])
        set_layout = device.create("DescriptorSetLayout", info, stack)
        pushed = vk.VkPushConstantRange(stageFlags=_FRAGMENT, size=4)
        info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=[set_layout], pPushConstantRanges=[pushed])
        self._layout = device.create("PipelineLayout", info, stack)
        size = vk.VkDescriptorPoolSize(type=_IMAGE, descriptorCount=1)
        info = vk.VkDescriptorPoolCreateInfo(maxSets=1, pPoolSizes=[size])
        pool = device.create("DescriptorPool", info, stack)
        info = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=[set_layout])
        self._set = vk.vkAllocateDescriptorSets(device.handle, info)
        write = vk.VkWriteDescriptorSet(
            dstSet=self._set,
            descriptorType=_IMAGE,
            descriptorCount=1,
            pImageInfo=[vk.VkDescriptorImageInfo(imageView=view, imageLayout=_READ)],
        )
        vk.vkUpdateDescriptorSets(device.handle, 1, [write], 0, None)
        self._masks_stencil = shader == "fill_stencil"
        dynamic = [vk.VK_DYNAMIC_STATE_VIEWPORT, vk.VK_DYNAMIC_STATE_SCISSOR]
        if self._masks_stencil:
            dynamic.append(vk.VK_DYNAMIC_STATE_STENCIL_WRITE_MASK)
        blend = vk.VkPipelineColorBlendAttachmentState(colorWriteMask=15)
        with ExitStack() as modules:
            folder = resources() / "gpu"
            stages = [
                vk.VkPipelineShaderStageCreateInfo(
                    stage=stage,
                    module=shader_module(device, (folder / f"{name}.spv").read_bytes(), modules),
                    pName="main",
                )
                for stage, name in (
                    (vk.VK_SHADER_STAGE_VERTEX_BIT, "quad.vert"),
                    (_FRAGMENT, f"{shader}.frag"),
                )
            ]
            info = vk.VkGraphicsPipelineCreateInfo(
                pStages=stages,
                pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(),
                pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
                    topology=vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                ),
                pViewportState=vk.VkPipelineViewportStateCreateInfo(
                    viewportCount=1, scissorCount=1
                ),
                pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                    polygonMode=vk.VK_POLYGON_MODE_FILL,
                    cullMode=vk.VK_CULL_MODE_NONE,
                    frontFace=vk.VK_FRONT_FACE_COUNTER_CLOCKWISE,
                    lineWidth=1.0,
                ),
                pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(
                    rasterizationSamples=samples,
                    sampleShadingEnable=samples > 1,
                    minSampleShading=1.0,
                ),
                pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                    pAttachments=[blend] if has_colour else []
                ),
                pDepthStencilState=depth,
                pDynamicState=vk.VkPipelineDynamicStateCreateInfo(pDynamicStates=dynamic),
                layout=self._layout,
                renderPass=render_pass,
            )
            made = vk.vkCreateGraphicsPipelines(device.handle, vk.ffi.NULL, 1, info, None)
        device.owned("Pipeline", vk.vkDestroyPipeline, made, stack)
        self._pipeline = made

    def draw(self, commands: Any, size: tuple[int, int], number: int = 0) -> None:
        """Inside a render pass.  `number`: of the sample or bit."""
        vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_GRAPHICS, self._pipeline)
        vk.vkCmdBindDescriptorSets(
            commands,
            vk.VK_PIPELINE_BIND_POINT_GRAPHICS,
            self._layout,
            0, 1, [self._set], 0, None,
        )  # fmt: skip
        width, height = size
        vk.vkCmdSetViewport(
            commands, 0, 1, [vk.VkViewport(width=width, height=height, maxDepth=1.0)]
        )
        vk.vkCmdSetScissor(
            commands, 0, 1, [vk.VkRect2D(extent=vk.VkExtent2D(width=width, height=height))]
        )
        data = number.to_bytes(4, "little")
        vk.vkCmdPushConstants(commands, self._layout, _FRAGMENT, 0, 4, data)
        if self._masks_stencil:
            both = vk.VK_STENCIL_FACE_FRONT_AND_BACK
            vk.vkCmdSetStencilWriteMask(commands, both, 1 << number)
        vk.vkCmdDraw(commands, 6, 1, 0, 0)


def _render_pass(device: Device, kind: int, samples: int, layout: int, stack: ExitStack) -> Any:
    """VkRenderPass that clears one attachment and leaves it in the layout it is drawn in."""
    description = vk.VkAttachmentDescription(
        format=kind,
        samples=samples,
        loadOp=vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
        storeOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
        stencilLoadOp=vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
        stencilStoreOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
        initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
        finalLayout=layout,
    )
    reference = vk.VkAttachmentReference(attachment=0, layout=layout)
    drawn: dict[str, Any] = {"pDepthStencilAttachment": reference}
    if layout == _COLOUR_LAYOUT:
        drawn = {"colorAttachmentCount": 1, "pColorAttachments": [reference]}
    subpass = vk.VkSubpassDescription(pipelineBindPoint=vk.VK_PIPELINE_BIND_POINT_GRAPHICS, **drawn)
    info = vk.VkRenderPassCreateInfo(pAttachments=[description], pSubpasses=[subpass])
    return device.create("RenderPass", info, stack)


def _begin(commands: Any, render_pass: Any, frame: Any, size: tuple[int, int]) -> None:
    info = vk.VkRenderPassBeginInfo(
        renderPass=render_pass,
        framebuffer=frame,
        renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=size[0], height=size[1])),
        pClearValues=[vk.VkClearValue(depthStencil=vk.VkClearDepthStencilValue(depth=0.0))],
    )
    vk.vkCmdBeginRenderPass(commands, info, vk.VK_SUBPASS_CONTENTS_INLINE)


def _view(device: Device, image: DeviceImage, aspect: int, kind: int, layer: int, layers: int,
          stack: ExitStack) -> Any:  # fmt: skip
    """VkImageView of one aspect."""
    part = vk.VkImageSubresourceRange(
        aspectMask=aspect, levelCount=1, baseArrayLayer=layer, layerCount=layers
    )
    info = vk.VkImageViewCreateInfo(
        image=image.handle, viewType=kind, format=image.format, subresourceRange=part
    )
    return device.create("ImageView", info, stack)


def _depth_state(aspect: int) -> vk.Struct:
    """Writes depth, or the bits of the stencil value that the mask lets through."""
    if aspect == _DEPTH:
        return vk.VkPipelineDepthStencilStateCreateInfo(
            depthTestEnable=1, depthWriteEnable=1, depthCompareOp=vk.VK_COMPARE_OP_ALWAYS
        )
    face = vk.VkStencilOpState(
        passOp=vk.VK_STENCIL_OP_REPLACE,
        compareOp=vk.VK_COMPARE_OP_ALWAYS,
        compareMask=255,
        reference=255,
    )
    return vk.VkPipelineDepthStencilStateCreateInfo(stencilTestEnable=1, front=face, back=face)


class SampleFill:
    """Texels ready to be taken over into an image of several samples, as often as wanted."""

    def __init__(
        self, device: Device, image: DeviceImage, name: str, data: bytes, stack: ExitStack
    ):
        """`name`: of its format; `data`: one sample's texels after the other's.

        Raises UnsupportedShader, OutOfDeviceMemory.
        """
        if "sampleRateShading" not in device.features:
            raise UnsupportedShader(f"{device.info.name} does not support sample-rate shading")
        self._image, samples, its = image, image.extent.samples, aspects(name)
        usage = vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_SAMPLED_BIT
        array = vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY
        extent = Extent(view=array, layers=samples, aspect=its)
        apart = DeviceImage(device, image.size, format_number(name), usage, stack, extent)
        one = len(data) // samples
        parts = [(0, n, planes(name, data[n * one : (n + 1) * one])) for n in range(samples)]
        self._upload = Upload(device, apart, parts, stack)
        self._drawn_in = _COLOUR_LAYOUT if its == _COLOUR else _DEPTH_LAYOUT
        self._pass = _render_pass(device, image.format, samples, self._drawn_in, stack)
        self._frame = framebuffer(device, self._pass, [image.view], image.size, stack)
        shaders = {
            _COLOUR: f"fill_{_numbers(name)}",
            _DEPTH: "fill_depth",
            _STENCIL: "fill_stencil",
        }
        self._steps = [
            (
                _Step(
                    device, shader, _view(device, apart, aspect, array, 0, samples, stack),
                    self._pass, samples, None if aspect == _COLOUR else _depth_state(aspect),
                    aspect == _COLOUR, stack,
                ),
                _BITS if aspect == _STENCIL else 1,
            )
            for aspect, shader in shaders.items()
            if its & aspect
        ]  # fmt: skip

    def record(self, commands: Any, layout: int) -> None:
        """Record it; whatever the image held is gone, and it is left in `layout`."""
        self._upload.record(commands, _READ)
        undefined = vk.VK_IMAGE_LAYOUT_UNDEFINED
        self._image.change(commands, (undefined, self._drawn_in))
        _begin(commands, self._pass, self._frame, self._image.size)
        for step, count in self._steps:
            for number in range(count):
                step.draw(commands, self._image.size, number)
        vk.vkCmdEndRenderPass(commands)
        self._image.change(commands, (self._drawn_in, layout))


class SampleRead:
    """Takes the samples of one aspect of an image apart, for copies into a buffer."""

    def __init__(
        self, device: Device, image: DeviceImage, name: str, aspect: int, stack: ExitStack
    ):
        """`name`: of the format that is read, which for depth is D32_SFLOAT whatever it is there.

        Raises OutOfDeviceMemory.
        """
        self._image, self._samples = image, image.extent.samples
        wanted = {_DEPTH: "R32_SFLOAT", _STENCIL: "R8_UINT"}.get(aspect, name)
        usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
        flat, array = vk.VK_IMAGE_VIEW_TYPE_2D, vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY
        extent = Extent(view=array, layers=self._samples)
        self._apart = DeviceImage(device, image.size, format_number(wanted), usage, stack, extent)
        self._pass = _render_pass(device, self._apart.format, 1, _COLOUR_LAYOUT, stack)
        views = [
            _view(device, self._apart, _COLOUR, flat, n, 1, stack) for n in range(self._samples)
        ]
        self._frames = [framebuffer(device, self._pass, [v], image.size, stack) for v in views]
        view = _view(device, image, aspect, flat, 0, 1, stack)
        shader = f"read_{_numbers(wanted)}"
        self._step = _Step(device, shader, view, self._pass, 1, None, True, stack)

    def record(self, commands: Any, layout: int, buffer: Any, at: int) -> None:
        """Record the copy, one sample's texels after the other's, into `buffer` from byte `at` on;
        the image is in `layout` before and after."""
        self._image.change(commands, (layout, _READ))
        for number, frame in enumerate(self._frames):
            _begin(commands, self._pass, frame, self._image.size)
            self._step.draw(commands, self._image.size, number)
            vk.vkCmdEndRenderPass(commands)
        self._apart.change(commands, (_COLOUR_LAYOUT, _SOURCE))
        width, height = self._image.size
        region = vk.VkBufferImageCopy(
            bufferOffset=at,
            imageSubresource=vk.VkImageSubresourceLayers(
                aspectMask=_COLOUR, layerCount=self._samples
            ),
            imageExtent=vk.VkExtent3D(width=width, height=height, depth=1),
        )
        vk.vkCmdCopyImageToBuffer(commands, self._apart.handle, _SOURCE, buffer, 1, [region])
        self._image.change(commands, (_READ, layout))
