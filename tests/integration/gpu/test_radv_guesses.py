"""How often the compiler believes a program's instructions run."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.radv.guesses import guessed_instructions

SHADER = """\
float once(float x) {{ return x * 2.0; }}
void mainImage(out vec4 c, in vec2 p) {{
    float a = 0.0;
    {statement}
    c = vec4(a);
}}
"""


def guessed(statement: str) -> float:
    program = compile_text(SHADER.format(statement=statement), "guess", None)
    return guessed_instructions(program.module, program.entry_point)


@pytest.fixture(scope="module")
def body() -> float:
    """Instructions of `a += p.x;`."""
    return guessed("a += p.x; a += p.x;") - guessed("a += p.x;")


def test_loops_are_guessed_by_their_depth(body: float) -> None:
    loop = "for (int i = 0; i < 999; i++) {}"
    nested = "for (int j = 0; j < 999; j++) { for (int i = 0; i < 999; i++) {} }"

    def with_body(statement: str, times: int) -> float:
        return guessed(statement.replace("{}", f"{{ {'a += p.x; ' * times} }}"))

    assert with_body(loop, 2) - with_body(loop, 1) == 8 * body
    assert with_body(nested, 2) - with_body(nested, 1) == 8 * 4 * body


def test_a_call_counts_where_it_stands() -> None:
    one, two = "a += once(a);", "a += once(a); a += once(a);"
    apart = guessed(two) - guessed(one)
    inside = guessed(f"for (int i = 0; i < 3; i++) {{ {two} }}") - guessed(
        f"for (int i = 0; i < 3; i++) {{ {one} }}"
    )
    # The argument's variable stands in the function's first block, outside the loop.
    assert inside == 8 * (apart - 1) + 1
    assert apart > guessed("a += a * 2.0; a += a * 2.0;") - guessed("a += a * 2.0;")
