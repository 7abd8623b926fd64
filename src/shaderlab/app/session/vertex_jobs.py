"""The user's own vertex stage: its text compiled, and made to fit each new fragment program.

The latest that fitted stays while the text does not compile.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compile_jobs import CALM_S
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.session.source import Source
from shaderlab.app.session.suspects import Task
from shaderlab.app.session.vertex_stage import FROM_GEOMETRY, VertexStage
from shaderlab.errors import CompileFailed, ShaderlabError, WrongUse
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.stage import Stage
from shaderlab.workers.compiler import CompilerWorker

PATIENCE_S = 2.0
"""A compile of a text that was changed meanwhile is given up after so long."""

_Asked = tuple[Source, str]
"""A text, and the digest of the fragment program it is to fit."""


class VertexJobs(QObject):
    """One compile at a time, the newest text next, for the newest fragment program."""

    changed = Signal()
    """`diagnostics`, or whether there is such a stage, is new."""

    def __init__(
        self, tools: Tools, settings: DrawSettings, reading: ReadingChoice, parent: QObject
    ):
        super().__init__(parent)
        self._runner, self._settings, self._reading = JobRunner(tools, self), settings, reading
        self._clock = tools.clock
        self._calm = tools.clock.alarm(self._show_withheld, self)
        self._runner.freed.connect(self._next)
        reading.changed.connect(self._on_reading)
        self._worker: CompilerWorker | None = None
        self.clear()

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker
        self._next()

    def clear(self) -> None:
        """Another document, without such a stage."""
        self._runner.leave_document()
        self._fragment: Program | None = None
        self._forget_text()

    def _forget_text(self) -> None:
        self._source: Source | None = None
        self.in_document = False
        """Whether the stage is in the same text as the fragment stage."""
        self._answered: _Asked | None = None
        self._good: Source | None = None
        """The latest text that compiled."""
        self._program: Program | None = None
        self._fits = ""
        """Digest of the fragment program that `_program` was made to fit."""
        self.changed_at = 0.0
        """The clock's time of the latest change of the text."""
        self._failed_with: tuple[Diagnostic, ...] = ()
        """What was said of the latest text; empty where it compiled."""
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
            self._next()

    def use(self, fragment: Program) -> None:
        """This is what it has to fit from now on."""
        self._fragment = fragment
        self._hand_over()
        self._next()

    def again(self) -> None:
        """Compile the same text: a file it includes changed, or the user asked."""
        if self._source is not None:
            self._runner.release(self._source)
        self._answered = None
        self._next()

    @property
    def settled(self) -> bool:
        """Whether the answer for the newest text, and the newest fragment program, is there."""
        source, fragment = self._source, self._fragment
        if source is None or fragment is None:
            return True
        is_answered = self._answered == (source, fragment.digest)
        return is_answered and not self._runner.busy and not self._calm.isActive()

    @property
    def compiles(self) -> bool:
        """Whether the latest text compiled (True before the first answer, and without one)."""
        return not self._failed_with

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
        self._next()

    # -- compiling --------------------------------------------------------------------------

    def _next(self) -> None:
        worker, source, fragment = self._worker, self._source, self._fragment
        if worker is None or source is None or fragment is None:
            return
        asked: _Asked = (source, fragment.digest)
        self._runner.want(asked)
        if self._runner.busy:
            return
        if self._answered == asked:
            # The text failed, and the program of the one before fits another fragment stage.
            if not self._failed_with or self._good is None or self._fits == fragment.digest:
                return
            source = self._good
        self._hand_over()
        self._runner.run(
            Job(Task.COMPILE, source, patience_s=PATIENCE_S, of=asked),
            lambda: worker.vertex(*source.as_read, fragment),
            lambda program: self._done(asked, source, program),
            lambda error: self._failed(asked, source, error),
            abandon=worker.abandon,
        )

    def _done(self, asked: _Asked, source: Source, program: Program) -> None:
        self._good, self._program, self._fits = source, program, asked[1]
        if source == asked[0]:
            self._answered, self._failed_with = asked, ()
            self._show(program.diagnostics)
        self._hand_over()

    def _failed(self, asked: _Asked, source: Source, error: ShaderlabError) -> None:
        if source == self._good:
            self._good = None  # it does not fit any more
        if source == asked[0]:
            found = error.diagnostics if isinstance(error, CompileFailed) else ()
            self._answered = asked
            self._failed_with = found or (Diagnostic(0, 0, Severity.ERROR, str(error)),)
            left = CALM_S - (self._clock.now() - self.changed_at)
            if source == self._source:  # else a newer text is on its way
                if self._good is None or left <= 0:
                    self._show(self._failed_with)
                else:
                    self._calm.set(left)
        self._hand_over()

    def _show_withheld(self) -> None:
        """The text that failed was not typed on."""
        source = self._source
        if self._failed_with and self._answered is not None and self._answered[0] == source:
            self._show(self._failed_with)

    def _show(self, found: tuple[Diagnostic, ...]) -> None:
        """Messages, with the file named where it is not the document."""
        self._calm.stop()
        self.diagnostics = tuple(replace(each, file=each.file or self.name) for each in found)
        self.changed.emit()

    def _hand_over(self) -> None:
        """Pass the current vertex stage to the draw settings."""
        source, fragment = self._source, self._fragment
        if source is None or fragment is None:
            return
        if self._program is not None and self._fits == fragment.digest:
            stage = VertexStage(self._program)
        elif self._answered != (source, fragment.digest) or self._good is not None:
            stage = VertexStage(waiting=True)
        else:
            stage = VertexStage(problem=self._problem)
        self._settings.use_vertex(stage)

    @property
    def _problem(self) -> ShaderlabError:
        found = self._failed_with[0]
        file = found.file or self.name
        where = ":".join(part for part in (file, str(found.line or "")) if part)
        place = f": {where}" if where else ""
        return WrongUse(f"the vertex stage does not compile{place}: {found.message}")
