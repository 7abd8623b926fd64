"""Sweeps from the window: each runs in its own thread, with workers of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from shaderlab.app.panels.studies.rows import knobs
from shaderlab.app.panels.studies.study_presenter import TargetStudyPresenter
from shaderlab.app.panels.studies.sweep_view import SweepView
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.studies.axes import combinations, parse
from shaderlab.studies.sweep import Effort, Point, Report, Sweep
from shaderlab.studies.swept_capture import CapturePlan, sweep_capture
from shaderlab.studies.swept_frame import Plan, sweep_frame
from shaderlab.studies.swept_texts import SweptText


class SweepPresenter(TargetStudyPresenter[SweepView]):
    """Offers what the program has to sweep, and runs one sweep at a time."""

    CHART = "shaderlab.app.panels.studies.sweep_chart"
    STOPPING = "Stopping after this value…"

    _offered: Program | None = None

    def _refresh(self) -> None:
        session, program = self._session, self._session.program
        is_draw = session.capture.chosen is not None
        self._view.set_measurable(not is_draw)
        if program is None:
            self._view.offer(())
        elif program is not self._offered:
            self._view.offer(knobs(program.text, () if is_draw else session.drawing.listed()))
        self._offered = program
        super()._refresh()

    def _start(self, name: str, values: str, target: str, measure: bool) -> None:
        session, info = self._session, self._session.device
        program = session.program
        if self._study.running:
            return
        if program is None or info is None:
            self._refuse("The shader does not compile, or there is no device.")
            return
        try:
            axes = (parse(f"{name}={values}"),)
            combinations(axes)
        except WrongUse as error:
            self._refuse(str(error))
            return
        present = self._view.present_value
        # Where the shader's own value is not among them, the last is likely the most exact.
        reference = (present if present in axes[0].values else axes[0].values[-1],)
        source = session.compiling.source
        folder = source.folder if source is not None else None
        wanted = dict.fromkeys((target, *((info.slug,) if info.slug in session.targets else ())))
        chosen = session.capture.chosen
        if chosen is not None:
            if session.capture.reading:
                self._refuse("The capture is still being read.")
                return
            text = SweptText.of(program, folder, session.reading.value)
            draws = tuple(each for _, each in sorted(session.capture.draws.items()))
            capture_plan = CapturePlan(
                draws, chosen.draw.event, text, chosen.shader.base, axes, reference
            )
            engine = session.engine
            self._sweep(
                program, lambda *how: _of_capture(capture_plan, info, tuple(wanted), engine, *how)
            )
            return
        plan = Plan(
            session.drawing.frame(session.drawing.counted(program)),
            axes,
            folder,
            session.reading.value,
            tuple(wanted),
            Effort() if measure and info.timestamps else None,
            reference,
            varied=session.drawing.passes.edited,
        )
        if plan.effort is not None:
            self._rest_preview()
        self._sweep(program, lambda *how: _of_frame(plan, info, *how))

    def _sweep(self, of: Program, sweep: Callable[[Report, Callable[[], bool]], Sweep]) -> None:
        def study(report: Callable[[str], None], stopped: Callable[[], bool]) -> Sweep | None:
            def advanced(done: int, total: int, point: Point) -> None:
                report(f"Value {done} of {total}: {', '.join(point.values)}")

            found = sweep(advanced, stopped)
            return found if found.points else None

        self._run(of, "Starting…", study)


def _of_frame(plan: Plan, info: DeviceInfo, report: Report, stopped: Callable[[], bool]) -> Sweep:
    """In the thread: children at low priority, so that typing stays quick."""
    crew = Crew(info, low_priority=True, device_low=plan.effort is None)
    with closing(Engine(crew)) as engine:
        return sweep_frame(plan, engine, report, stopped)


def _of_capture(
    plan: CapturePlan,
    info: DeviceInfo,
    targets: tuple[str, ...],
    engine: Engine,
    report: Report,
    stopped: Callable[[], bool],
) -> Sweep:
    """In the thread; draws that were counted already are not counted again."""
    analyser = engine.crew.analyser(info, targets)
    return sweep_capture(plan, analyser, engine.crew.optimizer, info.slug, report, stopped)
