"""Programs of the passes that are drawn with the document's: compiled one after the other.

Each keeps its last good program while its file does not compile.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.other_passes import OtherPasses, edited_pass
from shaderlab.app.session.source import Source
from shaderlab.app.session.suspects import Task
from shaderlab.errors import CompileFailed, ShaderlabError, WrongUse
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.stage import Stage
from shaderlab.projects.manner import reading_of
from shaderlab.projects.project import Project
from shaderlab.projects.reading import stamp
from shaderlab.workers.compiler import CompilerWorker


class PassJobs(QObject):
    """Compiles what of a project is not being edited, and gives it to the settings of the draw."""

    changed = Signal()
    """`diagnostics` or `files` is new."""

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._runner, self._settings = JobRunner(tools, self), settings
        self._runner.freed.connect(self._next)
        self._worker: CompilerWorker | None = None
        self._project: Project | None = None
        self._folder = Path()
        self._edited = ""
        self._reading: Reading = RECOGNISED
        self._programs: dict[Path, Program] = {}
        self._problems: dict[Path, ShaderlabError] = {}
        """Of the latest compile of each; empty where it succeeded."""
        self._left: list[Path] = []
        """Still to compile."""
        self._under_way: Path | None = None

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker
        self._next()

    def clear(self) -> None:
        """Another document, without passes."""
        self._runner.leave_document()
        self._project, self._edited, self._under_way = None, "", None
        self._programs, self._problems, self._left = {}, {}, []
        self.changed.emit()

    def open(self, project: Project, file: str, shader: Path) -> None:
        """The project, in `file`, that the document's shader belongs to."""
        self.clear()
        edited = edited_pass(project, shader)
        if not edited:
            return
        self._project, self._edited, self._folder = project, edited, shader.parent
        try:
            self._reading = reading_of(project, file)
        except WrongUse as error:
            self._settings.use_passes(OtherPasses(project, edited, problem=error))
            return
        self.again()

    def read_as(self, reading: Reading) -> None:
        """The project's texts are to be read so."""
        if reading != self._reading:
            self._reading = reading
            self.again()

    def again(self) -> None:
        """Compile all of them: one of their files changed, or the user asked."""
        if self._project is None or not self._edited:
            return
        shaders = dict.fromkeys(each.shader for each in self._project.passes)
        shaders[self._project.shader] = None
        own = self._own_shader
        self._left = [path for path in shaders if path != own]
        self._hand_over()
        self._next()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One located sentence for each pass that does not compile."""
        return tuple(self._located(path, error) for path, error in self._problems.items())

    @property
    def files(self) -> tuple[str, ...]:
        """What to watch: the passes' files and those they include."""
        if self._project is None or not self._edited:
            return ()
        shaders = {self._project.shader, *(each.shader for each in self._project.passes)}
        included = {name for each in self._programs.values() for name in each.includes}
        return tuple(sorted({str(path) for path in shaders - {self._own_shader}} | included))

    @property
    def _own_shader(self) -> Path:
        """The one being edited."""
        assert self._project is not None
        own = (each.shader for each in self._project.passes if each.name == self._edited)
        return next(own, self._project.shader)

    def _next(self) -> None:
        worker = self._worker
        if worker is None or not self._left or self._runner.busy:
            return
        path = self._left.pop(0)
        self._under_way = path
        self._runner.run(
            Job(Task.COMPILE, _suspect(path)),
            lambda: worker.load(path, self._reading),
            lambda program: self._done(path, program),
            lambda error: self._failed(path, error),
        )

    def _done(self, path: Path, program: Program) -> None:
        if program.stage is not Stage.FRAGMENT:
            shown = program.stage.shown
            self._failed(path, WrongUse(f"a pass is a fragment shader, not a {shown} shader"))
            return
        self._under_way = None
        self._programs[path] = program
        self._problems.pop(path, None)
        self._hand_over()

    def _failed(self, path: Path, error: ShaderlabError) -> None:
        self._under_way = None
        self._problems[path] = error
        self._hand_over()

    def _hand_over(self) -> None:
        pending = {*self._left, *([self._under_way] if self._under_way is not None else [])}
        lacking = [path for path in self._problems if path not in self._programs]
        problem = None
        if lacking and not pending - set(self._programs):
            found = self._located(lacking[0], self._problems[lacking[0]])
            where = f"{found.file}:{found.line}" if found.line else found.file
            problem = WrongUse(f"a pass of this frame does not compile: {where}: {found.message}")
        passes = OtherPasses(
            self._project,
            self._edited,
            dict(self._programs),
            waiting=bool(pending - set(self._programs)),
            problem=problem,
        )
        self._settings.use_passes(passes)
        self.changed.emit()

    def _located(self, path: Path, error: ShaderlabError) -> Diagnostic:
        """The first error in a pass, with its file as seen from the document's folder."""
        file = _relative(path, self._folder)
        if isinstance(error, CompileFailed) and error.diagnostics:
            errors = [d for d in error.diagnostics if d.severity is Severity.ERROR]
            first = (errors or error.diagnostics)[0]
            included = _relative(path.parent / first.file, self._folder) if first.file else file
            return replace(first, severity=Severity.ERROR, file=included)
        return Diagnostic(0, 0, Severity.ERROR, str(error), file)


def _suspect(path: Path) -> Source:
    """The file as it is now: changed, it is another."""
    try:
        state = repr(stamp(path))
    except WrongUse:
        state = ""
    digest = hashlib.sha256(f"{path} {state}".encode("utf-8", "surrogatepass")).hexdigest()
    return Source("", path.name, path.parent, path, digest)


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
