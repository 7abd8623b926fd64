"""AMD compilers for the program in force: last of all, at low priority, only while looked at.

Nothing is started before the panel is first shown.  A program is compiled for the families on
screen once its picture, counts and predictions were served; then its frame is counted on a device
worker of the lane's own, so that no frame of the preview waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.quarantine import ends_workers
from shaderlab.app.session.request_slot import PATIENCE_S
from shaderlab.app.session.time_changes import Times
from shaderlab.errors import Abandoned, Quarantined, ShaderlabError
from shaderlab.scene.draw import CANONICAL
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.external import Analysers, ExternalReports
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.app.session.session import Session
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.radv.compiled import CompiledStats
    from shaderlab.gpu.radv.cost import FrameCost
    from shaderlab.gpu.radv.discovery import CompiledTarget
    from shaderlab.gpu.radv.families import Family


@dataclass(frozen=True)
class Compiled:
    """What is known of one program, by family."""

    program: Program
    stats: Mapping[str, CompiledStats] = field(default_factory=dict)
    problems: Mapping[str, ShaderlabError] = field(default_factory=dict)
    """Families whose compiler did not take it."""
    costs: Mapping[str, FrameCost] = field(default_factory=dict)
    cost_problem: ShaderlabError | None = None
    """Why no frame could be counted."""
    external: ExternalReports | None = None
    """Of vendors' analysers; None before they were asked."""

    def lacks(self, slugs: Iterable[str]) -> tuple[str, ...]:
        return tuple(s for s in slugs if s not in self.stats and s not in self.problems)


@dataclass(frozen=True)
class Pinned:
    """A variant kept to compare with."""

    name: str
    compiled: Compiled
    times_s: Times


