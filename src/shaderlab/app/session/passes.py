"""Programs of the passes that are drawn with the document's.

Each keeps its last good program while its file does not compile.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.other_passes import OtherPasses, edited_pass
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.errors import CompileFailed, ShaderlabError, WrongUse
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage
from shaderlab.projects.manner import of_pass, reading_of
from shaderlab.projects.project import SHOWN_PASS, Project, Text


class Passes(QObject):
    """Compiles what of a project is not being edited, and gives it to the settings of the draw."""

    changed = Signal()
    """`diagnostics` or `files` is new."""

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._tools, self._settings = tools, settings
        self._project: Project | None = None
        self._folder = Path()
        self._edited = ""
        self._reading: Reading = RECOGNISED
        self._views: dict[Text, View[Program]] = {}
        """Of the texts that are not being edited."""
        self._programs: dict[Text, Program] = {}
        """The latest that compiled."""
        self._vertex_views: dict[str, View[Program]] = {}
        """Of the vertex stages of passes that are not being edited, by the pass's name."""
        self._times_asked = 0
        self._source: Source | None = None
        """The document."""

    def clear(self) -> None:
        """Another document, without passes."""
        for each in (*self._views.values(), *self._vertex_views.values()):
            each.leave()
            each.deleteLater()
        self._vertex_views = {}
        self._project, self._edited, self._views, self._programs = None, "", {}, {}
        self.changed.emit()

    def open(self, project: Project, file: str, shader: Path, source: Source | None = None) -> None:
        """The project, in `file`, that the document's shader belongs to.

        `source`: the document, which may be the text of several passes.
        """
        self.clear()
        self._source = source
        edited = edited_pass(project, shader)
        if not edited:
            return
        self._project, self._edited, self._folder = project, edited, shader.parent
        try:
            self._reading = reading_of(project, file)
        except WrongUse as error:
            self._settings.use_passes(OtherPasses(project, edited, problem=error))
            return
        texts = dict.fromkeys([*(each.text for each in project.passes), project.text])
        self._views = {text: self._view(text) for text in texts if text != self._own_text}
        stages = {each.name for each in project.passes if each.vertex is not None}
        stages |= {SHOWN_PASS} if project.vertex is not None else set()
        for name in stages - {edited}:
            self._vertex_views[name] = view = View(
                self._tools, questions.vertex_stage, self, Urgency.TYPED
            )
            view.changed.connect(self._hand_over)
        self.again()

    def read_as(self, reading: Reading) -> None:
        """The project's texts are to be read so."""
        if reading != self._reading:
            self._reading = reading
            self.again()

    def edit(self, text: str) -> None:
        """The document's text changed."""
        if self._source is not None:
            self._source = replace(self._source, text=text)
            self._want_own()

    def again(self) -> None:
        """Compile those whose files changed."""
        self._times_asked += 1
        for (path, entry), view in self._views.items():
            if not self._is_own(path):
                view.want((self._times_asked, self._reading), path, of_pass(self._reading, entry))
        self._want_own()
        if self._project is not None:
            self._hand_over()

    def _want_own(self) -> None:
        """Other passes that the document's text has."""
        for (path, entry), view in self._views.items():
            if self._is_own(path) and self._source is not None:
                source = replace(self._source, reading=of_pass(self._reading, entry))
                view.want((source.text, self._reading), source)

    def _is_own(self, path: Path) -> bool:
        return self._source is not None and path == self._own_text[0]

    def _view(self, text: Text) -> View[Program]:
        asked = questions.compiled_text if self._is_own(text[0]) else questions.program
        view = View(self._tools, asked, self, Urgency.TYPED)
        view.changed.connect(self._hand_over)
        return view

    @property
    def _problems(self) -> dict[Text, ShaderlabError]:
        """Of the latest compile of each; empty where it succeeded."""
        found = {text: _problem(view) for text, view in self._views.items() if view.of is not None}
        return {text: error for text, error in found.items() if error is not None}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One located sentence for each pass that does not compile."""
        return tuple(self._located(path, error) for (path, _), error in self._problems.items())

    @property
    def files(self) -> tuple[str, ...]:
        """What to watch: the passes' files and those they include."""
        if self._project is None or not self._edited:
            return ()
        shaders = {self._project.shader, *(each.shader for each in self._project.passes)}
        included = {name for each in self._programs.values() for name in each.includes}
        return tuple(sorted({str(path) for path in shaders - {self._own_text[0]}} | included))

    @property
    def _own_text(self) -> Text:
        """The one being edited."""
        assert self._project is not None
        own = (each.text for each in self._project.passes if each.name == self._edited)
        return next(own, self._project.text)

    def _hand_over(self) -> None:
        problems = self._problems
        for text, view in self._views.items():
            if view.answer is not None and text not in problems:
                self._programs[text] = view.answer
        waiting = any(v.waiting for text, v in self._views.items() if text not in self._programs)
        lacking = [text for text in problems if text not in self._programs]
        problem = None
        if lacking and not waiting:
            found = self._located(lacking[0][0], problems[lacking[0]])
            where = f"{found.file}:{found.line}" if found.line else found.file
            problem = WrongUse(f"a pass of this frame does not compile: {where}: {found.message}")
        programs, vertices = dict(self._programs), self._vertices()
        waiting = waiting or any(
            v.waiting and v.answer is None for v in self._vertex_views.values()
        )
        for name, view in self._vertex_views.items():
            if view.error is not None and not waiting and problem is None:
                problem = WrongUse(
                    f"the vertex stage of pass {name} does not compile: {view.error}"
                )
        passes = OtherPasses(self._project, self._edited, programs, vertices, waiting, problem)
        self._settings.use_passes(passes)
        self.changed.emit()

    def _vertices(self) -> dict[str, Program]:
        """Vertex stages that are there; those of programs that are new are asked for."""
        project = self._project
        if project is None:
            return {}
        known = {each.name: (each.text, each.vertex) for each in project.passes}
        known[SHOWN_PASS] = project.text, project.vertex
        for name, view in self._vertex_views.items():
            text, path = known[name]
            program = self._programs.get(text)
            if program is not None and path is not None:
                manner = replace(self._reading, language=None, stage=Stage.VERTEX, entry="")
                source = Source("", path.name, path.parent, path, reading=manner)
                view.want((self._times_asked, program.digest), source, program)
        found = {name: view.answer for name, view in self._vertex_views.items()}
        return {name: each for name, each in found.items() if each is not None}

    def _located(self, path: Path, error: ShaderlabError) -> Diagnostic:
        """The first error in a pass, with its file as seen from the document's folder."""
        file = _relative(path, self._folder)
        if isinstance(error, CompileFailed) and error.diagnostics:
            errors = [d for d in error.diagnostics if d.severity is Severity.ERROR]
            first = (errors or error.diagnostics)[0]
            included = _relative(path.parent / first.file, self._folder) if first.file else file
            return replace(first, severity=Severity.ERROR, file=included)
        return Diagnostic(0, 0, Severity.ERROR, str(error), file)


def _problem(view: View[Program]) -> ShaderlabError | None:
    program = view.answer
    if program is None or program.stage is Stage.FRAGMENT:
        return view.error
    return WrongUse(f"a pass is a fragment shader, not a {program.stage.shown} shader")


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
