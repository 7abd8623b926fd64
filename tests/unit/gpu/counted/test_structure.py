"""Machine code and optimised program matched by their control flow."""

from __future__ import annotations

import pytest

from shaderlab.gpu.compilers.compiled import CompiledStats, Executable
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.compilers.listing import Listing
from shaderlab.gpu.compilers.syntax import SYNTAX, Unit
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.counted import cost, structure
from shaderlab.gpu.counted.tree import Code, Control, is_real
from shaderlab.gpu.radv.nir import parse
from shaderlab.gpu.radv.replay import replay
from tests.unit.gpu.radv.test_cost import block, trace

NIR = """\
shader: MESA_SHADER_FRAGMENT
impl main {
    con block b0:        // preds:
    con 32      %8 = load_const (0x00000000)
    con 32      %1 = load_const (0x40400000 = 3.000000)
    div 32    %178 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=1)
    div 32x4   %78 = @load_frag_coord
    div 32x2   %79 = @load_sample_pos_or_center
    div 32     %80 = fadd %78.x, %79.x
                     @store_reg (%80, %178) (base=0, wrmask=x, legacy_fsat=0)
                     // succs: b1
    div loop {
        div block b1:        // preds: b0 b5
        div 32    %187 = @load_reg (%178) (base=0, legacy_fabs=0, legacy_fneg=0)
        div 32     %32 = flt32! %1 (3.000000), %187
                         // succs: b2 b3
        if %32 {
            div block b2:// preds: b1
            break
            // succs: b8
        } else {
            div block b3:  // preds: b1, succs: b4
        }
        div block b4:  // preds: b3
        div 32     %33 = fmul %187, %80
                         @store_reg (%33, %178) (base=0, wrmask=x, legacy_fsat=0)
                         // succs: b5 b6
        if %32 {
            div block b5:  // preds: b4
            div 32 %34 = fsin %33
                         @store_reg (%34, %178) (base=0, wrmask=x, legacy_fsat=0)
                         // succs: b7
        } else {
            div block b6:  // preds: b4, succs: b7
        }
        div block b7:  // preds: b5 b6, succs: b1
    }
    con block b8:        // preds: b2
    div 32    %179 = @load_reg (%178) (base=0, legacy_fabs=0, legacy_fneg=0)
    div 32x4  %62 = vec4 %179, %179, %179, %1
                     @store_output (%62, %8 (0x0)) (wrmask=xyzw, location=FRAG_RESULT_DATA0)
                     // succs: b9
    block b9:
}
"""
INTEL = """\
add(8)          g6<1>F          g0<8,8,1>F      0x3f000000F  /* 0.5F */ { align1 1Q };

LABEL3:
cmp.l.f0.0(8)   null<1>F        g5<8,8,1>F      g14<8,8,1>F     { align1 1Q };
(+f0.0) break(8) JIP:  LABEL2   UIP:  LABEL2                    { align1 1Q };
mul(8)          g5<1>F          g5<8,8,1>F      g6<8,8,1>F      { align1 1Q };
(+f0.0) if(8)   JIP:  LABEL1    UIP:  LABEL1                    { align1 1Q };
math sin(8)     g5<1>F          g5<8,8,1>F      null<8,8,1>F    { align1 1Q };

LABEL1:
endif(8)        JIP:  LABEL2                                    { align1 1Q };

LABEL2:
while(8)        JIP:  LABEL3                                    { align1 1Q };
sendc(8)        null<1>UW       g123<0,1,0>UD   0x88031400      { align1 1Q EOT };
"""
ADRENO = """\
shps #l3
stc.u32 c[0], r48.w, 2
(sy)(ss)shpe
l3:
add.f r0.x, r0.x, c0.x
l5:
(ss)cmps.f.lt p0.x, c8.x, r2.x
br p0.x, #l20
mul.f r0.x, r0.x, r1.x
predt
sin r0.x, r0.x
prede
jump #l5
l20:
end
"""

