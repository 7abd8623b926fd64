"""Execution counts of one dispatch, window by window of its invocations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from math import nan

import numpy as np

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.dispatching import Dispatching
from shaderlab.gpu.vulkan.loop_limit import ITERATIONS, loop_weights, may_be_cut
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.shader_inputs import StorageBinding
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.scene.draw import Draw
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.passes.compute_counting import (
    HEADER_WORDS,
    by_warps,
    instrument_compute,
)
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import Trace


def trace_compute(
    device: Device, draw: Draw, *, slowdown: bool = False, memory_budget: int = 256 << 20
) -> Trace:
    """Count the block executions of one dispatch; buffers start as they do for every run.

    `Trace.size` is the number of invocations and 1.  Where the counters do not fit the budget the
    dispatch runs once for each window of invocations.  Raises UnsupportedShader, CounterOverflow,
    WrongUse, OutOfDeviceMemory, DeviceLost.
    """
    program, launch = draw.program, draw.launch
    module = program.module
    lengths = buffer_sizes(device).lengths(draw)
    counting = instrument_compute(module, program.entry_point)
    window = _window(device, counting.counters, launch.per_group, launch.invocations, memory_budget)
    weights = loop_weights(module, counting.blocks)
    counts = np.zeros(len(counting.blocks), np.int64)
    groups = np.zeros(len(counting.blocks), np.int64)
    seconds, iterations = 0.0, 0
    with ExitStack() as stack:
        words_in_all = HEADER_WORDS + counting.counters * (window + 1)
        usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
        buffer = HostBuffer(device, words_in_all * 4, usage, stack)
        words = buffer.bytes.view(np.uint32)
        storage = StorageBinding(counting.descriptor_set, counting.binding, buffer)
        dispatching = Dispatching(
            device, draw, stack, lengths, instrumented=counting.spirv, storage=storage
        )
        stopwatch = Stopwatch(device, stack)
        for first, size in _windows(launch.invocations, window):
            words[:] = 0
            words[:HEADER_WORDS] = first, size, launch.per_group, *launch.groups[:2]
            buffer.flush()
            dispatching.restore()

            def record(commands: object) -> None:
                stopwatch.start(commands)
                dispatching.record(commands)
                stopwatch.stop(commands)

            device.run_once(record)
            buffer.invalidate()
            seconds += stopwatch.seconds()
            planes = words[HEADER_WORDS : HEADER_WORDS + counting.counters * (size + 1)]
            raw = planes.reshape(counting.counters, size + 1)[:, :size]
            flat = raw.reshape(counting.counters, 1, size)
            counts += counting.block_counts(flat)
            groups += counting.lane_groups(by_warps(raw, launch.per_group))
            if any(weights) and device.info.kind == "software":
                iterations = max(iterations, int(counting.heat(flat, weights).max()))
        textures = dict(dispatching.textures)
        sizes = {at: data.nbytes for at, data in dispatching.contents.items()}
    plain_s = _plain_seconds(device, draw) if slowdown else nan
    uniforms = draw.inputs.uniforms
    return Trace(
        device=device.info.slug,
        size=(launch.invocations, 1),
        time_s=uniforms.time_s,
        frame=uniforms.frame,
        blocks=describe(module, counting.blocks, counts.tolist(), groups.tolist()),
        slowdown=seconds / plain_s if plain_s else nan,
        pixels=launch.invocations,
        loop_limit=ITERATIONS if may_be_cut(device, iterations) else None,
        textures=textures,
        gathered=_gathered(program, sizes),
    )


def _gathered(program: Program, sizes: Mapping[Descriptor, int]) -> tuple[tuple[str, int], ...]:
    chosen = program.kernel_uses.gathered
    found = {
        each.block.members[-1].name if each.is_anonymous else each.name: sizes[each.descriptor]
        for each in program.interface.resources
        if each.block is not None and each.block.members and each.descriptor in chosen & set(sizes)
    }
    return tuple(sorted(found.items(), key=lambda each: -each[1]))


def _window(device: Device, counters: int, per_group: int, invocations: int, budget: int) -> int:
    """Invocations whose counters fit: whole workgroups."""
    most = min(budget, device.limits.maxStorageBufferRange) // 4 - HEADER_WORDS
    groups = (most // max(counters, 1) - 1) // per_group
    if groups < 1:
        raise OutOfDeviceMemory(
            f"{counters} counters for a workgroup of {per_group:,} do not fit {budget >> 20} MiB"
        )
    return min(groups * per_group, invocations)


def _windows(invocations: int, window: int) -> Iterator[tuple[int, int]]:
    for first in range(0, invocations, window):
        yield first, min(window, invocations - first)


def _plain_seconds(device: Device, draw: Draw) -> float:
    """Seconds of the dispatch without counting, after an untimed one; nan without a clock."""
    if not device.has_clock:
        return nan
    with ExitStack() as stack:
        dispatching = Dispatching(device, draw, stack, buffer_sizes(device).lengths(draw))
        stopwatch = Stopwatch(device, stack)

        def record(commands: object) -> None:
            stopwatch.start(commands)
            dispatching.record(commands)
            stopwatch.stop(commands)

        device.run_once(dispatching.record)
        dispatching.restore()
        device.run_once(record)
        return stopwatch.seconds() or nan
