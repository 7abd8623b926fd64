"""What is known of the draws of a captured frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shaderlab.captures.frame import CapturedDraw, pass_numbers
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forecasts.shared_passes import in_passes

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.replayed import Replayed
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.spirv.trace import Trace


@dataclass(frozen=True)
class AnalysedDraw:
    """What is known of a captured draw on this machine and elsewhere."""

    draw: CapturedDraw
    program: Program | None = None
    replayed: Replayed | None = None
    trace: Trace | None = None
    forecasts: tuple[Forecast, ...] = ()
    reason: str = ""
    """Why it was not replayed, counted or predicted."""
    vertex_program: Program | None = None
    vertex: Trace | None = None
    """Of its vertex stage, run by itself; None where that is not counted."""
    vertex_reason: str = ""
    """Why the vertex stage is not counted."""
    elsewhere: str = ""
    """That another device than the chosen one drew it, and why."""

    @property
    def invocations(self) -> int | None:
        """Of its fragment or compute shader, as counted."""
        return _invocations(self.program, self.trace)

    @property
    def vertices(self) -> int | None:
        """Invocations of its vertex stage, as counted."""
        return _invocations(self.vertex_program, self.vertex)


def _invocations(program: Program | None, trace: Trace | None) -> int | None:
    if trace is None or program is None:
        return None
    entry = program.entry().id
    return next((b.count for b in trace.blocks if b.function == entry), 0)


def in_frame(draws: Sequence[AnalysedDraw]) -> list[AnalysedDraw]:
    """With forecasts of what each draw takes in the frame, where it shares its render pass."""
    alone = {each.draw.event: each.forecasts for each in draws if each.forecasts}
    parts = in_passes(alone, pass_numbers(each.draw for each in draws))
    return [replace(each, forecasts=parts.get(each.draw.event, ())) for each in draws]


def forecasts_of(draws: Sequence[AnalysedDraw]) -> tuple[FrameForecast, ...]:
    """Of all draws that were predicted: a lower bound where others were not."""
    by_draw = {str(each.draw.event): each.forecasts for each in draws if each.forecasts}
    return frame_forecasts(by_draw, dict.fromkeys(by_draw, 1), len(draws) - len(by_draw))
