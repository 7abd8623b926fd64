"""Execution counts of a draw's own vertex stage, by atomics: vertices are few beside pixels."""

from __future__ import annotations

from contextlib import ExitStack
from math import nan

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.loop_limit import ITERATIONS, loop_weights, may_be_cut
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.shader_inputs import Pictures, StorageBinding
from shaderlab.scene.draw import Draw
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.passes.atomic_counting import AtomicInstrumented, instrument_atomic
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockId, Trace

_VECTOR = 8
"""Invocations that drivers run together which end loops on their own."""
_WIDE = {"shaderInt64", "shaderBufferInt64Atomics"}


def trace_vertex(device: Device, draw: Draw, pictures: Pictures | None = None) -> Trace:
    """Count the block executions of the draw's vertex stage.

    A device may run it once for a vertex that several triangles share, or for each of them: the
    counts are what this one did.  `pictures`: of other passes, which the draw may read.
    Raises WrongUse for a draw without a vertex stage of its own, UnsupportedShader,
    OutOfDeviceMemory, DeviceLost.
    """
    vertex = draw.vertex
    if vertex is None:
        raise WrongUse(f"{draw.program.name} is drawn without a vertex stage of its own")
    taken = tuple(resource.descriptor for resource in draw.program.interface.resources)
    instrumented = counting_vertex(device, vertex, taken)
    with ExitStack() as stack:
        usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
        buffer = HostBuffer(device, instrumented.words * 4, usage, stack)
        words = buffer.bytes.view(np.uint32)
        words[:] = 0
        at = StorageBinding(instrumented.descriptor_set, instrumented.binding, buffer)
        drawing = Drawing(
            device,
            draw,
            stack,
            instrumented_vertex=instrumented.spirv,
            storage=at,
            pictures=pictures,
        )
        words[:] = 0  # what a first, smallest draw has counted
        buffer.flush()
        device.run_once(drawing.record)
        buffer.invalidate()
        counts = instrumented.block_counts(words.copy())
    return vertex_trace(device, draw, vertex, instrumented.blocks, counts)


def counting_vertex(
    device: Device, vertex: Program, taken: tuple[Descriptor, ...] = ()
) -> AtomicInstrumented:
    """The stage made to count its blocks; `taken`: descriptors of other stages.

    Raises UnsupportedShader where the device cannot.
    """
    if "vertexPipelineStoresAndAtomics" not in device.features:
        raise UnsupportedShader(
            f"{device.info.name} cannot store from vertex shaders, so it cannot count them"
        )
    return instrument_atomic(
        vertex.module,
        vertex.entry_point,
        bits=64 if device.features >= _WIDE else 32,
        vertex=True,
        taken=list(taken),
    )


def vertex_trace(
    device: Device,
    draw: Draw,
    vertex: Program,
    blocks: tuple[BlockId, ...],
    counts: np.ndarray,
) -> Trace:
    """Of counts by block of a draw's vertex stage."""
    weights = loop_weights(vertex.module, blocks)
    entry = vertex.entry().id
    invocations = next((n for at, n in zip(blocks, counts, strict=True) if at.function == entry), 0)
    iterations = _most_iterations(int(np.dot(weights, counts)), int(invocations))
    uniforms = draw.inputs.uniforms
    return Trace(
        device=device.info.slug,
        size=draw.size,
        time_s=uniforms.time_s,
        frame=uniforms.frame,
        blocks=describe(vertex.module, blocks, counts.tolist()),
        slowdown=nan,
        loop_limit=ITERATIONS if may_be_cut(device, iterations) else None,
    )


def _most_iterations(together: int, invocations: int) -> int:
    """Of the loops of one invocation, as far as their sum shows: as if the others of its vector ran
    none."""
    return min(together, _VECTOR * together // max(invocations, 1))
