"""Comparing local sizes from the window, in a thread."""

from __future__ import annotations

from shaderlab.app.panels.studies.occupancy_view import OccupancyView
from shaderlab.app.panels.studies.study_presenter import ChipStudyPresenter
from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.scene.draw import Draw
from shaderlab.studies.occupancy import Occupancy, local_sizes, occupancy
from shaderlab.workers import compiled


class OccupancyPresenter(ChipStudyPresenter[OccupancyView]):
    """One comparison at a time, of the compute shader as it stands."""

    CHART = "shaderlab.app.panels.studies.occupancy_chart"

    def _start(self, slug: str) -> None:
        program = self._session.program
        if self._study.running:
            return
        if program is None:
            self._refuse("The shader does not compile.")
            return
        draw = self._session.drawing.counted(program)
        if not draw.is_compute:
            self._refuse(f"This is a {program.stage.shown} shader: it has no workgroups.")
            return
        engine = self._session.engine
        self._run(program, "Compiling…", lambda _report, _stop: _compared(draw, slug, engine))


def _compared(draw: Draw, slug: str, engine: Engine) -> Occupancy:
    """In the thread.  Raises what finding the compiler does."""
    sizes, note = local_sizes(draw)
    answers = engine.answer(questions.compilers)
    (target,) = compiled.choose_among(answers, [slug])
    workers = engine.crew.families(answers.targets)
    return occupancy(
        draw,
        target.family,
        sizes,
        note,
        lambda given: workers.compile(draw.program, (slug,), constants=given)[slug].result(),
    )
