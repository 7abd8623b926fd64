"""Likely executions of graphs made by hand from what glslang makes of text."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.analysis.cfg import FlowGraph, reachable_functions
from shaderlab.spirv.analysis.frequencies import Odds, Shape, executions
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.source_lines import block_lines
from shaderlab.spirv.trace import SourceLine

ODDS = Odds(
    then=0.25, either=0.375, leave=0.125, breaks=0.5, bounded=1.0, breakable=0.5, trips=(12.0, 3.0)
)


def of_line_5(text: str, declarations: str = "", odds: Odds = ODDS) -> tuple[float, bool]:
    """Executions of the statement on line 5 per invocation, and whether loops were guessed."""
    program = compile_text(
        f"{declarations}\n"
        "void mainImage(out vec4 color, in vec2 at) {\n"
        "float v = at.x; int n = int(at.y);\n"
        f"{text}\n"
        "{ v = v * 2.0 + 1.0; }\n"
        "color = vec4(v); }\n",
        "odds",
        None,
    )
    module = program.module
    entry = module.fragment_entry_point("main")
    found, guessed = executions(module, entry.id, odds)
    blocks = [(f, b) for f in reachable_functions(module, entry) for b in f.blocks]
    lines = block_lines(module, [block for _, block in blocks])
    counts = {
        found[function.id, block.label]
        for (function, block), here in zip(blocks, lines, strict=True)
        if SourceLine("", 5) in here and SourceLine("", 4) not in here
    }
    (count,) = counts or {1.0}
    return count, guessed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("if (v > 0.5)", 0.25),
        ("if (v > 0.5) { v = 1.0; } else", 0.625),
        ("for (int i = 0; i < 10; i++)", 10),
        ("for (int i = 0; i < 10; i++) for (int j = 0; j < 4; j++)", 40),
        ("for (int i = 0; i < 8; i++) if (v > 0.5)", 2),
        ("while (v < 9.0)", 12),
        ("while (v < 9.0) while (v < 3.0)", 36),
        ("for (int i = 0; i < n; i++)", 12),
        ("if (v > 0.5) return;", 0.875),
        ("if (v > 0.5) discard;", 0.875),
    ],
)
def test_executions(text, count):
    assert of_line_5(text)[0] == pytest.approx(count, rel=0.01)


def test_an_early_way_out_shortens_a_loop():
    """Half of the 100 trips the bound allows; what follows the break runs a trifle less often."""
    count, guessed = of_line_5("for (int i = 0; i < 100; i++) if (v > 0.5) break; else")
    assert 45 < count < 50
    assert guessed


def test_calls_multiply():
    text = "for (int i = 0; i < 6; i++) v += twice(v); if (v < 1.0)"
    program = (
        "float once(float x) { return x * 2.0; } float twice(float x) { return once(once(x)); }"
    )
    source = compile_text(
        f"{program}\nvoid mainImage(out vec4 c, in vec2 p) {{ float v = p.x; {text} v = 0.0; "
        "c = vec4(v); }",
        "calls",
        None,
    )
    entry = source.module.fragment_entry_point("main")
    found, guessed = executions(source.module, entry.id, ODDS)
    by_name = {f.name.partition("(")[0]: f for f in source.module.functions}
    assert found[by_name["twice"].id, by_name["twice"].blocks[0].label] == pytest.approx(6)
    assert found[by_name["once"].id, by_name["once"].blocks[0].label] == pytest.approx(12)
    assert not guessed


def test_constant_bounds_are_known_and_others_guessed():
    assert of_line_5("for (int i = 0; i < 10; i++)")[1] is False
    assert of_line_5("while (v < 10.0)")[1] is True


def test_loops_are_told_with_their_bounds_and_depth():
    program = compile_text(
        "void mainImage(out vec4 c, in vec2 p) { float v = p.x;"
        "for (int i = 0; i < 7; i++) { while (v < 9.0) v += 1.0; } c = vec4(v); }",
        "loops",
        None,
    )
    (function,) = (f for f in program.module.functions if f.name.startswith("mainImage"))
    shape = Shape(FlowGraph(function), LoopBounds(program.module))
    found = sorted((loop.depth, loop.bound, loop.breakable) for loop in shape.loops.values())
    assert found == [(0, 7, False), (1, inf, False)]


NEST = st.lists(
    st.sampled_from(
        (
            "for (int i{n} = 0; i{n} < 5; i{n}++) {{",
            "while (v < 9.0) {{",
            "if (v > 0.3) {{",
            "for (int i{n} = 0; i{n} < 3; i{n}++) {{ if (v > 2.0) break;",
        )
    ),
    max_size=5,
)


@settings(max_examples=12)
@given(NEST)
def test_what_enters_leaves(nest):
    """However statements nest, without a return the function ends once per call."""
    text = "".join(line.format(n=n) for n, line in enumerate(nest)) + "v += 1.0;" + "}" * len(nest)
    program = compile_text(
        f"void mainImage(out vec4 c, in vec2 p) {{ float v = p.x; {text} c = vec4(v); }}",
        "nest",
        None,
    )
    module = program.module
    found, _ = executions(module, module.fragment_entry_point("main").id, ODDS)
    for function in module.functions:
        graph = FlowGraph(function)
        ends = [block for block in graph.postorder if not graph.successors[block]]
        labels = [function.blocks[block].label for block in ends]
        assert sum(found[function.id, label] for label in labels) == pytest.approx(1.0)
    assert all(0 <= count < 1e6 for count in found.values())


def test_endless_loops_stay_finite():
    text = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p.x); while (true) { c += 1.0; } }"
    program = compile_text(text, "endless", None)
    module = program.module
    found, guessed = executions(module, module.fragment_entry_point("main").id, ODDS)
    assert guessed
    assert max(found.values()) == pytest.approx(13, abs=1)


def test_guesses_that_multiply_are_capped():
    deep = "while (v < 9.0) {" * 20 + "v += 1.0;" + "}" * 20
    program = compile_text(
        f"void mainImage(out vec4 c, in vec2 p) {{ float v = p.x; {deep} c = vec4(v); }}", "d", None
    )
    module = program.module
    entry = module.fragment_entry_point("main").id
    found, _ = executions(module, entry, replace(ODDS, trips=(1e6, 1e6)))
    assert max(found.values()) == 1e7
