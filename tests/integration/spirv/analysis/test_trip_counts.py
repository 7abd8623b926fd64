"""Loop bounds read from what glslang makes of loops."""

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.counter_placement import count_everything
from shaderlab.spirv.passes.rewriting import Rewriter
from shaderlab.spirv.source_lines import block_lines
from shaderlab.spirv.trace import SourceLine


def limit_of_body(loops: str, declarations: str = "") -> int | None:
    """Executions of the statement on line 5 that one invocation cannot exceed."""
    text = (
        f"{declarations}\n"
        "void mainImage(out vec4 color, in vec2 at) {\n"
        "float v = at.x; int n = int(at.y);\n"
        f"{loops}\n"
        "{ v = v * 2.0 + 1.0; }\n"
        "color = vec4(v); }\n"
    )
    program = compile_text(text, "loops", None)
    module = program.module
    functions = reachable_functions(module, module.fragment_entry_point("main"))
    blocks = [block for function in functions for block in function.blocks]
    limits = count_everything(module, functions).limits
    (limit,) = {
        limit
        for limit, lines in zip(limits, block_lines(module, blocks), strict=True)
        if SourceLine("", 5) in lines
    }
    return limit


# One more than the trips: the bound holds for the blocks that decide, too.
@pytest.mark.parametrize(
    ("loops", "limit"),
    [
        ("", 1),
        ("for (int i = 0; i < 10; i++)", 11),
        ("for (int i = 0; i <= 10; ++i)", 12),
        ("for (int i = 10; i > 0; i--)", 11),
        ("for (int i = 10; i >= -10; i -= 3)", 8),
        ("for (int i = 5; i < 5; i++)", 1),
        ("for (uint i = 0u; i < 100u; i += 7u)", 16),
        ("for (uint i = 9u; i > 0u; i--)", 10),
        ("for (int i = 0; i < 10; i++) for (int j = 0; j < 20; j++)", 11 * 21),
        ("for (int i = 0; i < 10 && v < 9.0; i++)", 11),
        ("int i = 3; while (i < 8) { i++; if (v > 3.0) break; }", 1),
        # The start or the limit is unknown, but 32 bits hold the trips.
        ("for (int i = n; i < 10; i++)", (1 << 31) + 11),
        ("for (int i = 0; i < n; i++)", 1 << 31),
    ],
)
def test_bounded(loops, limit):
    assert limit_of_body(loops) == limit


@pytest.mark.parametrize(
    ("loops", "most"),
    [
        ("for (float f = 0.0; f < 100.0; f++)", 110),
        ("for (float f = 0.0; f <= 1.0; f += 0.01)", 112),
        ("for (float f = 1.0; f > -1.0; f -= 0.125)", 22),
    ],
)
def test_floating_point_loops_are_bounded_with_room_for_rounding(loops, most):
    trips = {"100.0": 100, "0.01": 101, "0.125": 16}
    (at_least,) = (count for key, count in trips.items() if key in loops)
    assert at_least < limit_of_body(loops) <= most


@pytest.mark.parametrize(
    ("loops", "declarations"),
    [
        ("while (v < 100.0)", ""),
        ("for (int i = 0; i <= n; i++)", ""),
        ("for (int i = 0; i < 10; i += n)", ""),
        ("for (int i = 0; i < 10; i--)", ""),
        ("for (int i = 0; i != 10; i++)", ""),
        ("for (uint i = 9u; i >= 0u; i--)", ""),
        ("for (int i = 0; i <= 2147483647; i++)", ""),
        ("for (float f = v; f < 10.0; f++)", ""),
        ("for (float f = 1e8; f < 2e8; f++)", ""),
        ("for (mediump int i = 0; i < 100000; i++)", ""),
        ("for (int i = 0; i < 10; back(i), i++)", "void back(inout int i) { i -= 2; }"),
        ("for (int i = 0; i < 10; i++, i -= n)", ""),
        ("for (int i = 0; i < 10; i++) for (i = 0; i < n; i++)", ""),
        ("for (int i = 0; i < 10; i++) while (v < 100.0)", ""),
        ("for (int i = 0; i < 100000; i++) for (int j = 0; j < 100000; j++)", ""),
    ],
)
def test_unbounded(loops, declarations):
    assert limit_of_body(loops, declarations) is None


def most_executions(module: Module) -> int | None:
    functions = reachable_functions(module, module.fragment_entry_point("main"))
    limits = count_everything(module, functions).limits
    return None if None in limits else max(limits)


def test_a_loop_that_may_count_in_16_bits_is_not_bounded():
    """Whatever of it is RelaxedPrecision: the variable, what is compared, or the sum."""
    text = (
        "void mainImage(out vec4 color, in vec2 at) {\n"
        "float v = at.x; for (int i = 0; i < 10; i++) { v = v * 2.0; } color = vec4(v); }\n"
    )
    module = compile_text(text, "loops", None).module
    assert most_executions(module) == 11
    (compared,) = (module.instruction_words(i)[3] for i in module.indices(Op.SLessThan))
    (added,) = (module.instruction_words(i)[2] for i in module.indices(Op.IAdd))
    variable = module.definition(compared).words[3]
    for relaxed in (compared, added, variable):
        rewriter = Rewriter(module)
        rewriter.decorate(relaxed, Decoration.RelaxedPrecision)
        assert most_executions(Module.parse(rewriter.build())) is None
