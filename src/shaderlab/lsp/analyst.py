"""From a text to its program, counts and forecasts, with the workers that the window uses."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab.errors import (
    Abandoned,
    CompileFailed,
    DeviceLost,
    OutOfMemory,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
)
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.stage import Stage, named_in
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.prediction.catalogue.targets import TargetInfo
from shaderlab.projects import reading as project_files
from shaderlab.projects.finding import project_of
from shaderlab.projects.frames import frame
from shaderlab.projects.manner import reading_of
from shaderlab.projects.project import SHOWN_PASS, Project
from shaderlab.scene.defaults import assumptions
from shaderlab.scene.draw import Draw, DrawState, Frame
from shaderlab.spirv.trace import Trace
from shaderlab.studies.forecasting import count_vertices, forms
from shaderlab.studies.other_forms import trace_other_forms
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

_UNFINISHED = (ShaderTimeout, DeviceLost, OutOfMemory, StuckDuring)
"""What ends a frame before its end: nothing is known of how long it takes."""
_REMEMBERED = 256

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
        self._limits, self._wanted = limits or Limits(), device
        self._compiler = CompilerWorker(self._limits)
        self._optimizer = CompilerWorker(self._limits, low_priority=True)
        self._predictor = PredictorWorker(self._limits)
        self._device: DeviceWorker | None = None
        self._no_device = ""
        self._ended: OrderedDict[str, str] = OrderedDict()
        """By digest, why a program's run was ended: it is not run again."""
        self._lock = threading.Lock()
        self._running: Future | None = None
        self._dropped = self._closed = False

    def start(self) -> None:
        """Bring the children up."""
        self._compiler.start()
        self._predictor.start()

    def targets(self) -> tuple[TargetInfo, ...]:
        return self._predictor.targets().result()

    def close(self) -> None:
        """End all children."""
        with self._lock:
            self._closed = True
            device = self._device
        for each in (self._compiler, self._optimizer, self._predictor, device):
            if each is not None:
                each.close()

    def drop(self) -> None:
        """Give up the count that is under way; `measure` then ends soon, with less."""
        with self._lock:
            self._dropped, running, device = True, self._running, self._device
        if running is not None and device is not None:
            device.abandon(running)

    def compile(self, text: Text) -> Analysis:
        """The text's program, or the diagnostics that say why there is none."""
        notes: tuple[Diagnostic, ...] = ()
        try:
            reading = self._setting(text).reading
        except ShaderlabError as error:
            notes, reading = (_whole(Severity.WARNING, str(error)),), _by_name(text, RECOGNISED)
        folder = text.path.parent if text.path else None
        try:
            program = self._compiler.compile(text.text, text.name, folder, reading).result()
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
        draw = whole.named(name)
        program, device = draw.program, self._open_device()
        why = self._no_device or self._ended.get(program.digest, "")
        if device is None or why:
            return self._estimated(known, draw, why)

        def count(made: Program) -> Future[Trace]:
            with self._lock:
                if self._dropped:
                    raise Abandoned("the text has changed")
                several = len(whole.passes) > 1 or whole.reads_pictures
                self._running = (
                    device.trace_pass(whole.of_program(name, made), name)
                    if several
                    else device.trace(draw.of_program(made))
                )
                return self._running

        try:
            trace = count(program).result()
        except StartFailed as error:
            return self._estimated(known, draw, str(error))
        except _UNFINISHED as error:
            self._remember(program, str(error))
            return self._estimated(known, draw, str(error), unfinished=str(error))
        except Abandoned:
            raise
        except ShaderlabError as error:
            return self._estimated(known, draw, str(error))
        vertex = count_vertices(device, whole, name)
        assumed = assumptions(draw)
        ask = self._predictor.predict
        found = ask(draw, trace, assumed=assumed, vertex=vertex).result()
        known = replace(known, trace=trace).with_forecasts(found)
        news(known)
        others = trace_other_forms(
            program, count, self._optimizer, forms(self._predictor, None, None)
        )
        if self._dropped or not others:
            return known
        found = ask(draw, trace, other_forms=others, assumed=assumed, vertex=vertex).result()
        return known.with_forecasts(found)

    def _estimated(self, known: Analysis, draw: Draw, why: str, unfinished: str = "") -> Analysis:
        """Forecasts of a program that is not run, by the counts its text suggests."""
        ask = self._predictor.predict_static
        found = ask(
            draw.program, unfinished=unfinished, size=draw.counted_size, dispatch=draw.dispatch
        ).result()
        return replace(known, problem=f"It was not run: {why}").with_forecasts(found)

    def _remember(self, program: Program, why: str) -> None:
        self._ended[program.digest] = why
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)

    def _open_device(self) -> DeviceWorker | None:
        if self._device is None and not self._no_device:
            try:
                info = discover().result().choose(self._wanted)
            except ShaderlabError as error:
                self._no_device = str(error)
                return None
            with self._lock:
                if self._closed:
                    raise Abandoned("the server is ending")
                self._device = DeviceWorker(info, self._limits)
        return self._device

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
        programs: dict[Path, Program] = {}
        for path in {each.shader for each in project.passes} | {project.shader}:
            is_own = text.path is not None and path == text.path.resolve()
            load = self._compiler.load
            programs[path] = program if is_own else load(path, setting.reading).result()
        shown = self._drawn(project, programs[project.shader], setting.reading)
        if not project.passes:
            return Frame.of(shown), "0"
        return frame(project, shown, programs), setting.pass_name or SHOWN_PASS

    def _drawn(self, project: Project, program: Program, reading: Reading) -> Draw:
        state: DrawState = project.state
        path = project.vertex
        if path is None:
            return Draw(program, state)
        manner = replace(reading, language=None, stage=Stage.VERTEX, entry="")
        ask = self._compiler.vertex
        return Draw(program, state, ask(path, path.name, path.parent, manner, program).result())


def _by_name(text: Text, reading: Reading) -> Reading:
    """The stage is the one that the file's name ends with, as `sky.vert` does."""
    stage = named_in(text.name)
    known = reading.stage is not None or stage in (None, Stage.FRAGMENT)
    return reading if known else replace(reading, stage=stage)


def _whole(severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(0, 0, severity, message)
