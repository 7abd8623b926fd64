"""What a frame costs on GPUs that are not here: compile there, count here, join the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from shaderlab.errors import Abandoned, DeviceStuck, ShaderlabError
from shaderlab.gpu.counted import cost as executed
from shaderlab.gpu.radv import guesses, mapping, perfinfo
from shaderlab.gpu.radv.cost import FrameCost, frame_cost, whole_program_cost
from shaderlab.gpu.radv.features import CompiledFeatures, compiled_features
from shaderlab.gpu.radv.replay import Replay, replay_of
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.scene.draw import Draw, Frame
    from shaderlab.spirv.trace import Trace

    _Count = Callable[[Program], Future[Trace]]
    """Counts a program in place of the draw's own."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class CompiledFrame:
    """One frame of a program, seen from every family asked for."""

    trace: Trace
    """Of the program itself, on this machine's device."""
    stats: dict[str, CompiledStats]
    """By family."""
    costs: dict[str, FrameCost]
    """By family, for those in `stats` whose code could be met with counts, or whose compiler
    reports cycles."""
    problems: dict[str, ShaderlabError]
    """Families whose compiler did not take the program, and why."""
    uncounted: dict[str, str] = field(default_factory=dict)
    """Why a family in `stats` has no cost."""

    @property
    def features(self) -> dict[str, CompiledFeatures]:
        """By family, as numbers to learn from and predict with."""
        return {
            slug: compiled_features(one, self.costs.get(slug))
            for slug, one in self.stats.items()
            if one.vendor.slug == "amd"
        }


class FrameCosts:
    """Joins a compiler, a device that counts, and the families' compilers.  Thread-safe.

    The workers stay their owner's to close.
    """

    def __init__(self, compiler: CompilerWorker, device: DeviceWorker, compiled: CompiledWorkers):
        self._compiler = compiler
        self._device = device
        self._compiled = compiled
        self._families = {target.family.slug: target.family for target in compiled.targets}
        self._under_way: Callable[[], object] | None = None
        """Gives up the request that is waited for."""
        self._outdated = False
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="frame costs")

    def cost(
        self,
        draw: Draw,
        slugs: Iterable[str] | None = None,
        *,
        trace: Trace | None = None,
        stats: Mapping[str, CompiledStats] | None = None,
        within: tuple[Frame, str] | None = None,
    ) -> Future[CompiledFrame]:
        """Cost of one draw for the named families, or all.

        `within`: the frame of several passes that has the draw, and the pass's name.

        `trace`: of this draw, `stats`: of its program, where they are known already; with `stats`,
        nothing is compiled and the families are those in it.

        The future's exception is what tracing the program itself raises, or Abandoned; what goes
        wrong for one family is in the answer.
        """
        chosen = None if slugs is None else tuple(slugs)

        def count(program: Program) -> Future[Trace]:
            if within is None:
                return self._device.trace(draw.of_program(program))
            frame, name = within
            return self._device.trace_pass(frame.of_program(name, program), name)

        return self._pool.submit(self._cost, draw, chosen, trace, stats, count)

    def abandon(self) -> None:
        """Give up the cost under way: its future fails with Abandoned, unless it is nearly done."""
        self._outdated = True
        if (give_up := self._under_way) is not None:
            give_up()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _cost(
        self,
        draw: Draw,
        slugs: tuple[str, ...] | None,
        trace: Trace | None,
        known: Mapping[str, CompiledStats] | None,
        count: _Count,
    ) -> CompiledFrame:
        self._outdated = False
        program = draw.program
        constants = draw.launch_constants if draw.is_compute else None
        workgroup = draw.launch.per_group if draw.is_compute else 0
        compiling: Mapping[str, Future[CompiledStats]] = {}
        if known is None:
            compiling = self._compiled.compile(program, slugs, constants=constants)
        if trace is None:
            trace = self.await_from(self._device, count(program))
        stats: dict[str, CompiledStats] = dict(known or {})
        problems: dict[str, ShaderlabError] = {}
        for slug, future in compiling.items():
            try:
                stats[slug] = future.result()
            except ShaderlabError as error:
                problems[slug] = error
        by_call = self._by_call(program, count) or trace
        replays = _Replays(self, self._compiler, self._device, program, count)
        guessed = guesses.guessed_instructions(program.module, program.entry_point)
        costs: dict[str, FrameCost] = {}
        uncounted: dict[str, str] = {}
        for slug, one in stats.items():
            family = self._families[slug]
            cost, reason = None, "its control flow differs from the optimised program's"
            try:
                ran, counted = replays.of(one)
                join = frame_cost if one.vendor.slug == "amd" else executed.frame_cost
                cost = join(one, family, ran, counted, by_call, workgroup)
            except (Abandoned, DeviceStuck):
                raise
            except ShaderlabError as error:
                reason = str(error)
            if cost is not None:
                costs[slug] = cost
            elif one.chosen.value("Inverse Throughput") is not None:
                costs[slug] = whole_program_cost(one, family, trace, guessed, reason, workgroup)
            else:
                uncounted[slug] = reason
        return CompiledFrame(trace, stats, costs, problems, uncounted)

    def await_from(self, worker: CompilerWorker | DeviceWorker, request: Future[_T]) -> _T:
        """The request's result.  Raises Abandoned after `abandon`, else what it raises."""
        self._under_way = lambda: worker.abandon(request)
        try:
            if self._outdated:
                request.cancel()
                raise Abandoned("the cost of this frame is no longer needed")
            return request.result()
        finally:
            self._under_way = None

    def _by_call(self, program: Program, count: _Count) -> Trace | None:
        """Counts with every call apart, as compilers see them; None where that fails."""
        if len(program.module.functions) == 1:
            return None
        try:
            inlined = self.await_from(self._compiler, self._compiler.inline(program))
            return self.await_from(self._device, count(inlined))
        except (Abandoned, DeviceStuck):
            raise
        except ShaderlabError:
            return None


class _Replays:
    """Replays of one frame: families whose code has the same flow graph share one."""

    def __init__(
        self,
        costs: FrameCosts,
        compiler: CompilerWorker,
        device: DeviceWorker,
        program: Program,
        count: _Count,
    ):
        self._await = costs.await_from
        self._compiler = compiler
        self._device = device
        self._program, self._count = program, count
        self._done: list[tuple[str, Replay, Trace]] = []

    def of(self, stats: CompiledStats) -> tuple[Replay, Trace]:
        """Raises UnreadableNir, and what compiling and tracing the replay raise."""
        of_amd = stats.vendor.slug == "amd"
        costs = perfinfo.parse(stats.chosen.costs)
        for vendor, made, counted in self._done:
            if of_amd and vendor == "amd" and mapping.match(made.function, costs) is not None:
                return made, counted
        made = replay_of(self._program, stats)
        name = f"optimised for {stats.target}"
        request = self._compiler.compile(made.text, name, None)
        program = self._await(self._compiler, request).bound_as(self._program)
        counted = self._await(self._device, self._count(program))
        self._done.append((stats.vendor.slug, made, counted))
        return made, counted
