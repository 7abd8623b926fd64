"""Statistics by the names drivers give them."""

from __future__ import annotations

from shaderlab.gpu.compilers.compiled import Executable, Statistic
from shaderlab.gpu.radv import units
from shaderlab.gpu.radv.compiled import figures

MESA_22 = {
    "SGPRs": 16, "VGPRs": 8, "Spilled SGPRs": 1, "Spilled VGPRs": 2, "Code size": 640,
    "LDS size": 0, "Scratch size": 4, "Subgroups per SIMD": 16, "Hash": 77, "Instructions": 72,
    "Copies": 3, "Branches": 5, "Latency": 900, "Inverse Throughput": 110, "VMEM Clause": 0,
    "SMEM Clause": 1, "Pre-Sched SGPRs": 12, "Pre-Sched VGPRs": 9,
}  # fmt: skip
MESA_25 = MESA_22 | {
    "Driver pipeline hash": 1, "Combined inputs": 1, "Combined outputs": 1, "VALU": 50,
    "SALU": 9, "VMEM": 0, "SMEM": 1, "VOPD": 4,
}  # fmt: skip


def reported(by_name: dict[str, int]) -> dict[str, int | None]:
    return figures(Executable("FS", 64, tuple(Statistic(n, v) for n, v in by_name.items())))


def test_old_and_new_drivers_tell_the_same_statistics() -> None:
    expected = {
        "vgprs": 8, "sgprs": 16, "spilled_vgprs": 2, "spilled_sgprs": 1, "scratch_bytes": 4,
        "lds_bytes": 0, "code_bytes": 640, "occupancy": 16, "instructions": 72, "copies": 3,
        "branches": 5, "latency": 900, "inverse_throughput": 110, "vmem_clauses": 0,
        "smem_clauses": 1,
    }  # fmt: skip
    assert reported(MESA_22) == reported(MESA_25) == expected


def test_a_driver_that_lacks_a_statistic_leaves_it_open() -> None:
    told = {name: n for name, n in MESA_22.items() if name != "Inverse Throughput"}
    assert reported(told)["inverse_throughput"] is None


def test_waits_and_scalar_results_of_later_architectures() -> None:
    assert units.unit("s_wait_loadcnt") is units.unit("s_waitcnt") is units.Unit.NONE
    assert units.unit("v_s_rcp_f32") is units.Unit.TRANSCENDENTAL
    assert units.unit("v_dual_mul_f32") is units.Unit.VECTOR
