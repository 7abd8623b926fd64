"""`NAME=VALUE` for inputs of every type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.scene.assignments import assigned, texture_named
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs, Source
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.scene.textures import Texture
from shaderlab.spirv.reflection import (
    Descriptor,
    Interface,
    Resource,
    ResourceKind,
)
from shaderlab.spirv.value_types import Array, Component, Member, Numeric, Struct

FLOAT = Numeric(Component.FLOAT)
INT = Numeric(Component.INT)
VEC3 = Numeric(Component.FLOAT, 32, 3)
LIGHT = Struct("Light", (Member("colour", VEC3, 0), Member("power", FLOAT, 12)))
BLOCK = Struct(
    "Block",
    (
        Member("steps", INT, 0),
        Member("gain", FLOAT, 4),
        Member("mask", Numeric(Component.UINT), 8),
        Member("on", Numeric(Component.BOOL), 12),
        Member("tint", VEC3, 16),
        Member("weights", Array(FLOAT, 4, 16), 32),
        Member("lights", Array(LIGHT, 3, 16), 96),
        Member("turn", Numeric(Component.FLOAT, 32, 2, 2), 144, 16),
    ),
)
INTERFACE = Interface(
    (
        Resource("ubo", Descriptor(0, 0), ResourceKind.UNIFORM_BLOCK, BLOCK, 1, 1),
        Resource("other", Descriptor(1, 0), ResourceKind.UNIFORM_BLOCK,
                 Struct("Other", (Member("gain", FLOAT, 0),)), 1, 2),
    ), (), (), (), (), frozenset(),
)  # fmt: skip
LISTED = Binding(INTERFACE).listed(Inputs(), (4, 4))


def given_value(name, text, values=()):
    return assigned(LISTED, name, text, dict(values))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("steps", "7", ("ubo.steps", (7.0,))),
        ("steps", "0x10", ("ubo.steps", (16.0,))),
        ("steps", "3.0", ("ubo.steps", (3.0,))),
        ("steps", "2147483647", ("ubo.steps", (2147483647.0,))),
        ("steps", "-2147483648", ("ubo.steps", (-2147483648.0,))),
        ("ubo.gain", "0.5", ("ubo.gain", (0.5,))),
        ("mask", "4294967295", ("ubo.mask", (4294967295.0,))),
        ("on", "true", ("ubo.on", (1.0,))),
        ("tint", "1, 2 3", ("ubo.tint", (1.0, 2.0, 3.0))),
        ("tint", "vec3(1, 2, 3)", ("ubo.tint", (1.0, 2.0, 3.0))),
        ("tint", "#ff0033", ("ubo.tint", (1.0, 0.0, 0.2))),
        ("tint", "#f03", ("ubo.tint", (1.0, 0.0, 0.2))),
        ("lights[2].colour", "1,0,0", ("ubo.lights[2].colour", (1.0, 0.0, 0.0))),
        ("weights[2]", "5", ("ubo.weights", (0.0, 0.0, 5.0, 0.0))),
        ("lights[1].colour.y", "0.5", ("ubo.lights[1].colour", (1.0, 0.5, 1.0))),
        ("turn[1]", "3,4", ("ubo.turn", (1.0, 0.0, 3.0, 4.0))),
    ],
)
def test_values(name, text, expected):
    assert given_value(name, text) == expected


def test_elements_add_up():
    _, first = given_value("weights[0]", "1")
    assert given_value("weights[3]", "2", {"ubo.weights": first}.items())[1] == (1.0, 0, 0, 2.0)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("foo", "1", "there is no input foo that takes a value; there are ubo.steps (int)"),
        ("gain", "1", "gain may be any of ubo.gain, other.gain"),
        ("steps", "abc", 'ubo.steps is an int; "abc" is not a whole number of 32 bits'),
        ("steps", "0.5", "is not a whole number"),
        ("steps", "4294967296", "is not a whole number"),
        ("mask", "-1", "from 0 on"),
        ("tint", "1,2", "ubo.tint is a vec3 and takes 3 numbers, not 2"),
        ("ubo.gain", "nan", "is not a finite number"),
        ("on", "2", "is not true or false"),
        ("steps", "#ff0000", "a colour needs a vec3 or a vec4"),
        ("tint", "#ff00", "is not a colour"),
        ("weights[4]", "1", "there is no weights[4]"),
        ("tint.w", "1", "there is no tint.w"),
        ("steps.x", "1", "there is no steps.x"),
        ("weights", "1", "takes 4 numbers, not 1"),
    ],
)
def test_what_does_not_fit_is_one_sentence(name, text, message):
    with pytest.raises(WrongUse) as error:
        given_value(name, text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_textures():
    row = ShaderInput("maps", InputKind.TEXTURE, "sampler2D[2]", Texture(), Source.DEFAULT,
                      lengths=(2,))  # fmt: skip
    assert texture_named([row], "maps") == "maps"
    assert texture_named([row], "maps[1]") == "maps[1]"
    with pytest.raises(WrongUse, match="there is no maps"):
        texture_named([row], "maps[2]")
    with pytest.raises(WrongUse, match=r"takes a texture; there are maps \(sampler2D\[2\]\)"):
        texture_named([row], "map")


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_text_is_a_value_or_one_sentence(name, text):
    try:
        full, value = given_value(name, text)
    except WrongUse:
        return
    assert full in {each.name for each in LISTED}
    assert all(isinstance(each, float) for each in value)
