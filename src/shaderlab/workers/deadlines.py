"""How long each kind of request may take before its worker is killed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deadlines:
    """Seconds per request.  The first request after a start also waits for the child to come up."""

    start: float = 30.0
    """A child from its spawning to its first sign of life: imports, driver start."""
    compile: float = 20.0
    frame: float = 10.0
    """One preview frame, its pipeline's creation included."""
    trace: float = 60.0
    profile: float = 300.0
    predict: float = 20.0
    discover: float = 30.0
