"""What vendors' compilers make of the current program: last of all, only while it is looked at.

A program is compiled for the families on screen once its picture, counts and predictions are there;
then its frame is counted at low priority on a separate device worker, so that no frame of the
preview waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compiled import Compiled
from shaderlab.app.session.compiling import Compiling
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import NOTHING
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.versions import Version, Versions
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.compilers import families
from shaderlab.workers.external import ExternalReports

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.gpu.compilers.discovery import CompiledTarget
    from shaderlab.gpu.compilers.families import Family
    from shaderlab.gpu.radv.cost import FrameCost


class VendorCode(QObject):
    """See the module.  Belongs to the interface's thread."""

    changed = Signal()

    def __init__(
        self,
        tools: Tools,
        device: DeviceJobs,
        versions: Versions,
        compiling: Compiling,
        progress: Progress,
        parent: QObject,
    ):
        super().__init__(parent)
        self._device, self._progress = device, progress
        self._versions, self._texts = versions, compiling
        self._found = View(tools, questions.compilers, self)
        self._own, self._pinned = _Stats(tools, self), _Stats(tools, self)
        """Of the current program, and of the variant it is compared with."""
        self._counted = View(tools, questions.compiled_frame, self, Urgency.REFINEMENT)
        self._external = View(tools, questions.external, self, Urgency.BACKGROUND)
        self._recompiled = View(tools, questions.compiled_text, self)
        """The program of a variant of an earlier run."""
        self._viewers: set[str] = set()
        self.no_device = False
        """Whether none was found, so that there will be no picture to wait for."""
        self._analysers: tuple[tuple[tuple[str, str], ...], str] = ((), "")
        self.slugs: tuple[str, ...] = ()
        """Families on screen."""
        self.current: Compiled | None = None
        self.before: dict[str, CompiledStats] = {}
        """Of the version compiled before, by family; of this document."""
        self.costs_before: dict[str, FrameCost] = {}
        self._costs_of = NOTHING
        """What `current.costs` are of."""
        self._kept: dict[str, Compiled] = {}
        """Of variants, by their program's digest."""
        self._baseline: Version | None = None
        """Which was announced last."""
        self._found.changed.connect(self._on_answer)
        self._own.changed.connect(self._on_answer)
        self._pinned.changed.connect(self._on_answer)
        self._counted.changed.connect(self._on_answer)
        self._external.changed.connect(self._on_answer)
        self._recompiled.changed.connect(self._on_recompiled)
        progress.changed.connect(self.look)
        versions.changed.connect(self._on_versions)
        device.program_changed.connect(self._on_program)
        device.counts.changed.connect(self._on_traced)

    # -- what to work on --------------------------------------------------------------------

    def show(self, shown: bool, viewer: str = "compilers") -> None:
        """Whether this viewer is on screen; nothing is compiled while none is."""
        if shown:
            self._viewers.add(viewer)
        else:
            self._viewers.discard(viewer)
        self.look()

    def choose(self, slugs: Iterable[str]) -> None:
        """The families to have on screen; those that are not there are left out."""
        self.slugs = tuple(slugs)
        self.look()
        self.changed.emit()

    @property
    def targets(self) -> tuple[CompiledTarget, ...]:
        return self._found.answer.targets if self._found.answer is not None else ()

    @property
    def error(self) -> ShaderlabError | None:
        """Why there are no targets."""
        return self._found.error

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Why a family, or all of a vendor's, is not among the targets, by slug."""
        return self._found.answer.problems if self._found.answer is not None else {}

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
        known = self._kept.get(program.digest, Compiled(program))
        return self._pinned.added_to(known)

    def set_analysers(self, paths: dict[str, str], malioc_core: str = "") -> None:
        """Where external analysers are, by name, empty for those on PATH; asks them again."""
        self._analysers = tuple(sorted(paths.items())), malioc_core
        if self.current is not None and self.current.external is not None:
            self.current = replace(self.current, external=None)
            self.changed.emit()
        self.look()

    def retry(self) -> None:
        """Try once more what failed: compilers, which may have been installed since, too."""
        for view in (self._found, *self._own.views, self._counted):
            if view.error is not None:
                view.retry()
        if self.current is not None:
            self.current = replace(self.current, problems={}, cost_problem=None)
        self.changed.emit()

    @property
    def busy(self) -> bool:
        waiting = self._own.waiting or self._pinned.waiting
        return waiting or self._counted.waiting or self._external.waiting

    # -- what to do next --------------------------------------------------------------------

    def look(self) -> None:
        """Ask for what is wanted next, if there is something and it is time for it."""
        if not self._viewers:
            return
        self._found.want(True)
        program = self._device.program
        if self._found.answer is None or program is None:
            return
        if not self._progress.served(self.no_device) or self.busy:
            return
        self._ask(program)
        if self.busy:
            self.changed.emit()

    def _ask(self, program: Program) -> None:
        """One thing after the other."""
        slugs = tuple(family.slug for family in self.on_screen)
        known = self._known_of(program)
        self._own.want(program, known.lacks(slugs))
        if self._own.waiting:
            return
        known = self._take(self._own.added_to(known))
        counts = self._device.counts
        missing = tuple(s for s in slugs if s in known.stats and s not in known.costs)
        may_count = self._progress.counts_are_current and known.cost_problem is None
        if missing and may_count and counts.frame is not None:
            of = counts.variant, missing
            self._counted.want(of, counts.frame, counts.name, missing)
            if not self._counted.settled:
                return
            known = self._take(self._with_costs(known))
        if known.external is None:
            amd = tuple(f.slug for f in self.on_screen if f.vendor.slug == "amd")
            paths, core = self._analysers
            self._external.want((program.digest, self._analysers), program, amd, paths, core)
            if not self._external.settled:
                return
            self._take(replace(known, external=self._reports))
        if (pinned := self.pinned) is not None:
            self._pinned.want(pinned.program, pinned.lacks(slugs))
        elif (baseline := self._versions.baseline) is not None and self._texts.source is not None:
            source = replace(self._texts.source, text=baseline.text)
            if baseline.text:
                self._recompiled.want((baseline.number, source), source)

    @property
    def _reports(self) -> ExternalReports:
        error = self._external.error
        if error is not None:
            return ExternalReports(problems=(str(error),))
        return self._external.answer or ExternalReports()

    def _known_of(self, program: Program) -> Compiled:
        made = self.current
        return made if made is not None and _is_of(made, program) else Compiled(program)

    def _take(self, made: Compiled) -> Compiled:
        """All that was asked for last is there."""
        if self.current == made:
            return made
        if self.current is not None and not _is_of(self.current, made.program):
            self.before = {**self.before, **self.current.stats}
            self.costs_before = dict(self.current.costs)
        self.current = made
        if made.program.digest in self._variants:
            self._kept[made.program.digest] = made
        self.changed.emit()
        return made

    def _on_answer(self) -> None:
        self.look()
        self.changed.emit()

    def _with_costs(self, known: Compiled) -> Compiled:
        counted = self._counted.answer
        if counted is None:
            return replace(known, cost_problem=self._counted.error)
        self._costs_of = self._device.counts.variant
        reasons = "; ".join(f"{slug}: {why}" for slug, why in counted.uncounted.items())
        problem = ShaderlabError(reasons) if reasons else None
        return replace(known, costs={**known.costs, **counted.costs}, cost_problem=problem)

    def _on_recompiled(self) -> None:
        if self._recompiled.answer is not None:
            self._versions.know_program(self._recompiled.of[0], self._recompiled.answer)

    # -- what changes meanwhile -------------------------------------------------------------

    def _on_program(self) -> None:
        program = self._device.program
        if program is None or self._own.program not in (None, program.digest):
            for each in (*self._own.views, *self._pinned.views, self._counted, self._external):
                each.leave()
        if program is None:  # another document
            self.current = None
            self.before, self.costs_before = {}, {}
            self.changed.emit()

    def _on_traced(self) -> None:
        """Frame times belong to the inputs that the frame was counted with."""
        current, variant = self.current, self._device.counts.variant
        if current is None or variant == self._costs_of or variant[0] != current.program.digest:
            return
        self._counted.leave()
        if current.costs or current.cost_problem is not None:
            if self._costs_of[0] == variant[0]:
                self.costs_before = dict(current.costs)
            self.current = replace(current, costs={}, cost_problem=None)
            self.changed.emit()
        self.look()

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
        self.look()


