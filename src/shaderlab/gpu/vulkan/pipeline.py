"""The graphics pipeline: vertices that cover everything, and the user's fragment shader."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import cache
from typing import Any, Protocol

from shaderlab.errors import DeviceLost, OutOfDeviceMemory, ShaderlabError, UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.locations import resources

_VERTICES = 6


@cache
def _vertex_shader() -> bytes:
    return (resources() / "gpu" / "quad.vert.spv").read_bytes()


class ColourTarget(Protocol):
    """What a pipeline must know of the attachments it is for."""

    @property
    def size(self) -> tuple[int, int]:
        """Width, height in pixels."""
        ...

    @property
    def written(self) -> tuple[bool, ...]:
        """By output location: whether the shader writes it."""
        ...

    @property
    def clearing_pass(self) -> Any:
        """A render pass over them."""
        ...


class Pipeline:
    """Draws one fragment shader over a whole render target."""

    def __init__(
        self,
        device: Device,
        spirv: bytes,
        entry_point: str,
        layout: Any,
        target: ColourTarget,
        stack: ExitStack,
        flags: int = 0,
        extension: vk.Struct | None = None,
        blend: bool = False,
    ):
        """`flags`: VkPipelineCreateFlags; `extension`: a struct to chain to the create info.

        `blend`: blend location 0 with weights 1 and 0, which leaves the picture as it is.
        Raises UnsupportedShader if the driver refuses.
        """
        with ExitStack() as modules:
            vertex = _module(device, _vertex_shader(), modules)
            fragment = _module(device, spirv, modules)
            size = target.size
            info = vk.VkGraphicsPipelineCreateInfo(
                pNext=extension,
                flags=flags,
                pStages=[
                    vk.VkPipelineShaderStageCreateInfo(
                        stage=vk.VK_SHADER_STAGE_VERTEX_BIT, module=vertex, pName="main"
                    ),
                    vk.VkPipelineShaderStageCreateInfo(
                        stage=vk.VK_SHADER_STAGE_FRAGMENT_BIT, module=fragment, pName=entry_point
                    ),
                ],
                pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(),
                pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
                    topology=vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                ),
                pViewportState=vk.VkPipelineViewportStateCreateInfo(
                    pViewports=[vk.VkViewport(width=size[0], height=size[1], maxDepth=1.0)],
                    scissorCount=1,
                ),
                pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                    polygonMode=vk.VK_POLYGON_MODE_FILL,
                    cullMode=vk.VK_CULL_MODE_NONE,
                    lineWidth=1.0,
                ),
                pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(
                    rasterizationSamples=vk.VK_SAMPLE_COUNT_1_BIT
                ),
                pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                    pAttachments=[
                        vk.VkPipelineColorBlendAttachmentState(
                            colorWriteMask=0xF if written else 0,
                            blendEnable=blend and location == 0,
                            srcColorBlendFactor=vk.VK_BLEND_FACTOR_ONE,
                            dstColorBlendFactor=vk.VK_BLEND_FACTOR_ZERO,
                            srcAlphaBlendFactor=vk.VK_BLEND_FACTOR_ONE,
                            dstAlphaBlendFactor=vk.VK_BLEND_FACTOR_ZERO,
                        )
                        for location, written in enumerate(target.written)
                    ]
                ),
                pDynamicState=vk.VkPipelineDynamicStateCreateInfo(
                    pDynamicStates=[vk.VK_DYNAMIC_STATE_SCISSOR]
                ),
                layout=layout,
                renderPass=target.clearing_pass,
            )
            start = time.perf_counter()
            try:
                self.handle = vk.vkCreateGraphicsPipelines(
                    device.handle, vk.ffi.NULL, 1, info, None
                )
            except (DeviceLost, OutOfDeviceMemory):
                raise
            except ShaderlabError as error:
                raise UnsupportedShader(
                    f"{device.info.name} does not accept the shader: {error}"
                ) from None
            self.creation_s = time.perf_counter() - start
            """Seconds the driver took to compile."""
        device.owned("Pipeline", vk.vkDestroyPipeline, self.handle, stack)

    def bind(self, commands: Any) -> None:
        vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_GRAPHICS, self.handle)

    def draw(self, commands: Any, origin: tuple[int, int], size: tuple[int, int]) -> None:
        """Draw the pixels of one rectangle; the pipeline is bound and a render pass begun."""
        scissor = vk.VkRect2D(
            offset=vk.VkOffset2D(x=origin[0], y=origin[1]),
            extent=vk.VkExtent2D(width=size[0], height=size[1]),
        )
        vk.vkCmdSetScissor(commands, 0, 1, [scissor])
        vk.vkCmdDraw(commands, _VERTICES, 1, 0, 0)


def _module(device: Device, spirv: bytes, stack: ExitStack) -> Any:
    info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
    return device.create("ShaderModule", info, stack)
