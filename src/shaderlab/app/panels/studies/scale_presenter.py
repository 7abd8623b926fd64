"""Scaling from the window: measured and counted in a thread with workers of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from shaderlab.app.panels.studies.scale_view import CLOCK, ScaleView
from shaderlab.app.panels.studies.study_presenter import TargetStudyPresenter
from shaderlab.engine.crew import Crew, Engine
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Draw
from shaderlab.studies.scaling import (
    ClockStudy,
    SizeStudy,
    clock_study,
    size_study,
    spans,
)
from shaderlab.studies.sweep import Effort
from shaderlab.workers.samples import SampleWorker

_BEYOND = (0.75, 1.25, 1.5)
"""Times the lowest and the highest clock measured, to which is projected."""


class ScalePresenter(TargetStudyPresenter[ScaleView]):
    """One study at a time, of the program as it stands."""

    CHART = "shaderlab.app.panels.studies.scale_chart"
    STOPPING = "Stopping after this size…"

    def _start(self, over: str) -> None:
        program = self._session.program
        if self._study.running:
            return
        if program is None:
            self._refuse("The shader does not compile.")
        elif over == CLOCK:
            path, digest = self._session.samples.path, program.digest
            self._run(program, "Reading the samples…", lambda _report, _stop: _clocks(path, digest))
        else:
            self._measure(program)

    def _measure(self, program: Program) -> None:
        session, info = self._session, self._session.device
        if info is None or not info.timestamps:
            self._refuse("No device here can time shaders.")
            return
        if program.stage is Stage.COMPUTE:
            self._refuse("A compute shader has no picture size: sweep what sets its work.")
            return
        if session.on_device.in_passes:
            self._refuse("This needs a shader without other passes.")
            return
        draw, targets = session.drawing.counted(program), tuple(session.targets)
        self._rest_preview()
        self._run(
            program,
            "Starting…",
            lambda report, stopped: _sizes(draw, info, targets, report, stopped),
        )

    def _on_done(self, found: SizeStudy | ClockStudy | str | None) -> None:
        super()._on_done(found if not isinstance(found, str) else None)
        if found is None:
            self._refuse("Stopped before all sizes were measured")
        elif isinstance(found, str):
            self._view.say_none("No times at several clocks", found)


def _sizes(
    draw: Draw,
    info: DeviceInfo,
    targets: tuple[str, ...],
    report: Callable[[str], None],
    stopped: Callable[[], bool],
) -> SizeStudy | None:
    """In the thread."""
    with closing(Engine(Crew(info, low_priority=True, device_low=False))) as engine:
        return size_study(
            draw, engine, targets or None, effort=Effort(), report=report, stopped=stopped
        )


def _clocks(path: Path, digest: str) -> ClockStudy | str:
    """In the thread; a sentence where the samples do not span clocks."""
    with closing(SampleWorker(path)) as worker:
        points = worker.clock_points(digest).result()
    if spans(points):
        ends = min(points), max(points)
        at = sorted({round(ends[n > 1] * n / 50) * 50.0 for n in _BEYOND} - {0.0})
        return clock_study(points, at, "samples of this machine")
    if not points:
        return (
            "No sample of this shader names its clock. Record it at two clocks that are at least "
            "15 % apart, held with the vendor's tool. `shaderlab scale --over clock --point` "
            "accepts times that you type in."
        )
    listed = ", ".join(f"{clock:g} MHz" for clock in sorted(points)[:5])
    return f"Its samples were taken at {listed}: two clocks at least 15 % apart are needed."
