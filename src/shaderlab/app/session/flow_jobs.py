"""Control flow of the counted program's functions, read when somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError
from shaderlab.workers.compiler import CompilerWorker

if TYPE_CHECKING:
    from shaderlab.spirv.analysis.flow_counts import FunctionFlow
    from shaderlab.spirv.trace import Trace


class FlowJobs(QObject):
    """One request at a time, for the program that the latest trace is of."""

    changed = Signal()
    """`flows` and `trace`, or `error`, are new."""

    def __init__(self, tools: Tools, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._runner, self._device = JobRunner(tools, self), device
        self._worker: CompilerWorker | None = None
        self._digest = ""
        """Of the program that was asked about last."""
        self.wanted = False
        self.flows: tuple[FunctionFlow, ...] = ()
        self.trace: Trace | None = None
        """Of the same program as `flows`."""
        self.error: ShaderlabError | None = None
        device.counts.changed.connect(self._look)
        self._runner.freed.connect(self._look)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker

    def want(self, wanted: bool) -> None:
        """Whether anyone looks."""
        self.wanted = wanted
        self._look()

    def _look(self) -> None:
        counts, worker = self._device.counts, self._worker
        program, trace = counts.program, counts.trace
        if trace is None or program is None:
            if self.flows or self.error:
                self._keep((), None, None)
            self._digest = ""
            self._runner.leave_document()
        elif program.digest == self._digest and self.flows:
            if trace is not self.trace:  # another frame of the same program
                self._keep(self.flows, trace, None)
        elif self.wanted and worker is not None and not self._runner.busy:
            if program.digest == self._digest:  # it failed
                return
            self._digest = program.digest
            self._runner.run(
                Job(Task.DISASSEMBLE, program),
                lambda: worker.flows(program),
                lambda flows: self._keep(flows, trace, None),
                lambda error: self._keep((), None, error),
            )

    def _keep(
        self,
        flows: tuple[FunctionFlow, ...],
        trace: Trace | None,
        error: ShaderlabError | None,
    ) -> None:
        self.flows, self.trace, self.error = flows, trace, error
        self.changed.emit()
