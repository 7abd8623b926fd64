"""What RADV's compiler and a counted frame say about a program, as plain numbers to learn from.

Nothing here is measured on a GPU: compiling takes milliseconds, the counts are those of any device.
Cycles are per pixel, so that frames of different sizes compare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.radv.compiled import figures
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.gpu.radv.units import Unit


@dataclass(frozen=True)
class CompiledFeatures:
    """One program on one family.  NaN stands for what the driver, or an uncounted frame, leaves
    open."""

    target: str
    """Slug of the family."""
    subgroup_size: float
    vgprs: float
    sgprs: float
    spills: float
    scratch_bytes: float
    """Per wave."""
    code_bytes: float
    occupancy: float
    """Waves that fit on one SIMD at a time."""
    instructions: float
    branches: float
    latency: float
    """Cycles of one wave alone, by the compiler's model and its guesses of trips."""
    inverse_throughput: float
    """Cycles one wave keeps the busiest unit busy, by the same model and guesses."""
    busy_cycles: float
    """Vector issue cycles by counted executions, per pixel."""
    wait_cycles: float
    """Cycles waves spend by counted executions, stalls included, per pixel."""
    vector: float
    """Executed instructions by unit, in waves, per pixel; NaN where blocks were not counted."""
    transcendental: float
    quarter_rate: float
    scalar: float
    branch: float
    scalar_memory: float
    vector_memory: float
    explained: float
    """Part of the busy cycles whose executions were counted block by block, 0 to 1."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """All but the target, in the order of `NAMES`."""
        return tuple(getattr(self, name) for name in NAMES)


NAMES = tuple(field.name for field in fields(CompiledFeatures) if field.name != "target")
"""Of `CompiledFeatures.numbers`."""

_STATIC = ("vgprs", "sgprs", "scratch_bytes", "code_bytes", "occupancy", "instructions", "branches",
           "latency", "inverse_throughput")  # fmt: skip
_UNITS = {
    "vector": Unit.VECTOR,
    "transcendental": Unit.TRANSCENDENTAL,
    "quarter_rate": Unit.QUARTER,
    "scalar": Unit.SCALAR,
    "branch": Unit.BRANCH,
    "scalar_memory": Unit.SCALAR_MEMORY,
    "vector_memory": Unit.VECTOR_MEMORY,
}


def compiled_features(stats: CompiledStats, cost: FrameCost | None = None) -> CompiledFeatures:
    """`cost` is of the same program and family; without it only what is static is known."""

    def known(value: float | None) -> float:
        return math.nan if value is None else float(value)

    reported = figures(stats.chosen)
    pixels = cost.size[0] * cost.size[1] if cost else 1
    counted = cost is not None and cost.explained > 0
    executed = {
        name: cost.executed.get(unit, 0.0) / pixels if counted and cost else math.nan
        for name, unit in _UNITS.items()
    }
    return CompiledFeatures(
        target=stats.target,
        subgroup_size=float(stats.chosen.subgroup_size),
        spills=known(stats.common.spills),
        **{name: known(reported[name]) for name in _STATIC},
        busy_cycles=cost.busy_cycles / pixels if cost else math.nan,
        wait_cycles=cost.wait_cycles / pixels if cost else math.nan,
        explained=cost.explained if cost else math.nan,
        **executed,
    )
