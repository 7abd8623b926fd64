"""The compiler's account of cycles."""

from __future__ import annotations

import pytest

from shaderlab.gpu.compilers.listing import Listing
from shaderlab.gpu.radv import perfinfo

OUTPUT = """\
After RA:
ACO shader stage: fragment_fs
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, loop-preheader, */
	(  1 clk)   s0 = s_mov_b32 0
BB1
/* logical preds: BB0, BB2, / linear preds: BB0, BB2, / kind: loop-header, branch, */
	(  2 clk)   v4 = v_mul_f32 0x41f00000, v2
	( 33 clk)   s[8-9] = s_cbranch_scc0 block:BB3
BB2
/* logical preds: BB1, / linear preds: / kind: uniform, continue, */

num_waves: 16
valu_usage: 15.500000
latency: 989.000000

After RA:
ACO shader stage: vertex_ngg
BB0
/* logical preds: / linear preds: / kind: top-level, */
	(  7 clk)   s_endpgm
"""


def test_only_the_fragment_stage_is_read() -> None:
    text = perfinfo.stage_text("compiling…\n" + OUTPUT)
    costs = perfinfo.parse(text)
    assert [block.number for block in costs.blocks] == [0, 1, 2]
    assert [block.cycles for block in costs.blocks] == [(1,), (2, 33), ()]
    assert costs.summary == {"num_waves": 16.0, "valu_usage": 15.5, "latency": 989.0}


@pytest.mark.parametrize("stage", ["fragment_fs", " SW (FS), HW (FRAGMENT_SHADER)"])
def test_old_and_new_names_of_the_stage(stage: str) -> None:
    assert perfinfo.stage_text(f"ACO shader stage: {stage}\nBB0\n")
    assert not perfinfo.stage_text("ACO shader stage: compute_cs\nBB0\n")


LATER_OUTPUT = """\
ACO shader stage: SW (VS), HW (NEXT_GEN_GEOMETRY_SHADER)
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, */
	(  1 clk)   s_endpgm
ACO shader stage: SW (FS), HW (PIXEL_SHADER)
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, branch, export_end, */
	// 0x1c0 shader.frag:5:21
	(  1 clk)   v[4] = v_mul_f32 v[2], v[3]
	(  2 clk)   v0 = v_dual_mul_f32 v1, v2 ::v3 = v_dual_add_f32 v4, v5
	(  0 clk)   s_delay_alu imm:145
BB3
/* logical preds: BB0, / linear preds: BB0, / kind: loop-latch, */
	(  5 clk)   exp v[0], v[1], v1: undef, v1: undef en:rg** mrt0

num_waves: 16
salu_smem_usage: 1.000000
wave64_per_cycle: 0.100000
"""
"""As Mesa 25 and 26 write it (aco_print_ir.cpp, aco_statistics.cpp); by hand."""


def test_the_account_of_later_mesas() -> None:
    costs = perfinfo.parse(perfinfo.stage_text(LATER_OUTPUT))
    assert [(b.number, b.cycles, b.logical_predecessors) for b in costs.blocks] == [
        (0, (1, 2, 0), ()),
        (3, (5,), (0,)),
    ]
    assert costs.blocks[1].kinds == {"loop-latch"}
    assert costs.summary["wave64_per_cycle"] == pytest.approx(0.1)


def test_place_in_the_flow_graph() -> None:
    header = perfinfo.parse(perfinfo.stage_text(OUTPUT)).blocks[1]
    assert header.kinds == {"loop-header", "branch"}
    assert header.logical_predecessors == (0, 2)
    assert header.linear_predecessors == (0, 2)


def test_a_listing_takes_cycles_where_the_instructions_agree() -> None:
    listing = Listing.parse("BB0:\n\ts_mov_b32 s0, 0 ; 00\nBB1:\n\tv_nop ; 00\n")
    annotated = perfinfo.annotated(listing, perfinfo.stage_text(OUTPUT))
    assert annotated.blocks[0].cycles == 1
    assert annotated.blocks[1].cycles is None, "one instruction against two"
    assert perfinfo.annotated(listing, "") == listing


def test_what_is_added_when_assembling_takes_no_cycles() -> None:
    listing = Listing.parse("BB0:\n\ts_mov_b32 s0, 0 ; 00\n\ts_inst_prefetch 0x1 ; 00\n")
    annotated = perfinfo.annotated(listing, perfinfo.stage_text(OUTPUT))
    assert [i.cycles for i in annotated.blocks[0].instructions] == [1, 0]
