"""The paper's Algorithm 1: trials of many draws between two timestamps.

Every draw has its own render pass that waits for the one before, because drivers drop draws that a
later one in the same pass covers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from enum import Enum, auto
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu import clocks
from shaderlab.gpu.measurement import Measurement, OutputTime, PipelineStatistics, VertexTime
from shaderlab.gpu.plan import LINE_TRIALS, SUBMISSION_S, Plan, fewer_draws, plan
from shaderlab.gpu.trials import is_settled, outliers, settled_at
from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes
from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.dispatching import Dispatching
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.parts import Submissions, dispatch_parts, parts
from shaderlab.gpu.vulkan.pipeline_statistics import pipeline_statistics
from shaderlab.gpu.vulkan.shader_inputs import Pictures
from shaderlab.gpu.vulkan.submitting import pace
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.locations import resources
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.passes.counter_placement import ENDS_INVOCATION
from shaderlab.spirv.value_types import Component
from shaderlab.stats import TimeLine, line_through
from shaderlab.system import processors


class Trial(NamedTuple):
    """One timed submission."""

    gpu_s: float
    """Seconds per draw between its timestamps."""
    cpu_s: float
    """CPU seconds per draw, all threads of this process."""


class _Part(Enum):
    """Of a draw, what a submission repeats."""

    WHOLE = auto()
    VERTICES = auto()
    """With a scissor that leaves one pixel: every vertex is still processed."""
    PASS = auto()
    """The pass without the draw."""


_TILES = {_Part.VERTICES: Tile(0, 0, 1, 1)}
_SHORT_MEASUREMENT_S = 2.0
_WAKE_S, _WAKING_S = 0.5, 0.01
"""An NVIDIA H200 goes from 345 to 1,980 MHz within tenths of a second; how long it is kept busy
between two looks at its clock."""
_SHORT_DRAWS = 100
"""Per trial at most: a pass and a vertex stage are often short beside the draw."""


def profile(
    device: Device,
    draw: Draw,
    *,
    trials: int = 10,
    draws: int = 30,
    pictures: Pictures | None = None,
) -> Measurement:
    """Time a draw.

    One draw is timed first; for a slow shader fewer draws per trial, then fewer trials (3 at least)
    are taken than asked for; fewer trials also once the mean is known (`settled_at`).  Something
    drawn before the first trial is not counted.  `pictures`: of other passes, which it may read.
    Raises NoTimestamps, UnsupportedShader, WrongUse, OutOfDeviceMemory, DeviceLost.
    """
    with TimedDraws(device, draw, pictures=pictures) as timed:
        return measure(timed, planned(timed, trials, draws))


def planned(timed: TimedDraws, trials: int, draws: int) -> Plan:
    """Trials of a draw whose submissions last no longer than the device's may."""
    allowed = pace(timed.device.info)
    submission_s = min(SUBMISSION_S, allowed.submission_s) if allowed else SUBMISSION_S
    return plan(timed.single.gpu_s, trials, draws, submission_s=submission_s)


def measure(
    timed: TimedDraws,
    chosen: Plan,
    *,
    checked: bool = True,
    settled: float | None = None,
) -> Measurement:
    """The trials of a plan; `checked` adds linearity and pipeline statistics, which take longer.

    No more trials are taken once the mean is known to the fraction `settled` of itself
    (`is_settled`); None for the device's own (`settled_at`).
    """
    device = timed.device
    _wake(timed)
    before = processors.thread_times([os.getpid()])
    measured = _trials(timed, chosen, settled)
    waited = processors.waited_share(before, processors.thread_times([os.getpid()]))
    clock_state = clocks.state(device.info)
    seconds = np.array([trial.gpu_s for trial in measured])
    resolution = device.clock.period_ns * 1e-9
    output, reason = timed.output_time(chosen.trials) if checked else (None, "")
    return Measurement(
        device=device.info.slug,
        device_name=device.info.name,
        driver=device.info.driver,
        size=timed.size,
        draws=chosen.draws,
        trials_s=tuple(seconds.tolist()),
        rejected=outliers(seconds, resolution / chosen.draws),
        floor_s=timed.floor_s,
        cpu_trials_s=tuple(trial.cpu_s for trial in measured),
        clocks=clock_state,
        linearity=_linearity(timed, chosen.draws, measured) if checked else None,
        statistics=timed.statistics() if checked else None,
        vertex=timed.vertex_time(chosen.trials) if checked else None,
        output=output,
        output_reason=reason,
        buffers=timed.buffers,
        waited=waited,
        compile_s=timed.compile_s,
    )


def _wake(timed: TimedDraws) -> None:
    """Keep a GPU busy that was idle until its clock is up; trials at a fifth of it would agree."""
    end_s = time.monotonic() + _WAKE_S
    info = timed.device.info
    while info.kind != "software" and clocks.is_rising(clocks.state(info)):
        if time.monotonic() > end_s:
            return
        timed.trial(plan(timed.single.gpu_s, 1, _SHORT_DRAWS, submission_s=_WAKING_S).draws)


