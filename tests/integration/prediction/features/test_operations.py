"""What an instruction is to a price, by its operands, in compiled GLSL."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.operations import Operations

HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n"


def named(*statements: str) -> set[tuple[str, int]]:
    """Name and components of every instruction of the statements' program."""
    text = HEAD + "\n".join(statements) + "\n}"
    module = compile_text(text, "made-for-the-test", None).module
    operations = Operations(module)
    return {
        operations.describe(index)
        for function in module.functions
        for block in function.blocks
        for index in range(block.first + 1, block.last + 1)
    }


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a * 3.0", ("OpVectorTimesScalar:constant", 3)),
        ("a * a", ("OpFMul", 3)),
        ("a + vec3(1.0, 2.0, 3.0)", ("OpFAdd:constant", 3)),
        ("a + vec3(1.0, a.x, 2.0)", ("OpFAdd", 3)),
        ("a / vec3(2.0)", ("OpFDiv:constant", 3)),
        ("vec3(1.0) / a", ("OpFDiv:reciprocal", 3)),
        ("vec3(2.0) / a", ("OpFDiv", 3)),
        ("clamp(a, 0.0, 1.0)", ("FClamp:saturate", 3)),
        ("clamp(a, 0.0, 2.0)", ("FClamp", 3)),
        ("pow(a, vec3(2.0))", ("Pow:square", 3)),
        ("pow(a, vec3(2.2))", ("Pow:constant", 3)),
        ("pow(a, a)", ("Pow", 3)),
        ("max(a, 0.0)", ("FMax:constant", 3)),
        ("max(a, a.zyx)", ("FMax", 3)),
        ("smoothstep(0.1, 0.2, a)", ("SmoothStep:constant", 3)),
        ("mix(vec3(0.0), a, a.x)", ("FMix:constant", 3)),
        ("mix(a, a.zyx, a.x)", ("FMix", 3)),
        ("vec3(length(a))", ("Length", 3)),
        ("vec3(dot(a, a))", ("OpDot", 3)),
    ],
)
def test_constant_operands_are_told(expression, expected):
    found = named("vec3 a = fragCoord.xyx;", f"fragColor = vec4({expression}, 1.0);")
    assert expected in found


def test_a_comparison_for_a_jump_is_not_one_for_a_choice():
    jump = named("if (fragCoord.x > 3.0) discard;", "fragColor = vec4(1.0);")
    choice = named("bool b = fragCoord.x > 3.0;", "fragColor = vec4(float(b));")
    assert ("OpFOrdGreaterThan:jump", 1) in jump
    assert ("OpFOrdGreaterThan", 1) in choice
    assert ("OpFOrdGreaterThan:jump", 1) not in choice


def test_memory_at_a_place_nobody_knows_is_told():
    names = {
        index: {name for name, _ in named("float t[4];", "t[1] = fragCoord.x;", statement)}
        for index, statement in (
            ("known", "fragColor = vec4(t[2]);"),
            ("unknown", "fragColor = vec4(t[int(fragCoord.x)]);"),
        )
    }
    assert "OpLoad:part" in names["known"]
    assert "OpStore:part" in names["known"]
    assert not any(name.endswith(":indexed") for name in names["known"])
    assert {"OpLoad:part:indexed", "OpAccessChain:indexed"} <= names["unknown"]
