"""What the studies' presenters share: one run at a time, of the program as it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.panels.studies.study_view import ChipStudyView, StudyView, TargetStudyView
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.late_import import import_beside
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE, of_vendor
from shaderlab.gpu.compilers.vendors import VENDORS

_View = TypeVar("_View", bound=StudyView)
_ChipView = TypeVar("_ChipView", bound=ChipStudyView)
_TargetView = TypeVar("_TargetView", bound=TargetStudyView)


class StudyPresenter(QObject, Generic[_View]):
    """Runs a study, shows how far it is and its result, and dims that of an earlier text."""

    CHART = ""
    """Module to import while a study runs."""
    STOPPING = "Stopping…"

    def __init__(self, session: Session, view: _View, refresh: Throttle):
        super().__init__(view)
        self._session, self._view = session, view
        self._study = StudyRun(session, self)
        self._of: Program | None = None
        view.stop_wanted.connect(self._stop)
        refresh.passed.connect(WhenSeen(view)(self._refresh))
        self._study.advanced.connect(self._on_advanced)

    def _refresh(self) -> None:
        if self._of is not None:
            program = self._session.program
            self._view.set_stale(program is None or program.digest != self._of.digest)

    def _run(
        self,
        of: Program | None,
        said: str,
        study: Callable[[Callable[[str], None], Callable[[], bool]], Any],
    ) -> None:
        """Call `study(report, stopped)` in a thread; None is a study that was stopped."""
        if of is not None and not self._session.compiling.compiles:
            self._end("The shader does not compile as it stands.")
            return
        self._of = of
        import_beside(self.CHART)
        self._view.begin(said)
        self._study.start(study, self._on_done, self._end_with)

    def _refuse(self, why: str) -> None:
        self._view.show_state(why, busy=False)

    def _on_advanced(self, text: str) -> None:
        if self._study.running and not self._study.stopping:
            self._view.show_state(text, busy=True)

    def _stop(self) -> None:
        self._study.stop()
        self._view.show_state(self.STOPPING, busy=True)

    def _on_done(self, found: Any) -> None:
        self._end("")
        if found is not None:
            self._view.show_result(found)

    def _end_with(self, error: ShaderlabError) -> None:
        self._end(str(error))

    def _end(self, text: str) -> None:
        self._view.show_state(text, busy=False)


class ChipStudyPresenter(StudyPresenter[_ChipView]):
    """One over AMD's chips."""

    def __init__(self, session: Session, view: _ChipView, refresh: Throttle):
        super().__init__(session, view, refresh)
        view.wanted.connect(self._start)
        view.offer({each.slug: each.name for each in of_vendor(VENDORS["amd"])}, REFERENCE)

    def _start(self, slug: str) -> None:
        raise NotImplementedError


class TargetStudyPresenter(StudyPresenter[_TargetView]):
    """One that offers targets, and may measure here."""

    _start: Callable[..., None]
    """What the view's `wanted` calls."""

    def __init__(
        self,
        session: Session,
        view: _TargetView,
        settings: Settings,
        refresh: Throttle,
        preview_is_seen: Callable[[], bool],
    ):
        """`preview_is_seen`: whether to draw again after a measurement."""
        super().__init__(session, view, refresh)
        self._settings, self._preview_is_seen = settings, preview_is_seen
        view.wanted.connect(self._start)

    def _refresh(self) -> None:
        targets: Mapping[str, str] = {s: each.name for s, each in self._session.targets.items()}
        self._view.offer_targets(targets, self._settings.target)
        super()._refresh()

    def _rest_preview(self) -> None:
        """Leave the device to the measurement until the study ends."""
        self._session.on_device.pictures.set_visible(False)

    def _end(self, text: str) -> None:
        super()._end(text)
        self._session.on_device.pictures.set_visible(self._preview_is_seen())
