"""The text's way to a program: one compile at a time, the newest text next."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.quarantine import Quarantine, ends_workers
from shaderlab.errors import Abandoned, CompileFailed, Quarantined, ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.workers.compiler import CompilerWorker

CALM_S = 0.35
"""Errors of a text still being typed are shown after this pause."""
PATIENCE_S = 2.0
"""A compile of a text that was changed meanwhile is given up after so long."""


@dataclass(frozen=True)
class Source:
    """What is to be compiled: `text`, or the module at `path`."""

    text: str
    name: str
    folder: Path | None
    path: Path | None = None
    digest: str = ""
    """SHA-256, hex, of a module's bytes."""


class CompileLane(QObject):
    """Compiles at once when the compiler is free, else as soon as it is.

    A text overtaken by a newer one still yields its program, but not its errors.
    """

    compiled = Signal(object)
    """A Program, of the newest text or of one just overtaken."""
    diagnostics_changed = Signal()
    state_changed = Signal()

    def __init__(self, bridge: Bridge, quarantine: Quarantine, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._quarantine = quarantine
        self._worker: CompilerWorker | None = None
        self._source: Source | None = None
        self._running: Source | None = None
        self._request: Future | None = None
        self._asked_at = 0.0
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
        self._impatience = QTimer(self, singleShot=True)
        self._impatience.timeout.connect(self._give_up_outdated)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker
        self._next()

    def open(self, source: Source) -> None:
        """Another document."""
        self._ticket += 1
        self._source, self._answered = source, None
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
        """Compile the same text: something it includes changed, or the user asked."""
        if self._source is not None and self._source.path is None:
            self._quarantine.release_text(self._source.text, self._source.folder)
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
        if self._worker is None or source is None or source == self._answered:
            return
        if self.busy:
            self._give_up_outdated()
            return
        if reason := self._reason_against(source):
            error = Quarantined(f"not compiled again by itself: {reason}")
            way = "Change it, or choose Compile now." if source.path is None else "Choose Reload."
            self._failed(source, error.with_remedy(way))
            return
        self._running = source
        asked_at, ticket = perf_counter(), self._ticket
        self._asked_at = asked_at
        if source.path is not None:
            future = self._worker.load(source.path)
        else:
            future = self._worker.compile(source.text, source.name, source.folder)
        self._request = future

        def done(program: Program) -> None:
            if ticket == self._ticket:
                self._done(source, program, perf_counter() - asked_at)
            else:
                self._overtaken()

        def failed(error: ShaderlabError) -> None:
            if ends_workers(error):
                self._hold(source, str(error))
            if ticket == self._ticket:
                self._failed(source, error)
            else:
                self._overtaken()

        self._bridge.watch(future, done, failed)
        self.state_changed.emit()

    def _give_up_outdated(self) -> None:
        """The text under way was changed meanwhile: wait a little, then give it up."""
        if self._request is None or self._running == self._source:
            return
        left = PATIENCE_S - (perf_counter() - self._asked_at)
        if left > 0:
            self._impatience.start(round(left * 1000) + 1)
        else:
            self._worker.abandon(self._request)

    def _overtaken(self) -> None:
        """The answer belongs to a document that was left."""
        self._running = self._request = None
        self._next()

    def _hold(self, source: Source, reason: str) -> None:
        """It must not be compiled again by itself."""
        if source.path is None:
            self._quarantine.add_text(source.text, source.folder, reason)
        elif source.digest:
            self._quarantine.add_module(source.digest, reason)

    def _reason_against(self, source: Source) -> str:
        if source.path is not None:
            return self._quarantine.reason_for_module(source.digest)
        return self._quarantine.reason_for_text(source.text, source.folder)

    def _done(self, source: Source, program: Program, seconds: float) -> None:
        self._running, self._answered, self._request = None, source, None
        self.has_program = True
        self.compile_s = seconds
        if source == self._source:
            self._show(program.diagnostics, compiles=True)
        self._next()
        self.compiled.emit(program)
        self.state_changed.emit()

    def _failed(self, source: Source, error: ShaderlabError) -> None:
        self._running, self._request = None, None
        self._answered = None if isinstance(error, Abandoned) else source
        if source == self._answered == self._source:
            found = error.diagnostics if isinstance(error, CompileFailed) else ()
            message = ". ".join(part for part in (str(error), error.remedy) if part)
            found = found or (Diagnostic(0, 0, Severity.ERROR, message),)
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
