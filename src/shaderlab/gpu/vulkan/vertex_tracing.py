"""Execution counts of a draw's own vertex stage, by atomics: vertices are few beside pixels."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from math import nan

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.loop_limit import loop_weights, loops_left_alone, most_rounds
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.shader_inputs import Pictures, StorageBinding
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import cut_loops, describe
from shaderlab.spirv.grammar import ENUMS, MAGIC, ExecutionModel, Op
from shaderlab.spirv.passes.atomic_counting import AtomicInstrumented, instrument_atomic
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import Trace

_VERSION = 0x00010000
_MEMORY = (ENUMS["AddressingModel"]["Logical"], ENUMS["MemoryModel"]["GLSL450"])
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
            instrumented=_without_work(draw.program.entry_point),
            instrumented_vertex=instrumented.spirv,
            storage=at,
            pictures=pictures,
        )
        words[:] = 0  # what a first, smallest draw has counted
        buffer.flush()
        device.run_once(drawing.record)
        buffer.invalidate()
        return vertex_trace(device, draw, vertex, instrumented, words.copy())


@cache
def _without_work(entry_point: str) -> bytes:
    """A fragment stage that leaves the pixels as they are, whose loops cannot go on."""
    main, nothing, kind, start = 1, 2, 3, 4
    name = encode_string(entry_point)
    words = [
        *(MAGIC, _VERSION, 0, 5, 0),
        *encode(Op.Capability, ENUMS["Capability"]["Shader"]),
        *encode(Op.MemoryModel, *_MEMORY),
        *encode(Op.EntryPoint, ExecutionModel.Fragment, main, *name),
        *encode(Op.ExecutionMode, main, ENUMS["ExecutionMode"]["OriginUpperLeft"]),
        *encode(Op.TypeVoid, nothing),
        *encode(Op.TypeFunction, kind, nothing),
        *encode(Op.Function, nothing, main, 0, kind),
        *encode(Op.Label, start),
        *encode(Op.Return),
        *encode(Op.FunctionEnd),
    ]
    return np.array(words, "<u4").tobytes()


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
        alone=loops_left_alone(device),
        rounds=_rounds(device, vertex),
        taken=list(taken),
    )


def _rounds(device: Device, vertex: Program) -> int:
    module = vertex.module
    return most_rounds(device, loop_weights(module, reachable_blocks(module, vertex.entry())))


def vertex_trace(
    device: Device,
    draw: Draw,
    vertex: Program,
    instrumented: AtomicInstrumented,
    raw: np.ndarray,
) -> Trace:
    """Of what the counting program of a draw's vertex stage left in its buffer."""
    counts = instrumented.block_counts(raw)
    blocks = describe(vertex.module, instrumented.blocks, counts.tolist())
    uniforms = draw.inputs.uniforms
    return Trace(
        device=device.info.slug,
        size=draw.size,
        time_s=uniforms.time_s,
        frame=uniforms.frame,
        blocks=blocks,
        slowdown=nan,
        cut=cut_loops(blocks, instrumented.cut(raw), _rounds(device, vertex), instrumented.ending),
    )
