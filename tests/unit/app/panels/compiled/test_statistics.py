"""What the GPU compilers panel says of numbers, and how it reads code."""

from dataclasses import replace

import pytest

from shaderlab import units
from shaderlab.app.panels.compiled.statistics import (
    STATISTICS,
    FamilyFigures,
    change,
    own_statistics,
    time_details,
)
from shaderlab.app.widgets import isa_text
from shaderlab.gpu.compilers.compiled import Executable
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.compilers.syntax import Unit
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv.cost import FrameCost, MachineBlockCost
from shaderlab.spirv.trace import SourceLine
from tests.unit.gpu.radv.test_cost import NAVI23, STATS

BY_NAME = {statistic.name: statistic for statistic in STATISTICS}
ISA = "BB0:\n\tv_mul_f32 v0, v1, v2 ; 10000000\nBB1:\n\ts_cbranch_scc1 BB1 ; bf850000\n"
CODE = Executable("FS", 64, (), ISA)
COST = FrameCost(
    target="navi23", size=(64, 8), waves=8, busy_cycles=100.0, wait_cycles=200.0, executed={},
    blocks=(
        MachineBlockCost(0, 8, 10.0, 20.0, (SourceLine("", 3),)),
        MachineBlockCost(1, 40, 90.0, 180.0, tuple(SourceLine("", n) for n in (5, 6))),
        MachineBlockCost(2, 8, 0.0, 0.0, (SourceLine("noise.glsl", 3),)),
    ),
    lines=(), explained=1.0, lines_explained=1.0, basis="counted",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "now", "then", "text", "good"),
    [
        ("Registers", 48, 44, "+4", False),
        ("Registers", 44, 48, "\u22124", True),
        ("Occupancy", 16, 10, "+6", True),
        ("Spills", 3, 0, "+3", False),
        ("Cycles", 12000, 10000, "+20 %", False),
        ("Frame time", 0.9e-3, 1e-3, "\u221210 %", True),
    ],
)
def test_changes_are_told_with_what_they_mean(name, now, then, text, good):
    shown = change(BY_NAME[name], now, then)
    assert (shown.text, shown.good) == (text, good)


def test_no_change_is_not_told():
    assert change(BY_NAME["Registers"], 8, 8) is None
    assert change(BY_NAME["Registers"], None, 8) is None
    assert change(BY_NAME["Frame time"], 1.0, None) is None
    assert change(BY_NAME["Frame time"], 1.0, 0.0) is None
    assert units.change(1.00001, 1.0) == ""


def test_the_time_is_of_a_measured_product_with_band_and_basis():
    figures = FamilyFigures(NAVI23, STATS, COST)
    assert figures.estimate.product == "Radeon RX 6600 XT"
    assert figures.estimate.samples > 0
    time, *basis = time_details(figures)
    assert "\u2013" in time
    assert "RX 6600 XT" in time
    assert basis[-1] == "counted"
    assert FamilyFigures(NAVI23, STATS).estimate is None
    assert time_details(FamilyFigures(NAVI23)) == ()


def test_labels_tell_executions_shares_lines_and_loops():
    lines = isa_text.isa_lines(CODE, NAVI23.vendor, COST)
    labels = [line for line in lines if line.label]
    assert labels[0].text == "BB0:  ; 8 waves, 10 % of the cycles, line 3"
    assert labels[1].text == "BB1:  ; 40 waves, 90 % of the cycles, lines 5\u20136, in a loop"
    assert labels[1].heat > labels[0].heat > 0
    assert [line.block for line in lines] == [0, 0, 1, 1]


def test_without_counts_the_code_stands_alone():
    lines = isa_text.isa_lines(CODE, NAVI23.vendor, None)
    assert lines[0].text == "BB0:"
    assert not any(line.heat for line in lines)
    assert isa_text.blocks_of_line(None, 3) == frozenset()


def test_source_lines_and_machine_blocks_find_each_other():
    assert isa_text.blocks_of_line(COST, 6) == {1}
    assert isa_text.blocks_of_line(COST, 3) == {0}, "a line of an include is none of the text's"
    assert isa_text.lines_of_block(COST, 1) == (5, 6)
    assert isa_text.lines_of_block(COST, 2) == ()


def test_instructions_are_shown_with_what_executes_them_and_where_they_start():
    line = isa_text.isa_lines(CODE, NAVI23.vendor, None)[1]
    assert line.text[line.start : line.end] == "v_mul_f32"
    assert line.unit is Unit.ARITHMETIC
    intel = Executable("SIMD8", 8, (), "(+f0.0) if(8)  JIP:  LABEL1  UIP:  LABEL0 { align1 1Q };\n")
    (label, line) = isa_text.isa_lines(intel, VENDORS["intel"], None)
    assert label.label
    assert line.text.startswith("       (+f0.0) if")
    assert (line.text[line.start : line.end], line.unit) == ("if", Unit.BRANCH)


def test_a_value_is_shown_of_its_limit_and_an_unknown_one_is_not():
    figures = FamilyFigures(NAVI23, STATS)
    assert BY_NAME["Registers"].shown(figures) == "8 of 256"
    assert BY_NAME["Instructions"].shown(figures) == "8"
    assert BY_NAME["Stalls"].shown(figures) == ""
    assert BY_NAME["Registers"].shown(FamilyFigures(NAVI23)) == ""


def test_issued_instructions_are_those_of_all_subgroups_and_unknown_without_counts():
    counted = replace(COST, executed={Unit.ARITHMETIC: 1024.0, Unit.MEMORY: 512.0})
    assert BY_NAME["Issued"].value(FamilyFigures(NAVI23, STATS, counted)) == 3000
    assert BY_NAME["Issued"].value(FamilyFigures(NAVI23, STATS, COST)) is None


def test_where_no_law_gives_a_time_the_basis_is_shown():
    (cfl,) = named("cfl")
    assert time_details(FamilyFigures(cfl, STATS, COST)) == ("", "counted")


def test_the_compiler_s_own_words_are_kept_for_each_variant():
    told = own_statistics(FamilyFigures(NAVI23, STATS))
    assert "FS: VGPRs 8, SGPRs 16" in told[0]
    assert told[-1] == NAVI23.vendor.standing
    assert own_statistics(FamilyFigures(NAVI23)) == ()
