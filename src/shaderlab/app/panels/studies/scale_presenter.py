"""Scaling from the window: measured and counted in a thread with workers of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from shaderlab.app.panels.studies.scale_view import CLOCK, ScaleView
from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Draw
from shaderlab.studies.forecasting import Workers
from shaderlab.studies.scaling import (
    ClockStudy,
    SizeStudy,
    clock_study,
    size_study,
    spans,
)
from shaderlab.studies.sweep import Effort
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.samples import SampleWorker

_BEYOND = (0.75, 1.25, 1.5)
"""Times the lowest and the highest clock measured, to which is projected."""


class ScalePresenter(QObject):
    """One study at a time, of the program as it stands."""

    def __init__(
        self,
        session: Session,
        view: ScaleView,
        settings: Settings,
        refresh: Throttle,
        preview_is_seen: Callable[[], bool],
    ):
        """`preview_is_seen`: whether to draw again after the measurement."""
        super().__init__(view)
        self._session, self._view, self._settings = session, view, settings
        self._preview_is_seen = preview_is_seen
        self._study = StudyRun(session, self)
        self._of: Program | None = None
        view.study_wanted.connect(self._start)
        view.stop_wanted.connect(self._stop)
        refresh.passed.connect(self._refresh)
        self._study.advanced.connect(self._on_advanced)

    def _refresh(self) -> None:
        session = self._session
        targets = {slug: each.name for slug, each in session.targets.items()}
        self._view.offer_targets(targets, self._settings.target)
        if self._of is not None:
            program = session.program
            self._view.set_stale(program is None or program.digest != self._of.digest)

    def _start(self, over: str) -> None:
        program, view = self._session.program, self._view
        if self._study.running:
            return
        if program is None:
            view.show_state("There is no shader that compiles.", busy=False)
            return
        import_beside("shaderlab.app.panels.studies.scale_chart")
        if over == CLOCK:
            self._look_up(program)
        else:
            self._measure(program)

    def _measure(self, program: Program) -> None:
        session, view, info = self._session, self._view, self._session.device
        if info is None or not info.timestamps:
            view.show_state("No device here can time shaders.", busy=False)
            return
        if session.on_device.in_passes or program.stage is not Stage.FRAGMENT:
            view.show_state("This needs a fragment shader without other passes.", busy=False)
            return
        draw, targets = session.drawing.counted(program), tuple(session.targets)
        self._of = program
        session.on_device.pictures.set_visible(False)
        view.show_state("Starting…", busy=True)
        self._study.start(
            lambda report, stopped: _sizes(draw, info, targets, report, stopped),
            self._on_sizes,
            self._on_failed,
        )

    def _look_up(self, program: Program) -> None:
        path = self._session.samples.path
        self._of = program
        self._view.show_state("Reading the samples…", busy=True)
        self._study.start(
            lambda _report, _stopped: _clocks(path, program.digest), self._on_clocks,
            self._on_failed,
        )  # fmt: skip

    def _on_advanced(self, text: str) -> None:
        if self._study.running and not self._study.stopping:
            self._view.show_state(text, busy=True)

    def _stop(self) -> None:
        self._study.stop()
        self._view.show_state("Stopping after this size…", busy=True)

    def _on_sizes(self, found: SizeStudy | None) -> None:
        self._end("" if found else "Stopped before all sizes were measured")
        if found is not None:
            self._view.show_study(found)

    def _on_clocks(self, found: ClockStudy | str) -> None:
        self._end("")
        if isinstance(found, ClockStudy):
            self._view.show_study(found)
        else:
            self._view.say_none("No times at several clocks", found)

    def _on_failed(self, error: ShaderlabError) -> None:
        self._end(str(error))

    def _end(self, text: str) -> None:
        self._view.show_state(text, busy=False)
        self._session.on_device.pictures.set_visible(self._preview_is_seen())


def _sizes(
    draw: Draw,
    info: DeviceInfo,
    targets: tuple[str, ...],
    report: Callable[[str], None],
    stopped: Callable[[], bool],
) -> SizeStudy | None:
    """In the thread."""
    with (
        closing(CompilerWorker(low_priority=True)) as compiler,
        closing(PredictorWorker()) as predictor,
        closing(DeviceWorker(info)) as device,
    ):
        predictor.start()
        return size_study(
            draw, Workers(device, compiler, predictor), targets or None, effort=Effort(),
            report=report, stopped=stopped,
        )  # fmt: skip


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
