"""Execution counts of one dispatch, window by window of its invocations."""

from __future__ import annotations

from collections import Counter
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
from shaderlab.gpu.vulkan.ended import ended
from shaderlab.gpu.vulkan.loop_limit import (
    SUSPICIOUS,
    ends_loops,
    loop_weights,
    loops_left_alone,
    most_rounds,
    vanished,
)
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.parts import note_counted
from shaderlab.gpu.vulkan.shader_inputs import StorageBinding
from shaderlab.gpu.vulkan.subgroups import counted_program
from shaderlab.gpu.vulkan.submitting import pace
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.scene.draw import Draw
from shaderlab.scene.launch import writes_pictures
from shaderlab.scene.launch_grid import fitted, on_grid
from shaderlab.spirv.block_counts import cut_loops, describe
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.passes.compute_counting import (
    HEADER_WORDS,
    by_warps,
    instrument_compute,
)
from shaderlab.spirv.passes.counting import Instrumented
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockId, BoundTexture, Trace
from shaderlab.spirv.warps import LANES

MEMORY_BUDGET = 256 << 20
"""Bytes of counters."""


def trace_compute(
    device: Device, draw: Draw, *, slowdown: bool = False, memory_budget: int = MEMORY_BUDGET
) -> Trace:
    """Count the block executions of one dispatch; buffers start as they do for every run.

    `Trace.size` is the number of invocations and 1.  Where the counters do not fit the budget the
    dispatch runs once for each window of invocations.  Raises UnsupportedShader, CounterOverflow,
    WrongUse, OutOfDeviceMemory, DeviceLost.
    """
    bounded = not ends_loops(device)
    found, iterations = _trace(device, draw, slowdown, memory_budget, bounded)
    if not bounded and (
        found.lost or iterations >= SUSPICIOUS or vanished(draw.program, found.blocks)
    ):
        found, _ = _trace(device, draw, slowdown, memory_budget, bounded=True)
    return found


def _trace(
    device: Device, draw: Draw, slowdown: bool, memory_budget: int, bounded: bool
) -> tuple[Trace, int]:
    """With the iterations of the loops of one invocation at most, where they are not bounded."""
    program, launch = draw.program, draw.launch
    counter = _Counter(device, draw, memory_budget, bounded)
    counting, module, iterations = counter.counting, program.module, 0
    counts = np.zeros(len(counting.blocks), np.int64)
    groups = np.zeros(len(counting.blocks), np.int64)
    cut = Counter[BlockId]()
    for _, raw in counter.windows():
        flat = raw.reshape(len(raw), 1, -1)
        counts += counting.block_counts(flat)
        groups += counting.lane_groups(by_warps(raw, launch.per_group))
        cut.update(counting.cut(raw))
        if not bounded and any(counter.loop_weights):
            iterations = max(iterations, int(counting.heat(flat, counter.loop_weights).max()))
    note_counted(device, draw, counter.seconds, pace(device.info))
    if bounded and not (cut or counter.given_up):
        ended(device).add(draw)
    plain_s = _plain_seconds(device, draw) if slowdown and not (cut or counter.given_up) else nan
    uniforms = draw.inputs.uniforms
    blocks = describe(module, counting.blocks, counts.tolist(), groups.tolist())
    entry = program.entry().id
    ran = next(block.count for block in blocks if block.function == entry)
    return Trace(
        device=device.info.slug,
        size=(launch.invocations, 1),
        time_s=uniforms.time_s,
        frame=uniforms.frame,
        blocks=blocks,
        slowdown=counter.seconds / plain_s if plain_s else nan,
        pixels=launch.invocations,
        cut=cut_loops(blocks, cut, counter.rounds, counting.ending),
        lost=0 if counter.given_up else launch.invocations - ran,
        left_out=launch.invocations - ran if counter.given_up else 0,
        textures=counter.textures,
        gathered=_gathered(program, counter.sizes),
        subgroup=counter.subgroup,
    ), iterations


