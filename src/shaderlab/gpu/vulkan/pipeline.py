"""The graphics pipeline: a vertex stage, and the user's fragment shader."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from shaderlab.errors import DeviceLost, OutOfDeviceMemory, ShaderlabError, UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan import fixed_functions
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.render_target import TargetLayout
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.gpu.vulkan.vertex_stage import VertexBuffers, VertexStage
from shaderlab.scene.draw import Blend
from shaderlab.scene.fixed_functions import FixedFunctions
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.leaving import leaving, may_kill
from shaderlab.system.driver_compiling import driver_compiling

_ONE, _ZERO = vk.VK_BLEND_FACTOR_ONE, vk.VK_BLEND_FACTOR_ZERO
_FACTORS = {
    Blend.OFF: (_ONE, _ZERO),
    Blend.ALPHA: (vk.VK_BLEND_FACTOR_SRC_ALPHA, vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA),
    Blend.ADD: (_ONE, _ONE),
    Blend.PREMULTIPLIED: (_ONE, vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA),
}
"""By kind: of the source and of what is there."""
_SECOND = (_ONE, vk.VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR)
"""The same with a second source."""


@dataclass(frozen=True)
class PipelineState:
    """Fixed functions of a pipeline."""

    size: tuple[int, int]
    """Width, height in pixels."""
    blend: Blend = Blend.OFF
    second_source: bool = False
    """Whether the shader writes a second source for blending."""
    needless_blend: bool = False
    """Blend location 0 with weights 1 and 0, which leaves the picture as it is."""
    depth_compare: int = vk.VK_COMPARE_OP_ALWAYS
    y_up: bool = False
    """Whether y points up in clip space: it decides which faces are fronts."""
    is_flipped: bool = False
    """Whether row 0 of the picture is where clip space ends, not where it begins."""
    spec_constants: Mapping[int, bytes] = field(default_factory=dict)
    """Given values of the fragment stage's, by SpecId."""
    vertex_constants: Mapping[int, bytes] = field(default_factory=dict)
    """The same of the vertex stage."""
    fixed: FixedFunctions | None = None
    """As another program set them, instead of all that is not a constant."""


class Pipeline:
    """Draws vertices with one fragment shader into a render target."""

    def __init__(
        self,
        device: Device,
        spirv: bytes,
        entry_point: str,
        vertex: VertexStage,
        layout: Any,
        target: TargetLayout,
        render_pass: Any,
        state: PipelineState,
        stack: ExitStack,
        flags: int = 0,
        extension: vk.Struct | None = None,
    ):
        """`flags`: VkPipelineCreateFlags; `extension`: a struct to chain to the create info.

        Raises UnsupportedShader if the driver refuses.
        """
        with ExitStack() as modules:
            stages = [
                vk.VkPipelineShaderStageCreateInfo(
                    stage=vk.VK_SHADER_STAGE_VERTEX_BIT,
                    module=shader_module(device, vertex.spirv, modules),
                    pName=vertex.entry_point,
                    pSpecializationInfo=specialization(state.vertex_constants),
                ),
                vk.VkPipelineShaderStageCreateInfo(
                    stage=vk.VK_SHADER_STAGE_FRAGMENT_BIT,
                    module=shader_module(device, spirv, modules),
                    pName=entry_point,
                    pSpecializationInfo=specialization(state.spec_constants),
                ),
            ]
            info = vk.VkGraphicsPipelineCreateInfo(
                pNext=extension,
                flags=flags,
                pStages=stages,
                layout=layout,
                renderPass=render_pass,
                **_fixed_functions(vertex, target, state),
            )
            start = time.perf_counter()
            self.handle = pipeline(device, vk.vkCreateGraphicsPipelines, info, stack)
            self.creation_s = time.perf_counter() - start
            """Seconds the driver took to compile."""

    def bind(self, commands: Any) -> None:
        vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_GRAPHICS, self.handle)

    def draw(
        self,
        commands: Any,
        vertices: VertexBuffers,
        origin: tuple[int, int],
        size: tuple[int, int],
        fixed: FixedFunctions | None = None,
    ) -> None:
        """Draw the pixels of one rectangle; the pipeline is bound and a render pass begun."""
        if fixed is not None:
            fixed_functions.set_viewport(commands, fixed)
            cut = fixed_functions.common(Tile(*origin, *size), fixed.scissor)
            origin, size = (cut.x, cut.y), (cut.width, cut.height)
        scissor = vk.VkRect2D(
            offset=vk.VkOffset2D(x=origin[0], y=origin[1]),
            extent=vk.VkExtent2D(width=size[0], height=size[1]),
        )
        vk.vkCmdSetScissor(commands, 0, 1, [scissor])
        vertices.draw(commands)


