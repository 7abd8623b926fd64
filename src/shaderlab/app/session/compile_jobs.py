"""The text's way to a program: one compile at a time, the newest text next."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.source import Source
from shaderlab.app.session.suspects import Task
from shaderlab.errors import CompileFailed, Quarantined, ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.workers.compiler import CompilerWorker

CALM_S = 0.35
"""Errors of a text still being typed are shown after this pause."""
PATIENCE_S = 2.0
"""A compile of a text that was changed meanwhile is given up after so long."""


class CompileJobs(QObject):
    """Compiles at once when the compiler is free, else as soon as it is.

    A text overtaken by a newer one still yields its program, but not its errors.
    """

    compiled = Signal(object)
    """A Program, of the newest text or of one just overtaken."""
    diagnostics_changed = Signal()
    state_changed = Signal()

    def __init__(self, tools: Tools, parent: QObject):
        super().__init__(parent)
        self._runner, self._clock = JobRunner(tools, self), tools.clock
        self._runner.freed.connect(self._on_freed)
        self._worker: CompilerWorker | None = None
        self._source: Source | None = None
        self._answered: Source | None = None
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.compiles = True
        """Whether the latest text compiled (True before the first answer)."""
        self.has_program = False
        self.left_behind = False
        """Whether the text was changed since and is compiled only when it is saved."""
        self.changed_at = 0.0
        """The clock's time of the latest change of the text."""
        self.compile_s: float | None = None
        """Seconds of the latest successful compile."""
        self._withheld: tuple[Diagnostic, ...] | None = None
        self._calm = self._clock.alarm(self._show_withheld, self)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker
        self._next()

    def open(self, source: Source) -> None:
        """Another document."""
        self._runner.leave_document()
        self._source, self._answered = source, None
        self.changed_at = self._clock.now()
        self._calm.stop()
        self._withheld = None
        self.diagnostics, self.compiles, self.has_program = (), True, False
        self.left_behind = False
        self.diagnostics_changed.emit()
        self._next()

    def edit(self, text: str) -> None:
        """The document's text changed."""
        self.left_behind = False
        if self._source is not None:
            self._source = replace(self._source, text=text)
            self.changed_at = self._clock.now()
            self._next()

    def leave_behind(self, text: str) -> None:
        """The document's text is another now, which is not to be compiled yet."""
        self.left_behind = self._source is not None and self._source.text != text
        self.state_changed.emit()

    def read_as(self, reading: Reading) -> None:
        """What the document's project says about its text, which may make it another program."""
        if self._source is not None:
            self._source = replace(self._source, reading=reading)
            self._next()

    def rename(self, name: str, folder: Path | None) -> None:
        """The document lies elsewhere now: includes may be found or lost."""
        if self._source is not None:
            moved, settled = folder != self._source.folder, self.settled
            self._source = replace(self._source, name=name, folder=folder)
            if settled and not moved:
                self._answered = self._source
            self._next()

    def again(self) -> None:
        """Compile the same text: something it includes changed, or the user asked."""
        if self._source is not None and self._source.path is None:
            self._runner.release(self._source)
        self._answered = None
        self._next()

    @property
    def source(self) -> Source | None:
        """What is, or is to be, compiled; None before a document is open."""
        return self._source

    @property
    def busy(self) -> bool:
        return self._runner.busy

    @property
    def settled(self) -> bool:
        """Whether the answer for the newest text is there and shown."""
        return self.source_is_answered and self._withheld is None and not self.busy

    @property
    def follows(self) -> bool:
        """Whether the latest program is that of the text as it stands."""
        return self.compiles and self.settled and not self.left_behind

    @property
    def source_is_answered(self) -> bool:
        return self._source == self._answered

    def _next(self) -> None:
        worker, source = self._worker, self._source
        self._runner.want(source)
        if worker is None or source is None or self.busy or self.source_is_answered:
            return

        def send() -> Future[Program]:
            if source.path is not None:
                return worker.load(source.path, source.reading)
            return worker.compile(source.text, source.name, source.folder, source.reading)

        self._runner.run(
            Job(Task.COMPILE, source, patience_s=PATIENCE_S, of=source),
            send,
            lambda program: self._done(source, program),
            lambda error: self._failed(source, error),
            abandon=worker.abandon,
        )
        self.state_changed.emit()

    def _on_freed(self) -> None:
        self._next()
        self.state_changed.emit()

    def _done(self, source: Source, program: Program) -> None:
        if program.stage not in (Stage.FRAGMENT, Stage.COMPUTE):
            self._failed(source, _undrawn(program))
            return
        self._answered = source
        self.has_program = True
        self.compile_s = self._clock.now() - self._runner.since
        if source == self._source:
            self._show(program.diagnostics, compiles=True)
        self._next()  # before the program goes its way, which takes a while
        self.compiled.emit(program)

    def _failed(self, source: Source, error: ShaderlabError) -> None:
        self._answered = source
        if not self.source_is_answered:
            return
        if isinstance(error, Quarantined) and source.path is not None:
            error.with_remedy("Choose Reload.")
        found = error.diagnostics if isinstance(error, CompileFailed) else ()
        message = ". ".join(part for part in (str(error), error.remedy) if part)
        found = found or (Diagnostic(0, 0, Severity.ERROR, message),)
        left = CALM_S - (self._clock.now() - self.changed_at)
        if not self.has_program or left <= 0 or not self.compiles:
            self._show(found, compiles=False)
        else:
            self._withheld = found
            self._calm.set(left)

    def _show(self, found: tuple[Diagnostic, ...], *, compiles: bool) -> None:
        self._calm.stop()
        self._withheld = None
        changed = found != self.diagnostics or compiles != self.compiles
        self.diagnostics, self.compiles = found, compiles
        if changed:
            self.diagnostics_changed.emit()

    def _show_withheld(self) -> None:
        if self._withheld is None:
            return
        left = CALM_S - (self._clock.now() - self.changed_at)
        if left > 0:  # typed on meanwhile
            self._calm.set(left)
        else:
            self._show(self._withheld, compiles=False)
            self.state_changed.emit()


def _undrawn(program: Program) -> CompileFailed:
    """What is said of a program of another stage than the one that is drawn."""
    stage = program.stage.shown
    way_on = (
        "open its fragment shader and choose this one under Run, Vertex stage"
        if program.stage is Stage.VERTEX
        else "it is neither rendered nor counted"
    )
    message = f"This {stage} shader compiles; {way_on}"
    return CompileFailed(message, (*program.diagnostics, Diagnostic(0, 0, Severity.ERROR, message)))
