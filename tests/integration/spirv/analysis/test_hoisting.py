"""Which instructions a compiler may move before which loop, on optimised modules."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.analysis.loop_invariants import hoisting
from shaderlab.spirv.grammar import GLSL_STD_450, Op

HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = fragCoord.x, y = x;\n"
TAIL = "\nfragColor = vec4(y);\n}"
LOOP, NESTED = "for (int i = 0; i < 9 + iFrame; i++)", "for (int j = 0; j < 7 + iFrame; j++)"


def leaving(body: str) -> dict[str, int | None]:
    """By extended instruction: how many loops are around what it can be moved out of; None where
    it stays."""
    module = optimized(compile_text(HEAD + body + TAIL, "made-for-the-test", None)).module
    flow = analyse(module)
    found = hoisting(flow)
    blocks = [(graph, block) for graph in flow.graphs for block in range(len(graph))]
    deepest = {
        number: len(graph.loops_around[block]) - 1
        for number, ways in enumerate(found.before)
        for graph, block in [max((blocks[way] for way in ways), key=lambda each: each[1])]
    }
    return {
        GLSL_STD_450[module.instruction_words(index)[4]]: (
            deepest[found.loop[index]] + 1 if index in found.loop else None
        )
        for index in module.indices(Op.ExtInst)
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{LOOP} y = cos(y) * sin(x * 3.0);", {"Cos": None, "Sin": 0}),
        (
            f"{LOOP} {NESTED} y = cos(y) * sin(x * float(i)) * exp(x);",
            {"Cos": None, "Sin": 1, "Exp": 0},
        ),
        (f"{LOOP} y = cos(y) + sin(normalize(vec2(x, 3.0)).y);",
         {"Cos": None, "Normalize": 0, "Sin": 0}),
        (f"{LOOP} y = cos(y) + sin(float(int(x) & 7) + float(x > 3.0));",
         {"Cos": None, "Sin": 0}),
        (f"{LOOP} y = cos(y) + sin(determinant(transpose(mat2(x, y, x, 1.0))));",
         {"Cos": None, "Determinant": None, "Sin": None}),
        (f"{LOOP} y = sin(y) + (x > 3.0 && i == 2 ? exp(x) : log(float(i)));",
         {"Sin": None, "Exp": 0, "Log": None}),
        (f"float a = sin(x); {LOOP} y = cos(y) + a;", {"Sin": None, "Cos": None}),
    ],
)  # fmt: skip
def test_what_may_leave_a_loop(body, expected):
    assert leaving(body) == expected
