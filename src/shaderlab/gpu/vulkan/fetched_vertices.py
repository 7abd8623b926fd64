"""Execution counts of another program's vertex stage, run by itself over its own vertices.

Nothing is rasterised.  A device may run the stage once for a vertex that several triangles share,
or for each of them: the counts are what this one did.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.ended import require_known
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.pipeline import pipeline, shader_module, specialization
from shaderlab.gpu.vulkan.shader_inputs import ShaderInputs, StorageBinding
from shaderlab.gpu.vulkan.support import supported_stages
from shaderlab.gpu.vulkan.uploads import format_number
from shaderlab.gpu.vulkan.vertex_tracing import counting_vertex, vertex_trace
from shaderlab.scene.binding import Binding
from shaderlab.scene.draw import Draw
from shaderlab.scene.fetched import FetchedVertices
from shaderlab.spirv.trace import Trace

_INDEX_TYPES = {2: vk.VK_INDEX_TYPE_UINT16, 4: vk.VK_INDEX_TYPE_UINT32}
_PADDING = 64
"""Spare bytes after the last vertex: an attribute may reach beyond its stride."""


def trace_fetched(device: Device, draw: Draw) -> Trace:
    """Count the block executions of a vertex program over `FetchedVertices`.

    Raises UnsupportedShader, WrongUse for a damaged file, OutOfDeviceMemory, DeviceLost.
    """
    program, shape = draw.program, draw.state.geometry.shape
    assert isinstance(shape, FetchedVertices)
    require_known(device, draw, program, bounded=True)
    counting = counting_vertex(device, program)
    _check(device, shape)
    stages = supported_stages(device, program)
    with ExitStack() as stack:
        usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
        buffer = HostBuffer(device, counting.words * 4, usage, stack)
        words = buffer.bytes.view(np.uint32)
        words[:] = 0
        buffer.flush()
        at = StorageBinding(counting.descriptor_set, counting.binding, buffer)
        inputs = ShaderInputs(device, stages, draw.inputs, draw.size, stack, at)
        inputs.set_values(draw.inputs, draw.size, draw.state.geometry.camera)
        render_pass = device.create(
            "RenderPass",
            vk.VkRenderPassCreateInfo(
                pSubpasses=[
                    vk.VkSubpassDescription(pipelineBindPoint=vk.VK_PIPELINE_BIND_POINT_GRAPHICS)
                ]
            ),
            stack,
        )
        frame = device.create(
            "Framebuffer",
            vk.VkFramebufferCreateInfo(renderPass=render_pass, width=1, height=1, layers=1),
            stack,
        )
        pipeline = _pipeline(device, draw, shape, counting.spirv, inputs, render_pass, stack)
        fed = _Fed(device, shape, stack)
        begin = vk.VkRenderPassBeginInfo(
            renderPass=render_pass,
            framebuffer=frame,
            renderArea=vk.VkRect2D(extent=vk.VkExtent2D(width=1, height=1)),
        )

        def record(commands: Any) -> None:
            vk.vkCmdBeginRenderPass(commands, begin, vk.VK_SUBPASS_CONTENTS_INLINE)
            vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline)
            inputs.bind(commands)
            fed.draw(commands)
            vk.vkCmdEndRenderPass(commands)

        device.run_once(record)
        buffer.invalidate()
        return vertex_trace(device, draw, program, counting, words.copy())


def _check(device: Device, shape: FetchedVertices) -> None:
    limits = device.limits
    if len(shape.attributes) > limits.maxVertexInputAttributes:
        raise UnsupportedShader(
            f"it has {len(shape.attributes)} attributes; {device.info.name} takes "
            f"{limits.maxVertexInputAttributes}"
        )
    for each in shape.attributes:
        properties = vk.vkGetPhysicalDeviceFormatProperties(
            device.physical, format_number(each.format)
        )
        if not properties.bufferFeatures & vk.VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT:
            raise UnsupportedShader(
                f"{device.info.name} cannot read vertices of the format {each.format}"
            )


class _Fed:
    """Vertex and index buffers of a draw."""

    def __init__(self, device: Device, shape: FetchedVertices, stack: ExitStack):
        self._shape = shape
        self._buffers: list[tuple[int, HostBuffer]] = []
        for each in shape.buffers:
            usage = vk.VK_BUFFER_USAGE_VERTEX_BUFFER_BIT
            data = each.contents.read()
            self._buffers.append((each.binding, _filled(device, data, usage, stack)))
        self._indices: HostBuffer | None = None
        self._index_type = _INDEX_TYPES[4]
        if shape.indices is not None:
            data = shape.indices.read()
            if shape.index_bytes == 1:
                data = np.frombuffer(data, np.uint8).astype("<u2").tobytes()
            self._index_type = _INDEX_TYPES[max(2, shape.index_bytes)]
            usage = vk.VK_BUFFER_USAGE_INDEX_BUFFER_BIT
            self._indices = _filled(device, data, usage, stack)

    def draw(self, commands: Any) -> None:
        shape = self._shape
        for number, buffer in self._buffers:
            vk.vkCmdBindVertexBuffers(commands, number, 1, [buffer.handle], [0])
        if self._indices is None:
            vk.vkCmdDraw(commands, shape.count, shape.instances, shape.first, shape.first_instance)
            return
        vk.vkCmdBindIndexBuffer(commands, self._indices.handle, 0, self._index_type)
        vk.vkCmdDrawIndexed(
            commands, shape.count, shape.instances, 0, shape.base, shape.first_instance
        )


def _filled(device: Device, data: bytes, usage: int, stack: ExitStack) -> HostBuffer:
    made = HostBuffer(device, len(data) + _PADDING, usage, stack)
    made.bytes[:] = 0
    made.bytes[: len(data)] = np.frombuffer(data, np.uint8)
    made.flush()
    return made


def _pipeline(
    device: Device,
    draw: Draw,
    shape: FetchedVertices,
    spirv: bytes,
    inputs: ShaderInputs,
    render_pass: Any,
    stack: ExitStack,
) -> Any:
    """VkPipeline of the vertex stage alone."""
    instance = vk.VK_VERTEX_INPUT_RATE_INSTANCE
    bindings = [
        vk.VkVertexInputBindingDescription(
            binding=each.binding,
            stride=each.stride,
            inputRate=instance if each.is_instanced else vk.VK_VERTEX_INPUT_RATE_VERTEX,
        )
        for each in shape.buffers
    ]
    attributes = [
        vk.VkVertexInputAttributeDescription(
            location=each.location,
            binding=each.binding,
            format=format_number(each.format),
            offset=each.offset,
        )
        for each in shape.attributes
    ]
    given: dict[str, Any] = {}
    if bindings:
        given = {"pVertexBindingDescriptions": bindings, "pVertexAttributeDescriptions": attributes}
    can_restart = shape.restart and shape.topology.endswith(("STRIP", "FAN"))
    with ExitStack() as modules:
        stage = vk.VkPipelineShaderStageCreateInfo(
            stage=vk.VK_SHADER_STAGE_VERTEX_BIT,
            module=shader_module(device, spirv, modules),
            pName=draw.program.entry_point,
            pSpecializationInfo=specialization(
                dict(Binding.of(draw.program).spec_constants(draw.inputs))
            ),
        )
        info = vk.VkGraphicsPipelineCreateInfo(
            pStages=[stage],
            pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(**given),
            pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(
                topology=getattr(vk, f"VK_PRIMITIVE_TOPOLOGY_{shape.topology}"),
                primitiveRestartEnable=can_restart,
            ),
            pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                rasterizerDiscardEnable=1,
                polygonMode=vk.VK_POLYGON_MODE_FILL,
                cullMode=vk.VK_CULL_MODE_NONE,
                frontFace=vk.VK_FRONT_FACE_COUNTER_CLOCKWISE,
                lineWidth=1.0,
            ),
            layout=inputs.layout,
            renderPass=render_pass,
        )
        return pipeline(device, vk.vkCreateGraphicsPipelines, info, stack, "vertex stage")
