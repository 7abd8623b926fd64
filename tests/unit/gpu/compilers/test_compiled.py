"""Statistics in each vendor's terms, and in common ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.compiled import (
    Common,
    CompiledStats,
    Executable,
    Statistic,
    common,
    last,
    mali_statistics,
    nvidia_nir,
    nvidia_statistics,
)
from shaderlab.gpu.compilers.vendors import VENDORS

ADRENO = VENDORS["adreno"]


def executable(name: str, subgroup: int, **statistics: float) -> Executable:
    listed = tuple(Statistic(n.replace("_", " "), v) for n, v in statistics.items())
    return Executable(name, subgroup, listed)


SIMD8 = executable(
    "SIMD8 fragment shader", 8, Instruction_Count=646, Cycle_Count=19114, Spill_Count=0,
    Fill_Count=0, Scratch_Memory_Size=0, Max_live_registers=61, Loop_Count=3,
)  # fmt: skip
SIMD32 = executable(
    "SIMD32 fragment shader", 32, Instruction_Count=1255, Cycle_Count=30658, Spill_Count=2,
    Fill_Count=4, Scratch_Memory_Size=1024, Max_live_registers=118, Loop_Count=3,
)  # fmt: skip


def test_intels_widest_executable_stands_for_the_program() -> None:
    stats = CompiledStats(
        "cfl", "Coffee Lake GT2", VENDORS["intel"], "ANV", (SIMD8, SIMD32), 0.01, 0.01
    )
    assert stats.chosen is SIMD32
    assert stats.common == Common(
        subgroup_size=32, instructions=1255, registers=118, register_limit=128, spills=2,
        scratch_bytes=1024, cycles=30658,
    )  # fmt: skip


def test_turnip_counts_code_in_words_of_four_bytes() -> None:
    words = Statistic("Code size", 1728, "Total number of dwords in the final shader.")
    assert common(Executable("FS", 128, (words,)), ADRENO).code_bytes == 6912


def test_turnip_counts_accesses_to_private_memory_as_spills() -> None:
    found = common(
        executable(
            "fragment", 64, Max_Waves_Per_Core=8, Instruction_Count=889, Code_size=7424,
            NOPs_Count=120, Registers_used=12, STP_Count=0, LDP_Count=0,
            Estimated_cycles_stalled_on_SS=46,
        ),
        ADRENO,
    )  # fmt: skip
    assert found == Common(
        subgroup_size=64,
        instructions=889,
        registers=12,
        register_limit=48,
        spills=0,
        occupancy=8,
        stalls=166,
        code_bytes=7424,
    )


def test_nvks_names_differ_in_case() -> None:
    found = common(
        executable(
            "Fragment", 32, Instruction_count=796, Code_Size=12736, Number_of_GPRs=25, SLM_Size=0
        ),
        VENDORS["nvidia"],
    )
    assert found == Common(
        subgroup_size=32,
        instructions=796,
        registers=25,
        register_limit=255,
        scratch_bytes=0,
        code_bytes=12736,
    )


@pytest.mark.parametrize(
    ("registers", "turing", "ampere"),
    [
        (16, 32, 48),
        (40, 32, 48),
        (41, 32, 40),
        (64, 32, 32),
        (65, 28, 28),
        (128, 16, 16),
        (255, 8, 8),
    ],
)
def test_nvidias_warps_follow_from_registers(registers: int, turing: int, ampere: int) -> None:
    """64 K registers, 256 at a time, in four parts; at most 32 or 48 warps."""
    for architecture, warps in (("Turing", turing), ("Ampere", ampere), ("Ada", ampere)):
        (found,) = nvidia_statistics(registers, architecture)
        assert found.value == warps
        assert common(Executable("fragment", 32, (found,)), VENDORS["nvidia"]).occupancy == warps


@pytest.mark.parametrize(("registers", "kind"), [(None, "Ada"), (0, "Ada"), (300, "Ada"), (9, "?")])
def test_warps_of_an_unknown_chip_are_unknown(registers: float | None, kind: str) -> None:
    assert nvidia_statistics(registers, kind) == ()


def test_what_a_driver_does_not_report_is_unknown_not_zero() -> None:
    assert common(Executable("fragment", 0, ()), ADRENO) == Common(register_limit=48)


VALHALL = (
    "SHADER-DB: MESA_SHADER_VERTEX shader: 9 inst, 0.031250 cycles, 0.000000 fma, "
    "0.031250 cvt, 0.000000 sfu, 0.000000 v, 0.000000 t, 0.000000 ls, 5 quadwords, "
    "2 threads, 0 loops, 0:0 spills:fills\n"
    "another message\n"
    "SHADER-DB: MESA_SHADER_FRAGMENT shader: 120 inst, 0.937500 cycles, 0.906250 fma, "
    "0.250000 cvt, 0.937500 sfu, 0.000000 v, 0.000000 t, 0.000000 ls, 64 quadwords, "
    "1 threads, 2 loops, 3:4 spills:fills\n"
)
BIFROST = (
    "SHADER-DB: MESA_SHADER_FRAGMENT shader: 77 inst, 60 tuples, 9 clauses, 2.500000 cycles, "
    "2.500000 arith, 0.000000 texture, 0.250000 vary, 1.000000 ldst, 40 quadwords, 2 threads, "
    "0 loops, 0:0 spills:fills\n"
)


def test_malis_compiler_prints_cycles_by_unit() -> None:
    found = {s.name: s.value for s in mali_statistics(VALHALL)}
    assert found == {
        "Instructions": 120, "Cycles": 0.9375, "FMA cycles": 0.90625, "CVT cycles": 0.25,
        "SFU cycles": 0.9375, "Varying cycles": 0, "Texture cycles": 0, "Load/store cycles": 0,
        "Threads per slot": 1, "Loops": 2, "Spills": 3, "Fills": 4,
    }  # fmt: skip
    stats = common(Executable("fragment", 16, mali_statistics(VALHALL)), VENDORS["mali"])
    assert stats == Common(
        subgroup_size=16, instructions=120, register_limit=64, spills=3, cycles=0.9375
    )


def test_bifrosts_units_have_other_names() -> None:
    found = {s.name: s.value for s in mali_statistics(BIFROST)}
    assert found["Arithmetic cycles"] == 2.5
    assert found["Tuples"] == 60
    assert found["Load/store cycles"] == 1
    assert found["Varying cycles"] == 0.25


@pytest.mark.parametrize("printed", ["", "SHADER-DB:", "SHADER-DB: VERTEX shader: 1 inst"])
def test_without_a_fragment_shader_nothing_is_known(printed: str) -> None:
    assert mali_statistics(printed) == ()


@given(st.text())
def test_any_text_can_follow(rest: str) -> None:
    for statistic in mali_statistics(f"SHADER-DB: MESA_SHADER_FRAGMENT shader: {rest}"):
        assert statistic.value >= 0


def test_nvk_prints_the_program_of_each_stage() -> None:
    printed = (
        "Structured NIR for vertex shader:\nshader: VERTEX\n"
        "Structured NIR for fragment shader:\nof an internal shader\n"
        "Structured NIR for fragment shader:\nshader: FRAGMENT\nimpl main {\n}\n"
    )
    assert nvidia_nir(printed, Stage.FRAGMENT).startswith("shader: FRAGMENT")
    assert nvidia_nir(printed, Stage.VERTEX).startswith("shader: VERTEX")
    assert nvidia_nir("WARNING: not conformant", Stage.FRAGMENT) == ""


def test_the_last_text_of_a_kind_is_the_final_one() -> None:
    texts = [("NIR from SPIRV", "first"), ("Final NIR", "second"), ("IR3 Assembly", "code")]
    assert last(texts, "nir") == "second"
    assert last(texts, "assembly") == "code"
    assert last([], "nir") == ""
