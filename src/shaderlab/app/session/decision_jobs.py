"""Which defaults decide what runs: asked once per program that has inputs nobody settled."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.scene.defaults import (
    DecidingDefault,
    decided_among,
    sentences,
    with_vertex_stage,
)
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
        self._found: dict[str, Influence] = {}
        """By digest of the stages that were analysed: what their inputs decide."""
        self._latest = Influence({})
        """Of the latest program that was."""
        self.deciding: tuple[DecidingDefault, ...] = ()
        """In the order of declaration."""
        settings.changed.connect(self._judge)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker

    def clear(self) -> None:
        """Another document."""
        self._runner.leave_document()
        self._program, self._found, self._latest = None, {}, Influence({})
        self._keep(())

    def use(self, program: Program) -> None:
        """Of this program from now on."""
        self._program = program
        self._judge()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What forecasts say of the defaults that decide."""
        return sentences(self.deciding)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """One note for each, at the first line of the document that depends on it."""
        return tuple(
            Diagnostic(each.line, 0, Severity.NOTE, each.sentence_here) for each in self.deciding
        )

    @property
    def _stages(self) -> tuple[Program, ...]:
        vertex = self._settings.vertex.program
        return tuple(each for each in (self._program, vertex) if each is not None)

    def _look(self) -> None:
        """Ask, where there is something to ask about."""
        worker, stages = self._worker, self._stages
        self._runner.want(*(each.digest for each in stages))
        program = next((each for each in stages if each.digest not in self._found), None)
        if worker is None or program is None or self._runner.busy or not self._is_unsettled:
            return

        def keep(found: Influence) -> None:
            present = {each.digest for each in self._stages}
            kept = {digest: each for digest, each in self._found.items() if digest in present}
            self._found = kept | {program.digest: found}
            self._judge()

        def failed(_error: ShaderlabError) -> None:
            """What cannot be analysed is not marked; it is said where it is drawn and counted."""
            keep(Influence({}))

        self._runner.run(
            Job(Task.ANALYSE, program, "", PATIENCE_S, program.digest, blamed=False),
            lambda: worker.influence(program),
            keep,
            failed,
            abandon=worker.abandon,
        )

    @property
    def _is_unsettled(self) -> bool:
        return any(each.is_unsettled for each in self._settings.listed())

    def _judge(self) -> None:
        self._look()
        program, vertex = self._program, self._settings.vertex.program
        if program is None:
            return
        listed = self._settings.listed()
        self._latest = self._found.get(program.digest, self._latest)
        found = decided_among(listed, self._latest)
        if vertex is not None and (its := self._found.get(vertex.digest)) is not None:
            file = vertex.name if vertex.name != program.name else ""
            found = with_vertex_stage(found, decided_among(listed, its), file)
        self._keep(found)

    def _keep(self, deciding: tuple[DecidingDefault, ...]) -> None:
        if deciding != self.deciding:
            self.deciding = deciding
            self.changed.emit()
