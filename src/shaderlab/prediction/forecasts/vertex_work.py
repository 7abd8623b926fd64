"""What a draw's own vertex stage runs beside its fragment stage, which alone is priced.

Every model's prices and floor were fitted on draws of two triangles without a vertex stage of
their own.  The prices are of work that fills a GPU, in the form the model's compiler leaves it in;
few vertices do not fill one, and what fetches them and sets up their triangles has no price.  So
its work is reported, and its time is not predicted.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.frontend.program import Program
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.spirv.trace import Trace

_SMALL = 0.1
"""Part of the draw's time up to which it may leave out the vertex stage's: less than models err
by."""
_LATENCY_S = 10e-9
"""That an instruction takes at most, on average, where the one after it waits for it and no other
invocation fills the gap: some ten cycles of a GPU, and now and then a read of memory."""


@dataclass(frozen=True)
class VertexWork:
    """The vertex stage's counts beside the fragment stage's."""

    invocations: int | None
    """None where it could not be counted."""
    instructions: int = 0
    """Executed by all of them."""
    fragment_instructions: int = 0
    is_cut: bool = False
    """Whether the device may have ended its loops, so that it runs more than was counted."""

    @property
    def sentence(self) -> str:
        """What a forecast says of it."""
        left_out = "The vertex stage's time is not predicted: no training shader had one of its own"
        if self.invocations is None:
            return f"{left_out}, and this device does not count it."
        return (
            f"{left_out}. It runs {self.instructions:,} instructions in {self.invocations:,} "
            f"invocations, the fragment stage {self.fragment_instructions:,}."
        )

    def outweighs(self, time_s: float) -> bool:
        """Whether a draw may take notably longer than `time_s`, its time without this stage.

        The stage takes at least one invocation's time, and at the fragment stage's rate no more
        than its part of the instructions.
        """
        if not self.invocations:
            return False
        longest_s = self.instructions / self.invocations * _LATENCY_S
        is_large = self.instructions > _SMALL * self.fragment_instructions
        return self.is_cut or is_large or longest_s > _SMALL * time_s


def vertex_work(traced: TracedProgram, vertex: Program, counted: Trace | None) -> VertexWork:
    """Of a draw's traced fragment stage and its vertex stage, if that could be counted."""
    if counted is None:
        return VertexWork(None)
    entry = vertex.entry().id
    invocations = next((b.count for b in counted.blocks if b.function == entry), 0)
    stage = TracedProgram(vertex, counted)
    is_cut = counted.loop_limit is not None
    return VertexWork(invocations, stage.instructions, traced.instructions, is_cut)
