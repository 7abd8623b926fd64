from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.laboratory.edits import Edit, edited
from shaderlab.frontend.compiler import compile_text

TEXT = """\
#define STEPS 40
float map(vec3 p) { return length(p) - 1.0; } // for (int i = 0; i < 7; i++) {
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float t = 0.0;
    for (int i = 0; i < STEPS; i++) {
        float d = map(vec3(fragCoord, t));
        t += d;
    }
    if (t > 3.0) t = pow(t, 2.0);
    fragColor = vec4(t);
}
"""


def change(edit: Edit, text: str = TEXT) -> str:
    found = edited(text, edit, "seed")
    assert found is not None
    return found


def test_a_loop_s_limit_is_halved_or_doubled_where_it_is_defined():
    assert change(Edit.TRIPS).splitlines()[0] in ("#define STEPS 20", "#define STEPS 80")
    assert "i < 7" not in change(Edit.TRIPS), "comments are no place"


def test_a_limit_in_the_loop_itself_is_changed_there_and_nowhere_else():
    text = "float a = 12.0; void f() { for (int i = 0; i < 12; i++) { a += 12.0; } }"
    made = change(Edit.TRIPS, text)
    assert made in (text.replace("i < 12", "i < 6"), text.replace("i < 12", "i < 24"))


def test_a_term_is_removed_but_no_loop_s_step():
    assert change(Edit.TERM) == change(Edit.PRECISION).split("\n", 1)[1].replace(
        "        t += d;", ""
    )
    assert edited("void f() { for (int i = 0; i < 3; i += 1) { g(); } }", Edit.TERM, "") is None


def test_an_early_exit_leaves_the_loop_or_the_rim():
    assert "if (abs(d) < 0.01) break;" in change(Edit.EXIT)
    flat = "void mainImage(out vec4 c, in vec2 p) { c = vec4(1.0); }"
    assert "abs(p.y / iResolution.y - 0.5) > 0.375) { c =" in change(Edit.EXIT, flat)


def test_a_function_is_replaced_with_its_arguments_however_nested():
    text = "float f(float x) { return pow(pow(x, 2.0), max(x, 3.0)); }"
    assert change(Edit.FUNCTION, text) == (
        "float f(float x) { return exp2((max(x, 3.0))*log2(exp2((2.0)*log2(x)))); }"
    )
    assert change(Edit.FUNCTION, "float a = atan(y, x);") == "float a = atan(y, x);"


def test_a_conditional_assignment_becomes_a_select():
    assert "t = (t > 3.0) ? (pow(t, 2.0)) : t;" in change(Edit.FLATTENED)
    assert edited("void f() { if (a) b = 1; else c = 2; }", Edit.FLATTENED, "") is None


def test_the_colour_is_graded_by_a_table():
    made = change(Edit.LOOKUP)
    assert "void ungraded(out vec4 fragColor" in made
    assert made.count("mainImage") == 1


def test_every_second_round_of_a_loop_is_left_out():
    assert "for (int i = 0; i < STEPS; i += 2) {" in change(Edit.COARSER)
    ahead = "void f() { for (int k = 9; k > 0; ++k) g(); }"
    assert change(Edit.COARSER, ahead) == ahead.replace("++k", "k += 2")
    assert edited("void f() { for (int i = 0; i < 3; i += 1) g(); }", Edit.COARSER, "") is None


@pytest.mark.parametrize(
    ("edit", "inner"), [(Edit.SAMPLES, "sampled"), (Edit.FINISHED, "unfinished")]
)
def test_main_is_called_by_what_is_put_around_it(edit, inner):
    made = change(edit)
    assert f"void {inner}(out vec4 fragColor" in made
    assert made.count("mainImage") == 1
    compile_text(made, "edited.frag", None)


def test_the_time_becomes_a_constant_where_it_is_read():
    text = "void mainImage(out vec4 c, in vec2 p) { c = vec4(sin(iTime)); }"
    assert change(Edit.CONSTANT, text) == f"#define iTime 1.0\n{text}"
    assert edited("float myiTime;", Edit.CONSTANT, "") is None
    compile_text(change(Edit.CONSTANT, text), "edited.frag", None)


@pytest.mark.parametrize("edit", [edit for edit in Edit if edit is not Edit.PRECISION])
def test_a_text_without_a_place_is_left_alone(edit):
    assert edited("float a;", edit, "seed") is None


@given(st.text(alphabet="for(int i=0;i<8;+){}f=sin,*x.\n ", max_size=200), st.sampled_from(Edit))
def test_the_same_seed_gives_the_same_edit_of_any_text(text, edit):
    assert edited(text, edit, "a") == edited(text, edit, "a")
