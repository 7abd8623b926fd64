"""`TracedProgram`: one program with one trace, and the counts every method starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.prediction.features import context
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution, LaneWork
from shaderlab.prediction.features.memory_accesses import (
    MemoryAccesses,
    Waits,
    memory_accesses,
    waits,
)
from shaderlab.prediction.features.program_analysis import Analysis, analysis_of
from shaderlab.prediction.features.texture_work import TextureReads, reads_of
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares
from shaderlab.spirv.analysis.array_copies import ArrayCopy, array_copies
from shaderlab.spirv.analysis.undefined_results import undefined_results
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.tokens import Tokens, tokenize
from shaderlab.spirv.trace import SourceLine, Trace

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program

_ANNOTATIONS = frozenset({"OpLine", "OpNoLine"})
"""Stand between instructions but are none: the published modules were compiled without them."""


@dataclass(frozen=True, eq=False)
class TracedProgram:
    """A program and the counts of one of its frames; what follows from both is computed once.

    Each is equal to itself alone, so that what models made of it can be kept as long as it is.
    """

    program: Program
    trace: Trace
    other_forms: Mapping[Form, TracedProgram] = field(default_factory=dict)
    """The same frame of the program's other forms, as far as they were traced."""

    def form(self, form: Form) -> TracedProgram | None:
        """Itself for `Form.WRITTEN`, else another form; None where that was not traced."""
        return self if form is Form.WRITTEN else self.other_forms.get(form)

    @cached_property
    def executed(self) -> Mapping[str, int]:
        """Executed instructions by opcode name, summed over all invocations (paper §6.1)."""
        return {name: n for name, n in self.trace.opcode_totals.items() if name not in _ANNOTATIONS}

    @cached_property
    def instructions(self) -> int:
        """All executed instructions: the one feature of Simple Heuristics."""
        return sum(self.executed.values())

    @cached_property
    def largest_block_count(self) -> int:
        """Executions of the block that ran most often."""
        return max((block.count for block in self.trace.blocks), default=0)

    @cached_property
    def line_shares(self) -> LineShares:
        """Part of all executed instructions that each source line accounts for, descending.

        Instructions without a line of the user's (the prelude's, variables) are part of the whole,
        so the shares sum to at most 1.
        """
        total = self.instructions
        executed = self.trace.line_instructions
        shares = {line: n / total for line, n in executed.items() if n} if total else {}
        ordered = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
        return LineShares((line.file, line.line, share) for line, share in ordered)

    @cached_property
    def analysis(self) -> Analysis:
        """What follows from the program's text alone."""
        return analysis_of(self.program)

    @cached_property
    def tokens(self) -> Tokens:
        """What ShaderPerFormer reads.  Raises as `spirv.tokens.tokenize` does."""
        return tokenize(self.program.module, self.program.entry_point)

    @property
    def work(self) -> LaneWork:
        """Priceable work of the frame, where lanes jump over what none of them takes."""
        return self.work_of(Execution.JUMPING)

    def work_of(self, execution: Execution) -> LaneWork:
        """Priceable work of the frame, computed once."""
        if execution not in self._works:
            self._works[execution] = self.analysis.plan.work(self.trace, execution)
        return self._works[execution]

    @cached_property
    def _works(self) -> dict[Execution, LaneWork]:
        return {}

    @cached_property
    def texture_reads(self) -> Sequence[TextureReads]:
        """Reads and writes of the frame, by texture and kind of instruction."""
        return reads_of(self.work, self.analysis.plan.reads, self.trace.textures)

    @cached_property
    def memory(self) -> MemoryAccesses:
        """How often the frame reaches buffers, shared memory, atomics and barriers."""
        return memory_accesses(self.program.module, self.trace)

    @cached_property
    def waits(self) -> Waits:
        """What an invocation of a dispatch waits for."""
        program = self.program
        return waits(program.module, program.entry(), self.trace, self.memory)

    @cached_property
    def context(self) -> np.ndarray:
        """What the additive model's factor looks at, (context,) float64."""
        return context.context(self.analysis.module, self.trace, self.work)

    @property
    def example(self) -> Example:
        """What the additive model sees of the frame, at the size it was traced."""
        return Example(
            {execution: self.work_of(execution).totals for execution in Execution}, self.context
        )

    @cached_property
    def uninitialised_reads(self) -> tuple[int, ...]:
        """Indices of the instructions that read uninitialised values."""
        return uninitialised_reads(
            self.analysis.module, self.program.entry_point, self.trace.executed_blocks
        )

    @cached_property
    def uninitialised_lines(self) -> tuple[SourceLine, ...]:
        """Their lines, ascending; without the prelude's read of the output colour."""
        lines = instruction_lines(self.analysis.module)
        found = {lines.at(index) for index in self.uninitialised_reads}
        return tuple(sorted(line for line in found if line is not None))

    @cached_property
    def undefined_results(self) -> frozenset[SourceLine | None]:
        """Lines that divide by a constant zero, here or in the program after `spirv-opt`, which
        shows more constants; None for such an instruction without a line."""
        found: set[SourceLine | None] = set()
        for each in (self, self.form(Form.OPTIMIZED)):
            if each is not None:
                module = each.program.module
                lines = instruction_lines(module)
                results = undefined_results(module, each.trace.executed_blocks)
                found |= {lines.at(index) for index in results}
        return frozenset(found)

    def largest_array_copy(self, least: int) -> tuple[ArrayCopy, SourceLine | None] | None:
        """Of `least` scalars or more, copied as a whole by an instruction that ran; its line."""
        module = self.analysis.module
        copies = array_copies(module, self.trace.executed_blocks, least)
        return (copies[0], instruction_lines(module).at(copies[0].used)) if copies else None

    def instructions_outside(self, names: Iterable[str]) -> Mapping[str, int]:
        """Executed instructions by opcode name, of the opcodes not named."""
        return {name: self.executed[name] for name in self.executed.keys() - set(names)}
