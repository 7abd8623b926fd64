"""The time of a draw's own vertex stage, beside its fragment stage's.

No model was fitted to draws with a vertex stage of their own.  So its counts are priced as a
fragment stage's are, operation by operation and without the pass, and the part is an estimate
with a wide band.  What fetches vertices and sets up triangles has a price on software devices only,
where it was measured, and few vertices do not fill a GPU as pixels do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shaderlab.frontend.program import Program
from shaderlab.prediction.catalogue.targets import Target
from shaderlab.prediction.cost import Bound, Cost
from shaderlab.prediction.features.cost_groups import OTHERS
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, VertexPart
from shaderlab.prediction.line_shares import LineShares
from shaderlab.spirv.trace import Trace

LOW, HIGH = 0.3, 4.0
"""Ends of the band, times the predicted time: beyond what was seen on software devices (`_TRIED`),
since a GPU may differ more."""
_TRIED = "0.4 to 2.4 times"
"""Measured over predicted time of twelve stages of 3,000 to 90,000 vertices, on each of llvmpipe
(median 1.3) and SwiftShader (0.9): `python -m tests.benchmarks.vertex_times`."""
_FETCH_S = {"llvmpipe": 20e-9, "swiftshader": 45e-9}
"""Seconds to fetch a vertex and to set up its part of a triangle, by device: what fits the
benchmark's stages best."""
_MOST = 0.9
"""Part of the time below which the fragment stage alone does not say what bounds the draw."""
_LATENCY_S = 10e-9
"""That an instruction takes at most, on average, where the one after it waits for it and no other
invocation fills the gap: some ten cycles of a GPU, and now and then a read of memory."""


@dataclass(frozen=True)
class VertexWork:
    """The vertex stage's counts."""

    stage: TracedProgram | None
    """Of as many pixels as it had invocations; None where it could not be counted."""
    invocations: int = 0

    def added(self, forecast: Forecast, target: Target) -> Forecast:
        """The forecast of the fragment stage with this stage's time."""
        if self.stage is None:
            return replace(forecast, vertex=VertexPart())
        counted = VertexPart(self.invocations, self.stage.instructions)
        cost = target.stage_cost(self.stage)
        if cost is None:
            return replace(forecast, vertex=counted)
        fetch_s = _FETCH_S.get(target.device, 0.0) * self.invocations
        stage_s = cost.time_s + fetch_s
        low_s, time_s, high_s = forecast.interval_s
        longest_s = self.stage.instructions / max(self.invocations, 1) * _LATENCY_S
        part = replace(
            counted,
            time_s=stage_s,
            low_s=stage_s * LOW,
            high_s=max(stage_s * HIGH, longest_s),
            method=cost.method,
            lines=_scaled(cost.lines, cost.time_s / stage_s if stage_s else 0.0),
        )
        total_s, others = time_s + stage_s, ((OTHERS, 1.0),)
        parts = [(cost.shares or others, cost.time_s / total_s), (others, fetch_s / total_s)]
        return replace(
            forecast,
            time_s=total_s,
            low_s=low_s + stage_s * LOW,
            high_s=high_s + max(stage_s * HIGH, longest_s),
            lines=_scaled(forecast.lines, time_s / total_s),
            cost=forecast.cost and _with(forecast.cost, time_s / total_s, parts),
            vertex=part,
        )


def sentence(part: VertexPart) -> str:
    """What a forecast says of its vertex stage."""
    if part.invocations is None:
        return "The vertex stage's time is not included: this device does not count it."
    runs = f"{part.instructions:,} instructions in {part.invocations:,} invocations"
    if part.time_s is None:
        return f"The vertex stage's time is not included: no method here prices its {runs}."
    return (
        f"The vertex stage's part is an estimate: its {runs} are priced as a fragment shader's, "
        "since no training shader had a vertex stage. On software devices, the only ones tried, "
        f"most such stages took {_TRIED} as long as predicted."
    )


def vertex_work(vertex: Program, counted: Trace | None) -> VertexWork:
    """Of a draw's vertex stage, if that could be counted."""
    if counted is None:
        return VertexWork(None)
    entry = vertex.entry().id
    invocations = next((b.count for b in counted.blocks if b.function == entry), 0)
    as_pixels = replace(counted, size=(max(invocations, 1), 1))
    return VertexWork(TracedProgram(vertex, as_pixels), invocations)


_Part = tuple[Sequence[tuple[str, float]], float]
"""Shares by group, and their part of the whole."""


def _scaled(lines: LineShares, part: float) -> LineShares:
    return LineShares((each.file, each.line, each.share * part) for each in lines)


def _with(cost: Cost, fragment: float, vertex: Sequence[_Part]) -> Cost:
    """What both stages' time is made of; `fragment`: the fragment stage's part of it, `vertex`:
    what the rest is made of."""
    shares: defaultdict[str, float] = defaultdict(float)
    for parts, weight in ((cost.shares, fragment), *vertex):
        for name, share in parts:
            shares[name] += share * weight
    ordered = sorted(shares.items(), key=lambda each: -each[1])
    bound = Bound.WORK if fragment < _MOST else cost.bound
    return replace(cost, bound=bound, shares=tuple(ordered))
