"""Kills that leave their function."""

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.leaving import leaving, may_kill

TEXT = """\
float depth(float x) { for (int i = 0; i < 4; i++) { if (x > 9.0) discard; x += 1.0; } return x; }
float edge(float x) { if (x < 0.0) discard; return x; }
void mainImage(out vec4 c, in vec2 p) {
    float s = depth(p.x) + edge(p.y);
    while (s > 3.0) { s -= 1.0; if (p.x > 90.0) discard; }
    c = vec4(s);
}
"""


def test_kills_of_functions_with_loops_become_calls_and_returns():
    module = compile_text(TEXT, "kills", None).module
    assert may_kill(module.to_bytes())
    made = Module.parse(leaving(module))
    toolchain().validate(made.to_bytes())
    assert len(module.indices(Op.Kill)) == 3
    kills = made.indices(Op.Kill)
    assert len(kills) == 2  # that of `edge`, and the one that the others call
    assert len(made.indices(Op.FunctionCall)) == len(module.indices(Op.FunctionCall)) + 2
    assert len(made.functions) == len(module.functions) + 1
    assert made.functions[-1].first < kills[-1] < made.functions[-1].last


def test_a_module_without_loops_stays_as_it_is():
    module = compile_text(
        "void mainImage(out vec4 c, in vec2 p) { if (p.x > 9.0) discard; c = vec4(1.0); }",
        "k",
        None,
    ).module
    assert leaving(module) == module.to_bytes()


def test_without_a_kill_there_is_nothing_to_rewrite():
    text = TEXT.replace("discard", "x = 1.0").replace("p.x > 90.0) x", "p.x > 90.0) s")
    assert not may_kill(compile_text(text, "none", None).spirv)
