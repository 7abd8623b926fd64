"""How long the answers to a change of the text took, part by part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Latency:
    """Seconds from the latest change of the text to each result; None for what is not there yet."""

    compiled: float | None = None
    picture: float | None = None
    counts: float | None = None
    forecasts: float | None = None
    compile_s: float | None = None
    """The compile request alone."""
    pipeline_s: float | None = None
    """The first frame's pipeline creation."""
    draw_s: float | None = None
    """The first frame's request, pipeline left out."""
    trace_s: float | None = None
    predict_s: float | None = None
