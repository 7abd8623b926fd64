"""What varies, what is uniform, what is dead: verdicts on compiled GLSL, by source line."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.optimizing import optimized
from shaderlab.spirv.analysis.dataflow import Dependence, analyse
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.source_lines import instruction_lines

ARITHMETIC = (Op.FMul, Op.FAdd, Op.ExtInst, Op.IAdd)
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n"


def verdicts(text: str, *, after: bool = False) -> dict[int, tuple[Dependence, bool]]:
    """By line: the highest dependence and whether any of it is live, of arithmetic alone.

    `after`: of what an optimiser leaves, where values come together in OpPhi.
    """
    program = compile_text(text, "made-for-the-test", None)
    module = (optimized(program) if after else program).module
    flow, lines = analyse(module), instruction_lines(module)
    found: dict[int, tuple[Dependence, bool]] = {}
    for index in np.flatnonzero(np.isin(module.opcodes, ARITHMETIC)).tolist():
        place = lines.at(index)
        if place is not None:
            level, live = found.get(place.line, (Dependence.CONSTANT, False))
            found[place.line] = (
                max(level, Dependence(int(flow.dependence[index]))),
                live or bool(flow.live[index]),
            )
    return found


def body(*statements: str) -> dict[int, tuple[Dependence, bool]]:
    """Verdicts by number of the statement, from 1."""
    return {line - 1: each for line, each in verdicts(HEAD + "\n".join(statements) + "}").items()}


CONSTANT, UNIFORM, VARYING = Dependence


def test_values_depend_on_what_they_are_made_of():
    assert body(
        "float a = 2.0; a = sin(a);",
        "float b = cos(iTime);",
        "float c = exp(fragCoord.x);",
        "fragColor = vec4(a, b, c, 1.0);",
    ) == {1: (CONSTANT, True), 2: (UNIFORM, True), 3: (VARYING, True)}


def test_what_is_picked_from_an_array_depends_on_what_picks_it():
    assert body(
        "float table[4]; for (int i = 0; i < 4; i++) table[i] = 2.0;",
        "float a = sin(table[int(fragCoord.x) & 3]);",
        "vec2 pairs[2]; pairs[0] = pairs[1] = vec2(3.0);",
        "float b = cos(pairs[int(fragCoord.x) & 1].y);",
        "float c = exp(pairs[1].x);",
        "fragColor = vec4(a, b, c, 1.0);",
    ) == {1: (CONSTANT, True), 2: (VARYING, True), 4: (VARYING, True), 5: (CONSTANT, True)}


def test_what_nothing_visible_uses_is_dead_with_all_that_feeds_it():
    found = body(
        "float used = sin(fragCoord.x);",
        "float feeds = cos(fragCoord.y);",
        "float unused = exp(feeds);",
        "fragColor = vec4(used);",
    )
    assert {line: live for line, (_, live) in found.items()} == {1: True, 2: False, 3: False}


def test_a_constant_chosen_by_a_varying_branch_varies():
    found = body(
        "float a = 1.0;",
        "if (fragCoord.x > 9.0) a = 2.0;",
        "fragColor = vec4(sin(a));",
    )
    assert found[3] == (VARYING, True)


def test_a_constant_chosen_by_a_uniform_branch_is_uniform():
    found = body("float a = 1.0;", "if (iTime > 9.0) a = 2.0;", "fragColor = vec4(sin(a));")
    assert found[3] == (UNIFORM, True)


def test_short_circuits_vary_with_what_decides_them():
    found = body(
        "bool b = fragCoord.x > 1.0 && iTime > 2.0;",
        "fragColor = vec4(sin(float(b)));",
    )
    assert found[2] == (VARYING, True)


def test_breaking_out_of_a_loop_makes_what_it_counts_vary():
    found = body(
        "float n = 0.0;",
        "for (int i = 0; i < 9; i++) { if (fragCoord.x < float(i)) break;",
        "n += 1.0; }",
        "fragColor = vec4(sin(n));",
    )
    assert found[3] == (VARYING, True)
    assert found[4] == (VARYING, True)


def test_a_loop_for_nothing_is_dead_and_one_for_the_picture_is_not():
    found = body(
        "float a = 0.0, b = 0.0;",
        "for (int i = 0; i < 9; i++)",
        "a += sin(fragCoord.x + float(i));",
        "for (int j = 0; j < 9; j++)",
        "b += sin(fragCoord.y + float(j));",
        "fragColor = vec4(b);",
    )
    assert [found[line][1] for line in (2, 3, 4, 5)] == [False, False, True, True]


def test_what_decides_whether_to_discard_is_live():
    assert body(
        "float a = sin(fragCoord.x);",
        "if (a > 0.5) discard;",
        "fragColor = vec4(1.0);",
    )[1] == (VARYING, True)


def test_what_decides_whether_to_leave_a_loop_of_use_is_live():
    found = body(
        "float a = 0.0;",
        "for (int i = 0; i < 9; i++) { float stop = cos(fragCoord.y * float(i));",
        "if (stop > 0.9) break;",
        "a += 0.1; }",
        "fragColor = vec4(a);",
    )
    assert found[2] == (VARYING, True)


@pytest.mark.parametrize("qualifier", ["", "in ", "const in ", "inout "])
def test_arguments_carry_their_dependence_into_functions(qualifier):
    def dependence(argument: str) -> tuple[Dependence, bool]:
        text = (
            f"float f({qualifier}float x) {{\n"
            "return sin(x);\n"
            "}\n" + HEAD + f"float a = {argument};\n"
            "fragColor = vec4(f(a)); }"
        )
        return verdicts(text)[2]

    assert dependence("2.0") == (CONSTANT, True)
    assert dependence("iTime") == (UNIFORM, True)
    assert dependence("fragCoord.x") == (VARYING, True)


def test_out_parameters_carry_it_back():
    found = verdicts(
        "void f(float x, out float y) {\n"
        "y = sin(x);\n"
        "}\n" + HEAD + "float a;\n"
        "f(fragCoord.x, a);\n"
        "fragColor = vec4(cos(a)); }"
    )
    assert found[2] == (VARYING, True)
    assert found[7] == (VARYING, True)


def test_a_function_whose_result_nothing_uses_is_dead():
    found = verdicts(
        "float f(float x) {\n"
        "return sin(x);\n"
        "}\n" + HEAD + "float unused = f(fragCoord.x);\n"
        "fragColor = vec4(1.0); }"
    )
    assert found[2] == (VARYING, False)


def test_what_chooses_between_constants_is_live_where_they_come_together():
    found = verdicts(
        HEAD + "float a = 0.0;\n"
        "for (int i = 0; i < 90; i++) {\n"
        "if (sin(fragCoord.x + a) > 0.9) { fragColor = vec4(0.0, 1.0, 2.0, 1.0); return; }\n"
        "if (cos(fragCoord.y - a) > 0.9) { fragColor = vec4(3.0, 4.0, 5.0, 1.0); return; }\n"
        "a += exp(iTime); } }",
        after=True,
    )
    assert found[4] == found[5] == found[6] == (VARYING, True)


def test_a_loop_whose_trips_nothing_depends_on_stays_dead():
    found = verdicts(
        HEAD + "float a = 0.0, b = fragCoord.x;\n"
        "for (int i = 0; i < 90; i++) { if (sin(b + a) > 0.9) break; a += exp(iTime); }\n"
        "fragColor = vec4(cos(b)); }",
    )
    assert (found[3][1], found[4][1]) == (False, True)


def test_a_value_returned_early_varies_with_what_decided():
    found = verdicts(
        "float f(float x) {\n"
        "if (x > 1.0) return 1.0;\n"
        "return 2.0;\n"
        "}\n" + HEAD + "fragColor = vec4(sin(f(fragCoord.x))); }"
    )
    assert found[6] == (VARYING, True)


FETCH = """#version 450
layout(binding = 0) uniform sampler2DMS samples;
layout(location = 0) out vec4 colour;
void main() {
    colour = texelFetch(samples, ivec2(gl_FragCoord.xy), 1);
}
"""
SUBPASS = """#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS before;
layout(location = 0) out vec4 colour;
void main() {
    colour = subpassLoad(before, 1);
}
"""


@pytest.mark.parametrize(("text", "opcode"), [(FETCH, Op.ImageFetch), (SUBPASS, Op.ImageRead)])
def test_a_mask_among_the_operands_is_no_value(text: str, opcode: Op):
    module = compile_text(text, "made-for-the-test", None).module
    flow = analyse(module)
    (index,) = np.flatnonzero(module.opcodes == opcode).tolist()
    words = module.instruction_words(index)
    assert words[5] == 0x40  # Sample, followed by the id of its number
    assert flow.reads[index] == (*words[3:5], words[6])


REAL = Path(os.environ.get("SHADERLAB_REAL_SHADERS", "real-shaders"))


@pytest.mark.corpus
@pytest.mark.skipif(not REAL.is_dir(), reason="SHADERLAB_REAL_SHADERS names no folder of shaders")
@pytest.mark.timeout(1200)
def test_modules_of_other_compilers_and_shaders_of_others_are_analysed():
    analysed = 0
    for path in sorted(REAL.rglob("*")):
        if path.suffix not in (".frag", ".glsl", ".spv") or not path.is_file():
            continue
        try:
            program = load_program(path)
            module = program.module
            module.fragment_entry_point(program.entry_point)
        except ShaderlabError:
            continue  # not a fragment shader, or does not compile
        analyse(module)
        analysed += 1
    assert analysed


@pytest.mark.parametrize("depth", [1, 2])
def test_what_decides_on_a_call_decides_on_what_the_callee_does(depth):
    found = verdicts(
        "float g = 0.0;\n"
        "void one() { g = 1.0; }\n"
        "void two() { one(); }\n"
        + HEAD
        + "float c = exp(fragCoord.x);\n"
        + f"if (c > 9.0) {('one', 'two')[depth - 1]}();\n"
        "fragColor = vec4(sin(g)); }"
    )
    assert found == {5: (VARYING, True), 7: (VARYING, True)}


GLSL = "#version 450\nlayout(location = 0) out vec4 colour;\n"


@pytest.mark.parametrize(
    ("declared", "use"),
    [
        ("layout(binding = 0, r32f) uniform writeonly image2D seen;",
         "imageStore(seen, ivec2(0), vec4(a));"),
        ("layout(binding = 0) buffer Seen { int seen; };", "atomicAdd(seen, int(a));"),
        ("layout(binding = 0) buffer Seen { float seen; };", "seen = a;"),
    ],
)  # fmt: skip
def test_what_others_will_see_is_live(declared, use):
    text = (
        f"{GLSL}{declared}\nvoid main() {{\nfloat a = gl_FragCoord.x * 3.0;\n"
        f"float b = gl_FragCoord.y * 3.0;\n{use}\ncolour = vec4(1); }}"
    )
    found = verdicts(text)
    assert found[5] == (VARYING, True)
    assert found[6] == (VARYING, False)


def test_in_a_function_of_use_what_its_result_does_not_need_is_dead():
    text = (
        f"{GLSL}float f(float x) {{\nfloat unused = x * 3.0;\nreturn x * 2.0; }}\n"
        "void main() { colour = vec4(f(gl_FragCoord.x)); }"
    )
    found = verdicts(text)
    assert [found[line] for line in (4, 5)] == [(VARYING, False), (VARYING, True)]


def test_an_instruction_nobody_knows_may_hold_any_number():
    module = compile_text(HEAD + "fragColor = vec4(fragCoord.x * 2.0); }", "odd", None).module
    (at,) = module.indices(Op.Return)[:1]
    offset = int(module.starts[at])
    unknown = [3 << 16 | 0xFFF0, 0xFFFFFFF0, 7]
    words = np.insert(module.words, offset, np.array(unknown, np.uint32))
    flow = analyse(Module.parse(words.astype("<u4").tobytes()))
    assert flow.live[at], "it may do anything"
