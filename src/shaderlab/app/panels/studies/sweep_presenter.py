"""Sweeps from the window: each runs in its own thread, with workers of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from shaderlab.app.panels.studies.rows import knobs
from shaderlab.app.panels.studies.study_presenter import TargetStudyPresenter
from shaderlab.app.panels.studies.sweep_view import SweepView
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.studies.axes import combinations, parse
from shaderlab.studies.forecasting import Workers
from shaderlab.studies.sweep import Effort, Plan, Point, Sweep, sweep
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker


class SweepPresenter(TargetStudyPresenter[SweepView]):
    """Offers what the program has to sweep, and runs one sweep at a time."""

    CHART = "shaderlab.app.panels.studies.sweep_chart"
    STOPPING = "Stopping after this value…"

    _offered: Program | None = None

    def _refresh(self) -> None:
        session, program = self._session, self._session.program
        if program is None:
            self._view.offer(())
        elif program is not self._offered:
            self._view.offer(knobs(program.text, session.drawing.listed()))
        self._offered = program
        super()._refresh()

    def _start(self, name: str, values: str, target: str, measure: bool) -> None:
        session, info = self._session, self._session.device
        program = session.program
        if self._study.running:
            return
        if program is None or info is None:
            self._refuse("There is no shader that compiles, or no device.")
            return
        try:
            axes = (parse(f"{name}={values}"),)
            combinations(axes)
        except WrongUse as error:
            self._refuse(str(error))
            return
        present = self._view.present_value
        # Where the shader's own value is not among them, the last is likely the most exact.
        reference = present if present in axes[0].values else axes[0].values[-1]
        source = session.compiling.source
        wanted = dict.fromkeys((target, *((info.slug,) if info.slug in session.targets else ())))
        plan = Plan(
            session.drawing.frame(session.drawing.counted(program)),
            axes,
            source.folder if source is not None else None,
            session.reading.value,
            tuple(wanted),
            Effort() if measure and info.timestamps else None,
            (reference,),
        )
        if plan.effort is not None:
            self._rest_preview()

        def study(report: Callable[[str], None], stopped: Callable[[], bool]) -> Sweep | None:
            def advanced(done: int, total: int, point: Point) -> None:
                report(f"{done} of {total}: {', '.join(point.values)}")

            found = _swept(plan, info, advanced, stopped)
            return found if found.points else None

        self._run(program, "Starting…", study)


def _swept(
    plan: Plan,
    info: DeviceInfo,
    report: Callable[[int, int, Point], None],
    stopped: Callable[[], bool],
) -> Sweep:
    """In the thread: children at low priority, so that typing stays quick."""
    with (
        closing(CompilerWorker(low_priority=True)) as compiler,
        closing(PredictorWorker()) as predictor,
        closing(DeviceWorker(info, low_priority=plan.effort is None)) as device,
    ):
        predictor.start()
        return sweep(plan, Workers(device, compiler, predictor), report, stopped)
