"""Divisions by a constant zero, in compiled shaders all of whose blocks ran."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.spirv.analysis.undefined_results import undefined_results
from shaderlab.spirv.source_lines import instruction_lines

BODY = "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{{\n{}\nfragColor = vec4(a);\n}}\n"


def lines(statement: str, *, after_opt: bool = False, ran: bool = True) -> list[int]:
    """Lines with such results; the statement is on line 3."""
    program = compile_text(BODY.format(statement), "made-for-the-test", None)
    program = optimized(program) if after_opt else program
    module = program.module
    executed = {(f.id, block.label) for f in module.functions for block in f.blocks}
    at = instruction_lines(module)
    found = undefined_results(module, executed if ran else ())
    return [place.line for place in map(at.at, found) if place is not None]


@pytest.mark.parametrize(
    "statement",
    [
        "float a = fragCoord.x / 0.0;",
        "float a = fragCoord.x / -0.0;",
        "float a = (fragCoord / vec2(2.0, 0.0)).x;",
        "float a = (vec3(fragCoord, 1.0) / vec3(0.0)).x;",
        "float a = (fragCoord / vec2(fragCoord.y, 0.0)).x;",
        "float a = smoothstep(0.05, 0.05, fragCoord.x);",
        "float a = smoothstep(vec2(0.1, 0.3), vec2(0.2, 0.3), fragCoord).x;",
    ],
)
def test_division_by_zero_and_smoothstep_with_equal_edges(statement):
    assert lines(statement) == [3]
    assert lines(statement, ran=False) == []


@pytest.mark.parametrize(
    "statement",
    [
        "float a = fragCoord.x / 2.0;",
        "float a = 0.0 / fragCoord.x;",
        "float a = fragCoord.x / fragCoord.y;",
        "float a = smoothstep(0.2, 0.1, fragCoord.x);",
        "float a = smoothstep(fragCoord.x, fragCoord.x, 1.0);",
        "float a = step(0.1, fragCoord.x) + mod(fragCoord.x, 0.0);",
        "float a = float(int(fragCoord.x) / 3);",
    ],
)
def test_other_operations_are_none(statement):
    assert lines(statement) == lines(statement, after_opt=True) == []


def test_a_constant_behind_a_variable_shows_after_optimisation():
    statement = "float edge = 0.1; float a = smoothstep(edge, edge, fragCoord.x);"
    assert lines(statement) == []
    assert lines(statement, after_opt=True) == [3]