def heat_compute(
    device: Device,
    draw: Draw,
    view: HeatView,
    values: np.ndarray,
    *,
    memory_budget: int = MEMORY_BUDGET,
) -> None:
    """What each invocation of a dispatch cost, as a picture of its grid.

    `values`: (height, width) of the view's dtype.  Invocations that write an image are shown at its
    texels.  Others fill the picture: rows of a launch of two or three dimensions are its rows, a
    one-dimensional launch is wrapped, and a pixel shows the largest of the invocations that share
    it.  Raises as `trace_compute` does.
    """
    launch = draw.launch
    counter = _Counter(device, draw, memory_budget, not ends_loops(device))
    each = np.zeros(launch.invocations, view.dtype)
    for first, raw in counter.windows():
        each[first : first + raw.shape[1]] = _of_invocations(
            counter.counting, view, raw, launch.per_group
        )
    grid = on_grid(each, launch)
    if writes_pictures(draw.program):
        values[:] = nan if view.kind is HeatKind.LANES else 0
        rows, columns = (min(a, b) for a, b in zip(grid.shape, values.shape, strict=True))
        values[:rows, :columns] = grid[:rows, :columns]
    else:
        values[:] = fitted(grid, values.shape)


def _of_invocations(
    counting: Instrumented, view: HeatView, raw: np.ndarray, per_group: int
) -> np.ndarray:
    """(invocations,) of a view, from raw counters (counters, invocations)."""
    if view.kind is not HeatKind.LANES:
        return view.values(counting, raw[:, np.newaxis])[0]
    busy = counting.lanes_busy(by_warps(raw, per_group)).reshape(-1)
    warps = -(-per_group // LANES)
    wide = np.repeat(busy.reshape(-1, warps), LANES, axis=1)
    return wide[:, :per_group].reshape(-1)


class _Counter:
    """Runs a dispatch with counters, window by window of its invocations."""

    def __init__(self, device: Device, draw: Draw, memory_budget: int, bounded: bool):
        self._device, self._draw = device, draw
        self._lengths = buffer_sizes(device).lengths(draw)
        program = draw.program
        self._run = counted_program(device, draw)
        taken = [each.descriptor for each in program.interface.resources]
        self.counting = instrument_compute(
            self._run.program.module,
            program.entry_point,
            described=program.module,
            alone=loops_left_alone(device) if bounded else None,
            taken=taken,
        )
        self.loop_weights = loop_weights(program.module, self.counting.blocks)
        self.rounds = most_rounds(device, self.loop_weights)
        """Of all guarded loops of an invocation."""
        self._window = _window(
            device,
            self.counting.counters,
            draw.launch.per_group,
            draw.launch.invocations,
            memory_budget,
        )
        self.subgroup = self._run.subgroup
        self.seconds = 0.0
        """Of all windows, by the device's clock."""
        self.given_up = False
        """Whether it took too long, so that some invocations did not run."""
        self.textures: Mapping[tuple[int, int], BoundTexture] = {}
        self.sizes: Mapping[Descriptor, int] = {}
        """Bytes of each storage buffer."""

    def windows(self) -> Iterator[tuple[int, np.ndarray]]:
        """The first invocation, and raw counters (counters, invocations) that are valid until the
        next window."""
        counting, launch, device = self.counting, self._draw.launch, self._device
        with ExitStack() as stack:
            words_in_all = counting.header_words + counting.counters * (self._window + 1)
            usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            buffer = HostBuffer(device, words_in_all * 4, usage, stack)
            words = buffer.bytes.view(np.uint32)
            storage = StorageBinding(counting.descriptor_set, counting.binding, buffer)
            dispatching = Dispatching(
                device,
                self._draw,
                stack,
                self._lengths,
                instrumented=counting.spirv,
                storage=storage,
                checked=self._run.program,
            )
            self.textures = dict(dispatching.textures)
            self.sizes = {at: data.nbytes for at, data in dispatching.contents.items()}
            stopwatch = Stopwatch(device, stack)

            for first, size in _windows(launch.invocations, self._window):
                words[:] = 0
                header = first, size, launch.per_group, *launch.groups[:2], self.rounds
                words[: counting.header_words] = header[: counting.header_words]
                buffer.flush()
                dispatching.restore()
                seconds, left = dispatching.grow(stopwatch)
                self.given_up = self.given_up or left > 0
                buffer.invalidate()
                self.seconds += seconds
                start = counting.header_words
                planes = words[start : start + counting.counters * (size + 1)]
                yield first, planes.reshape(counting.counters, size + 1)[:, :size]


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
    most = min(budget, device.limits.maxStorageBufferRange) // 4 - HEADER_WORDS - 1
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
