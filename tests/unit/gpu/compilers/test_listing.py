"""Assembly text to blocks, edges and loops."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.compilers.listing import Listing
from shaderlab.gpu.compilers.syntax import SYNTAX

TWO_NESTED_LOOPS = """\
BB0:
	s_mov_b32 s0, 0                                             ; be800080
BB1:
	s_cmp_ge_i32 s0, 40                                         ; bf03a800
	s_cbranch_scc1 BB6                                          ; bf850012
BB2:
	v_add_f32_e32 v1, v1, v4                                    ; 06020901
	s_cbranch_vccnz BB2                                         ; bf870001
BB4:
	s_add_u32 s0, s0, 1                                         ; 80008100
	s_branch BB1                                                ; bf82ffec
BB6:
	exp mrt0 v0, v1, off, off done                              ; f8000803 80800100
	s_endpgm                                                    ; bf810000
"""


def test_blocks_and_instructions() -> None:
    listing = Listing.parse(TWO_NESTED_LOOPS)
    assert [block.number for block in listing.blocks] == [0, 1, 2, 4, 6]
    assert listing.instructions == 9
    export = listing.by_number[6].instructions[0]
    assert export.mnemonic == "exp"
    assert export.operands == "mrt0 v0, v1, off, off done"


def test_edges_follow_branches_and_fall_through() -> None:
    assert Listing.parse(TWO_NESTED_LOOPS).successors == {
        0: (1,),
        1: (6, 2),
        2: (2, 4),
        4: (1,),
        6: (),
    }


def test_loops_nest() -> None:
    listing = Listing.parse(TWO_NESTED_LOOPS)
    outer, inner = listing.loops
    assert (outer.header, outer.depth, outer.blocks) == (1, 1, {1, 2, 4})
    assert (inner.header, inner.depth, inner.blocks) == (2, 2, {2})
    assert [listing.depth(n) for n in (0, 1, 2, 4, 6)] == [0, 1, 2, 1, 0]


def test_text_without_labels_is_one_block() -> None:
    listing = Listing.parse("\ts_nop 0 ; bf800000\n\ts_endpgm ; bf810000\n")
    assert [b.number for b in listing.blocks] == [0]
    assert listing.instructions == 2


def test_repeated_and_unknown_instructions_count_and_constant_data_does_not() -> None:
    text = """\
BB0:
	v_nop                                                       ; 7e000000
	(then repeated 3 times)
(invalid instruction)                                        ; 00c0ffee
	v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5      ; c8c80501 00020904
	s_endpgm                                                    ; bfb00000

/* constant data */
[000000] 3f800000 00000000
"""
    (block,) = Listing.parse(text).blocks
    assert [i.mnemonic for i in block.instructions] == [
        *["v_nop"] * 4,
        "(invalid instruction)",
        "v_dual_mul_f32",
        "s_endpgm",
    ]
    assert block.instructions[5].operands == "v0, v1, v2 :: v_dual_add_f32 v3, v4, v5"


def test_a_jump_by_a_distance_is_given_a_label() -> None:
    text = """\
   NOP
   BRANCHZ.eq ^r4.h0, offset:1

   NOP
   MOV.i32 r0, r1
   BRANCHZ.eq 0x0, offset:BACK
"""
    code = Listing.parse(text.replace("BACK", "-5"), SYNTAX["mali"])
    assert [block.label for block in code.blocks] == ["L0", "", "L3"]
    first, second, third = code.blocks
    assert first.instructions[-1].operands == "^r4.h0, L3"
    assert code.successors[first.number] == (third.number, second.number)
    assert code.successors[third.number] == (first.number,), "of zero: always taken"
    before = Listing.parse(text.replace("BACK", "-6"), SYNTAX["mali"])
    assert before.blocks[-1].instructions[-1].operands == "0x0, offset:-6"
    assert before.loops == ()


def test_no_text_has_no_blocks() -> None:
    listing = Listing.parse("Shader disassembly is not supported in this build.\n"[:0])
    assert listing.blocks == ()
    assert listing.loops == ()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_every_instruction_is_in_the_block_it_follows(sizes: list[int]) -> None:
    text = "".join(f"BB{n}:\n" + "\tv_nop  ; 7e000000\n" * size for n, size in enumerate(sizes))
    listing = Listing.parse(text)
    assert [len(block.instructions) for block in listing.blocks] == sizes
    assert listing.loops == ()