def _fixed_functions(
    vertex: VertexStage, target: TargetLayout, state: PipelineState
) -> dict[str, vk.Struct]:
    if state.fixed is not None:
        made = fixed_functions.states(target, state.fixed)
        return {"pVertexInputState": vertex.input_state, **made}
    size = state.size
    is_plain = not state.y_up or vertex.covers_everything is not state.is_flipped
    front = vk.VK_FRONT_FACE_COUNTER_CLOCKWISE if is_plain else vk.VK_FRONT_FACE_CLOCKWISE
    first, height = (size[1], -size[1]) if state.is_flipped else (0, size[1])
    functions = {
        "pVertexInputState": vertex.input_state,
        "pInputAssemblyState": vk.VkPipelineInputAssemblyStateCreateInfo(
            topology=vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
        ),
        "pViewportState": vk.VkPipelineViewportStateCreateInfo(
            pViewports=[vk.VkViewport(y=first, width=size[0], height=height, maxDepth=1.0)],
            scissorCount=1,
        ),
        "pRasterizationState": vk.VkPipelineRasterizationStateCreateInfo(
            polygonMode=vk.VK_POLYGON_MODE_FILL,
            cullMode=vk.VK_CULL_MODE_NONE,
            frontFace=front,
            lineWidth=1.0,
        ),
        "pMultisampleState": vk.VkPipelineMultisampleStateCreateInfo(
            rasterizationSamples=target.samples
        ),
        "pColorBlendState": vk.VkPipelineColorBlendStateCreateInfo(
            pAttachments=[
                _blending(target, state, location) for location in range(len(target.written))
            ]
        ),
        "pDynamicState": vk.VkPipelineDynamicStateCreateInfo(
            pDynamicStates=[vk.VK_DYNAMIC_STATE_SCISSOR]
        ),
    }
    if target.depth is not None:
        functions["pDepthStencilState"] = vk.VkPipelineDepthStencilStateCreateInfo(
            depthTestEnable=1, depthWriteEnable=1, depthCompareOp=state.depth_compare
        )
    return functions


def _blending(target: TargetLayout, state: PipelineState, location: int) -> vk.Struct:
    is_float = location in target.colours and not target.colours[location].is_whole
    blends = is_float and (state.blend is not Blend.OFF or (state.needless_blend and location == 0))
    second = state.second_source and state.blend is not Blend.OFF and location == 0
    source, there = _SECOND if second else _FACTORS[state.blend]
    # The picture's own alpha adds up as it covers: by 1 and 1 - alpha, whatever weighs the colours.
    over = (_ONE, vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA)
    alpha = over if state.blend is Blend.ALPHA else (_ONE, there if not second else _ZERO)
    return vk.VkPipelineColorBlendAttachmentState(
        colorWriteMask=0xF if target.written[location] else 0,
        blendEnable=blends,
        srcColorBlendFactor=source,
        dstColorBlendFactor=there,
        srcAlphaBlendFactor=alpha[0],
        dstAlphaBlendFactor=alpha[1],
    )


def specialization(constants: Mapping[int, bytes]) -> vk.Struct | None:
    """VkSpecializationInfo of values by `SpecId`."""
    if not constants:
        return None
    data, entries = b"", []
    for number, value in constants.items():
        entries.append(
            vk.VkSpecializationMapEntry(constantID=number, offset=len(data), size=len(value))
        )
        data += value
    return vk.VkSpecializationInfo(pMapEntries=entries, dataSize=len(data), pData=data)


def pipeline(device: Device, create: Any, info: Any, stack: ExitStack, of: str = "shader") -> Any:
    """VkPipeline, which the driver compiles now; `stack` destroys it.

    `create`: vkCreateGraphicsPipelines or vkCreateComputePipelines, with its `info`; `of`: for the
    message.  Raises UnsupportedShader, DeviceLost, OutOfDeviceMemory.
    """
    try:
        with driver_compiling():
            made = create(device.handle, vk.ffi.NULL, 1, info, None)
    except (DeviceLost, OutOfDeviceMemory):
        raise
    except ShaderlabError as error:
        raise UnsupportedShader(f"{device.info.name} does not accept the {of}: {error}") from None
    device.owned("Pipeline", vk.vkDestroyPipeline, made, stack)
    return made


def shader_module(device: Device, spirv: bytes, stack: ExitStack) -> Any:
    """VkShaderModule; `stack` destroys it.  Raises InvalidModule."""
    if device.info.slug == "llvmpipe" and may_kill(spirv):
        spirv = leaving(Module.parse(spirv))
    info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
    return device.create("ShaderModule", info, stack)
