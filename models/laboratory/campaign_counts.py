"""How often the blocks of a corpus' shaders ran: what campaigns counted, and traces made since."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from models.laboratory.trace_store import TraceStore
from shaderlab.errors import InvalidSample, ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.prediction.forms import Form
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.samples.traces import counted
from shaderlab.spirv.trace import Trace


class CampaignCounts:
    """Looks counts up by shader and program; campaigns first, in the order given."""

    def __init__(self, campaigns: Iterable[Path], store: TraceStore | None = None):
        """`campaigns`: data sets of which the samples of the canonical instant count.

        Raises `InvalidDataset` where one cannot be read; rows that fail the checks are passed by.
        """
        self._store = store
        self._samples: dict[str, list[Sample]] = {}
        for path in campaigns:
            for each in exchange.accepted(path):
                instant = (each.inputs.time_s, each.inputs.frame)
                if each.program.id is not None and instant == (1.0, 1):
                    self._samples.setdefault(each.program.id, []).append(each)

    def of(self, shader_id: str, program: Program, form: Form = Form.WRITTEN) -> Trace | None:
        """A frame of the program, which is of this form; None where its blocks were not counted.

        Campaigns do not count compiled programs.
        """
        for sample in self._samples.get(shader_id, ()):
            records = {Form.WRITTEN: sample.trace, Form.OPTIMIZED: sample.optimized}
            if form in records:
                with contextlib.suppress(InvalidSample):
                    return counted(records[form], sample.inputs, program)
        name = _name(shader_id, form)
        kept = self._store.get(name) if self._store and self._store.holds(name) else None
        return kept if isinstance(kept, Trace) else None

    def tried(self, shader_id: str, form: Form = Form.WRITTEN) -> bool:
        """Whether there is a trace, or a reason for none, that was kept."""
        return self._store is not None and self._store.holds(_name(shader_id, form))

    def keep(
        self, shader_id: str, outcome: Trace | ShaderlabError, form: Form = Form.WRITTEN
    ) -> None:
        """A trace made since, or why there is none, for this run and those to come."""
        if self._store is not None:
            self._store.put(_name(shader_id, form), outcome)


def _name(shader_id: str, form: Form) -> str:
    return shader_id if form is Form.WRITTEN else f"{shader_id}, {form}"
