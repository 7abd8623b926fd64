"""Exploring products or a family's chips from the window, in a thread."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.panels.studies.explore_view import EVERY, ExploreView
from shaderlab.app.panels.studies.study_presenter import ChipStudyPresenter
from shaderlab.captures.frame import CapturedDraw
from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.engine.questions import Asked
from shaderlab.errors import UnknownTarget
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.prediction.catalogue.listed import ALL
from shaderlab.scene.draw import Frame
from shaderlab.studies.explore import EveryProduct, Space, explore, on_products, usual
from shaderlab.studies.frame_parts import costs_of, parts_of
from shaderlab.workers import compiled
from shaderlab.workers.analysed_draws import forecasts_of, in_frame


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
        said, engine = "Compiling and counting…", session.engine
        if session.capture.chosen is not None and slug == EVERY:
            if session.capture.reading:
                self._refuse("The capture is still being read.")
                return
            draws = [each for _, each in sorted(session.capture.draws.items())]
            self._run(program, said, lambda _report, _stop: _of_capture(draws, info, engine))
            return
        frame = session.drawing.frame(session.drawing.counted(program))
        if slug == EVERY:
            self._run(program, said, lambda _report, _stop: _of_frame(frame, engine))
        else:
            self._run(program, said, lambda _report, _stop: _explored(frame, info, slug, engine))


def _of_frame(frame: Frame, engine: Engine) -> EveryProduct:
    """In the thread; what the window has counted is known.  Raises what counting does."""
    forecasts = engine.answer(questions.total, frame, Asked((ALL,)))
    return on_products(engine.answer(questions.targets, (ALL,)), forecasts)


def _of_capture(draws: Sequence[CapturedDraw], info: DeviceInfo, engine: Engine) -> EveryProduct:
    """In the thread; of the frame as it was captured, whose counts are kept."""
    analyser = engine.crew.analyser(info, (ALL,))
    found = in_frame([analyser.analyse(each) for each in draws])
    return on_products(engine.answer(questions.targets, (ALL,)), forecasts_of(found))


def _explored(frame: Frame, info: DeviceInfo, slug: str, engine: Engine) -> Space:
    """In the thread.  Raises what compiling and counting do."""
    answers = engine.answer(questions.compilers)
    (target,) = compiled.choose_among(answers, [slug])
    found = costs_of(engine.crew.frame_costs(info, answers.targets), frame, [slug])
    try:
        parts = parts_of(found, frame.draws_per_frame, slug)
    except UnknownTarget as error:
        raise UnknownTarget(f"{slug}: {error}") from None
    return explore(parts, target.family, *usual(target.family))