class _Stats(QObject):
    """What the compilers of some families make of one program."""

    changed = Signal()

    def __init__(self, tools: Tools, parent: QObject):
        super().__init__(parent)
        self._tools = tools
        self._by_slug: dict[str, View[CompiledStats]] = {}
        self.program: str | None = None
        """Digest."""

    def want(self, program: Program, slugs: Iterable[str]) -> None:
        self.program = program.digest
        for slug in slugs:
            view = self._by_slug.get(slug)
            if view is None:
                asked = questions.compiled_for
                view = self._by_slug[slug] = View(self._tools, asked, self, Urgency.REFINEMENT)
                view.changed.connect(self.changed)
            view.want(program.digest, program, slug)

    @property
    def views(self) -> tuple[View[CompiledStats], ...]:
        return tuple(self._by_slug.values())

    @property
    def waiting(self) -> bool:
        return any(each.waiting for each in self.views)

    def added_to(self, known: Compiled) -> Compiled:
        """With what was answered for its program."""
        of = {s: v for s, v in self._by_slug.items() if v.of == known.program.digest and v.settled}
        stats = {slug: view.answer for slug, view in of.items() if view.answer is not None}
        problems = {slug: view.error for slug, view in of.items() if view.error is not None}
        return replace(
            known, stats={**known.stats, **stats}, problems={**known.problems, **problems}
        )


def _is_of(made: Compiled, program: Program) -> bool:
    return made.program.digest == program.digest
