"""What glslang's modules ask of the pipeline, as reflection reads it."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.grammar import ExecutionModel
from shaderlab.spirv.reflection import (
    Descriptor,
    Interface,
    ResourceKind,
    SpecConstant,
    entry_point,
)
from shaderlab.spirv.value_types import Array, Component, Dimension, Image, Member, Numeric, Struct
from shaderlab.spirv.varyings import Output, Varying

FLOAT = Numeric(Component.FLOAT)
VEC2, VEC4 = Numeric(Component.FLOAT, rows=2), Numeric(Component.FLOAT, rows=4)

HEADER = "#version 450\n"


def reflected(declarations: str, body: str) -> Interface:
    text = f"{HEADER}{declarations}\nvoid main() {{ {body} }}\n"
    return compile_text(text, "asks", None).interface


def test_a_shadertoy_body_asks_for_the_block_and_the_channels_it_reads() -> None:
    program = compile_text(
        "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel2, p) * iTime; }\n",
        "toy",
        None,
    )
    asked = program.interface
    kinds = {resource.descriptor: resource.kind for resource in asked.resources}
    assert kinds == {
        Descriptor(0, 0): ResourceKind.UNIFORM_BLOCK,
        Descriptor(0, 3): ResourceKind.SAMPLED_TEXTURE,
    }
    assert [(each.location, each.component) for each in asked.outputs] == [(0, Component.FLOAT)]
    assert (asked.varyings, asked.push_constants) == ((), ())


@pytest.mark.parametrize(
    ("declaration", "body", "kind", "image"),
    [
        (
            "uniform samplerCube r;",
            "colour = texture(r, vec3(1.0));",
            ResourceKind.SAMPLED_TEXTURE,
            Image(Component.FLOAT, 32, Dimension.CUBE, False, False, False, True),
        ),
        (
            "uniform isampler2D r;",
            "colour = vec4(texture(r, vec2(1.0)));",
            ResourceKind.SAMPLED_TEXTURE,
            Image(Component.INT, 32, Dimension.D2, False, False, False, True),
        ),
        (
            "uniform sampler2DArrayShadow r;",
            "colour = vec4(texture(r, vec4(1.0)));",
            ResourceKind.SAMPLED_TEXTURE,
            Image(Component.FLOAT, 32, Dimension.D2, True, True, False, True),
        ),
        (
            "uniform sampler2DMS r;",
            "colour = texelFetch(r, ivec2(0), 1);",
            ResourceKind.SAMPLED_TEXTURE,
            Image(Component.FLOAT, 32, Dimension.D2, False, False, True, True),
        ),
        (
            "uniform usamplerBuffer r;",
            "colour = vec4(texelFetch(r, 1));",
            ResourceKind.UNIFORM_TEXEL_BUFFER,
            Image(Component.UINT, 32, Dimension.BUFFER, False, False, False, True),
        ),
    ],
)
def test_textures(declaration: str, body: str, kind: ResourceKind, image: Image) -> None:
    asked = reflected(
        "layout(location = 0) out vec4 colour;\n"
        f"layout(set = 2, binding = 5) {declaration}\n"
        "layout(binding = 9) uniform sampler2D unread;",
        body,
    )
    (resource,) = asked.resources
    assert (resource.name, resource.descriptor) == ("r", Descriptor(2, 5))
    assert (resource.kind, resource.image, resource.count) == (kind, image, 1)


def test_blocks_with_their_members() -> None:
    asked = reflected(
        "layout(location = 0) out vec4 colour;\n"
        "layout(set = 1, binding = 3) uniform Block { vec4 a; vec2 b; float c; } block;\n"
        "layout(binding = 7) buffer Store { float d; } many[3];",
        "colour = vec4(block.c + many[1].d);",
    )
    block, store = sorted(asked.resources, key=lambda each: each.name)
    assert (block.descriptor, block.kind) == ((1, 3), ResourceKind.UNIFORM_BLOCK)
    assert block.type == Struct(
        "Block", (Member("a", VEC4, 0), Member("b", VEC2, 16), Member("c", FLOAT, 24))
    )
    assert (store.name, store.kind, store.count) == ("many", ResourceKind.STORAGE_BUFFER, 3)


def test_what_the_stage_before_and_the_application_must_write() -> None:
    asked = reflected(
        "layout(location = 0) out vec4 colour;\n"
        "layout(location = 4) in vec2 place;\n"
        "layout(location = 5, component = 1) flat in int level;\n"
        "layout(location = 6) in vec3 ignored;\n"
        "layout(constant_id = 3) const float scale = 0.5;\n"
        "layout(push_constant) uniform P { float p; } pushed;",
        "colour = vec4(place, pushed.p * scale, gl_FragCoord.x + level);",
    )
    assert asked.varyings == (
        Varying("place", 4, VEC2),
        Varying("level", 5, Numeric(Component.INT), 1),
        Varying("ignored", 6, Numeric(Component.FLOAT, rows=3), is_read=False),
    )
    (pushed,) = asked.push_constants
    assert (pushed.name, pushed.block) == ("pushed", Struct("P", (Member("p", FLOAT),)))
    assert asked.spec_constants == (SpecConstant("scale", 3, FLOAT, 0.5),)
    assert asked.builtins == {"FragCoord"}


def test_outputs_by_location() -> None:
    asked = reflected(
        "layout(location = 3) out uvec2 third;\nlayout(location = 0) out vec4 few[2];",
        "few[0] = few[1] = vec4(1.0); third = uvec2(1u); gl_FragDepth = 0.5;",
    )
    assert asked.outputs == (
        Output("few[0]", 0, VEC4),
        Output("few[1]", 1, VEC4),
        Output("third", 3, Numeric(Component.UINT, rows=2)),
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
    assert entry_point(program.module, "other", ExecutionModel.Fragment) is None


def test_a_struct_in_which_slang_stores_a_matrix_is_that_matrix() -> None:
    stored = "struct _MatrixStorage_float4x4_{}Majorstd140 {{ vec4 data[4]; }};"
    by_columns, by_rows = (
        reflected(
            f"{stored.format(way)} layout(set = 0, binding = 0) uniform B {{"
            f" _MatrixStorage_float4x4_{way}Majorstd140 view; float gain; }};"
            "layout(location = 0) out vec4 c;",
            "c = view.data[1] * gain;",
        )
        for way in ("Col", "Row")
    )
    plain = reflected(
        "layout(set = 0, binding = 0) uniform B { mat4 view; float gain; };"
        "layout(location = 0) out vec4 c;",
        "c = view[1] * gain;",
    )
    at = Descriptor(0, 0)
    columns, rows, same = (
        np.frombuffer(Binding(each).blocks(Inputs(), (64, 48))[at], "<f4")
        for each in (by_columns, by_rows, plain)
    )
    assert not np.allclose(columns[:16].reshape(4, 4), columns[:16].reshape(4, 4).T)
    np.testing.assert_array_equal(columns, same)
    np.testing.assert_array_equal(rows[:16].reshape(4, 4), same[:16].reshape(4, 4).T)
    view, _ = Binding(by_columns).listed(Inputs(), (64, 48))
    assert (view.name, view.type, view.lengths) == ("view", "mat4", ())


def test_a_stored_matrix_that_is_not_square() -> None:
    """In Slang's float3x4 by columns lie four columns of three: of the module's matrix the rows."""
    asked = reflected(
        "struct _MatrixStorage_float3x4_ColMajorstd140 { vec3 data[4]; };"
        "layout(set = 0, binding = 0) uniform B {"
        " _MatrixStorage_float3x4_ColMajorstd140 odd[2]; } b; layout(location = 0) out vec4 c;",
        "c = vec4(b.odd[1].data[3], 1);",
    )
    block = asked.resources[0].block
    assert block is not None
    odd = Array(Numeric(Component.FLOAT, rows=4, columns=3), 2, 64)
    assert block.members == (Member("odd", odd, 0, 16, True),)
