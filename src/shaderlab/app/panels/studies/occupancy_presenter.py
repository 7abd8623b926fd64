"""Comparing local sizes from the window, in a thread with a compiler of its own."""

from __future__ import annotations

from contextlib import closing

from shaderlab.app.panels.studies.occupancy_view import OccupancyView
from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE, of_vendor
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.scene.draw import Draw
from shaderlab.studies.occupancy import Occupancy, local_sizes, occupancy
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers


class OccupancyPresenter(QObject):
    """One comparison at a time, of the compute shader as it stands."""

    def __init__(self, session: Session, view: OccupancyView, refresh: Throttle):
        super().__init__(view)
        self._session, self._view = session, view
        self._study = StudyRun(session, self)
        self._of: Program | None = None
        view.wanted.connect(self._start)
        refresh.passed.connect(self._refresh)
        view.offer({each.slug: each.name for each in of_vendor(VENDORS["amd"])}, REFERENCE)

    def _refresh(self) -> None:
        if self._of is not None:
            program = self._session.program
            self._view.set_stale(program is None or program.digest != self._of.digest)

    def _start(self, slug: str) -> None:
        program = self._session.program
        if self._study.running:
            return
        if program is None:
            self._view.show_state("There is no shader that compiles.", busy=False)
            return
        draw = self._session.drawing.counted(program)
        if not draw.is_compute:
            kind = program.stage.shown
            self._view.show_state(f"This is a {kind} shader: it has no workgroups.", busy=False)
            return
        self._of = program
        import_beside("shaderlab.app.panels.studies.occupancy_chart")
        self._view.show_state("Compiling…", busy=True)
        self._study.start(
            lambda _report, _stopped: _compared(draw, slug), self._on_done, self._on_failed
        )

    def _on_done(self, found: Occupancy) -> None:
        self._view.show_state("", busy=False)
        self._view.show_occupancy(found)

    def _on_failed(self, error: ShaderlabError) -> None:
        self._view.show_state(str(error), busy=False)


def _compared(draw: Draw, slug: str) -> Occupancy:
    """In the thread.  Raises what finding the compiler does."""
    sizes, note = local_sizes(draw)
    targets = compiled.choose_among(compiled.available().result(), [slug])
    with closing(CompiledWorkers(targets, low_priority=True)) as workers:
        return occupancy(
            draw,
            targets[0].family,
            sizes,
            note,
            lambda given: workers.compile(draw.program, (slug,), constants=given)[slug].result(),
        )
