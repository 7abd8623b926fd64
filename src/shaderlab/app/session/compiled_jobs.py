"""Vendors' compilers for the current program: last of all, only while their panel is visible.

Nothing is started before the panel is first shown.  A program is compiled for the families on
screen once its picture, counts and predictions are there; then its frame is counted at low priority
on a separate device worker, so that no frame of the preview waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compiled import Compiled
from shaderlab.app.session.compiling import Compiling
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import PATIENCE_S
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.suspects import Task
from shaderlab.app.session.vendor_compilers import VendorCompilers
from shaderlab.app.session.versions import Version, Versions
from shaderlab.app.session.views import View
from shaderlab.app.session.workers import ROLE, Crew
from shaderlab.engine import questions
from shaderlab.errors import ShaderlabError, UnsupportedShader
from shaderlab.gpu.compilers import families
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.external import Analysers, ExternalReports

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.gpu.compilers.discovery import CompiledTarget
    from shaderlab.gpu.compilers.families import Family
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.radv.cost import FrameCost
    from shaderlab.spirv.trace import Trace
    from shaderlab.workers.frame_costs import CompiledFrame


class CompiledJobs(QObject):
    """See the module.  Belongs to the interface's thread."""

    changed = Signal()

    def __init__(
        self,
        tools: Tools,
        device: DeviceJobs,
        versions: Versions,
        compiling: Compiling,
        progress: Progress,
        compilers: VendorCompilers,
        parent: QObject,
    ):
        super().__init__(parent)
        self._compiling, self._counting = JobRunner(tools, self), JobRunner(tools, self)
        self._crew, self._compilers = tools.crew, compilers
        self._device, self._progress = device, progress
        self._versions, self._texts = versions, compiling
        self._recompiled = View(tools, questions.compiled_text, self)
        """The program of a variant of an earlier run."""
        self._recompiled.changed.connect(self._on_recompiled)
        self._viewers: set[str] = set()
        self._closed = False
        self._result: Callable[[], Compiled] | None = None
        """What the work under way comes to, once nothing of it is left; None without any."""
        self._bench: _Bench | None = None
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
        self._costs_of: Variant = ("", 0)
        """What `current.costs` are of."""
        self._kept: dict[str, Compiled] = {}
        """Of variants, by their program's digest."""
        self._baseline: Version | None = None
        """Which was announced last."""
        for runner in (self._compiling, self._counting):
            runner.freed.connect(self._on_freed)
        progress.changed.connect(self.pump)
        compilers.changed.connect(self._on_compilers)
        versions.changed.connect(self._on_versions)
        device.program_changed.connect(self._on_program)
        device.device_changed.connect(self._on_device)
        device.counts.changed.connect(self._on_traced)

    # -- what to work on --------------------------------------------------------------------

    def show(self, shown: bool, viewer: str = "compilers") -> None:
        """Whether this viewer is on screen; nothing is compiled while none is."""
        if shown:
            self._viewers.add(viewer)
        else:
            self._viewers.discard(viewer)
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
    def unavailable(self) -> Mapping[str, str]:
        """Why a family, or all of a vendor's, is not among the targets, by slug."""
        return self._compilers.problems

    @property
    def absent(self) -> list[str]:
        """Of the chosen families that are not here: which, and why, a sentence for each reason."""
        there, by_reason = {target.family.slug for target in self.targets}, dict[str, list[str]]()
        vendors = {family.slug: family.vendor.slug for family in families.families()}
        for slug in self.slugs:
            why = self.unavailable.get(slug) or self.unavailable.get(vendors.get(slug, ""))
            if slug not in there and why:
                by_reason.setdefault(why, []).append(slug)
        return [f"{', '.join(slugs)}: {why}." for why, slugs in by_reason.items()]

    @property
    def on_screen(self) -> tuple[Family, ...]:
        """The chosen families this machine compiles for, in the order chosen."""
        there = {target.family.slug: target.family for target in self.targets}
        return tuple(there[slug] for slug in self.slugs if slug in there)

    @property
    def pinned(self) -> Compiled | None:
        """Of the variant to compare with; None where there is none, or it is not compiled yet."""
        baseline = self._versions.baseline
        if baseline is None or baseline.program is None:
            return None
        program = baseline.program
        return self._kept.get(program.digest) or self._known_of(program)

    def set_analysers(self, paths: dict[str, str], malioc_core: str = "") -> None:
        """Where external analysers are, by name, empty for those on PATH; asks them again."""
        self._analyser_paths, self._malioc_core = dict(paths), malioc_core
        if self.current is not None and self.current.external is not None:
            self.current = replace(self.current, external=None)
            self.changed.emit()
        self.pump()

    def again(self) -> None:
        """Retry what failed for the current program."""
        if self.current is not None:
            self.current = replace(self.current, problems={}, cost_problem=None)
        self.pump()

    def look(self) -> None:
        """Look for compilers, again if there was none."""
        self._compilers.look_again()

    @property
    def busy(self) -> bool:
        return self._result is not None

    def close(self) -> None:
        self._closed = True
        if self._bench is not None:
            self._bench.costs.close()
        if self._analysers is not None:
            self._analysers.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Start the next piece of work, if there is one and it is time for it."""
        if self._closed or not self._viewers or self.error is not None:
            return
        compilers, program = self._compilers.workers, self._device.program
        if compilers is None:
            self._compilers.look()
            return
        if self.busy or program is None or not self._progress.served(self.no_device):
            return
        slugs = tuple(family.slug for family in self.on_screen)
        known, trace = self._known_of(program), self._device.counts.trace
        if missing := known.lacks(slugs):
            self._compile(compilers, known, missing, program)
        elif trace is not None and self._uncounted(known, slugs):
            self._count(compilers, known, trace)
        elif known.external is None:
            self._analyse(known, tuple(f.slug for f in self.on_screen if f.vendor.slug == "amd"))
        elif (pinned := self.pinned) is not None and (missing := pinned.lacks(slugs)):
            self._compile(compilers, pinned, missing, program)
        elif (baseline := self._versions.baseline) is not None and pinned is None:
            self._recompile(baseline)

    def _recompile(self, version: Version) -> None:
        source = self._texts.source
        if source is not None and version.text:
            source = replace(source, text=version.text)
            self._recompiled.want((version.number, source), source)

    def _on_recompiled(self) -> None:
        if self._recompiled.answer is not None:
            self._versions.know_program(self._recompiled.of[0], self._recompiled.answer)

    def _known_of(self, program: Program) -> Compiled:
        made = self.current
        return made if made is not None and _is_of(made, program) else Compiled(program)

    def _uncounted(self, known: Compiled, slugs: Iterable[str]) -> bool:
        return (
            self._progress.counts_are_current
            and known.cost_problem is None
            and any(s in known.stats and s not in known.costs for s in slugs)
        )

    # -- the pieces of work -----------------------------------------------------------------

    def _compile(
        self, compilers: CompiledWorkers, known: Compiled, slugs: tuple[str, ...], current: Program
    ) -> None:
        """Compile the current program, or the pinned one while that is the current one."""
        stats, problems = dict(known.stats), dict(known.problems)
        for slug in slugs:
            self._compiling.run(
                Job(Task.COMPILED, known.program, slug, PATIENCE_S, current.digest),
                lambda slug=slug: compilers.compile(known.program, (slug,))[slug],
                lambda found, slug=slug: stats.update({slug: found}),
                lambda error, slug=slug: problems.update({slug: error}),
                abandon=lambda request, slug=slug: compilers.abandon({slug: request}),
            )
        self._await(lambda: replace(known, stats=stats, problems=problems))

    def _count(self, compilers: CompiledWorkers, known: Compiled, trace: Trace) -> None:
        info = self._device.info
        assert info is not None, "something was traced"
        if self._device.in_passes:
            problem = UnsupportedShader("frames with passes are not counted for these GPUs yet")
            found = replace(known, cost_problem=problem)
            self._await(lambda: found)
            return
        if self._bench is None:
            self._bench = _Bench(self._crew, compilers, info)
        costs, found = self._bench.costs, known
        draw, variant = self._device.counts.draw, self._device.counts.variant
        assert draw is not None, "it was traced"
        wanted = {
            slug: known.stats[slug]
            for slug in self.slugs
            if slug in known.stats and slug not in known.costs
        }

        def done(frame: CompiledFrame) -> None:
            nonlocal found
            if variant != self._device.counts.variant:
                return  # of inputs that were changed meanwhile
            self._costs_of = variant
            reasons = "; ".join(f"{slug}: {why}" for slug, why in frame.uncounted.items())
            problem = ShaderlabError(reasons) if reasons else None
            found = replace(known, costs={**known.costs, **frame.costs}, cost_problem=problem)

        def failed(error: ShaderlabError) -> None:
            nonlocal found
            if variant == self._device.counts.variant:
                found = replace(known, cost_problem=error)

        self._counting.run(
            Job(Task.COMPILED_FRAME, known.program, "", PATIENCE_S, known.program.digest),
            lambda: costs.cost(draw, trace=trace, stats=wanted),
            done,
            failed,
            abandon=lambda _: costs.abandon(),
        )
        self._await(lambda: found)

    def _analyse(self, known: Compiled, slugs: tuple[str, ...]) -> None:
        if self._analysers is None:
            self._analysers = Analysers()
        analysers, found = self._analysers, ExternalReports()
        asked = self._analyser_paths, self._malioc_core

        def done(reports: ExternalReports) -> None:
            nonlocal found
            found = reports

        def result() -> Compiled:
            outdated = asked != (self._analyser_paths, self._malioc_core)
            return replace(known, external=None if outdated else found)

        self._compiling.run(
            Job(Task.ANALYSE, known.program, blamed=False),
            lambda: analysers.analyse(known.program, slugs, *asked),
            done,
            lambda error: done(ExternalReports(problems=(str(error),))),
        )
        self._await(result)

    def _await(self, result: Callable[[], Compiled]) -> None:
        """All of a piece of work was sent: take its result once every part has ended."""
        self._result = result
        self.changed.emit()
        self._on_freed()

    def _on_freed(self) -> None:
        if self._result is None or self._compiling.busy or self._counting.busy:
            return
        made, self._result = self._result(), None
        if self._costs_of != self._device.counts.variant:
            made = replace(made, costs={})
        program = self._device.program
        if program is not None and _is_of(made, program):
            if self.current is not None and not _is_of(self.current, program):
                self.before = {**self.before, **self.current.stats}
                self.costs_before = dict(self.current.costs)
            self.current = made
        if made.program.digest in self._variants:
            self._kept[made.program.digest] = made
        self.changed.emit()
        self.pump()

    # -- what changes meanwhile -------------------------------------------------------------

    def _on_program(self) -> None:
        program = self._device.program
        for runner in (self._compiling, self._counting):
            runner.want(program.digest if program is not None else None)
        if program is None:  # another document
            self.current = None
            self.before, self.costs_before = {}, {}
            self.changed.emit()

    def _on_traced(self) -> None:
        """Frame times belong to the inputs that the frame was counted with."""
        current, variant = self.current, self._device.counts.variant
        if current is None or variant == self._costs_of or variant[0] != current.program.digest:
            return
        if current.costs or current.cost_problem is not None:
            if self._costs_of[0] == variant[0]:
                self.costs_before = dict(current.costs)
            self.current = replace(current, costs={}, cost_problem=None)
            self.changed.emit()
        self.pump()

    def _on_compilers(self) -> None:
        self.changed.emit()
        self.pump()

    @property
    def _variants(self) -> set[str]:
        """Digests of the variants' programs."""
        variants = self._versions.variants
        return {each.program.digest for each in variants if each.program is not None}

    def _on_versions(self) -> None:
        """Keep what is known of the variants, and of nothing else."""
        known, current = self._variants, self.current
        self._kept = {digest: each for digest, each in self._kept.items() if digest in known}
        if current is not None and current.program.digest in known:
            self._kept[current.program.digest] = current
        if (baseline := self._versions.baseline) != self._baseline:
            self._baseline = baseline
            self.changed.emit()
        self.pump()

    def _on_device(self) -> None:
        """Count on the device the window uses, and on no other."""
        if self._bench is not None:
            self._bench.close()
            self._bench = None
        if self.current is not None and self.current.cost_problem is not None:
            self.current = replace(self.current, cost_problem=None)
        self._counting.replace_worker()
        self._on_freed()


class _Bench:
    """Where frames of compiled programs are counted: apart from the preview's device."""

    def __init__(self, crew: Crew, compilers: CompiledWorkers, info: DeviceInfo):
        from shaderlab.workers.frame_costs import FrameCosts

        self._crew = crew
        self.device: DeviceWorker = crew.add(crew.make.background_device(info), ROLE)
        self.costs = FrameCosts(crew.optimizer, self.device, compilers)

    def close(self) -> None:
        self.costs.close()
        self._crew.remove(self.device)
        self.device.close(wait=False)  # a driver may take its time to let go


def _is_of(made: Compiled, program: Program) -> bool:
    return made.program.digest == program.digest
