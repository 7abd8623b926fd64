"""From a text to its program, counts and forecasts, with the workers that the window uses."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.engine.graph import Question, Ticket
from shaderlab.engine.questions import Uncounted, uncounted
from shaderlab.errors import (
    Abandoned,
    CompileFailed,
    DeviceStuck,
    ShaderlabError,
    UnknownDevice,
)
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage, named_in
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.prediction.catalogue.targets import TargetInfo
from shaderlab.projects import reading as project_files
from shaderlab.projects.finding import project_of
from shaderlab.projects.frames import frame
from shaderlab.projects.manner import of_pass, reading_of
from shaderlab.projects.project import SHOWN_PASS, Project
from shaderlab.projects.project import Text as PassText
from shaderlab.scene.draw import Draw, DrawState, Frame
from shaderlab.workers.supervisor.limits import Limits

T = TypeVar("T")
News = Callable[[Analysis], None]


@dataclass(frozen=True)
class _Setting:
    """What a text's project file says about it."""

    project: Project | None
    reading: Reading
    pass_name: str = ""
    """Of the project's pass that the text is; empty for the project's own shader."""


class Analyst:
    """Compiles, counts and predicts, each in its own child.  Methods block; one thread calls
    `compile`, one `measure`."""

    def __init__(self, device: str | None = None, limits: Limits | None = None):
        """`device`: the name of the one to count on; None: the best there is."""
        crew = Crew(device, limits, own_optimizer=True)
        self._engine = Engine(crew)
        self._lock = threading.Lock()
        self._waiting: Ticket | None = None
        self._dropped = False

    def start(self) -> None:
        """Bring the children up."""
        self._engine.crew.compiler.start()
        self._engine.crew.predictor.start()

    def targets(self) -> tuple[TargetInfo, ...]:
        return self._engine.answer(questions.targets)

    def close(self) -> None:
        """End all children."""
        self._engine.close()

    def drop(self) -> None:
        """Give up what `measure` waits for; it then ends at once, with less."""
        with self._lock:
            self._dropped = True
            if self._waiting is not None:
                self._waiting.close()

    def compile(self, text: Text) -> Analysis:
        """The text's program, or the diagnostics that say why there is none."""
        notes: tuple[Diagnostic, ...] = ()
        try:
            reading = self._setting(text).reading
        except ShaderlabError as error:
            notes, reading = (_whole(Severity.WARNING, str(error)),), _by_name(text, RECOGNISED)
        folder = text.path.parent if text.path else None
        try:
            source = Source(text.text, text.name, folder, reading=reading)
            program = self._engine.answer(questions.compiled_text, source)
        except CompileFailed as error:
            found = error.diagnostics or (_whole(Severity.ERROR, str(error)),)
            return Analysis(text, diagnostics=(*found, *notes), finished=True)
        except ShaderlabError as error:
            message = ". ".join(part for part in (str(error), error.remedy) if part)
            found = (_whole(Severity.ERROR, message), *notes)
            return Analysis(text, diagnostics=found, finished=True)
        done = Analysis(text, program, (*program.diagnostics, *notes))
        if program.stage not in (Stage.FRAGMENT, Stage.COMPUTE):
            stage = program.stage.shown
            why = f"It is a {stage} shader: open the fragment shader it goes with for its costs."
            return replace(done, problem=why, finished=True)
        return done

    def measure(self, known: Analysis, news: News) -> None:
        """Count and predict a program, first as written, then in the other forms that targets use.

        `news` gets the analysis each time there is more to it.
        """
        with self._lock:
            self._dropped = False
        program = known.program
        if program is None or known.finished:
            return
        try:
            whole, name = self._frame(known.of, program)
            known = replace(known, draw=whole.named(name))
            known = self._counted(known, whole, name, news)
        except Abandoned:
            return
        except ShaderlabError as error:
            known = replace(known, problem=str(error))
        news(replace(known, finished=True))

    def _counted(self, known: Analysis, whole: Frame, name: str, news: News) -> Analysis:
        try:
            counted = self._answer(questions.counts, whole, name)
        except (DeviceStuck, UnknownDevice) as error:
            counted = uncounted(error)
        if isinstance(counted, Uncounted):
            found = self._answer(questions.estimates, whole.named(name), counted)
            return replace(known, problem=f"It was not run: {counted.reason}").with_forecasts(found)
        found = self._answer(questions.first_forecasts, whole, name)
        known = replace(known, trace=counted).with_forecasts(found)
        news(known)
        return known.with_forecasts(self._answer(questions.forecasts, whole, name))

    def _answer(self, asked: Question[T], *given: object) -> T:
        """Raises Abandoned once it is dropped."""
        with self._lock:
            if self._dropped:
                raise Abandoned("the text has changed")
            ticket = self._waiting = self._engine.ask(asked, *given)
        try:
            return ticket.future.result()
        except CancelledError:
            raise Abandoned("the text has changed") from None
        finally:
            ticket.close()

    def _setting(self, text: Text) -> _Setting:
        """Raises ShaderlabError for a project file that cannot be used."""
        path = text.path
        found = project_of(path) if path else None
        if path is None or found is None:
            return _Setting(None, _by_name(text, RECOGNISED))
        project = project_files.read(found)
        reading, own = reading_of(project, found.name), path.resolve()
        if project.shader == own:
            return _Setting(project, reading)
        named = (each.name for each in project.passes if each.shader == own)
        name = next(named, "")
        if name:
            return _Setting(project, reading, name)
        return _Setting(None, _by_name(text, reading))

    def _frame(self, text: Text, program: Program) -> tuple[Frame, str]:
        """What is drawn, and the name of the pass that the program is."""
        setting = _Setting(None, RECOGNISED)
        with suppress(ShaderlabError):  # `compile` has said what is wrong with it
            setting = self._setting(text)
        project = setting.project
        if project is None:
            return Frame.of(Draw(program)), "0"
        programs: dict[PassText, Program] = {}
        own = text.path.resolve() if text.path is not None else None
        for path, entry in {each.text for each in project.passes} | {project.text}:
            is_own = path == own and not entry
            asked = questions.program, path, of_pass(setting.reading, entry)
            programs[path, entry] = program if is_own else self._engine.answer(*asked)
        shown = self._drawn(project, programs[project.text], setting.reading)
        if not project.passes:
            return Frame.of(shown), "0"
        return frame(project, shown, programs), setting.pass_name or SHOWN_PASS

    def _drawn(self, project: Project, program: Program, reading: Reading) -> Draw:
        state: DrawState = project.state
        path = project.vertex
        if path is None:
            return Draw(program, state)
        manner = replace(reading, language=None, stage=Stage.VERTEX, entry="")
        source = Source("", path.name, path.parent, path, reading=manner)
        return Draw(program, state, self._engine.answer(questions.vertex_stage, source, program))


def _by_name(text: Text, reading: Reading) -> Reading:
    """The stage is the one that the file's name ends with, as `sky.vert` does."""
    stage = named_in(text.name)
    known = reading.stage is not None or stage in (None, Stage.FRAGMENT)
    return reading if known else replace(reading, stage=stage)


def _whole(severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(0, 0, severity, message)
