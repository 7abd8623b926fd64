"""The text's way to a program: one compile at a time, the newest text next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from shaderlab.app.bridge import Bridge
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.errors import CompileFailed, ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.workers.compiler import CompilerWorker

CALM_S = 0.35
"""Errors of a text still being typed are shown after this pause."""


@dataclass(frozen=True)
class Source:
    """What is to be compiled: `text`, or the module at `path`."""

    text: str
    name: str
    folder: Path | None
    path: Path | None = None


class CompileLane(QObject):
    """Compiles at once when the compiler is free, else as soon as it is.

    A text overtaken by a newer one still yields its program, but not its errors.
    """

    compiled = Signal(object)
    """A Program, of the newest text or of one just overtaken."""
    diagnostics_changed = Signal()
    state_changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._worker: CompilerWorker | None = None
        self._source: Source | None = None
        self._running: Source | None = None
        self._answered: Source | None = None
        self._ticket = 0
        """Counts documents; answers for an earlier one are dropped."""
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.compiles = True
        """Whether the latest text compiled (True before the first answer)."""
        self.has_program = False
        self.changed_at = 0.0
        """`perf_counter` at the latest change of the text."""
        self.compile_s: float | None = None
        """Seconds of the latest successful compile."""
        self._withheld: tuple[Diagnostic, ...] | None = None
        self._calm = QTimer(self, singleShot=True)
        self._calm.timeout.connect(self._show_withheld)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker
        self._next()

    def open(self, source: Source) -> None:
        """Another document."""
        self._ticket += 1
        self._source, self._running, self._answered = source, None, None
        self.changed_at = perf_counter()
        self._calm.stop()
        self._withheld = None
        self.diagnostics, self.compiles, self.has_program = (), True, False
        self.diagnostics_changed.emit()
        self._next()

    def edit(self, text: str) -> None:
        """The document's text changed."""
        if self._source is not None:
            self._source = replace(self._source, text=text)
            self.changed_at = perf_counter()
            self._next()

    def rename(self, name: str, folder: Path | None) -> None:
        """The document lies elsewhere now: includes may be found or lost."""
        if self._source is not None:
            moved = folder != self._source.folder
            self._source = replace(self._source, name=name, folder=folder)
            if moved:
                self._next()
            else:
                self._answered = self._source if self.settled else self._answered

    def again(self) -> None:
        """Compile the same text: something it includes changed."""
        self._answered = None
        self._next()

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def settled(self) -> bool:
        """Whether the answer for the newest text is there and shown."""
        return self._source == self._answered and self._withheld is None and not self.busy

    @property
    def source_is_answered(self) -> bool:
        return self._source == self._answered

    def _next(self) -> None:
        source = self._source
        if self._worker is None or source is None or self.busy or source == self._answered:
            return
        self._running = source
        asked_at, ticket = perf_counter(), self._ticket
        if source.path is not None:
            future = self._worker.load(source.path)
        else:
            future = self._worker.compile(source.text, source.name, source.folder)

        def done(program: Program) -> None:
            if ticket == self._ticket:
                self._done(source, program, perf_counter() - asked_at)

        def failed(error: ShaderlabError) -> None:
            if ticket == self._ticket:
                self._failed(source, error)

        self._bridge.watch(future, done, failed)
        self.state_changed.emit()

    def _done(self, source: Source, program: Program, seconds: float) -> None:
        self._running, self._answered = None, source
        self.has_program = True
        self.compile_s = seconds
        if source == self._source:
            self._show(program.diagnostics, compiles=True)
        self._next()
        self.compiled.emit(program)
        self.state_changed.emit()

    def _failed(self, source: Source, error: ShaderlabError) -> None:
        self._running, self._answered = None, source
        if source == self._source:
            found = error.diagnostics if isinstance(error, CompileFailed) else ()
            found = found or (Diagnostic(0, 0, Severity.ERROR, str(error)),)
            left = CALM_S - (perf_counter() - self.changed_at)
            if not self.has_program or left <= 0 or not self.compiles:
                self._show(found, compiles=False)
            else:
                self._withheld = found
                self._calm.start(round(left * 1000))
        self._next()
        self.state_changed.emit()

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
        left = CALM_S - (perf_counter() - self.changed_at)
        if left > 0:  # typed on meanwhile
            self._calm.start(round(left * 1000) + 1)
        else:
            self._show(self._withheld, compiles=False)
            self.state_changed.emit()
