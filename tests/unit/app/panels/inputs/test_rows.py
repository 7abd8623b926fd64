"""What becomes of an input as a row: its editor, its range, what is said of its value."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.inputs.rows import Editor, names_a_colour, rows_of
from shaderlab.scene.defaults import DecidingDefault
from shaderlab.scene.hints import HintedEditor, InputHint
from shaderlab.scene.inputs import Source
from shaderlab.scene.meanings import Meaning
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.scene.textures import Filter, Texture
from shaderlab.spirv.analysis.influence import Effect
from shaderlab.spirv.trace import SourceLine
from shaderlab.spirv.value_types import Component, Numeric

F, S, U, B = Component.FLOAT, Component.INT, Component.UINT, Component.BOOL
SCALAR = Numeric(F)
TIME = Meaning("time in seconds", lambda _: (0.0,), is_certain=True, is_live=True)
GUESSED_TIME = TIME._replace(is_certain=False)
LIGHT = Meaning("light direction", lambda _: (0.0,), is_certain=False, is_live=False)


def shader_input(
    name="x", numeric: Numeric = SCALAR, value=(0.0,), source=Source.DEFAULT, **more
) -> ShaderInput:
    kind = more.pop("kind", InputKind.UNIFORM)
    return ShaderInput(name, kind, "float", value, source, numeric, **more)


def row(given: ShaderInput, hint: InputHint | None = None):
    own, provided = rows_of([given], {given.name: hint or InputHint()}, {})
    assert len(own) + len(provided) == 1
    return (own + provided)[0]


@pytest.mark.parametrize(
    ("name", "numeric", "count", "editor"),
    [
        ("speed", Numeric(F), 1, Editor.NUMBER),
        ("steps", Numeric(S), 1, Editor.NUMBER),
        ("on", Numeric(B), 1, Editor.SWITCH),
        ("offset", Numeric(F, rows=2), 2, Editor.VECTOR),
        ("cells", Numeric(S, rows=3), 3, Editor.VECTOR),
        ("tint", Numeric(F, rows=3), 3, Editor.COLOUR),
        ("u_baseColor", Numeric(F, rows=4), 4, Editor.COLOUR),
        ("tint", Numeric(S, rows=3), 3, Editor.VECTOR),
        ("turn", Numeric(F, rows=4, columns=4), 16, Editor.MATRIX),
        ("weights", Numeric(F), 9, Editor.LIST),
        ("points", Numeric(F, rows=3), 9, Editor.LIST),
        ("bones", Numeric(F, rows=4, columns=4), 32, Editor.LIST),
    ],
)
def test_the_editor_fits_name_and_type(name, numeric, count, editor):
    assert row(shader_input(name, numeric, (0.0,) * count)).editor is editor


def test_hints_of_the_shader_come_before_guesses():
    assert (
        row(shader_input("x", Numeric(S)), InputHint(editor=HintedEditor.TOGGLE)).editor
        is Editor.SWITCH
    )
    vector = shader_input("x", Numeric(F, rows=3), (0.0,) * 3)
    assert row(vector, InputHint(editor=HintedEditor.COLOUR)).editor is Editor.COLOUR
    chosen = row(shader_input("mode", Numeric(S)), InputHint(choices=(("off", 0.0), ("on", 1.0))))
    assert chosen.editor is Editor.CHOICE
    assert chosen.choices == (("off", 0.0), ("on", 1.0))


def test_what_the_preview_provides_stands_apart_and_is_not_edited():
    own, provided = rows_of(
        [
            shader_input("iTime", meaning=TIME),
            shader_input("speed"),
            shader_input("uv", value=None, kind=InputKind.VARYING),
        ],
        {},
        {},
    )
    assert [each.name for each in own] == ["speed"]
    assert [(each.name, each.source) for each in provided] == [
        ("iTime", "time in seconds"),
        ("uv", "from the geometry"),
    ]


def test_a_guess_says_so_and_can_be_replaced():
    live = row(shader_input("t", meaning=GUESSED_TIME))
    assert (live.editor, live.source) == (Editor.FOLLOWING, "guessed")
    assert live.meaning == "time in seconds"
    still = row(shader_input("light", Numeric(F, rows=3), (0.0, 1.0, 0.0), meaning=LIGHT))
    assert (still.editor, still.source) == (Editor.VECTOR, "guessed: light direction")
    matrix = row(shader_input("m", Numeric(F, rows=4, columns=4), (0.0,) * 16, meaning=LIGHT))
    assert matrix.editor is Editor.FOLLOWING
    assert not matrix.is_set


@pytest.mark.parametrize("source", [Source.SET, Source.PROJECT])
def test_what_was_given_names_its_source_and_has_a_way_back(source):
    shown = row(shader_input(source=source, value=(2.0,)))
    assert shown.is_set
    assert shown.source == source.value


def test_a_default_that_decides_carries_the_sentence_about_it():
    steps = DecidingDefault("steps", "0", {SourceLine("", 12): Effect.LOOP})
    own, _ = rows_of([shader_input("steps"), shader_input("speed")], {}, {"steps": steps})
    assert [each.decides for each in own] == [steps.sentence, ""]
    assert own[0].source == "guessed; affects control flow"


@given(st.floats(-1e35, 1e35), st.sampled_from([F, S, U]))
def test_a_slider_always_reaches_the_value(value, component):
    shown = row(shader_input(numeric=Numeric(component), value=(value,)))
    assert shown.limits.lowest <= value
    assert shown.limits.highest >= value or abs(value) > 1e30
    assert shown.limits.lowest < shown.limits.highest
    assert not shown.limits.are_given


def test_the_shaders_own_range_holds():
    limits = row(shader_input(value=(7.0,)), InputHint(lowest=-2.0, highest=2.0, step=0.5)).limits
    assert (limits.lowest, limits.highest, limits.step, limits.are_given) == (-2, 2, 0.5, True)
    senseless = row(shader_input(), InputHint(lowest=5.0, highest=5.0)).limits
    assert senseless.lowest < senseless.highest


@pytest.mark.parametrize(
    ("name", "is_colour"),
    [
        ("colour", True),
        ("u_BackgroundColor", True),
        ("lights[2].diffuse", True),
        ("RGB", True),
        ("colorMapSize", False),
        ("direction", False),
        ("tinted", False),
    ],
)
def test_names_of_colours(name, is_colour):
    assert names_a_colour(name) is is_colour


def test_a_separate_sampler_is_edited_by_how_it_samples():
    sampling = Texture(filter=Filter.NEAREST)
    given = replace(
        shader_input("smp", value=None, kind=InputKind.SAMPLER), numeric=None, sampling=sampling
    )
    shown = row(given)
    assert (shown.editor, shown.value) == (Editor.SAMPLER, sampling)