VALHALL = """\
   IADD_IMM.i32 r3, 0x0, #0x0
   FCMP_OR.f32.lt.m1 r4, ^r4, r3, 0x0
   BRANCHZ.eq.reconverge ^r4.h0, offset:1

   BRANCHZ.eq.reconverge 0x0, offset:4

   FMA.f32 r3, ^r3, r5, 0x0.neg
   BRANCHZ.eq.reconverge ^r4.h0, offset:1

   FSIN_TABLE.u6 r3, r3
   BRANCHZ.eq.reconverge 0x0, offset:-7

   BLEND.slot1.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0
"""
BIFROST = """\
clause_0:
    *NOP t0
    +MOV.i32 r3:t1, #0.x
clause_4:
    *FCMP.f32.lt.m1 t0, 0x41f00000 /* 30.000000 */, r3
    +BRANCHZ.i16.eq t1, t.h0, clause_7
clause_6:
    *NOP t0
    +JUMP t1, clause_14
clause_7:
    *FMA.f32 r3:t0, r3, r5, #0.neg
    +BRANCHZ.i16.eq t1, t.h0, clause_9
clause_8:
    *NOP t0
    +FSIN_TABLE.u6 r3:t1, r3
clause_9:
    *NOP t0
    +JUMP t1, clause_4
clause_14:
    *NOP t0
    +BLEND r48:t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r0
"""
NVK = """\
block 0 L1 [] -> {
    r0 = fadd r0 r1                    // delay=1
    bra L0                             // delay=1
} -> [1]
block 1 L0 [0, 6] -> {
    p0 = fsetp.lt 0x40400000 r0        // delay=13
    @!p0 bra L2                        // delay=1
} -> [2, 4]
block 2 L4 [1] -> {
    bra L3                             // delay=1
} -> [3]
block 3 L3 [2] -> {
    r2 = mov r0                        // delay=1
    exit                               // delay=1
} -> []
block 4 L2 [1] -> {
    r0 = fmul r0 r1                    // delay=4
    @!p1 bra L6                        // delay=1
} -> [5, 6]
block 5 L5 [4] -> {
    r0 = mufu.sin r0                   // delay=6
    bra L6                             // delay=1
} -> [6]
block 6 L6 [4, 5] -> {
    bra L0                             // delay=1
} -> [1]
"""
"""The code after the loop stands where the loop is left."""
NVK_WAITING = """\
block 0 L2 [] -> {
    r0 = fadd r0 r1                    // delay=1
    b0 = bssy b0 pT L0                 // delay=1
    bra L1                             // delay=1
} -> [1]
block 1 L1 [0, 9] -> {
    b1 = bssy b1 pT L3                 // delay=1
    p0 = fsetp.lt 0x40400000 r0        // delay=13
    @!p0 bra L4                        // delay=1
} -> [2, 3]
block 2 L6 [1] -> {
    r5 = mov 0x1                       // delay=5
    bra L5                             // delay=1
} -> [7]
block 3 L4 [1] -> {
    r0 = fmul r0 r1                    // delay=4
    @!p1 bra L8                        // delay=1
} -> [4, 5]
block 4 L7 [3] -> {
    r0 = mufu.sin r0                   // delay=6
    bra L9                             // delay=1
} -> [6]
block 5 L8 [3] -> {
    bra L9                             // delay=1
} -> [6]
block 6 L9 [4, 5] -> {
    r5 = mov 0xffffffff                // delay=5
    bra L5                             // delay=1
} -> [7]
block 7 L5 [2, 6] -> {
    bsync b1 pT                        // delay=1 yld
    nop L3                             // delay=1
    p1 = isetp.lt.u32 r5 0x2           // delay=13
    @!p1 bra L11                       // delay=1
} -> [8, 9]
block 8 L13 [7] -> {
    bsync b0 pT                        // delay=1 yld
    nop L0                             // delay=1
    r2 = sel p0 rZ r0                  // delay=1
    exit                               // delay=1
} -> []
block 9 L11 [7] -> {
    r6 = iadd3 r5 0x1 rZ               // delay=1
    bra L1                             // delay=1
} -> [1]
"""
"""Lanes wait for each other in every round: whether one leaves is tested at the round's end."""
NESTED = """\
shader: MESA_SHADER_FRAGMENT
impl main {
    con block b0:  // preds:
    div 32 %1 = fadd %0, %0
    // succs: b1
    con loop {
        con block b1:  // preds: b0 b9
        div 32 %2 = fmul %1, %1
        // succs: b2
        con loop {
            con block b2:  // preds: b1 b5
            div 32 %3 = flt32! %1, %2
            // succs: b3 b4
            if %3 {
                con block b3:  // preds: b2
                break
                // succs: b6
            } else {
                con block b4:  // preds: b2, succs: b5
            }
            con block b5:  // preds: b4
            div 32 %4 = fsin %1
            // succs: b2
        }
        con block b6:  // preds: b3
        div 32 %5 = feq32 %1, %2
        // succs: b7 b8
        if %5 {
            con block b7:  // preds: b6
            break
            // succs: b10
        } else {
            con block b8:  // preds: b6, succs: b9
        }
        con block b9:  // preds: b8
        div 32 %6 = iadd %1, %2
        // succs: b1
    }
    con block b10:  // preds: b7
    div 32 %7 = fsqrt %1
    // succs: b11
    block b11:
}
"""
NVK_NESTED = """\
block 0 L9 [] -> {
    r0 = fadd r0 r1                    // delay=1
    bra L0                             // delay=1
} -> [1]
block 1 L0 [0, 8] -> {
    r2 = fmul r0 r0                    // delay=1
    bra L2                             // delay=1
} -> [2]
block 2 L2 [1, 9] -> {
    p0 = fsetp.lt r0 r2                // delay=13
    @!p0 bra L7                        // delay=1
} -> [3, 9]
block 3 L3 [2] -> {
    bra L8                             // delay=1
} -> [4]
block 4 L8 [3] -> {
    p0 = fsetp.eq r0 r2                // delay=13
    @!p0 bra L10                       // delay=1
} -> [5, 7]
block 5 L4 [4] -> {
    bra L11                            // delay=1
} -> [6]
block 6 L11 [5] -> {
    r3 = mufu.sqrt r0                  // delay=1
    exit                               // delay=1
} -> []
block 7 L10 [4] -> {
    bra L14                            // delay=1
} -> [8]
block 8 L14 [7] -> {
    r0 = iadd3 r0 r2 rZ                // delay=1
    bra L0                             // delay=1
} -> [1]
block 9 L7 [2] -> {
    r0 = mufu.sin r0                   // delay=6
    bra L2                             // delay=1
} -> [2]
"""
"""All that follows the inner loop, the rest of the program with it, stands inside that loop."""


