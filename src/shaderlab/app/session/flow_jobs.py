"""Control flow of the counted program's functions, read when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping
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
    code_changed = Signal()

    def __init__(self, tools: Tools, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._runner, self._device = JobRunner(tools, self), device
        self._worker: CompilerWorker | None = None
        self._digest = ""
        """Of the program that was asked about last."""
        self.wanted = self._code_wanted = False
        self._reading = JobRunner(tools, self)
        self._code_of = ""
        """Digest of the program whose code was asked for last."""
        self.code: Mapping[int, str] = {}
        """SPIR-V assembly of the program's functions, by the label of each one's first block;
        empty until it is there."""
        self.flows: tuple[FunctionFlow, ...] = ()
        self.trace: Trace | None = None
        """Of the same program as `flows`."""
        self.error: ShaderlabError | None = None
        device.counts.changed.connect(self._look)
        self._runner.freed.connect(self._look)
        self._reading.freed.connect(self._look)

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker

    def want(self, wanted: bool) -> None:
        """Whether anyone looks."""
        self.wanted = wanted
        self._look()

    def want_code(self, wanted: bool) -> None:
        """Whether anyone looks at the assembly."""
        self._code_wanted = wanted
        self._look()

    def _look(self) -> None:
        self._look_for_code()
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

    def _look_for_code(self) -> None:
        program, worker = self._device.counts.program, self._worker
        if program is None:
            self._code_of, self.code = "", {}
            self._reading.leave_document()
            return
        if program.digest == self._code_of or worker is None or self._reading.busy:
            return
        if not self._code_wanted:
            self.code = {}
            return
        digest = self._code_of = program.digest

        def keep(code: Mapping[int, str]) -> None:
            if digest == self._code_of:
                self.code = code
                self.code_changed.emit()

        self._reading.run(
            Job(Task.DISASSEMBLE, program),
            lambda: worker.function_texts(program),
            keep,
            lambda _error: keep({}),
        )

    def _keep(
        self,
        flows: tuple[FunctionFlow, ...],
        trace: Trace | None,
        error: ShaderlabError | None,
    ) -> None:
        self.flows, self.trace, self.error = flows, trace, error
        self.changed.emit()
