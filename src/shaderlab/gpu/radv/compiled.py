"""What RADV's compiler reports of a program, by names of our own."""

from __future__ import annotations

from shaderlab.gpu.compilers.compiled import Executable

_STATISTICS = {
    "vgprs": "VGPRs",
    "sgprs": "SGPRs",
    "spilled_vgprs": "Spilled VGPRs",
    "spilled_sgprs": "Spilled SGPRs",
    "scratch_bytes": "Scratch size",
    "lds_bytes": "LDS size",
    "code_bytes": "Code size",
    "occupancy": "Subgroups per SIMD",
    "instructions": "Instructions",
    "copies": "Copies",
    "branches": "Branches",
    "latency": "Latency",
    "inverse_throughput": "Inverse Throughput",
    "vmem_clauses": "VMEM Clause",
    "smem_clauses": "SMEM Clause",
}
"""RADV's names, the same from Mesa 22 (radv_pipeline.c) to Mesa 26 (shader_stats.xml), which has
others too.  Vector and scalar registers allocated; spilled; private bytes of a wave; moves the
register allocator had to add.  `latency`: cycles one wave takes alone, `inverse_throughput`: those
it keeps the busiest unit busy, both by ACO's model with its guesses of trip counts and odds."""


def figures(executable: Executable) -> dict[str, int | None]:
    """By our names, of one wave; None for what this driver version does not report."""
    found = {name: executable.value(theirs) for name, theirs in _STATISTICS.items()}
    return {name: None if value is None else int(value) for name, value in found.items()}
