"""The text's way to a program, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import CompileFailed, Quarantined, ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage

CALM_S = 0.35
"""Errors of a text still being typed are shown after this pause."""

_REFUSED = "It is not compiled again automatically: change it, or choose Compile now."


class Compiling(QObject):
    """A text overtaken by a newer one still yields its program, but not its errors."""

    compiled = Signal(object)
    """A Program, of the newest text or of one just overtaken."""
    diagnostics_changed = Signal()
    state_changed = Signal()

    def __init__(self, tools: Tools, parent: QObject):
        super().__init__(parent)
        self._tools, self._clock = tools, tools.clock
        self._view = View(tools, questions.compiled_text, self, Urgency.TYPED, overtaken=True)
        self._view.changed.connect(self._on_answer)
        self._started = False
        self.source: Source | None = None
        """What is, or is to be, compiled; None before a document is open."""
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

    def start(self) -> None:
        """Compile what is there, and each text from now on."""
        self._started = True
        self._want()

    def open(self, source: Source) -> None:
        """Another document."""
        self._view.drop()
        self.source, self.changed_at = source, self._clock.now()
        self.has_program = self.left_behind = False
        self._show((), compiles=True)
        self._want()

    def edit(self, text: str) -> None:
        """The document's text changed."""
        self.left_behind = False
        if self.source is not None:
            self.source = replace(self.source, text=text)
            self.changed_at = self._clock.now()
            self._want()

    def leave_behind(self, text: str) -> None:
        """The document's text is another now, which is not to be compiled yet."""
        self.left_behind = self.source is not None and self.source.text != text
        self.state_changed.emit()

    def read_as(self, reading: Reading) -> None:
        """What the document's project says about its text, which may make it another program."""
        if self.source is not None:
            self.source = replace(self.source, reading=reading)
            self._want()

    def rename(self, name: str, folder: Path | None) -> None:
        """The document lies elsewhere now: includes may be found or lost."""
        if self.source is not None:
            self.source = replace(self.source, name=name, folder=folder)
            self._want()

    def retry(self) -> None:
        """Compile the same text: something it includes changed, or the user asked."""
        self._view.retry()
        self.state_changed.emit()

    def ask(
        self,
        text: str,
        done: Callable[[Program], None],
        failed: Callable[[ShaderlabError], None],
    ) -> None:
        """Call `done` with the program of a former text, compiled as the document is now, or
        `failed` with why there is none.  A module has no text."""
        if self.source is not None and text:
            source = replace(self.source, text=text)
            asked = self._tools.engine.ask(questions.compiled_text, source)
            self._tools.bridge.watch(asked.future, done, failed)

    def release(self, source: Source) -> None:
        """The user wants this compiled, whatever became of the compiler before."""
        self._tools.engine.release(questions.compiled_text, source)

    @property
    def busy(self) -> bool:
        return self._view.waiting

    @property
    def settled(self) -> bool:
        """Whether the answer for the newest text is there and shown."""
        return self.is_answered and self._withheld is None

    @property
    def follows(self) -> bool:
        """Whether the latest program is that of the text as it stands."""
        return self.compiles and self.settled and not self.left_behind

    @property
    def is_answered(self) -> bool:
        """Whether the answer for the newest text is there."""
        return self._view.settled

    def _want(self) -> None:
        if self._started and self.source is not None:
            # Under another name alone it is the same program.
            self._view.want(replace(self.source, name=""), self.source)
            self.state_changed.emit()

    def _on_answer(self) -> None:
        program, error = self._view.answer, self._view.error
        if program is not None and program.stage not in (Stage.FRAGMENT, Stage.COMPUTE):
            program, error = None, _undrawn(program)
        if error is not None and self.is_answered:
            self._fail(error)
        elif program is not None:
            self.has_program, self.compile_s = True, self._view.took_s
            if self.is_answered:
                self._show(program.diagnostics, compiles=True)
            self.compiled.emit(program)
        self.state_changed.emit()

    def _fail(self, error: ShaderlabError) -> None:
        found = error.diagnostics if isinstance(error, CompileFailed) else ()
        refused = isinstance(error, Quarantined) or ends_workers(error)
        message = ". ".join(filter(None, (str(error), error.remedy, _REFUSED if refused else "")))
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
