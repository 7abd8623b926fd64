"""Pragmas for editors in comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.scene.hints import HintedEditor, InputHint, hint_of, hints, switches


def test_each_editor():
    text = """
// #pragma shaderlab slider(exposure, 0, 4, 0.1)
/* #pragma shaderlab color(ubo.tint) */
//#pragma shaderlab   toggle( animated )
#pragma shaderlab slider(speed, -1, 1)
"""
    found, problems = hints(text)
    assert not problems
    assert found == {
        "exposure": InputHint(HintedEditor.SLIDER, 0.0, 4.0, 0.1),
        "ubo.tint": InputHint(HintedEditor.COLOUR),
        "animated": InputHint(HintedEditor.TOGGLE),
        "speed": InputHint(HintedEditor.SLIDER, -1.0, 1.0),
    }


def test_the_last_part_of_a_name_is_enough():
    known, _ = hints("// #pragma shaderlab toggle(on)")
    assert hint_of("block.on", known) == InputHint(HintedEditor.TOGGLE)
    assert hint_of("block.off", known) is None


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        ("slider(x)", "two finite bounds"),
        ("slider(x, 1, 0)", "the first must be less"),
        ("slider(x, 0, 1, 2)", "does not fit"),
        ("slider(x, 0, nan)", "two finite bounds"),
        ("slider(x, a, b)", "not a number"),
        ("slider(, 0, 1)", "names no input"),
        ("color(x, 1)", "takes a name only"),
        ("knob(x)", 'no editor "knob"'),
        ("", "write slider"),
    ],
)
def test_a_pragma_that_cannot_be_followed_says_why_and_where(pragma, message):
    found, problems = hints(f"\n\n// #pragma shaderlab {pragma}\n")
    assert not found
    (problem,) = problems
    assert problem.line == 3
    assert message in problem.message


@given(st.text(st.sampled_from("#pragma shaderlab slider(),.0123456789-exnif\n*/")))
def test_any_text_is_read(text):
    hints(text)
    hints(f"// #pragma shaderlab {text}")


def test_a_bool_of_a_block_or_a_loose_one_is_a_switch_and_a_local_one_is_not():
    code = """
    layout(set = 0, binding = 0) uniform Look { float glow; bool animated; uint count; } look;
    layout(push_constant) uniform Push { bool late; };
    cbuffer Scene : register(b0) { bool lit; };
    uniform bool loose;
    uniform highp bool set = true;
    void main() { bool local; if (animated) { bool deep; } }
    """
    assert switches(code) == {"animated", "late", "lit", "loose", "set"}