def listing(text: str, vendor: str) -> Listing:
    return Listing.parse(text, SYNTAX[vendor])


def test_intels_nesting_is_the_programs() -> None:
    found = structure.match(parse(NIR), listing(INTEL, "intel"), VENDORS["intel"])
    code = listing(INTEL, "intel")
    by_name = {i.mnemonic: b.number for b in code.blocks for i in b.instructions}
    assert found is not None
    assert found[by_name["add"]] == 0
    assert found[by_name["cmp.l.f0.0"]] == 1
    assert found[by_name["mul"]] == 3
    assert found[by_name["math sin"]] == 5
    assert found[by_name["sendc"]] == 8


def test_adrenos_jumps_are_the_same_tree() -> None:
    code = listing(ADRENO, "adreno")
    found = structure.match(parse(NIR), code, VENDORS["adreno"])
    by_name = {i.mnemonic: b.number for b in code.blocks for i in b.instructions}
    assert found is not None
    assert [found[by_name[name]] for name in ("add.f", "cmps.f.lt", "mul.f", "sin", "end")] == [
        0, 1, 3, 5, 8,
    ]  # fmt: skip


@pytest.mark.parametrize("text", [VALHALL, BIFROST])
def test_malis_jumps_are_the_same_tree(text: str) -> None:
    """Valhall's say how far they go, Bifrost's name a clause; an instruction's mark (`*`, `+`) is
    no predicate."""
    code = listing(text, "mali")
    found = structure.match(parse(NIR), code, VENDORS["mali"])
    assert found is not None
    by_name = {i.mnemonic.partition(".")[0]: b.number for b in code.blocks for i in b.instructions}
    compare = "FCMP_OR" if text is VALHALL else "FCMP"
    assert [found[by_name[name]] for name in (compare, "FMA", "FSIN_TABLE", "BLEND")] == [
        1,
        3,
        5,
        8,
    ]


def test_what_nvk_lays_out_within_a_loop_runs_after_it() -> None:
    code = listing(NVK, "nvidia")
    found = structure.match(parse(NIR), code, VENDORS["nvidia"])
    assert found is not None
    by_name = {i.mnemonic: b.number for b in code.blocks for i in b.instructions}
    names = ("fadd", "fsetp.lt", "fmul", "mufu.sin", "exit")
    assert [found[by_name[name]] for name in names] == [0, 1, 3, 5, 8]
    endless = NVK.replace("    exit ", "    nop ")
    assert structure.match(parse(NIR), listing(endless, "nvidia"), VENDORS["nvidia"]) is None


def test_what_nvk_lays_out_within_two_loops_is_the_outer_loops_and_the_programs() -> None:
    code = listing(NVK_NESTED, "nvidia")
    found = structure.match(parse(NESTED), code, VENDORS["nvidia"])
    assert found is not None
    by_name = {i.mnemonic: b.number for b in code.blocks for i in b.instructions}
    names = ("fadd", "fmul", "fsetp.lt", "mufu.sin", "fsetp.eq", "iadd3", "mufu.sqrt")
    assert [found[by_name[name]] for name in names] == [0, 1, 2, 4, 6, 8, 10]
    rejoining = NVK_NESTED.replace("rZ                // delay=1\n    bra L0", "rZ  //\n    bra L7")
    assert rejoining != NVK_NESTED
    assert structure.match(parse(NESTED), listing(rejoining, "nvidia"), VENDORS["nvidia"]) is None


