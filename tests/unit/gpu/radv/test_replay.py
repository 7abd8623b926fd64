"""NIR text read, written as GLSL, and matched with the machine code's blocks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.radv import mapping, nir, perfinfo
from shaderlab.gpu.radv.nir import UnreadableNir
from shaderlab.gpu.radv.operations import OPERATIONS
from shaderlab.gpu.radv.replay import replay
from shaderlab.gpu.radv.tables import ConstantData
from tests.radv_listings import SHADERS, VERSIONS, text_of
from tests.unit.gpu.radv.texts import COSTS, LATER_NIR, NIR


def test_the_tree_of_blocks() -> None:
    function = nir.parse(NIR)
    assert [type(node).__name__ for node in function.body] == ["Block", "Loop", "Block", "Block"]
    blocks = list(function.blocks())
    assert [block.number for block in blocks] == [0, 1, 2, 3, 4, 5, 6]
    assert blocks[1].predecessors == (0, 4)
    assert blocks[2].jump == "break"
    compare = blocks[1].instructions[2]
    assert (compare.op, compare.bits, compare.sources[1].swizzle) == ("fge", 1, "y")


def test_later_mesas_write_the_same_program_otherwise() -> None:
    later, earlier = nir.parse(LATER_NIR), nir.parse(NIR)
    for new, old in zip(later.blocks(), earlier.blocks(), strict=True):
        assert (new.number, new.predecessors, new.successors, new.jump) == (
            old.number,
            old.predecessors,
            old.successors,
            old.jump,
        )
    assert replay(LATER_NIR).text == replay(NIR).text
    assert mapping.match(later, perfinfo.parse(COSTS)) == {0: 0, 1: 1, 2: 2, 4: 3, 5: 4, 6: 5}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("fadd %3, %2 (1.000000)", "fadd %3, %0 (0.5, 1.0, 0.0, 1.0).w", "(s3_0) + s0_3;"),
        ("fadd %3, %2 (1.000000)", "fadd.nsw.nuw! %3, %2", "(s3_0) + uintBitsToFloat(0x3f8"),
        ("@load_frag_coord\n", "@load_ubo (%1 (0x0), %2 (0x10)) (access=none)\n",
         "s0_3 = word(0x3f800000u + 12u)"),
        ("%10 = vec2 %9, %9", "%10.colour = vec2 %9, %9", "s10_1 = s9_0"),
    ],
)  # fmt: skip
def test_operands_of_later_mesas(old: str, new: str, expected: str) -> None:
    assert old in LATER_NIR
    assert expected in replay(LATER_NIR.replace(old, new)).text


def test_later_mesas_spell_the_components_of_long_vectors_from_a() -> None:
    code = LATER_NIR.replace("%8 = fadd %3,", "%8 = fadd %3.c,")
    assert nir.parse(code).body[1].body[2].instructions[0].sources[0].swizzle == "z"


def test_pixel_coordinates_and_exports_of_later_mesas() -> None:
    code = LATER_NIR.replace(
        "    con 32     %1 =",
        "    div 16x2  %20 = @load_pixel_coord\n    div 32    %21 = u2f32 %20.y\n"
        "    con 32     %1 =",
    ).replace("@store_output (%10, %1 (0x0)) (base=4,", "@export_amd (%10) (base=0,")
    text = replay(code).text
    assert "s20_1 = uint(gl_FragCoord.y)" in text
    assert "s21_0 = float(s20_1)" in text
    assert "colour = vec4(unpackHalf2x16(" in text


@pytest.mark.parametrize(
    "broken",
    [
        LATER_NIR.replace("div loop {", "div loop {{"),
        LATER_NIR.replace("    }\n    con block b5", "    } continue {\n    }\n    con block b5"),
        LATER_NIR.replace("if %5 {", "if %5 (true {"),
        LATER_NIR.replace("div 32     %8 = fadd %3, %2 (1.000000)", "return"),
        LATER_NIR.replace("%8 = fadd %3,", "%8 = (float32)tex %3 (coord),"),
    ],
)
def test_what_later_mesas_may_print_besides_is_refused(broken: str) -> None:
    assert broken != LATER_NIR
    with pytest.raises(UnreadableNir):
        replay(broken)


def test_each_block_is_a_line_of_its_own() -> None:
    made = replay(NIR)
    lines = made.text.splitlines()
    assert set(made.block_lines) == {0, 1, 2, 3, 4, 5, 6}
    assert len(set(made.block_lines.values())) == 7
    assert "s8_0 = s3_0 + " not in lines[made.block_lines[1] - 1]
    assert "s8_0 = " in lines[made.block_lines[4] - 1]
    assert "break;" in lines[made.block_lines[2] - 1]
    assert "empty" in lines[made.block_lines[3] - 1], "a line without code has no count"


def test_phis_that_feed_each_other_are_written_at_once() -> None:
    """ssa_4 takes the ssa_3 of the round before, which the same edge overwrites."""
    made = replay(NIR)
    line = made.text.splitlines()[made.block_lines[4] - 1]
    kept = re.search(r"uint (\w+) = s3_0", line)
    assert kept is not None
    assert line.index(kept[0]) < line.index("s3_0 = ")
    assert f"s4_0 = {kept[1]}" in line


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("fadd ssa_3, ssa_2", "frobnicate ssa_3, ssa_2", "frobnicate"),
        ("vec1 32 div ssa_8 = fadd", "vec1 16 div ssa_8 = iadd", "16-bit iadd"),
        ("vec1 32 div ssa_8 = fadd", "vec1 64 div ssa_8 = fadd", "64-bit fadd"),
        ("impl main {", "impl other {", "not in a text form"),
        ("\tblock block_6:\n}\n", "", "cut off"),
        ("intrinsic load_frag_coord", "intrinsic load_secrets", "load_secrets"),
    ],
)
def test_what_cannot_be_replayed_is_refused_by_name(old: str, new: str, complaint: str) -> None:
    assert old in NIR
    with pytest.raises(UnreadableNir, match=complaint):
        replay(NIR.replace(old, new))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ieq ssa_1, ssa_3", "0x0u == s3_0"),
        ("ior ssa_5, ssa_5", "s5_0 || s5_0"),
        ("ine ssa_5, ssa_5", "s5_0 != s5_0"),
    ],
)
def test_numbers_and_booleans_share_operations(code: str, expected: str) -> None:
    block = "\t\tvec1 32 div ssa_8 = fadd"
    text = replay(NIR.replace(block, f"\t\tvec1  1 div ssa_7 = {code}\n{block}")).text
    assert f"s7_0 = {expected}" in text


def test_blocks_are_matched_edge_by_edge() -> None:
    costs = perfinfo.parse(COSTS)
    matched = mapping.match(nir.parse(NIR), costs)
    assert matched == {0: 0, 1: 1, 2: 2, 4: 3, 5: 4, 6: 5}
    renumbered = perfinfo.parse(COSTS.replace("BB2", "BB7"))
    matched = mapping.match(nir.parse(NIR), renumbered)
    assert matched == {0: 0, 1: 1, 7: 2, 4: 3, 5: 4, 6: 5}, "no side was left out"


def test_another_flow_graph_is_no_match() -> None:
    function = nir.parse(NIR)
    moved = COSTS.replace("logical preds: BB4, /", "logical preds: BB2, /")
    assert mapping.match(function, perfinfo.parse(moved)) is None
    fewer = COSTS.replace("BB4\n/* logical preds: BB1, ", "BB4\n/* logical preds: ")
    assert mapping.match(function, perfinfo.parse(fewer)) is None


def test_blocks_of_the_wave_run_as_often_as_the_wave_comes_by() -> None:
    costs = perfinfo.parse(COSTS)
    matched = mapping.match(nir.parse(NIR), costs)
    assert matched is not None
    counts = mapping.wave_counts(costs, matched, {0: 10, 1: 50, 2: 12, 3: 40, 4: 40, 5: 10})
    assert counts == {0: 10, 1: 50, 2: 12, 3: 50, 4: 40, 5: 40, 6: 10}


# -- what Mesa 25 writes ------------------------------------------------------------------------


def test_both_mesas_leave_the_same_of_a_program() -> None:
    """Block by block, and the position of the pixel read from another argument."""
    for name, text in SHADERS.items():
        words = ConstantData(tuple(range(64)))
        resources = compile_text(text, name, None).interface.resources
        earlier, later = (
            replay(text_of(version, name)[0], words, resources=resources) for version in VERSIONS
        )
        assert len(list(later.function.blocks())) == len(list(earlier.function.blocks())), name
        assert "gl_FragCoord" in earlier.text
        assert "gl_FragCoord" in later.text


@pytest.mark.parametrize("version", VERSIONS)
def test_each_read_is_of_the_texture_whose_descriptor_it_loads(version: str) -> None:
    resources = compile_text(SHADERS["textures"], "textures", None).interface.resources
    text = replay(text_of(version, "textures")[0], resources=resources).text
    assert sorted(re.findall(r"(\w+)\((bound_0_\d)", text)) == sorted(
        [
            ("texture", "bound_0_1"), ("textureGather", "bound_0_1"),
            ("textureLod", "bound_0_2"), *[("textureGrad", "bound_0_2")] * 3,
            ("texelFetch", "bound_0_3"), ("texture", "bound_0_3"),
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("load_const (0x00000080", "load_const (0x00000090", "not certain"),
        ("(coord), 0 (texture)", "(coord), ssa_15 (offset), 0 (texture)", "offset"),
        ("(base=1,", "(base=2,", "while the program runs"),
    ],
)
def test_a_read_that_may_be_of_another_texture_is_refused(old: str, new: str, reason: str) -> None:
    resources = compile_text(SHADERS["textures"], "textures", None).interface.resources
    listing = text_of("22.3.6", "textures")[0]
    assert old in listing
    with pytest.raises(UnreadableNir, match=reason):
        replay(listing.replace(old, new), resources=resources)


def test_halves_are_packed_once_and_written_as_they_are() -> None:
    text = replay(text_of("25.0.7", "grey")[0]).text
    assert "s80_0 = packHalf2x16(vec2((s67_0), (s68_0)))" in text.replace(
        "uintBitsToFloat(s67_0)", "(s67_0)"
    ).replace("uintBitsToFloat(s68_0)", "(s68_0)")
    assert "colour = vec4(unpackHalf2x16(s82_0), unpackHalf2x16(s82_1));" in text


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("div 1  %90 = fgeu! %85, %86", "s90_0 = !("),
        ("div 1  %90 = fltu %85, %86", "s90_0 = !("),
        ("div 1  %90 = fneo %85, %86", " || "),
        ("div 1  %90 = bitnz %85, %86", "(1u << (floatBitsToUint(s86_0) & 31u))) != 0u"),
        ("div 32 %90 = bitfield_select %85, %86, %8 (0.01)",
         "& floatBitsToUint(s86_0) | ~floatBitsToUint(s85_0) & 0x3c23d70au"),
        ("div 32 %90 = @ddx (%85)", "s90_0 = dFdx("),
        ("div 16 %90 = f2f16 %85\n div 32 %91 = pack_32_2x16_split %90, %90",
         "s91_0 = packHalf2x16(vec2(s90_0, s90_0))"),
        ("con 16 %90 = load_const (0x3a00 = 0.75)\n div 32 %91 = f2f32 %90",
         "s91_0 = uintBitsToFloat(0x3f400000u)"),
        ("con 64 %90 = load_const (0x0000000200000001 = 8589934593)\n"
         " div 64 %91 = ushr %90 (0x200000001), %85\n div 32 %92 = unpack_64_2x32_split_x %91",
         "wide_shift(uvec2(0x1u, 0x2u), floatBitsToUint(s85_0) & 63u); s92_0 = s91_0.x"),
    ],
)  # fmt: skip
def test_operations_of_newer_mesas(code: str, expected: str | None) -> None:
    listing, _ = text_of("25.0.7", "grey")
    last = "    div 32    %70 = fsat"
    assert last in listing
    made = listing.replace(last, f" {code}\n{last}")
    if expected is None:
        with pytest.raises(UnreadableNir):
            replay(made)
    else:
        assert expected in replay(made).text


def test_the_number_of_an_argument_depends_on_the_sets_that_are_read_and_on_the_chip() -> None:
    one_set, _ = text_of("25.0.7", "steps")
    none, _ = text_of("25.0.7", "grey")
    assert "base=12" in one_set
    assert "= gl_FragCoord.x" in replay(one_set, architecture="RDNA 2").text
    two_sets = one_set.replace("(base=13,", "(base=14,").replace("(base=12,", "(base=13,")
    two_sets = two_sets.replace("scalar_arg_amd (base=1,", "scalar_arg_amd (base=2,", 1)
    assert replay(two_sets, architecture="RDNA 2").text == replay(one_set).text
    assert "s86_0 = gl_FragCoord.x" in replay(none, architecture="RDNA 2").text
    # RDNA 3 has no argument for scratch memory: the same number is the next one's.
    assert "s86_0 = gl_FragCoord.y" in replay(none, architecture="RDNA 3").text


def test_an_argument_that_nothing_stands_for_is_refused() -> None:
    listing, _ = text_of("25.0.7", "grey")
    with pytest.raises(UnreadableNir, match="load_vector_arg_amd"):
        replay(listing.replace("(base=12,", "(base=3,"))


def test_what_nvks_programs_read_and_write() -> None:
    """A position and the side that is seen as attributes, uniforms, and one component at a time."""
    text = """\
