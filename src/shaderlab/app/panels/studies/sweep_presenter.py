"""Sweeps from the window: each runs in its own thread, with workers of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from shaderlab.app.panels.studies.rows import knobs
from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.panels.studies.sweep_view import SweepView
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.studies.axes import combinations, parse
from shaderlab.studies.forecasting import Workers
from shaderlab.studies.sweep import Effort, Plan, Point, Sweep, sweep
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker

_OLD = "from an earlier version of the shader"


class SweepPresenter(QObject):
    """Offers what the program has to sweep, and runs one sweep at a time."""

    def __init__(
        self,
        session: Session,
        panel: SweepView,
        settings: Settings,
        refresh: Throttle,
        preview_is_seen: Callable[[], bool],
    ):
        """`preview_is_seen`: whether to draw again after a sweep that measured."""
        super().__init__(panel)
        self._session, self._panel, self._settings = session, panel, settings
        self._preview_is_seen = preview_is_seen
        self._study = StudyRun(session, self)
        self._of: Program | None = None
        self._offered: Program | None = None
        panel.sweep_wanted.connect(self._start)
        panel.stop_wanted.connect(self._stop)
        refresh.passed.connect(self._refresh)
        self._study.advanced.connect(self._on_advanced)
        panel.empty.say(
            "targets",
            "Vary a value and see what it costs",
            "Choose a constant or an input and its values: time on the target and the picture's "
            "difference are plotted together.",
        )
        panel.show_empty()

    def _refresh(self) -> None:
        session, panel = self._session, self._panel
        targets = {slug: each.name for slug, each in session.targets.items()}
        panel.offer_targets(targets, self._settings.target)
        program = session.program
        if program is None:
            panel.offer(())
        elif program is not self._offered:
            panel.offer(knobs(program.text, session.drawing.listed()))
        self._offered = program
        if self._of is not None:
            same = program is not None and program.digest == self._of.digest
            panel.set_stale("" if same else _OLD)

    def _start(self, name: str, values: str, target: str, measure: bool) -> None:
        session, info = self._session, self._session.device
        program = session.program
        if self._study.running:
            return
        if program is None or info is None:
            self._panel.show_state("There is no shader that compiles, or no device.", busy=False)
            return
        try:
            axes = (parse(f"{name}={values}"),)
            combinations(axes)
        except WrongUse as error:
            self._panel.show_state(str(error), busy=False)
            return
        present = self._panel.present_value
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
        self._run(plan, info, program)

    def _run(self, plan: Plan, info: DeviceInfo, program: Program) -> None:
        self._of = program
        import_beside("shaderlab.app.panels.studies.sweep_chart")
        if plan.effort is not None:
            self._session.on_device.pictures.set_visible(False)
        self._panel.show_state("Starting…", busy=True)

        def study(report: Callable[[str], None], stopped: Callable[[], bool]) -> Sweep:
            def advanced(done: int, total: int, point: Point) -> None:
                report(f"{done} of {total}: {', '.join(point.values)}")

            return _swept(plan, info, advanced, stopped)

        self._study.start(study, self._on_done, self._on_failed)

    def _on_advanced(self, text: str) -> None:
        if self._study.running and not self._study.stopping:
            self._panel.show_state(text, busy=True)

    def _stop(self) -> None:
        self._study.stop()
        self._panel.show_state("Stopping after this value…", busy=True)

    def _on_done(self, found: Sweep) -> None:
        self._end("")
        if found.points:
            self._panel.show_sweep(found)

    def _on_failed(self, error: ShaderlabError) -> None:
        self._end(str(error))

    def _end(self, text: str) -> None:
        self._panel.show_state(text, busy=False)
        self._session.on_device.pictures.set_visible(self._preview_is_seen())


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