def test_where_lanes_wait_in_every_round_the_test_at_its_end_runs_once_a_round() -> None:
    code = listing(NVK_WAITING, "nvidia")
    found = structure.match(parse(NIR), code, VENDORS["nvidia"])
    assert found is not None
    by_name = {i.mnemonic: b.number for b in code.blocks for i in b.instructions}
    names = ("fadd", "fsetp.lt", "fmul", "mufu.sin", "isetp.lt.u32", "iadd3", "sel")
    assert [found[by_name[name]] for name in names] == [0, 1, 3, 5, 1, 7, 8]
    another = NVK_WAITING.replace("@!p1 bra L8 ", "nop ")
    assert structure.match(parse(NIR), listing(another, "nvidia"), VENDORS["nvidia"]) is None


def test_code_of_another_shape_is_not_matched() -> None:
    straight = listing("add(8) g6<1>F g0<8,8,1>F\nsendc(8) null<1>UW\n", "intel")
    assert structure.match(parse(NIR), straight, VENDORS["intel"]) is None
    cut = INTEL.replace("endif(8)        JIP:  LABEL2", "nop(8) ")
    assert structure.match(parse(NIR), listing(cut, "intel"), VENDORS["intel"]) is None
    crossed = ADRENO.replace("br p0.x, #l20", "jump #l20")
    assert structure.match(parse(NIR), listing(crossed, "adreno"), VENDORS["adreno"]) is None
    nowhere = ADRENO.replace("l20:\n", "")
    assert structure.match(parse(NIR), listing(nowhere, "adreno"), VENDORS["adreno"]) is None


def test_every_block_runs_as_often_as_the_program_s() -> None:
    made = replay(NIR)
    counts = {0: 512, 1: 2048, 3: 1536, 4: 1536, 5: 1024, 7: 1536, 8: 512}
    lines = made.block_lines
    counted = trace([block(n, c, {lines[n]: 1}) for n, c in counts.items()])
    original = trace([block(90, 512, {3: 1}), block(91, 2048, {5: 1}), block(92, 1024, {6: 1})])
    (family,) = named("cfl")
    stats = CompiledStats(
        "cfl", "Coffee Lake", family.vendor, "ANV", (Executable("SIMD16", 16, (), INTEL),), 0.0, 0.0
    )
    found = cost.frame_cost(stats, family, made, counted, original)
    assert found is not None
    by_code = {b.number: b.executions for b in found.blocks}
    code = listing(INTEL, "intel")
    sin = next(b.number for b in code.blocks if b.instructions[0].mnemonic == "math sin")
    assert by_code[0] == 2 * 512 / 32, "two subgroups of 16 for each group of 32 pixels"
    assert by_code[sin] == 2 * 1024 / 32
    assert found.executed[Unit.SPECIAL] == by_code[sin]
    assert found.busy_cycles == sum(by_code[b.number] * len(b.instructions) for b in code.blocks)
    assert found.measure == "instructions"
    assert found.explained == 1
    assert "each instruction counts as one" in found.basis


def test_a_preamble_counts_as_nothing() -> None:
    made = replay(NIR)
    counts = {0: 512, 1: 2048, 3: 1536, 4: 1536, 5: 1024, 7: 1536, 8: 512}
    counted = trace([block(n, c, {made.block_lines[n]: 1}) for n, c in counts.items()])
    (family,) = named("adreno740")
    stats = CompiledStats(
        "adreno740", "", family.vendor, "Turnip", (Executable("FS", 128, (), ADRENO),), 0.0, 0.0
    )
    found = cost.frame_cost(stats, family, made, counted, counted)
    assert found is not None
    code = listing(ADRENO, "adreno")
    ran = {b.number: b.executions for b in found.blocks}
    stored = next(b.number for b in code.blocks if b.instructions[0].mnemonic == "stc.u32")
    assert ran[stored] == 0
    assert ran[0] == 512 / 128


def test_the_replay_reads_registers_booleans_of_32_bits_and_corners() -> None:
    text = replay(NIR).text
    assert "floor(gl_FragCoord.x)" in text
    assert "s79_0 = 0.5;" in text
    assert "? 0xffffffffu : 0u" in text
    assert "if ((s32_0 != 0x0u)) {" in text
    assert "s178_0 = floatBitsToUint(s80_0);" in text
    assert "colour.x" in text


def test_a_side_is_real_where_any_part_of_it_is():
    moves, real = Code([1]), Code([2], real=True)
    assert [is_real(body) for body in ([moves], [moves, real], [])] == [False, True, False]
    assert is_real([moves, Control("loop")])
