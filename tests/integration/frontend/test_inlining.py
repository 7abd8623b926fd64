"""Calls inlined by the real spirv-opt, with the lines they came from."""

from __future__ import annotations

import pytest

from shaderlab.errors import CompileFailed
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.inlining import inlined
from shaderlab.frontend.program import Program
from shaderlab.spirv.analysis.cfg import calls_by_function
from shaderlab.spirv.source_lines import block_lines

pytestmark = pytest.mark.usefixtures("toolchain")

TWO_CALLS = """\
float wave(float x) {
    if (x < 0.25) return 0.0;
    for (int i = 0; i < 9; i++) {
        x = sin(x * 3.0);
        if (x > 0.9) return x;
    }
    return x;
}
void mainImage(out vec4 c, in vec2 p) {
    c = vec4(wave(p.x) + wave(p.y));
}
"""


def lines_of(program: Program) -> list[int]:
    """Line 4 once for each block that has it."""
    blocks = [block for function in program.module.functions for block in function.blocks]
    found = block_lines(program.module, blocks)
    return [at.line for lines in found for at in lines if at.line == 4]


def test_each_call_is_a_copy_with_its_lines() -> None:
    program = compile_text(TWO_CALLS, "calls", None)
    assert calls_by_function(program.module)
    flat = inlined(program)
    assert len(flat.module.functions) == 1
    assert not calls_by_function(flat.module)
    assert len(lines_of(flat)) == 2 * len(lines_of(program))


def test_a_module_the_tool_refuses_is_reported() -> None:
    program = Program(
        "cut", compile_text(TWO_CALLS, "calls", None).dialect, "", b"\x03\x02", "main"
    )
    with pytest.raises(CompileFailed, match="cut"):
        inlined(program)
