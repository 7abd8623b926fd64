"""Which defaults decide what runs, of the program and its vertex stage."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.scene.defaults import DecidingDefault, decided_among, with_vertex_stage
from shaderlab.spirv.analysis.influence import Influence


class Decisions(QObject):
    """What is known of the program before stays until the answer for the next one is there."""

    changed = Signal()
    """`deciding` is new."""

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._settings = settings
        self._own = View(tools, questions.influence, self)
        self._vertex = View(tools, questions.influence, self)
        for view in (self._own, self._vertex):
            view.changed.connect(self._judge)
        self._program: Program | None = None
        self.deciding: tuple[DecidingDefault, ...] = ()
        """In the order of declaration."""
        settings.changed.connect(self._look)

    def clear(self) -> None:
        """Another document."""
        self._program = None
        self._own.drop()
        self._vertex.drop()
        self._keep(())

    def use(self, program: Program) -> None:
        """Of this program from now on."""
        self._program = program
        self._look()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One note for each, at the first line of the document that depends on it."""
        return tuple(
            Diagnostic(each.line, 0, Severity.NOTE, each.sentence_here) for each in self.deciding
        )

    def _look(self) -> None:
        """Ask, where there is something to ask about."""
        if any(each.is_unsettled for each in self._settings.listed()):
            stages = (self._program, self._settings.vertex.program)
            for view, program in zip((self._own, self._vertex), stages, strict=True):
                if program is not None:
                    view.want(program.digest, program)
        self._judge()

    def _judge(self) -> None:
        program, vertex = self._program, self._settings.vertex.program
        if program is None:
            return
        listed = self._settings.listed()
        found = decided_among(listed, self._own.answer or Influence({}))
        its = self._vertex.answer
        if vertex is not None and its is not None and self._vertex.of == vertex.digest:
            file = vertex.name if vertex.name != program.name else ""
            found = with_vertex_stage(found, decided_among(listed, its), file)
        self._keep(found)

    def _keep(self, deciding: tuple[DecidingDefault, ...]) -> None:
        if deciding != self.deciding:
            self.deciding = deciding
            self.changed.emit()
