"""Which defaults of a draw are reported as deciding."""

from __future__ import annotations

from shaderlab.frontend.compiler import compile_text
from shaderlab.scene.defaults import deciding_defaults
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Pattern, Texture

SHADER = """#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec2 uv;
layout(set = 1, binding = 2) uniform Block { int steps; vec4 tint; float time; } ubo;
layout(set = 0, binding = 1) uniform sampler2D picture;
void main() {
    colour = ubo.tint;
    for (int i = 0; i < ubo.steps; i++) colour += 0.1;
    if (ubo.time > 2.0) colour.x = 0.0;
    if (texture(picture, uv).x > 0.5) discard;
}
"""
BODY = "void mainImage(out vec4 c, in vec2 p) { c = vec4(0); if (iTime > 2.0) c.x = 1.0; }\n"


def sentences(text: str, inputs: Inputs | None = None) -> list[str]:
    program = compile_text(text, "made-for-the-test", None)
    state = DrawState(inputs or Inputs())
    return [each.sentence for each in deciding_defaults(Draw(program, state))]


def test_defaults_that_decide_are_named_with_value_and_line() -> None:
    assert sentences(SHADER) == [
        "The loop in line 8 depends on 'ubo.steps', guessed as 0",
        "The branch in line 10 depends on 'picture', guessed as gradient",
    ]


def test_what_was_set_is_no_default() -> None:
    inputs = Inputs(
        values={"ubo.steps": Input((3.0,), Source.SET)},
        textures={"picture": Input(Texture(Pattern.NOISE), Source.PROJECT)},
    )
    assert sentences(SHADER, inputs) == []


def test_shadertoys_clock_is_no_default() -> None:
    assert sentences(BODY) == []