shader: MESA_SHADER_FRAGMENT
impl main {
    con block b0:        // preds:
    con 32      %1 = load_const (0x00000000)
    con 32      %2 = load_const (0x0000000c)
    div 32      %3 = @ipa_nv (%1 (0x0), %1 (0x0)) (base=116, flags=2)
    div 32      %4 = @ipa_nv (%1 (0x0), %1 (0x0)) (base=1020, flags=1)
    con 32      %5 = @ldc_nv (%1 (0x0), %2 (0xc)) (access=none, align_mul=4, align_offset=0)
    div 32      %6 = fadd %3, %5
                     @fs_out_nv (%6) (base=4)
                     @fs_out_nv (%4) (base=16)
                     @copy_fs_outputs_nv
                     // succs: b1
    block b1:
}
"""
    written = replay(text).text
    assert "s3_0 = gl_FragCoord.y;" in written
    assert "s4_0 = gl_FrontFacing ? 0xffffffffu : 0u;" in written
    assert "s5_0 = word(0xcu + 0u);" in written
    assert "colour.y = s6_0;" in written
    assert "colour.x" not in written, "the second colour attachment's"
    with pytest.raises(UnreadableNir, match="ipa_nv with base=128"):
        replay(text.replace("base=116", "base=128"))


class _Int(int):
    """As GLSL divides whole numbers: towards zero."""

    def __truediv__(self, other: int) -> _Int:
        return _Int(abs(self) // abs(other) * (1 if (self < 0) == (other < 0) else -1))


@given(a=st.integers(-1000, 1000), b=st.integers(-20, 20).filter(bool))
def test_remainders_have_the_sign_nir_gives_them(a: int, b: int) -> None:
    def value(name: str) -> int:
        form = OPERATIONS[name][2].replace("&&", "and")
        if "?" in form:  # (condition ? yes : no)
            head, _, rest = form.partition(" + (")
            condition, yes, no = re.split(" [?:] ", rest.removesuffix(")"))
            form = f"{head} + ({yes} if {condition} else {no})"
        return eval(form.format("a", "b"), {"a": _Int(a), "b": _Int(b)})

    assert value("imod") == a % b, "the divisor's, as Python's"
    assert value("irem") == a - b * int(a / b), "the dividend's"


LEFT_OUT = """\
ACO shader stage: fragment_fs
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, loop-preheader, */
	(  2 clk)   v1 = v_mov_b32 0
