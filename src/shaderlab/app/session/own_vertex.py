"""The user's own vertex stage: its text compiled, and made to fit each new fragment program.

The latest that fitted stays while the text does not compile.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compiling import CALM_S
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.session.vertex_stage import FROM_GEOMETRY, VertexStage
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.errors import CompileFailed, ShaderlabError, WrongUse
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage


class OwnVertex(QObject):
    """Of the newest text, for the newest fragment program."""

    changed = Signal()
    """`diagnostics`, or whether there is such a stage, is new."""

    def __init__(
        self, tools: Tools, settings: DrawSettings, reading: ReadingChoice, parent: QObject
    ):
        super().__init__(parent)
        self._settings, self._reading, self._clock = settings, reading, tools.clock
        self._view = View(tools, questions.vertex_stage, self, Urgency.TYPED, overtaken=True)
        self._view.changed.connect(self._on_answer)
        self._former = View(tools, questions.vertex_stage, self, Urgency.TYPED)
        """Of the latest text that compiled, while the newest does not."""
        self._former.changed.connect(self._on_former)
        self._calm = tools.clock.alarm(self._show_withheld, self)
        reading.changed.connect(self._on_reading)
        self.clear()

    def clear(self) -> None:
        """Another document, without such a stage."""
        self._fragment: Program | None = None
        self._forget_text()

    def _forget_text(self) -> None:
        self._view.drop()
        self._former.drop()
        self._calm.stop()
        self._source: Source | None = None
        self.in_document = False
        """Whether the stage is in the same text as the fragment stage."""
        self._good: Source | None = None
        """The latest text that compiled."""
        self._program: Program | None = None
        self._fits = ""
        """Digest of the fragment program that `_program` was made to fit."""
        self.changed_at = 0.0
        """The clock's time of the latest change of the text."""
        self.diagnostics: tuple[Diagnostic, ...] = ()

    # -- the text ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the text's file; empty without a stage of its own, or with one in the document."""
        return self._source.name if self._source is not None and not self.in_document else ""

    @property
    def is_own(self) -> bool:
        """Whether the user gave one."""
        return self._source is not None

    def open(
        self,
        text: str,
        name: str,
        folder: Path | None,
        *,
        module: Path | None = None,
        in_document: bool = False,
    ) -> None:
        """Draw with the vertex stage in this text, or in a SPIR-V module."""
        self._forget_text()
        self.in_document = in_document
        self._source = Source(text, name, folder, module)
        self.changed_at = self._clock.now()
        self._on_reading()
        self.changed.emit()

    def close(self) -> None:
        """Draw what the geometry gives."""
        self._forget_text()
        self._settings.use_vertex(FROM_GEOMETRY)
        self.changed.emit()

    def edit(self, text: str) -> None:
        """The text changed."""
        if self._source is not None:
            self._source = replace(self._source, text=text)
            self.changed_at = self._clock.now()
            self._want()

    def use(self, fragment: Program) -> None:
        """This is what it has to fit from now on."""
        self._fragment = fragment
        self._want()

    def retry(self) -> None:
        """Compile the same text: a file it includes changed, or the user asked."""
        self._view.retry()
        self._hand_over()

    @property
    def settled(self) -> bool:
        """Whether the answer for the newest text, and the newest fragment program, is there."""
        if self._source is None or self._fragment is None:
            return True
        return self._view.settled and not self._former.waiting and not self._calm.isActive()

    @property
    def compiles(self) -> bool:
        """Whether the latest text compiled (True before the first answer, and without one)."""
        return self._view.error is None

    @property
    def files(self) -> tuple[str, ...]:
        """What it includes."""
        return self._program.includes if self._program is not None else ()

    def _on_reading(self) -> None:
        """As the command line does, a text of its own has its own language and entry point."""
        if self._source is None:
            return
        how = replace(self._reading.value, stage=Stage.VERTEX, entry="")
        if not self.in_document:
            how = replace(how, language=None)
        self._source = replace(self._source, reading=how)
        self._want()

    # -- its program ------------------------------------------------------------------------

    def _want(self) -> None:
        source, fragment = self._source, self._fragment
        if source is not None and fragment is not None:
            self._former.leave()
            self._view.want((source, fragment.digest), source, fragment)
            self._fit_former()
            self._hand_over()

    def _on_answer(self) -> None:
        if self._view.answer is not None:
            self._keep(self._view)
        if self._view.settled:
            self._fit_former()
            left = CALM_S - (self._clock.now() - self.changed_at)
            if self._good is None or left <= 0 or self.compiles:
                self._show()
            else:
                self._calm.set(left)
        self._hand_over()

    def _fit_former(self) -> None:
        """The text failed: that of the one before stays, made to fit this fragment stage."""
        good, fragment = self._good, self._fragment
        failed = self._view.settled and not self.compiles
        if failed and good is not None and fragment is not None and self._fits != fragment.digest:
            self._former.want((good, fragment.digest), good, fragment)

    def _on_former(self) -> None:
        if self._former.answer is not None:
            self._keep(self._former)
        else:
            self._good = None  # it does not fit any more
        self._hand_over()

    def _keep(self, view: View[Program]) -> None:
        self._program, (self._good, self._fits) = view.answer, view.of

    def _show_withheld(self) -> None:
        """The text that failed was not typed on."""
        if self._view.settled:
            self._show()

    def _show(self) -> None:
        """Messages, with the file named where it is not the document."""
        self._calm.stop()
        self.diagnostics = self._found
        self.changed.emit()

    @property
    def _found(self) -> tuple[Diagnostic, ...]:
        program, error = self._view.answer, self._view.error
        found = program.diagnostics if program is not None else ()
        if error is not None:
            found = error.diagnostics if isinstance(error, CompileFailed) else ()
            found = found or (Diagnostic(0, 0, Severity.ERROR, str(error)),)
        return tuple(replace(each, file=each.file or self.name) for each in found)

    def _hand_over(self) -> None:
        """Pass the current vertex stage to the draw settings."""
        fragment = self._fragment
        if self._source is None or fragment is None:
            return
        if self._program is not None and self._fits == fragment.digest:
            stage = VertexStage(self._program)
        elif self.compiles or self._view.waiting or self._former.waiting:
            stage = VertexStage(waiting=True)
        else:
            stage = VertexStage(problem=self._problem)
        self._settings.use_vertex(stage)

    @property
    def _problem(self) -> ShaderlabError:
        found = self._found[0]
        where = ":".join(part for part in (found.file, str(found.line or "")) if part)
        place = f": {where}" if where else ""
        return WrongUse(f"the vertex stage does not compile{place}: {found.message}")
