"""Which defaults decide what runs: asked once per program that has inputs nobody settled."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.scene.defaults import DecidingDefault, decided_among, sentences
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.workers.compiler import CompilerWorker

PATIENCE_S = 2.0
"""An analysis of a program that was changed meanwhile is given up after so long."""


class DecisionJobs(QObject):
    """The module is analysed in the compiler's child.

    What is known of the program before stays until the answer for the next one is there.
    """

    changed = Signal()
    """`deciding` is new."""

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._runner, self._settings = JobRunner(tools, self), settings
        self._runner.freed.connect(self._look)
        self._worker: CompilerWorker | None = None
        self._program: Program | None = None
        self._found: tuple[str, Influence] = ("", Influence({}))
        """Digest of the program that was analysed, and what its inputs decide."""
        self.deciding: tuple[DecidingDefault, ...] = ()
        """In the order of declaration."""
        settings.changed.connect(self._judge)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker

    def clear(self) -> None:
        """Another document."""
        self._runner.leave_document()
        self._program, self._found = None, ("", Influence({}))
        self._keep(())

    def use(self, program: Program) -> None:
        """Of this program from now on."""
        self._program = program
        self._runner.want(program.digest)
        self._look()
        self._judge()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What forecasts say of the defaults that decide."""
        return sentences(self.deciding)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One note for each, at the first line of the document that depends on it."""
        notes = []
        for each in self.deciding:
            line = min((at.line for at in each.lines if not at.file), default=0)
            notes.append(Diagnostic(line, 0, Severity.NOTE, each.sentence_at(line)))
        return tuple(notes)

    def _look(self) -> None:
        """Ask, where there is something to ask about."""
        worker, program = self._worker, self._program
        if worker is None or program is None or self._runner.busy:
            return
        if program.digest == self._found[0] or not self._is_unsettled:
            return

        def done(found: Influence) -> None:
            self._found = (program.digest, found)
            self._judge()

        def failed(_error: ShaderlabError) -> None:
            """What cannot be analysed is not marked; it is said where it is drawn and counted."""
            self._found = (program.digest, Influence({}))

        self._runner.run(
            Job(Task.ANALYSE, program, "", PATIENCE_S, program.digest, blamed=False),
            lambda: worker.influence(program),
            done,
            failed,
            abandon=worker.abandon,
        )

    @property
    def _is_unsettled(self) -> bool:
        return any(each.is_unsettled for each in self._settings.listed())

    def _judge(self) -> None:
        self._look()
        self._keep(decided_among(self._settings.listed(), self._found[1]))

    def _keep(self, deciding: tuple[DecidingDefault, ...]) -> None:
        if deciding != self.deciding:
            self.deciding = deciding
            self.changed.emit()