BB1
/* logical preds: BB0, BB9, / linear preds: BB0, BB9, / kind: loop-header, branch, */
	(  5 clk)   exec = v_cmpx_nge_f32 v1, v3
BB2
/* logical preds: BB1, / linear preds: BB1, / kind: break, */
	(  1 clk)   s[8-9] = s_cbranch_scc0 block:BB10
BB9
/* logical preds: BB1, / linear preds: BB2, / kind: uniform, continue, merge, */
	(  2 clk)   v1 = v_add_f32 1.0, v1
BB10
/* logical preds: BB2, / linear preds: BB2, / kind: top-level, loop-exit, */
	(  6 clk)   exp v0, v1,  v1: undef,  v1: undef en:rg** mrt0
"""
"""What Mesa 25 makes of `NIR`: the side that goes on has no code."""


def test_blocks_without_code_may_be_left_out() -> None:
    assert mapping.match(nir.parse(NIR), perfinfo.parse(LEFT_OUT)) == {
        0: 0,
        1: 1,
        2: 2,
        9: 4,
        10: 5,
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("logical preds: BB0, BB9,", "logical preds: BB0,"),
        ("/* logical preds: BB2, ", "/* logical preds: BB1, "),
        ("preds: BB1, / linear preds: BB2,", "preds: BB0, / linear preds: BB2,"),
    ],
)  # fmt: skip
def test_a_graph_with_other_edges_is_no_match_whatever_is_left_out(old: str, new: str) -> None:
    assert old in LEFT_OUT
    assert mapping.match(nir.parse(NIR), perfinfo.parse(LEFT_OUT.replace(old, new))) is None


def test_the_side_of_a_branch_that_has_code_is_told_by_its_number() -> None:
    """Of two sides with equal edges one was left out: the other has the number after the branch."""
    sides = (
        NIR.replace("\t\t\tbreak\n", "")
        .replace("/* succs: block_5 */", "/* succs: block_4 */")
        .replace("/* preds: block_3 */", "/* preds: block_2 block_3 */")
        .replace("\t/* preds: block_2 */", "\t/* preds: block_1 */", 1)
    )
    code = """\
ACO shader stage: fragment_fs
BB0
/* logical preds: / linear preds: / kind: uniform, top-level, */
	(  2 clk)   v1 = v_mov_b32 0
BB1
/* logical preds: BB0, BB9, / linear preds: BB0, BB9, / kind: loop-header, branch, */
	(  5 clk)   exec = v_cmpx_nge_f32 v1, v3
BB{side}
/* logical preds: BB1, / linear preds: BB1, / kind: uniform, */
	(  1 clk)   v1 = v_mov_b32 0
BB9
/* logical preds: BB1, BB{side}, / linear preds: BB1, BB{side}, / kind: uniform, continue, */
	(  2 clk)   v1 = v_add_f32 1.0, v1
BB10
/* logical preds: BB1, / linear preds: BB1, / kind: top-level, loop-exit, */
	(  6 clk)   exp v0, v1,  v1: undef,  v1: undef en:rg** mrt0
"""
    function = nir.parse(sides)
    for side, block in ((2, 2), (3, 3)):
        found = mapping.match(function, perfinfo.parse(code.replace("{side}", str(side))))
        assert found == {0: 0, 1: 1, side: block, 9: 4, 10: 5}
