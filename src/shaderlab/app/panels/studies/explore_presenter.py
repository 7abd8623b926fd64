"""Exploring a family's chips from the window, in a thread with workers of its own."""

from __future__ import annotations

from contextlib import closing

from shaderlab.app.panels.studies.explore_view import ExploreView
from shaderlab.app.panels.studies.study_presenter import ChipStudyPresenter
from shaderlab.errors import UnknownTarget
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Frame
from shaderlab.studies.explore import Space, explore, usual
from shaderlab.studies.frame_parts import costs_of, parts_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.frame_costs import FrameCosts


class ExplorePresenter(ChipStudyPresenter[ExploreView]):
    """One exploration at a time, of the program as it stands."""

    CHART = "shaderlab.app.panels.studies.explore_chart"

    def _start(self, slug: str) -> None:
        session, info = self._session, self._session.device
        program = session.program
        if self._study.running:
            return
        if program is None or info is None:
            self._refuse("The shader does not compile, or there is no device.")
            return
        frame = session.drawing.frame(session.drawing.counted(program))
        self._run(
            program, "Compiling and counting…", lambda _report, _stop: _explored(frame, slug, info)
        )


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
