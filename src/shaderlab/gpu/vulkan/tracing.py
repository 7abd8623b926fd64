"""Execution counts of one draw: the program made to count its own blocks, drawn once.

Each invocation leaves its private counters in a storage buffer (`spirv.counting`), which the host
sums.  Where the buffer would grow beyond the budget, it is drawn in tiles; on a GPU each of them
part by part (`submitting`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Hashable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import lru_cache
from math import nan, prod
from typing import Any

import numpy as np

from shaderlab.errors import OutOfDeviceMemory, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.compute_tracing import heat_compute, trace_compute
from shaderlab.gpu.vulkan.coverage import drawn_area
from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.ended import ended, may_go_on
from shaderlab.gpu.vulkan.fetched_vertices import trace_fetched
from shaderlab.gpu.vulkan.loop_limit import (
    SUSPICIOUS,
    bounded_form,
    ends_loops,
    loop_weights,
    loops_left_alone,
    most_rounds,
    vanished,
)
from shaderlab.gpu.vulkan.memory import HostBuffer, show_to_host
from shaderlab.gpu.vulkan.parts import note_counted
from shaderlab.gpu.vulkan.raw_drawing import (
    shades_each_pixel_once,
    tests_early_by_itself,
    vertex_descriptors,
    vertices_write,
)
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.shader_inputs import Pictures, StorageBinding
from shaderlab.gpu.vulkan.submitting import Pace, Pacer, pace
from shaderlab.gpu.vulkan.tiles import Tile, tiles
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.gpu.vulkan.vertex_tracing import trace_vertex
from shaderlab.scene.draw import Draw
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.block_counts import cut_loops, describe
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.passes.counting import Instrumented, instrument
from shaderlab.spirv.passes.guarding import BRIEF
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockId, Trace
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH, LANES

Steps = Generator[None, None, "Trace"]
MEMORY_BUDGET = 128 << 20
"""Bytes of counters at a time."""
_ENDLESS_S = 1.5
"""Seconds that counting a shader may take whose loops do not end."""
_FEWEST_ROUNDS = 256


def trace(
    device: Device,
    draw: Draw,
    *,
    slowdown: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> Trace:
    """Count the block executions of one draw, of a dispatch, or of a captured vertex stage.

    `slowdown` adds the time relative to the plain draw's, which may have to be drawn for it, and is
    not where loops were left early: by itself it might never end.  The
    instrumented program is kept on the device, so that another trace of it costs its draw alone.
    Raises UnsupportedShader, CounterOverflow, WrongUse (size beyond the device's limits),
    OutOfDeviceMemory, DeviceLost.
    """
    if draw.is_compute:
        return trace_compute(device, draw, slowdown=slowdown, memory_budget=memory_budget)
    if draw.program.stage is Stage.VERTEX:
        return trace_fetched(device, draw)
    return run_through(tracing(device, draw, slowdown=slowdown, memory_budget=memory_budget))


def tracing(
    device: Device, draw: Draw, *, slowdown: bool = False, memory_budget: int = MEMORY_BUDGET
) -> Steps:
    """`trace` step by step, of a draw of pixels: those that keep the device busy and those that do
    not, which may be long too, take turns, the former first."""
    tracers = device.companion(_LastTracer, lambda: _LastTracer(device))
    tracer = tracers.tracer(draw, memory_budget)
    found = yield from tracer.steps(draw.inputs, slowdown, draw.state.geometry.camera)
    if tracer.needs_bounds(found):
        tracers.bound(draw)
        tracer = tracers.tracer(draw, memory_budget)
        found = yield from tracer.steps(draw.inputs, slowdown, draw.state.geometry.camera)
    if tracer.bounded and not found.cut_notes and draw.vertex is None:
        ended(device).add(draw)  # which spares it `require_end`
    return found


def traced_picture(device: Device, draw: Draw) -> np.ndarray:
    """The picture that `trace` drew last, of this draw, as `Tracer.picture` has it."""
    tracers = device.companion(_LastTracer, lambda: _LastTracer(device))
    return tracers.tracer(draw, MEMORY_BUDGET).picture()


def run_through(steps: Steps) -> Trace:
    """What all steps come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def require_end(
    device: Device,
    draw: Draw,
    pictures: Pictures | None = None,
    *,
    at_any_time: bool = False,
) -> None:
    """Raise UnsupportedShader for a draw whose loops may never end, on a device that ends none.

    It is counted first, with bounded loops: a GPU cannot preempt an endless shader, and one hangs
    it for every process.  A draw that came to its end is not counted again; at another time of its
    frame it is, unless its loops end by their constants, or it is run `at_any_time` as a
    `Renderer` runs it, with bounds.  `pictures`: of other passes, which the draw may read.
    """
    if ends_loops(device):
        return
    known = ended(device)
    forms = (bounded_form(device, each) for each in (draw.program, draw.vertex))
    if known.has(draw, at_any_time or not any(forms)):
        return
    program, vertex = draw.program, draw.vertex
    if vertex is not None and may_go_on(vertex, BRIEF):
        _require_whole(device, trace_vertex(device, draw, pictures))
    if program.stage is not Stage.VERTEX and may_go_on(program, BRIEF):
        _require_whole(device, _counted_once(device, draw, pictures))
    known.add(draw)


def _counted_once(device: Device, draw: Draw, pictures: Pictures | None) -> Trace:
    if not pictures:
        return trace(device, draw)
    with closing(Tracer(device, draw, MEMORY_BUDGET, pictures)) as tracer:
        return tracer.trace(draw.inputs)


def _require_whole(device: Device, found: Trace) -> None:
    if found.cut_notes:
        raise UnsupportedShader(
            f"{found.cut_notes[0]}. {device.info.name} could not stop it, so it is not drawn."
        )


def prepare(device: Device, draw: Draw) -> None:
    """Have the driver compile what `trace` of a draw that is not captured runs, which takes most
    of the first trace's time.  Raises as it does."""
    if not draw.is_compute:
        device.companion(_LastTracer, lambda: _LastTracer(device)).tracer(draw, MEMORY_BUDGET)


def heat(
    device: Device,
    draw: Draw,
    view: HeatView,
    pixels: np.ndarray,
    values: np.ndarray,
    *,
    memory_budget: int = MEMORY_BUDGET,
) -> float:
    """Render a draw and what its pixels cost: one run makes both, so they agree.

    `pixels`: (height, width, 4) uint8 RGBA for the picture; `values`: (height, width) of the view's
    dtype for the heat map; row 0 of each is gl_FragCoord.y = 0.5.  Of a dispatch `pixels` stay as
    they are, and values are of its invocations (`heat_compute`).  Its tracer is kept as well as
    that of `trace`, until `forget_heat`.  Returns the seconds the driver took to compile the
    counting program, 0 where it was kept.  Raises as `trace` does.
    """
    if draw.is_compute:
        heat_compute(device, draw, view, values, memory_budget=memory_budget)
        return 0.0
    tracers = device.companion(_LastHeat, lambda: _LastHeat(device))
    tracer = tracers.at_hand(draw, memory_budget)
    pipeline_s = 0.0
    if tracer is None:
        tracer = tracers.tracer(draw, memory_budget)
        pipeline_s = tracer.pipeline_s
    tracer.heat(draw.inputs, view, pixels, values, draw.state.geometry.camera)
    return pipeline_s


def forget_heat(device: Device, keep: Program) -> None:
    """Free what `heat` keeps, unless it is for the program `keep`."""
    device.companion(_LastHeat, lambda: _LastHeat(device)).forget(keep)


class Tracer:
    """A draw ready to be traced again and again, with other values of its uniforms."""

    def __init__(
        self,
        device: Device,
        draw: Draw,
        memory_budget: int,
        pictures: Pictures | None = None,
        *,
        bounded: bool | None = None,
        at_pace: Pace | None = None,
    ):
        """`pictures`: of other passes, which the draw may read; `bounded`: whether loops get a
        budget, by default where the device does not end them by itself; `at_pace`: None for the
        device's own."""
        self.bounded = not ends_loops(device) if bounded is None else bounded
        self._iterations = 0
        self._device = device
        # Each part runs all vertices again, which must not show.
        self._pace = None if vertices_write(draw) else at_pace or pace(device.info)
        self._pacer: Pacer | None = None
        self._left_out = 0
        self._tile_s = 0.0
        self._draw = draw
        self._pictures = pictures
        self.size = draw.size
        module = draw.program.module
        if "fragmentStoresAndAtomics" not in device.features:
            raise UnsupportedShader(
                f"{device.info.name} cannot store from fragment shaders, so it cannot count"
            )
        self._adds = not shades_each_pixel_once(draw)
        self._instrumented = _instrumented(
            draw.program,
            self._adds,
            self._adds and tests_early_by_itself(draw),
            loops_left_alone(device) if self.bounded else None,
            vertex_descriptors(draw),
        )
        ids = self._instrumented.blocks
        self._blocks = describe(module, ids, [0] * len(ids))
        self._entry = draw.program.entry().id
        # Every invocation stores all its counters, so that a used buffer needs no clearing; only
        # what ends nowhere (and is undefined) would leave the last frame's.
        self._must_clear = self._adds or bool(module.indices(Op.Unreachable))
        self.counters = self._instrumented.counters
        """Counters stored per pixel."""
        self.header_words = self._instrumented.header_words
        self.tiles = self._plan(memory_budget)
        """Drawn one after the other; one covers everything where the counters fit the budget."""
        self._loop_weights = loop_weights(module, self._instrumented.blocks)
        self._rounds = self._most_rounds = most_rounds(device, self._loop_weights)
        area = drawn_area(draw)
        covers = shades_each_pixel_once(draw) and draw.state.attachments.fixed is None
        self._expected = area.width * area.height if covers else None
        """Invocations; None where that depends on what covers what."""
        self._plain_s: float | None = None
        with ExitStack() as stack:
            largest = max(tile.width * tile.height for tile in self.tiles)
            words = self.header_words + self.counters * largest
            usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            self._buffer = HostBuffer(device, words * 4, usage, stack)
            self._words = self._buffer.bytes.view(np.uint32)
            self._words[:] = 0
            self._drawing = Drawing(
                device,
                draw,
                stack,
                instrumented=self._instrumented.spirv,
                instrumented_vertex=bounded_form(device, draw.vertex) if self.bounded else None,
                storage=StorageBinding(
                    self._instrumented.descriptor_set, self._instrumented.binding, self._buffer
                ),
                quick=True,
                pictures=pictures,
            )
            self.pipeline_s = self._drawing.pipeline_s
            """Seconds the driver took to compile the counting program."""
            self._stopwatch = Stopwatch(device, stack)
            self._commands = [device.command_buffer(stack) for _ in self.tiles]
            self._record_all()
            usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
            self._picture = HostBuffer(device, self._drawing.target.picture_bytes, usage, stack)
            self._stack = stack.pop_all()

    def trace(self, inputs: Inputs, slowdown: bool = False, camera: Camera | None = None) -> Trace:
        """Draw with these inputs and count; `camera`: None for the one before, or the draw's."""
        return run_through(self.steps(inputs, slowdown, camera))

    def steps(self, inputs: Inputs, slowdown: bool = False, camera: Camera | None = None) -> Steps:
        """`trace` step by step, as `tracing` has them."""
        instrumented = self._instrumented
        counts = np.zeros(len(self._blocks), np.int64)
        groups = np.zeros(len(self._blocks), np.int64)
        seconds, pixels, cut = 0.0, 0, Counter[BlockId]()
        self._iterations = 0
        drawn = self._counted(inputs, camera)
        while (tile := next(drawn, None)) is not None:
            yield
            _, raw = tile
            seconds += self._tile_s
            counts += instrumented.block_counts(raw)
            groups += instrumented.lane_groups(raw)
            pixels += instrumented.pixels(raw, self._entry)
            cut.update(instrumented.cut(raw))
            if not self.bounded and any(self._loop_weights):
                most = int(instrumented.heat(raw, self._loop_weights).max())
                self._iterations = max(self._iterations, most)
            yield
        note_counted(self._device, self._draw, seconds, self._pace)
        blocks = tuple(
            replace(block, count=count, lane_groups=lanes)
            for block, count, lanes in zip(
                self._blocks, counts.tolist(), groups.tolist(), strict=True
            )
        )
        return Trace(
            device=self._device.info.slug,
            size=self.size,
            time_s=inputs.uniforms.time_s,
            frame=inputs.uniforms.frame,
            blocks=blocks,
            pixels=pixels,
            slowdown=seconds / self._plain_seconds(inputs, camera)
            if slowdown and not (cut or self._left_out)
            else nan,
            cut=cut_loops(blocks, cut, self._rounds, instrumented.ending),
            lost=0 if self._expected is None else self._expected - pixels - self._left_out,
            left_out=self._left_out,
            textures=self._drawing.textures,
        )

    def needs_bounds(self, found: Trace) -> bool:
        """Whether the device may have ended loops, or dropped what follows them, in this trace."""
        return not self.bounded and (
            found.lost > 0
            or self._iterations >= SUSPICIOUS
            or vanished(self._draw.program, found.blocks)
        )

    def heat(
        self,
        inputs: Inputs,
        view: HeatView,
        pixels: np.ndarray,
        values: np.ndarray,
        camera: Camera | None = None,
    ) -> None:
        """Draw with these inputs into `pixels`, and what its pixels cost into `values`."""
        values[:] = nan if view.kind is HeatKind.LANES else 0  # tiles cover what is drawn on alone
        for tile, raw in self._counted(inputs, camera):
            self._instrumented.check_overflow(raw)
            part = values[tile.y : tile.y + tile.height, tile.x : tile.x + tile.width]
            part[:] = view.values(self._instrumented, raw)
        np.copyto(pixels, self._read_picture())

    def _counted(self, inputs: Inputs, camera: Camera | None) -> Iterator[tuple[Tile, np.ndarray]]:
        """Draw tile by tile: each with its raw counters (counters, height, width).

        The counters are valid until the next tile is asked for.
        """
        if self._drawing.set_inputs(inputs, camera):
            self._record_all()
        self._rounds = self._most_rounds
        if self._instrumented.loops:
            self._rounds = self._affordable()
        self._left_out = 0
        self._pacer = self._pace and Pacer(self._pace)
        for tile, commands in zip(self.tiles, self._commands, strict=True):
            yield tile, self._run(tile, commands)

    def _run(self, tile: Tile, commands: Any) -> np.ndarray:
        start = self.header_words
        if self._must_clear or self._pacer is not None:
            self._words[:] = 0
        self._words[:start] = (*tile, self._rounds)[:start]
        self._buffer.flush()
        if self._pacer is None:
            self._device.run(commands)
            self._tile_s = self._stopwatch.seconds()
        else:
            self._run_parts(self._pacer, tile, commands)
        self._buffer.invalidate()
        shape = (self.counters, tile.height, tile.width)
        return self._words[start : start + prod(shape)].reshape(shape)

    def _run_parts(self, pacer: Pacer, tile: Tile, commands: Any) -> None:
        """Draw a tile part by part, with the same places for its counters."""
        self._tile_s = 0.0
        is_first = tile is self.tiles[0]

        def submit(part: Tile) -> float:
            nonlocal is_first
            self._record(part, commands, first=is_first)
            is_first = False
            start = time.perf_counter()
            self._device.run(commands)
            taken_s = time.perf_counter() - start
            self._tile_s += self._stopwatch.seconds()
            return taken_s

        self._left_out += pacer.draw(tile, submit)

    def _affordable(self) -> int:
        """Rounds that the invocations of the whole draw can go in the time that counting may take.

        Where some in the middle of it are still in a loop after all rounds, most others may be too.
        """
        area = drawn_area(self._draw)
        width, height = min(area.width, GROUP_WIDTH), min(area.height, 2 * GROUP_HEIGHT)
        left, low = area.x + (area.width - width) // 2, area.y + (area.height - height) // 2
        with ExitStack() as stack:
            commands = self._device.command_buffer(stack)
            tile = Tile(left, low, width, height)
            self._record(tile, commands, first=True)
            self._pacer = None
            if not self._instrumented.cut(self._run(tile, commands)):
                return self._rounds
            whole_s = self._tile_s * area.width * area.height / (width * height)
        affordable = int(self._rounds * _ENDLESS_S / max(whole_s, 1e-9))
        return min(self._rounds, max(_FEWEST_ROUNDS, affordable))

    def picture(self) -> np.ndarray:
        """The picture traced last, (height, width, 4) uint8 RGBA, row 0 at gl_FragCoord.y = 0.5."""
        return self._read_picture().copy()

    def _read_picture(self) -> np.ndarray:
        self._device.run_once(lambda c: self._drawing.target.copy_to(c, self._picture.handle))
        self._picture.invalidate()
        return self._drawing.target.shown_pixels(self._picture.bytes)

    def close(self) -> None:
        self._stack.close()

    def _plan(self, memory_budget: int) -> tuple[Tile, ...]:
        """Tiles whose counters fit the budget and the device's limits."""
        most = min(memory_budget, self._device.limits.maxStorageBufferRange)
        pixels = (most - 4 * self.header_words) // (4 * self.counters)
        if pixels < LANES:
            raise OutOfDeviceMemory(
                f"{self.counters} counters for {LANES} pixels do not fit {most >> 20} MiB"
            )
        area = drawn_area(self._draw)
        return tiles((area.width, area.height), pixels, (area.x, area.y))

    def _record_all(self) -> None:
        for tile, commands in zip(self.tiles, self._commands, strict=True):
            self._record(tile, commands, first=tile is self.tiles[0])

    def _record(self, tile: Tile, commands: Any, *, first: bool) -> None:
        begin(commands)
        self._stopwatch.start(commands)
        self._drawing.record(commands, tile, keep=not first)
        self._stopwatch.stop(commands)
        show_to_host(commands)
        end(commands)

    def _plain_seconds(self, inputs: Inputs, camera: Camera | None) -> float:
        """Seconds of the draw without counting: as last rendered on this device, else drawn now."""
        if not self._device.has_clock:
            return nan
        seconds = self._device.draw_seconds.get(self._draw.pipeline_key)
        if seconds is None:
            if self._plain_s is None:
                with Renderer(self._device, self._draw, self._pictures) as renderer:
                    self._plain_s = renderer.draw(inputs, camera)
            seconds = self._plain_s
        return seconds or nan


@lru_cache(maxsize=16)
def _instrumented(
    program: Program, adding: bool, early: bool, alone: int | None, taken: tuple[Descriptor, ...]
) -> Instrumented:
    """`instrument`, once for the draws of a frame that share a program."""
    return instrument(
        program.module, program.entry_point, adding=adding, early=early, alone=alone,
        taken=taken,
    )  # fmt: skip


class _LastTracer:
    """Keeps the last draw's tracer, which is the one most likely wanted next."""

    def __init__(self, device: Device):
        self._device = device
        self._key: tuple[Hashable, int] | None = None
        self._digest = ""
        self._tracer: Tracer | None = None
        self._endless: set[Hashable] = set()
        """Draws whose loops have to be bounded even where the device ends them."""

    def tracer(self, draw: Draw, memory_budget: int) -> Tracer:
        tracer = self.at_hand(draw, memory_budget)
        if tracer is None:
            self.close()
            bounded = True if draw.pipeline_key in self._endless else None
            self._tracer = tracer = Tracer(self._device, draw, memory_budget, bounded=bounded)
            self._key = (draw.pipeline_key, memory_budget)
            self._digest = draw.program.digest
        return tracer

    def bound(self, draw: Draw) -> None:
        """Bound the loops of this draw from now on."""
        self.close()
        self._endless.add(draw.pipeline_key)

    def at_hand(self, draw: Draw, memory_budget: int) -> Tracer | None:
        """The tracer for this, where it is the one kept."""
        return self._tracer if self._key == (draw.pipeline_key, memory_budget) else None

    def forget(self, keep: Program) -> None:
        """Close the tracer, unless it is for `keep`."""
        if self._digest != keep.digest:
            self.close()

    def close(self) -> None:
        if self._tracer is not None:
            self._tracer.close()
        self._tracer = self._key = None
        self._digest = ""


class _LastHeat(_LastTracer):
    """The same for heat maps, whose size is the preview's."""
