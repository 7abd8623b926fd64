"""What `compiled` shows of vendors' compilers."""

from __future__ import annotations

import json

from shaderlab.cli.texts import compiled as texts
from shaderlab.gpu.compilers.compiled import CompiledStats, Executable, Statistic
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.families import families
from shaderlab.gpu.compilers.vendors import VENDORS

INTEL = CompiledStats(
    "cfl",
    "Coffee Lake GT2 (UHD Graphics 630)",
    VENDORS["intel"],
    "ANV",
    (
        Executable(
            "SIMD8 fragment", 8, (Statistic("Instruction Count", 64), Statistic("Cycle Count", 900))
        ),
        Executable(
            "SIMD16 fragment",
            16,
            (Statistic("Instruction Count", 66), Statistic("Cycle Count", 1200)),
            "add(16) g1",
        ),
    ),
    0.01,
    0.004,
)
MALI = CompiledStats(
    "malig610",
    "Mali-G610",
    VENDORS["mali"],
    "panvk",
    (Executable("fragment\x1b[31m", 16, (Statistic("Cycles", 0.9375),), "FMA.f32 r0"),),
    0.02,
    0.01,
)


def test_the_table_has_what_all_report_and_a_line_has_what_each_does() -> None:
    table, simd8, simd16, mali, *standing = texts.statistics([INTEL, MALI])
    header, first, second = table.splitlines()
    assert header.split()[:3] == ["target", "SIMD", "instructions"]
    assert first.split()[:3] == ["cfl", "16", "66"]
    assert "1200" in first
    assert second.split()[:3] == ["malig610", "16", "-"]
    assert "0.9375" in second
    assert simd8 == "cfl, SIMD8 fragment: Instruction Count 64, Cycle Count 900"
    assert simd16.endswith("Instruction Count 66, Cycle Count 1200, arithmetic instructions 1")
    assert "\x1b" not in mali
    assert standing == [VENDORS["intel"].standing, VENDORS["mali"].standing]
    assert texts.statistics([]) == []


def test_json_has_unknowns_as_null_and_counts_as_integers() -> None:
    data = json.loads(json.dumps(texts.data(INTEL, "again", isa=True)))
    assert data["instructions"] == 66
    assert data["occupancy"] is None
    assert data["isa"] == "add(16) g1"
    assert data["reproduce"] == "again"
    assert [each["statistics"]["Cycle Count"] for each in data["executables"]] == [900, 1200]
    assert isinstance(data["executables"][0]["statistics"]["Cycle Count"], int)
    assert "isa" not in texts.data(MALI, "again", isa=False)


def test_assembly_names_each_executable() -> None:
    text = texts.assembly(INTEL, None)
    assert "SIMD8 fragment\n; none reported" in text
    assert "SIMD16 fragment\nadd(16) g1" in text


def test_a_target_shows_a_clock_only_where_one_is_known() -> None:
    by_slug = {family.slug: family for family in families()}
    clocks = {
        slug: texts.target_data(CompiledTarget(by_slug[slug], "x", "/f"))["clock"]
        for slug in ("ga106", "adreno630")
    }
    assert clocks == {"ga106": "1780 MHz (GeForce RTX 3060)", "adreno630": "unknown"}
