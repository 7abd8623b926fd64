"""What a request may cost before its worker is killed: time by kind of request, and memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from shaderlab.system.memory import physical_bytes

BACKGROUND_IDLE_S = 45.0
"""Time without a request after which a child of low priority is ended.  The next request starts
another, which takes half a second that nobody waits for."""


def default_memory_bytes() -> int:
    """Half of the machine, at most 4 GiB: no shader's worker needs more."""
    return min(physical_bytes() // 2, 4 << 30)


@dataclass(frozen=True)
class Limits:
    """Seconds per request.  The first request after a start also waits for the child to come up."""

    start: float = 30.0
    """A child from its spawning to its first sign of life: imports, driver start."""
    compile: float = 20.0
    frame: float = 10.0
    """One preview frame."""
    driver_compile: float = 60.0
    """A pipeline in the driver's compiler, which no other limit includes."""
    trace: float = 60.0
    profile: float = 300.0
    predict: float = 20.0
    memory_bytes: int = field(default_factory=default_memory_bytes)
    """Resident memory of a worker with all it started."""
