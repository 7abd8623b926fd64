"""Names and values of a program's inputs, and their bytes."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.scene.binding import Binding
from shaderlab.scene.input_names import SHADERTOY
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.packing import RUN_TIME_ELEMENTS, Packer
from shaderlab.scene.textures import Filter, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.reflection import (
    Descriptor,
    Interface,
    PushConstants,
    Resource,
    ResourceKind,
    SpecConstant,
)
from shaderlab.spirv.value_types import (
    Array,
    Component,
    Dimension,
    Image,
    Leaf,
    Member,
    Numeric,
    SampledImage,
    Struct,
)

FLOAT = Numeric(Component.FLOAT)
INT = Numeric(Component.INT)
PICTURE = SampledImage(Image(Component.FLOAT, 32, Dimension.D2, False, False, False, True))
TYPES = {
    "float": FLOAT,
    "int": INT,
    "vec3": Numeric(Component.FLOAT, 32, 3),
    "vec4": Numeric(Component.FLOAT, 32, 4),
}
SIZE = (64, 32)


def interface(*resources, push=(), spec=(), transposed=False):
    return Interface(tuple(resources), tuple(push), tuple(spec), (), (), frozenset(), transposed)


def block(name, members, at=(0, 0), variable=1, anonymous=False):
    kind = ResourceKind.UNIFORM_BLOCK
    return Resource(
        name, Descriptor(*at), kind, Struct("Block", tuple(members)), 1, variable,
        is_anonymous=anonymous,
    )  # fmt: skip


def texture(name, at=(0, 1), variable=2, count=1):
    return Resource(name, Descriptor(*at), ResourceKind.SAMPLED_TEXTURE, PICTURE, count, variable)


def values(**given):
    return Inputs(values={name: Input(value, Source.SET) for name, value in given.items()})


def nameless(rows):
    members = []
    for number, (offset, type_name, lengths, _) in enumerate(rows):
        kind = Array(TYPES[type_name], lengths[0], 16) if lengths else TYPES[type_name]
        members.append(Member(f"_{number}", kind, offset))
    return members


def test_a_nameless_block_laid_out_as_shadertoys_is_shadertoys():
    binding = Binding(interface(block("%9", nameless(SHADERTOY), anonymous=True)))
    assert [row.name for row in binding.listed(Inputs(), SIZE)] == [row[3] for row in SHADERTOY]
    (data,) = binding.blocks(Inputs.at(Uniforms(time_s=2.5)), SIZE).values()
    assert struct.unpack_from("<4f", data) == (64.0, 32.0, 0.0, 2.5)


@pytest.mark.parametrize("at", [(0, 1), (1, 0)])
def test_elsewhere_it_is_not(at):
    binding = Binding(interface(block("%9", nameless(SHADERTOY), at, anonymous=True)))
    names = [row.name for row in binding.listed(Inputs(), SIZE)]
    assert names[1] == f"set {at[0]}, binding {at[1]}, byte 12"
    assert not any(next(iter(binding.blocks(Inputs(), SIZE).values())))


def test_another_nameless_block_is_not_given_shadertoys_bytes():
    rows = ((0, "int", (), ""), (16, "vec4", (), ""))
    binding = Binding(interface(block("%9", nameless(rows), anonymous=True)))
    assert [(row.name, row.value) for row in binding.listed(Inputs(), SIZE)] == [
        ("set 0, binding 0, byte 0", (0.0,)),
        ("set 0, binding 0, byte 16", (0.0,) * 4),
    ]


def test_two_of_one_name_are_told_apart():
    binding = Binding(
        interface(
            block("a", [Member("x", FLOAT)], anonymous=True),
            block("b", [Member("x", FLOAT)], at=(2, 3), variable=4, anonymous=True),
            texture("t", (0, 1), 5),
            texture("t", (0, 2), 6),
        )
    )
    names = [row.name for row in binding.listed(Inputs(), SIZE)]
    assert names == ["x", "x (set 2, binding 3)", "t", "t (set 0, binding 2)"]
    blocks = binding.blocks(values(**{"x (set 2, binding 3)": (1.5,)}), SIZE)
    assert struct.unpack("<f", blocks[Descriptor(0, 0)]) == (0.0,)
    assert struct.unpack("<f", blocks[Descriptor(2, 3)]) == (1.5,)


def test_the_programs_own_text_gives_values_that_a_user_may_change():
    members = [Member("steps", INT), Member("gain", FLOAT, 4)]
    binding = Binding(interface(block("ubo", members)), {"steps": (7,), "ubo.gain": (0.5,)})
    shown = {row.name: (row.value, row.source) for row in binding.listed(Inputs(), SIZE)}
    assert shown == {
        "ubo.steps": ((7,), Source.TEXT),
        "ubo.gain": ((0.5,), Source.TEXT),
    }
    (data,) = binding.blocks(values(**{"ubo.steps": (9.0,)}), SIZE).values()
    assert struct.unpack("<if", data) == (9, 0.5)


def test_what_is_kept_between_frames_follows_what_is_given():
    members = [Member("time", FLOAT), Member("gain", FLOAT, 4)]
    binding = Binding(interface(block("ubo", members)))

    def packed(inputs):
        return struct.unpack("<2f", next(iter(binding.blocks(inputs, SIZE).values())))

    assert packed(Inputs.at(Uniforms(time_s=2.0))) == (2.0, 1.0)
    assert packed(values(**{"ubo.gain": (4.0,)})) == (1.0, 4.0)
    assert packed(values(**{"ubo.time": (8.0,)})) == (8.0, 1.0)
    assert packed(Inputs.at(Uniforms(time_s=3.0))) == (3.0, 1.0)


def test_elements_of_an_array_of_textures():
    binding = Binding(interface(texture("maps", count=3)))
    white = Texture(Pattern.WHITE)
    inputs = Inputs(textures={"maps[1]": Input(white, Source.SET)})
    gradient = Texture(Pattern.GRADIENT)
    (shown,) = binding.texture_elements(inputs).values()
    assert shown == (gradient, white, gradient)
    (row,) = binding.listed(inputs, SIZE)
    assert (row.type, row.is_unsettled) == ("sampler2D[3]", True)


def test_textures_that_nobody_chose_have_the_texts_filter_else_the_dialects():
    loose, hinted, stored = Descriptor(0, 0), Descriptor(0, 1), Descriptor(0, 2)
    image = Resource("stored", stored, ResourceKind.STORAGE_IMAGE, PICTURE, 1, 4)
    binding = Binding(
        interface(texture("loose", (0, 0), 2), texture("hinted", (0, 1), 3), image),
        filter=Filter.MIPMAP,
        filters={"hinted": Filter.NEAREST},
    )
    shown = {at: one.filter for at, (one,) in binding.texture_elements(Inputs()).items()}
    assert shown == {loose: Filter.MIPMAP, hinted: Filter.NEAREST, stored: Filter.LINEAR}
    chosen = Inputs(textures={"loose": Input(Texture(filter=Filter.LINEAR), Source.SET)})
    assert binding.texture_elements(chosen)[loose][0].filter is Filter.LINEAR


def test_push_and_specialisation_constants():
    push = PushConstants("push", Struct("P", (Member("mode", INT, 4),)), 3)
    spec = SpecConstant("LIMIT", 5, INT, 2)
    binding = Binding(interface(push=[push], spec=[spec]))
    assert binding.push_constants(values(**{"push.mode": (3.0,)}), SIZE) == struct.pack("<2i", 0, 3)
    assert binding.spec_constants(Inputs()) == {}
    assert binding.spec_constants(values(LIMIT=(-1.0,))) == {5: struct.pack("<i", -1)}
    assert [row.value for row in binding.listed(Inputs(), SIZE)] == [(0.0,), (2.0,)]


def test_arrays_that_were_chosen_are_written_into_a_buffers_bytes():
    binding = Binding(interface(block("u", [Member("gains", Array(FLOAT, 2, 4), 4)])))
    data = np.zeros(16, np.uint8)
    binding.write_given(Descriptor(0, 0), data, values(**{"u.gains": (1.0, 2.0)}))
    assert data.view(np.float32).tolist() == [0, 1, 2, 0]


def test_matrices_of_hlsl_are_transposed():
    members = [Member("view", Numeric(Component.FLOAT, 32, 4, 4), 0, 16)]
    one, other = (
        np.array(Binding(interface(block("u", members), transposed=way)).listed(Inputs(), SIZE)[0]
                 .value).reshape(4, 4)
        for way in (False, True)
    )  # fmt: skip
    assert np.array_equal(one, other.T)


@given(
    rows=st.integers(1, 4),
    columns=st.integers(1, 4),
    lengths=st.lists(st.integers(0, 3), max_size=2),
    row_major=st.booleans(),
    offset=st.integers(0, 8).map(lambda n: 4 * n),
    cut=st.integers(0, 40).map(lambda n: 4 * n),
)
def test_numbers_lie_where_the_layout_says(rows, columns, lengths, row_major, offset, cut):
    rows = max(rows, 2) if columns > 1 else rows
    stride = 16 if columns > 1 else 0
    inner = 16 * (rows if row_major else columns) if columns > 1 else 16
    strides = []
    for length in reversed(lengths):
        strides.insert(0, inner)
        inner *= length or RUN_TIME_ELEMENTS
    leaf = Leaf("x", Numeric(Component.FLOAT, 32, rows, columns), offset, tuple(lengths),
                tuple(strides), stride, row_major)  # fmt: skip
    nbytes = max(0, offset + inner - cut)
    shape = [length or RUN_TIME_ELEMENTS for length in lengths]
    count = int(np.prod(shape)) * rows * columns
    numbers = np.arange(1, count + 1, dtype=float)
    data = bytearray(nbytes)
    Packer(leaf, nbytes).write(data, tuple(numbers))
    expected = bytearray(nbytes)
    for at, number in zip(np.ndindex(*shape, columns, rows), numbers, strict=True):
        *indices, column, row = at
        place = offset + sum(n * s for n, s in zip(indices, strides, strict=True))
        place += (
            (row * stride + column * 4)
            if row_major and columns > 1
            else (column * stride + row * 4)
        )
        if place + 4 <= nbytes:
            struct.pack_into("<f", expected, place, number)
    assert data == expected
