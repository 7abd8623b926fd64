"""Which inputs of a program are worth a row."""

import pytest

from shaderlab.app.panels.inputs.presenter import is_used
from shaderlab.frontend.program import Dialect, Program
from shaderlab.scene.inputs import Source
from shaderlab.scene.meanings import Meaning
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.spirv.value_types import Component, Numeric

TEXT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(iTimeDelta); }"
CERTAIN = Meaning("time", lambda _: (0.0,), is_certain=True, is_live=True)


def built_in(name: str, meaning: Meaning | None = CERTAIN) -> ShaderInput:
    number = Numeric(Component.FLOAT)
    return ShaderInput(
        name, InputKind.BLOCK_MEMBER, "float", (0.0,), Source.DEFAULT, number, meaning=meaning
    )


@pytest.mark.parametrize(
    ("name", "dialect", "includes", "used"),
    [
        ("iTimeDelta", Dialect.SHADERTOY_ES310, (), True),
        ("iTime", Dialect.SHADERTOY_ES310, (), False),
        ("iTime", Dialect.SHADERTOY_450, (), False),
        ("iTime", Dialect.SHADERTOY_ES310, ("/noise.glsl",), True),
        ("iTime", Dialect.GLSL, (), True),
    ],
)
def test_what_shadertoy_declares_for_all_is_shown_where_the_text_names_it(
    name, dialect, includes, used
):
    program = Program("a", dialect, TEXT, b"", "main", includes=includes)
    assert is_used(built_in(name), program) is used


def test_what_is_no_built_in_is_shown_in_any_case():
    program = Program("a", Dialect.SHADERTOY_ES310, TEXT, b"", "main")
    assert is_used(built_in("speed", None), program)
