"""Control flow of the counted program's functions, read when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.errors import ShaderlabError

if TYPE_CHECKING:
    from shaderlab.spirv.analysis.flow_counts import FunctionFlow
    from shaderlab.spirv.trace import Trace


class Flow(QObject):
    """Of the program that the latest trace is of."""

    changed = Signal()
    """`flows` and `trace`, or `error`, are new."""
    code_changed = Signal()

    def __init__(self, tools: Tools, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._device = device
        self._flows = View(tools, questions.flows, self)
        self._flows.changed.connect(self._on_flows)
        self._code = View(tools, questions.function_texts, self)
        self._code.changed.connect(self.code_changed)
        self.wanted = self._code_wanted = False
        self.trace: Trace | None = None
        """Of the same program as `flows`."""
        device.counts.changed.connect(self._look)

    @property
    def flows(self) -> tuple[FunctionFlow, ...]:
        return self._flows.answer or ()

    @property
    def error(self) -> ShaderlabError | None:
        return self._flows.error

    @property
    def code(self) -> Mapping[int, str]:
        """SPIR-V assembly of the program's functions, by the label of each one's first block;
        empty until it is there."""
        program, code = self._device.counts.program, self._code
        is_of = program is not None and code.of == program.digest
        return code.answer or {} if is_of else {}

    def want(self, wanted: bool) -> None:
        """Whether anyone looks."""
        self.wanted = wanted
        self._look()

    def want_code(self, wanted: bool) -> None:
        """Whether anyone looks at the assembly."""
        self._code_wanted = wanted
        self._look()

    def _look(self) -> None:
        program, trace = self._device.counts.program, self._device.counts.trace
        if program is None or trace is None:
            had = self.flows or self.error
            self._flows.drop()
            self._code.drop()
            self.trace = None
            if had:
                self.changed.emit()
            return
        if self._code_wanted:
            self._code.want(program.digest, program)
        if self.wanted:
            self._flows.want(program.digest, program)
        if self._flows.of == program.digest and trace is not self.trace:  # of another frame
            self._on_flows()

    def _on_flows(self) -> None:
        self.trace = self._device.counts.trace if self.flows else None
        self.changed.emit()