def floor_seconds(device: Device, size: tuple[int, int] | None) -> float:
    """Seconds of a render pass that draws a constant colour, measured once per size; of None those
    of a dispatch of one workgroup that does nothing."""
    return device.companion(_Floors, lambda: _Floors(device)).seconds(size)


def _prepared(
    device: Device, draw: Draw, stack: ExitStack, pictures: Pictures | None
) -> Drawing | Dispatching:
    if draw.is_compute:
        return Dispatching(device, draw, stack, buffer_sizes(device).lengths(draw))
    return Drawing(device, draw, stack, pictures=pictures)


def _parted(
    device: Device,
    draws: Sequence[Draw],
    drawings: Sequence[Drawing | Dispatching],
    stack: ExitStack,
) -> list[Submissions[Any]]:
    """Of draws one of which takes longer than a submission may; else none."""
    divided = [(dispatch_parts if each.is_compute else parts)(device, each) for each in draws]
    if max(map(len, divided)) == 1:
        return []
    return [
        Submissions[Any](device, drawing, stack, parts=each)
        for drawing, each in zip(drawings, divided, strict=True)
    ]


class TimedDraws:
    """A draw, or several in turn, ready to be repeated many times between two timestamps.

    A context manager.  Nothing is drawn before it is asked for.
    """

    def __init__(self, device: Device, *draws: Draw, pictures: Pictures | None = None):
        """`pictures`: of passes, which the draws may read.

        Raises NoTimestamps and what `Renderer` raises."""
        self.device = device
        self._draws = draws
        self.size = draws[-1].counted_size
        self._is_compute = draws[-1].is_compute
        self.buffers = buffer_sizes(device).of(draws[-1]) if self._is_compute else ()
        _ = device.clock
        with ExitStack() as stack:
            self._drawings = [_prepared(device, draw, stack, pictures) for draw in draws]
            self._restores = any(each.begins_anew for each in self._drawings)
            self._stopwatch = Stopwatch(device, stack)
            self._commands = device.command_buffer(stack)
            self._parted = _parted(device, draws, self._drawings, stack)
            self._recorded: tuple[int, _Part] = (0, _Part.WHOLE)
            self._warm = False
            self._stack = stack.pop_all()

    def warm_up(self) -> None:
        """Draw once if nothing was drawn yet.

        The first draw pays for memory touched and clocks woken, and on some drivers for compiling.
        """
        if not self._warm:
            self.trial(1)

    @cached_property
    def single(self) -> Trial:
        """One draw on its own, after the first."""
        self.warm_up()
        return self.trial(1)

    def trial(self, draws: int, part: _Part = _Part.WHOLE) -> Trial:
        """Time one submission of `draws` render passes."""
        if self._restores:
            return self._trial_from_contents(draws, part)
        if self._parted and part is _Part.WHOLE:
            cpu = time.process_time()
            gpu_s = sum(self._run_parts() for _ in range(draws))
            self._warm = True
            return Trial(gpu_s / draws, (time.process_time() - cpu) / draws)
        if (draws, part) != self._recorded:
            self._record(draws, part)
        cpu = time.process_time()
        self.device.run(self._commands)
        self._warm = True
        return Trial(self._stopwatch.seconds() / draws, (time.process_time() - cpu) / draws)

    def _trial_from_contents(self, draws: int, part: _Part) -> Trial:
        """The same of draws onto given contents, which are put back before each and not timed."""
        in_parts = bool(self._parted) and part is _Part.WHOLE
        if not in_parts and self._recorded != (1, part):
            self._record(1, part)
        gpu_s = cpu_s = 0.0
        for _ in range(draws):
            for drawing in self._drawings:
                drawing.restore()
            cpu = time.process_time()
            if in_parts:
                gpu_s += self._run_parts()
            else:
                self.device.run(self._commands)
                gpu_s += self._stopwatch.seconds()
            cpu_s += time.process_time() - cpu
        self._warm = True
        return Trial(gpu_s / draws, cpu_s / draws)

    def _run_parts(self) -> float:
        return sum(each.run() for each in self._parted)

    @property
    def compile_s(self) -> float | None:
        """Seconds the driver took to compile, as `Measurement` has it."""
        return self._drawings[0].compile_s if len(self._drawings) == 1 else None

    def statistics(self) -> PipelineStatistics | None:
        """What the device says one draw made it do; None of several."""
        drawing = self._drawings[0]
        if len(self._drawings) > 1 or isinstance(drawing, Dispatching):
            return None
        return pipeline_statistics(self.device, drawing)

    @property
    def floor_s(self) -> float:
        """Seconds of a pass that draws a constant colour; of a dispatch of one empty workgroup."""
        return floor_seconds(self.device, None if self._is_compute else self.size)

    def vertex_time(self, trials: int) -> VertexTime | None:
        """What the vertex stage of one draw takes; None of one that the user did not write."""
        if len(self._drawings) > 1 or not self._drawings[0].has_own_vertices:
            return None
        return VertexTime(*self._beside_pass(_Part.VERTICES, trials))

    def output_time(self, trials: int) -> tuple[OutputTime | None, str]:
        """What writing one draw's pixels takes apart from its pass and its shader; else why it
        is unknown.  Neither is known for several draws."""
        if len(self._draws) != 1 or self._is_compute:
            return None, ""
        (draw,) = self._draws
        reason = _inseparable(draw.program)
        if reason:
            return None, reason
        try:
            with TimedDraws(self.device, draw.of_program(constant_colour())) as flat:
                return OutputTime(*flat._beside_pass(_Part.WHOLE, trials)), ""
        except (UnsupportedShader, WrongUse) as error:
            return None, str(error)

    def _beside_pass(self, part: _Part, trials: int) -> tuple[tuple[float, ...], ...]:
        """Trials of the empty pass, then of a part that is short too, by the clock that counts."""
        self.warm_up()
        alone_s = self.trial(1, part).gpu_s
        chosen = plan(alone_s, trials, _SHORT_DRAWS, measurement_s=_SHORT_MEASUREMENT_S)
        column = _clock(self.device)

        def times(part: _Part) -> tuple[float, ...]:
            self.trial(chosen.draws, part)  # not counted: the commands are new
            return tuple(self.trial(chosen.draws, part)[column] for _ in range(chosen.trials))

        return times(_Part.PASS), times(part)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> TimedDraws:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, draws: int, part: _Part) -> None:
        commands = self._commands
        begin(commands)
        self._stopwatch.start(commands)
        for _ in range(draws):
            for drawing in self._drawings:
                empty = part is _Part.PASS
                if isinstance(drawing, Dispatching):
                    drawing.record(commands, empty=empty)
                else:
                    drawing.record(commands, _TILES.get(part), keep=self._restores, empty=empty)
        self._stopwatch.stop(commands)
        end(commands)
        self._recorded = draws, part


