"""`CompiledStats`: what RADV's compiler made of a program for one AMD family, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from shaderlab.gpu.radv import perfinfo
from shaderlab.gpu.radv.isa import Listing

_STATISTICS = {
    "VGPRs": "vgprs",
    "SGPRs": "sgprs",
    "Spilled VGPRs": "spilled_vgprs",
    "Spilled SGPRs": "spilled_sgprs",
    "Scratch size": "scratch_bytes",
    "LDS size": "lds_bytes",
    "Code size": "code_bytes",
    "Subgroups per SIMD": "occupancy",
    "Instructions": "instructions",
    "Copies": "copies",
    "Branches": "branches",
    "Latency": "latency",
    "Inverse Throughput": "inverse_throughput",
    "VMEM Clause": "vmem_clauses",
    "SMEM Clause": "smem_clauses",
}
"""RADV's names -> fields of CompiledStats.  The same from Mesa 22 (radv_pipeline.c) to Mesa 26
(shader_stats.xml), which has others too."""


def driver_statistics(reported: Mapping[str, int]) -> dict[str, int | None]:
    """Fields of CompiledStats from the driver's statistics by name; None for what it lacks."""
    return {field: reported.get(name) for name, field in _STATISTICS.items()}


@dataclass(frozen=True)
class CompiledStats:
    """The fragment shader's executable (VK_KHR_pipeline_executable_properties).

    Counts are static and per subgroup (wave).  None stands for a statistic this driver version
    does not report.
    """

    target: str
    """Slug of the family, e.g. `gfx1100`."""
    name: str
    """Chip and the products made with it."""
    driver: str
    """Driver name and version."""
    subgroup_size: int
    """Invocations per wave: 64 or 32."""
    vgprs: int | None
    """Vector registers allocated."""
    sgprs: int | None
    """Scalar registers allocated."""
    spilled_vgprs: int | None
    spilled_sgprs: int | None
    scratch_bytes: int | None
    """Private memory per wave."""
    lds_bytes: int | None
    code_bytes: int | None
    occupancy: int | None
    """Waves that fit on one SIMD at a time."""
    instructions: int | None
    copies: int | None
    """Moves the register allocator had to add."""
    branches: int | None
    latency: int | None
    """Cycles one wave takes alone: ACO's model with ACO's guesses of trip counts and odds."""
    inverse_throughput: int | None
    """Cycles one wave keeps the busiest unit busy, by the same model and guesses."""
    vmem_clauses: int | None
    smem_clauses: int | None
    compile_s: float
    """Seconds the driver took for the pipeline."""
    isa: str = field(default="", repr=False)
    """The final assembly, blocks labelled `BB0:`, …"""
    costs: str = field(default="", repr=False)
    """What the compiler said about cycles per instruction (`ACO_DEBUG=perfinfo`); may be empty."""
    nir: str = field(default="", repr=False)
    """The optimised program before code selection, in Mesa's text form; may be empty."""

    @property
    def spills(self) -> int | None:
        """Registers spilled, scalar and vector."""
        known = [n for n in (self.spilled_vgprs, self.spilled_sgprs) if n is not None]
        return sum(known) if known else None

    @cached_property
    def listing(self) -> Listing:
        """The assembly by basic blocks, with the compiler's cycles where it reported them."""
        return perfinfo.annotated(Listing.parse(self.isa), self.costs)
