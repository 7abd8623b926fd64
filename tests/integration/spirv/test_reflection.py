"""What glslang's modules ask of the pipeline, as reflection reads it."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.reflection import (
    Component,
    Descriptor,
    Interface,
    Output,
    Resource,
    ResourceKind,
    Varying,
    fragment_entry,
    reflect,
)

HEADER = "#version 450\n"


def reflected(declarations: str, body: str) -> Interface:
    program = compile_text(f"{HEADER}{declarations}\nvoid main() {{ {body} }}\n", "asks", None)
    entry = fragment_entry(program.module, program.entry_point)
    assert entry is not None
    return reflect(program.module, entry)


def test_a_shadertoy_body_asks_for_the_block_and_the_channels_it_reads() -> None:
    program = compile_text(
        "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel2, p) * iTime; }\n",
        "toy",
        None,
    )
    entry = fragment_entry(program.module, program.entry_point)
    assert entry is not None
    asked = reflect(program.module, entry)
    kinds = {resource.descriptor: resource.kind for resource in asked.resources}
    assert kinds[Descriptor(0, 0)] is ResourceKind.UNIFORM_BLOCK
    assert kinds[Descriptor(0, 3)] is ResourceKind.TEXTURE_2D
    assert [(each.location, each.component) for each in asked.outputs] == [(0, Component.FLOAT)]
    assert (asked.varyings, asked.push_constants) == ((), ())


@pytest.mark.parametrize(
    ("declaration", "body", "resource"),
    [
        (
            "layout(set = 1, binding = 3) uniform Block { vec4 a; vec2 b; float c; } block;",
            "colour = vec4(block.c);",
            Resource("block", Descriptor(1, 3), ResourceKind.UNIFORM_BLOCK, last_offset=24),
        ),
        (
            "layout(binding = 2) uniform samplerCube sky;",
            "colour = texture(sky, vec3(1.0));",
            Resource("sky", Descriptor(0, 2), ResourceKind.TEXTURE_CUBE),
        ),
        (
            "layout(binding = 2) uniform isampler2D whole;",
            "colour = vec4(texture(whole, vec2(1.0)));",
            Resource("whole", Descriptor(0, 2), ResourceKind.OTHER_TEXTURE),
        ),
        (
            "layout(binding = 2) uniform sampler2DShadow shade;",
            "colour = vec4(texture(shade, vec3(1.0)));",
            Resource("shade", Descriptor(0, 2), ResourceKind.OTHER_TEXTURE),
        ),
        (
            "layout(set = 3, binding = 7) buffer Store { float a; float b; } store;",
            "colour = vec4(store.b);",
            Resource("store", Descriptor(3, 7), ResourceKind.OTHER, last_offset=4),
        ),
    ],
)
def test_resources(declaration: str, body: str, resource: Resource) -> None:
    asked = reflected(f"layout(location = 0) out vec4 colour;\n{declaration}", body)
    assert asked.resources == (resource,)


def test_what_the_stage_before_and_the_application_must_write() -> None:
    asked = reflected(
        "layout(location = 0) out vec4 colour;\n"
        "layout(location = 4) in vec2 place;\n"
        "layout(push_constant) uniform P { float p; } pushed;",
        "colour = vec4(place, pushed.p, gl_FragCoord.x);",
    )
    assert asked.varyings == (Varying("place", 4),)
    assert asked.push_constants == ("pushed",)


def test_outputs_by_location() -> None:
    asked = reflected(
        "layout(location = 3) out uvec2 third;\nlayout(location = 0) out vec4 few[2];",
        "few[0] = few[1] = vec4(1.0); third = uvec2(1u); gl_FragDepth = 0.5;",
    )
    assert asked.outputs == (
        Output("few", 0, Component.FLOAT),
        Output("few", 1, Component.FLOAT),
        Output("third", 3, Component.UINT),
    )


def test_the_second_source_of_blending_is_another_output() -> None:
    asked = reflected(
        "layout(location = 0, index = 0) out vec4 one;\n"
        "layout(location = 0, index = 1) out vec4 other;",
        "one = other = vec4(1.0);",
    )
    assert {(each.name, each.blend_source) for each in asked.outputs} == {("one", 0), ("other", 1)}


def test_an_entry_point_of_another_name_is_none() -> None:
    program = compile_text(f"{HEADER}void main() {{}}\n", "empty", None)
    assert fragment_entry(program.module, "other") is None
