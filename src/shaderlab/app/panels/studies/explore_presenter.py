"""Exploring a family's chips from the window, in a thread with workers of its own."""

from __future__ import annotations

from contextlib import closing

from shaderlab.app.panels.studies.explore_view import ExploreView
from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError, UnknownTarget
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE, of_vendor
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Frame
from shaderlab.studies.explore import Space, explore, usual
from shaderlab.studies.frame_parts import costs_of, parts_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.frame_costs import FrameCosts


class ExplorePresenter(QObject):
    """One exploration at a time, of the program as it stands."""

    def __init__(self, session: Session, view: ExploreView, refresh: Throttle):
        super().__init__(view)
        self._session, self._view = session, view
        self._study = StudyRun(session, self)
        self._of: Program | None = None
        view.explore_wanted.connect(self._start)
        refresh.passed.connect(self._refresh)
        view.offer({each.slug: each.name for each in of_vendor(VENDORS["amd"])}, REFERENCE)

    def _refresh(self) -> None:
        if self._of is not None:
            program = self._session.program
            self._view.set_stale(program is None or program.digest != self._of.digest)

    def _start(self, slug: str) -> None:
        session, info = self._session, self._session.device
        program = session.program
        if self._study.running:
            return
        if program is None or info is None:
            self._view.show_state("There is no shader that compiles, or no device.", busy=False)
            return
        frame = session.drawing.frame(session.drawing.counted(program))
        self._of = program
        import_beside("shaderlab.app.panels.studies.explore_chart")
        self._view.show_state("Compiling and counting…", busy=True)
        self._study.start(
            lambda _report, _stopped: _explored(frame, slug, info), self._on_done, self._on_failed
        )

    def _on_done(self, space: Space) -> None:
        self._view.show_state("", busy=False)
        self._view.show_space(space)

    def _on_failed(self, error: ShaderlabError) -> None:
        self._view.show_state(str(error), busy=False)


def _explored(frame: Frame, slug: str, info: DeviceInfo) -> Space:
    """In the thread.  Raises what compiling and counting do."""
    targets = compiled.choose_among(compiled.available().result(), [slug])
    with (
        closing(CompilerWorker(low_priority=True)) as compiler,
        closing(CompiledWorkers(targets, low_priority=True)) as compilers,
        closing(DeviceWorker(info, low_priority=True)) as device,
        closing(FrameCosts(compiler, device, compilers)) as joined,
    ):
        compilers.start()
        found = costs_of(joined, frame, [slug])
    family = targets[0].family
    try:
        parts = parts_of(found, frame.draws_per_frame, slug)
    except UnknownTarget as error:
        raise UnknownTarget(f"{slug}: {error}") from None
    return explore(parts, family, *usual(family))