def _trials(timed: TimedDraws, chosen: Plan, settled: float | None = None) -> list[Trial]:
    if chosen.draws > 1:
        timed.trial(chosen.draws)  # not counted: the commands are new
        measured = []
    else:
        measured = [timed.single]
    clock = _clock(timed.device)
    if settled is None:
        settled = settled_at(timed.device.info.kind)
    while len(measured) < chosen.trials:
        seconds = np.array([trial[clock] for trial in measured])
        if settled is not None and is_settled(seconds, settled):
            break
        measured.append(timed.trial(chosen.draws))
    return measured


def _clock(device: Device) -> int:
    """Which of a trial's times counts: the CPU's where cores are shared."""
    return Trial._fields.index("cpu_s" if device.info.kind == "software" else "gpu_s")


def _linearity(timed: TimedDraws, draws: int, measured: list[Trial]) -> TimeLine | None:
    """Do half and a quarter of the draws take half and a quarter of the time?"""
    if not fewer_draws(draws):
        return None
    column = _clock(timed.device)
    by_draws = {draws: measured}
    for fewer in fewer_draws(draws):
        by_draws[fewer] = [timed.trial(fewer) for _ in range(LINE_TRIALS)]
    counts = sorted(by_draws)
    seconds = [n * float(np.median([trial[column] for trial in by_draws[n]])) for n in counts]
    return line_through(counts, seconds) if min(seconds) > 0 else None


def _inseparable(program: Program) -> str:
    """Why a constant colour cannot stand for what the program writes; empty where it can."""
    outputs = program.interface.outputs
    if len(outputs) != 1 or outputs[0].location != 0:
        return "it does not write exactly one colour"
    if outputs[0].component is not Component.FLOAT:
        return "it writes integers"
    if any(program.module.indices(each) for each in ENDS_INVOCATION):
        return "it discards pixels, which a constant colour writes"
    return ""


@cache
def constant_colour() -> Program:
    """A pixel shader that does nothing but write one colour."""
    spirv = (resources() / "gpu" / "constant.frag.spv").read_bytes()
    return Program("constant colour", Dialect.SPIRV, "", spirv, "main")


@cache
def _nothing() -> Program:
    spirv = (resources() / "gpu" / "empty.comp.spv").read_bytes()
    return Program("nothing", Dialect.SPIRV, "", spirv, "main", stage=Stage.COMPUTE)


class _Floors:
    """What a render pass costs on the device whatever the shader, by size; a dispatch by None."""

    def __init__(self, device: Device):
        self._device = device
        self._seconds: dict[tuple[int, int] | None, float] = {}

    def seconds(self, size: tuple[int, int] | None) -> float:
        if size not in self._seconds:
            one = DrawState(launch=LaunchChoice(groups=(1, 1, 1)))
            draw = Draw(_nothing(), one) if size is None else Draw.of(constant_colour(), size)
            with TimedDraws(self._device, draw) as timed:
                measured = _trials(timed, plan(timed.single.gpu_s, trials=10, draws=30))
            # The median: a single disturbed trial must not stay with this size for good.
            self._seconds[size] = float(np.median([trial.gpu_s for trial in measured]))
        return self._seconds[size]

    def close(self) -> None:
        self._seconds.clear()