class AmdLane(QObject):
    """See the module.  Belongs to the interface's thread."""

    changed = Signal()

    def __init__(self, session: Session):
        super().__init__(session)
        self._session = session
        self._limits: Limits | None = None
        self._compilers = session.compilers
        self._shown = self._closed = False
        self._under_way: Program | None = None
        self._requests: dict[str, Future] = {}
        self._compiler: CompilerWorker | None = None
        self._device: DeviceWorker | None = None
        self._costs: FrameCosts | None = None
        self._analysers: Analysers | None = None
        self.no_device = False
        """Whether none was found, so that there will be no picture to wait for."""
        self._analyser_paths: dict[str, str] = {}
        self._malioc_core = ""
        self.slugs: tuple[str, ...] = ()
        """Families on screen."""
        self.current: Compiled | None = None
        self.before: dict[str, CompiledStats] = {}
        """Of the version compiled before, by family; of this document."""
        self.costs_before: dict[str, FrameCost] = {}
        self.pinned: Pinned | None = None
        self._impatience = QTimer(self, singleShot=True)
        self._impatience.setInterval(round(PATIENCE_S * 1000))
        self._impatience.timeout.connect(self._give_up_outdated)
        for signal in (session.state_changed, session.trace_changed, session.forecasts_changed):
            signal.connect(self.pump)
        self._compilers.changed.connect(self._on_compilers)
        session.forecasts_changed.connect(self._on_forecasts)
        session.program_changed.connect(self._on_program)
        session.device_changed.connect(self._on_device)

    # -- what to work on --------------------------------------------------------------------

    def show(self, shown: bool) -> None:
        """Whether anyone looks: nothing is compiled for nobody."""
        self._shown = shown
        self.pump()

    def choose(self, slugs: Iterable[str]) -> None:
        """The families to have on screen; those that are not there are left out."""
        self.slugs = tuple(slugs)
        self.changed.emit()
        self.pump()

    @property
    def targets(self) -> tuple[CompiledTarget, ...]:
        return self._compilers.targets

    @property
    def error(self) -> ShaderlabError | None:
        """Why there are no targets."""
        return self._compilers.error

    @property
    def on_screen(self) -> tuple[Family, ...]:
        """The chosen families this machine compiles for, in the order chosen."""
        there = {target.family.slug: target.family for target in self.targets}
        return tuple(there[slug] for slug in self.slugs if slug in there)

    def pin(self, name: str) -> None:
        """Keep the program in force, and all known of it, to compare with."""
        program = self._session.program
        if program is None:
            return
        known = self.current if self._is(self.current, program) else Compiled(program)
        history = self._session.history
        times_s = history.now_s if history.digest == program.digest else {}
        self.pinned = Pinned(name, known, times_s)
        self.changed.emit()
        self.pump()

    def unpin(self) -> None:
        self.pinned = None
        self.changed.emit()

    def set_analysers(self, paths: dict[str, str], malioc_core: str = "") -> None:
        """Where external analysers are, by name, empty for those on PATH; asks them anew."""
        self._analyser_paths, self._malioc_core = dict(paths), malioc_core
        if self.current is not None and self.current.external is not None:
            self.current = replace(self.current, external=None)
            self.changed.emit()
        self.pump()

    def again(self) -> None:
        """Try once more what failed for the program in force."""
        if self.current is not None:
            self.current = replace(self.current, problems={}, cost_problem=None)
        self.pump()

    def look(self) -> None:
        """Look for RADV, again if there was none."""
        self._compilers.look_again()

    def set_limits(self, limits: Limits) -> None:
        self._limits = limits
        for worker in (self._compiler, self._device):
            if worker is not None:
                worker.set_limits(limits)

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        workers = (self._compiler, self._device)
        return sum(w.replacements for w in workers if w is not None)

    @property
    def busy(self) -> bool:
        return self._under_way is not None

    def close(self) -> None:
        self._closed = True
        self._impatience.stop()
        for part in (self._costs, self._compiler, self._device, self._analysers):
            if part is not None:
                part.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Start the next piece of work, if there is one and it is time for it."""
        if self._closed or not self._shown or self.error is not None:
            return
        if not self.targets:
            self._compilers.look()
            return
        program = self._session.program
        if self._under_way is not None:
            outdated = program is None or program.digest != self._under_way.digest
            if outdated and not self._impatience.isActive():
                self._impatience.start()
            return
        if program is None or not self._served:
            return
        slugs = tuple(family.slug for family in self.on_screen)
        made = self.current if self._is(self.current, program) else Compiled(program)
        if missing := made.lacks(slugs):
            self._compile(made, missing)
        elif self._uncounted(made, slugs):
            self._count(made)
        elif made.external is None:
            self._analyse(made, slugs)
        elif self.pinned is not None and (missing := self.pinned.compiled.lacks(slugs)):
            self._compile(self.pinned.compiled, missing)

    @property
    def _served(self) -> bool:
        """Whether all that comes first is there, or will not come."""
        session, device = self._session, self._session.on_device
        if not (session.compiling.compiles and session.compiling.settled):
            return False
        if session.device is None:
            return self.no_device
        if device.render_error is not None or device.trace_error is not None:
            return True
        return session.complete or (
            session.counts_are_current and session.forecast_error is not None
        )

    def _uncounted(self, made: Compiled, slugs: Iterable[str]) -> bool:
        return (
            self._session.trace is not None
            and self._session.counts_are_current
            and made.cost_problem is None
            and any(s in made.stats and s not in made.costs for s in slugs)
        )

    # -- the pieces of work -----------------------------------------------------------------

    def _compile(self, made: Compiled, slugs: tuple[str, ...]) -> None:
        self._under_way = made.program
        stats, problems = dict(made.stats), dict(made.problems)
        held = {slug: self._refusal(made.program, "amd", slug) for slug in slugs}
        problems |= {slug: refusal for slug, refusal in held.items() if refusal is not None}
        slugs = tuple(slug for slug in slugs if held[slug] is None)
        if not slugs:
            self._finish(replace(made, problems=problems))
            return
        self._requests = self._compilers.workers.compile(made.program, slugs)
        open_ = set(slugs)

        def arrived(slug: str) -> None:
            open_.discard(slug)
            if not open_:
                self._requests = {}
                self._finish(replace(made, stats=stats, problems=problems))

        def done(slug: str, found: CompiledStats) -> None:
            stats[slug] = found
            arrived(slug)

        def failed(slug: str, error: ShaderlabError) -> None:
            if not isinstance(error, Abandoned):
                problems[slug] = error
            self._remember(made.program, "amd", slug, error)
            arrived(slug)

        for slug, request in list(self._requests.items()):
            self._session.bridge.watch(
                request,
                lambda found, slug=slug: done(slug, found),
                lambda error, slug=slug: failed(slug, error),
            )
        self.changed.emit()

    def _count(self, made: Compiled) -> None:
        if refusal := self._refusal(made.program, "amd frame", ""):
            self._finish(replace(made, cost_problem=refusal))
            return
        self._under_way = made.program
        if self._costs is None:
            self._compiler = CompilerWorker(self._limits, low_priority=True)
            self._device = DeviceWorker(self._session.device, self._limits, low_priority=True)
            self._costs = FrameCosts(self._compiler, self._device, self._compilers.workers)
        costs = self._costs
        wanted = {slug: stats for slug, stats in made.stats.items() if slug not in made.costs}

        def done(frame: CompiledFrame) -> None:
            if self._costs is not costs:  # another device was chosen meanwhile
                self._finish(made)
                return
            without = set(wanted) - set(frame.costs)
            problem = ShaderlabError("the compiler tells no cycles") if without else None
            self._finish(replace(made, costs={**made.costs, **frame.costs}, cost_problem=problem))

        def failed(error: ShaderlabError) -> None:
            again = isinstance(error, Abandoned) or self._costs is not costs
            self._finish(made if again else replace(made, cost_problem=error))

        request = costs.cost(CANONICAL.draw(made.program), trace=self._session.trace, stats=wanted)
        self._session.bridge.watch(request, done, failed)

    def _analyse(self, made: Compiled, slugs: tuple[str, ...]) -> None:
        self._under_way = made.program
        if self._analysers is None:
            self._analysers = Analysers()
        asked = self._analyser_paths, self._malioc_core

        def done(reports: ExternalReports) -> None:
            outdated = asked != (self._analyser_paths, self._malioc_core)
            self._finish(replace(made, external=None if outdated else reports))

        self._session.bridge.watch(
            self._analysers.analyse(made.program, slugs, *asked),
            done,
            lambda error: done(ExternalReports(problems=(str(error),))),
        )

    def _finish(self, made: Compiled) -> None:
        """Keep what came, where it is still asked for, and go on."""
        self._under_way = None
        self._impatience.stop()
        if made.cost_problem is not None:
            self._remember(made.program, "amd frame", "", made.cost_problem)
        program = self._session.program
        if program is not None and program.digest == made.program.digest:
            if self.current is not None and self.current.program.digest != program.digest:
                self.before = {**self.before, **self.current.stats}
                self.costs_before = dict(self.current.costs)
            self.current = made
        if self.pinned is not None and self._is(self.pinned.compiled, made.program):
            self.pinned = replace(self.pinned, compiled=made)
        self.changed.emit()
        self.pump()

    # -- what ended a worker is not run again by itself -------------------------------------

    def _refusal(self, program: Program, task: str, slug: str) -> ShaderlabError | None:
        reason = self._session.quarantine.reason(program, task, slug)
        if not reason:
            return None
        error = Quarantined(f"not compiled again by itself: {reason}")
        return error.with_remedy("Change it, or choose Compile now.")

    def _remember(self, program: Program, task: str, slug: str, error: ShaderlabError) -> None:
        if ends_workers(error):
            self._session.quarantine.add(program, task, slug, str(error))

    # -- what changes meanwhile -------------------------------------------------------------

    def _on_program(self) -> None:
        if self._session.program is None:  # another document
            self.current = None
            self.before, self.costs_before = {}, {}
            self.changed.emit()
        self.pump()

    def _on_compilers(self) -> None:
        self.changed.emit()
        self.pump()

    def _on_forecasts(self) -> None:
        """A method's forecasts of the pinned program may come after it was pinned."""
        history = self._session.history
        if self.pinned is None or history.digest != self.pinned.compiled.program.digest:
            return
        times_s = {**self.pinned.times_s, **history.now_s}
        if times_s != self.pinned.times_s:
            self.pinned = replace(self.pinned, times_s=times_s)
            self.changed.emit()

    def _on_device(self) -> None:
        """Count on the device the window uses, and on no other."""
        if self._costs is not None:
            self._costs.close()
        for worker in (self._compiler, self._device):
            if worker is not None:
                worker.close(wait=False)  # a driver may take its time to let go
        self._costs = self._compiler = self._device = None
        if self.current is not None and self.current.cost_problem is not None:
            self.current = replace(self.current, cost_problem=None)

    def _give_up_outdated(self) -> None:
        program = self._session.program
        if self._under_way is None or (
            program is not None and program.digest == self._under_way.digest
        ):
            return
        if self._compilers.workers is not None:
            self._compilers.workers.abandon(self._requests)
        if self._costs is not None:
            self._costs.abandon()

    @staticmethod
    def _is(made: Compiled | None, program: Program) -> bool:
        return made is not None and made.program.digest == program.digest
