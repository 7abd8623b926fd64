"""Numbers that a text fixes."""

from __future__ import annotations

import pytest

from shaderlab.errors import WrongUse
from shaderlab.studies.constants import Where, constants, mentions, with_values

TEXT = """\
#define STEPS 64 // as many
/* #define OLD 3
const int GONE = 4; */
#define BIAS 0.5f
#define AREA(r) (3.14 * r)
#define FLAG
  #  define SPAN  (2.0 * BIAS)
const int A = 3, B = 4;
static const uint MASK = 7u;
const highp float SCALE = 1.5;
layout(constant_id = 2) const bool FAST = true;
const vec3 LIGHT = vec3(1.0, 2.0, 3.0);
const float TABLE[2] = float[2](1.0, 2.0);
void f(const int count) {
    const int INNER = -2;
    int i = 3;
    for (int k = 0; k < count; k++) { i += A; }
}
#ifdef FAST_PATH
#define OCTAVES 3
#else
#define OCTAVES 6
#endif
"""


def test_macros_and_single_numbers_are_found_and_nothing_else():
    found = constants(TEXT)
    assert {name: each.value for name, each in found.items()} == {
        "STEPS": "64", "BIAS": "0.5f", "SPAN": "(2.0 * BIAS)", "OCTAVES": "3", "A": "3", "B": "4",
        "MASK": "7u", "SCALE": "1.5", "FAST": "true", "INNER": "-2",
    }  # fmt: skip
    assert found["STEPS"].where is Where.DEFINE
    assert found["A"].where is Where.CONST


def test_languages_with_the_type_behind_the_name():
    found = constants("const COUNT: i32 = 8;\noverride size: f32 = 2.0;\n")
    assert {name: each.type for name, each in found.items()} == {"COUNT": "i32", "size": "f32"}


def test_values_replace_the_number_alone_and_lines_stay():
    found = constants(TEXT)
    new = with_values(
        TEXT,
        {found["STEPS"]: "8", found["B"]: "40", found["MASK"]: "15", found["SCALE"]: "2",
         found["FAST"]: "false", found["OCTAVES"]: "5"},
    ).split("\n")  # fmt: skip
    assert new[0] == "#define STEPS 8 // as many"
    assert "const int A = 3, B = 40;" in new
    assert "static const uint MASK = 15u;" in new
    assert "const highp float SCALE = 2.0;" in new
    assert "layout(constant_id = 2) const bool FAST = false;" in new
    assert new.count("#define OCTAVES 5") == 2
    assert len(new) == len(TEXT.split("\n"))


def test_a_number_takes_the_form_its_type_needs():
    found = constants(TEXT)
    assert found["BIAS"].written("2") == "2.0f"
    assert found["SPAN"].written("3") == "3"
    assert found["STEPS"].written("2.5") == "2.5"
    with pytest.raises(WrongUse, match=r"A is int 3: 2\.5 is not an integer"):
        found["A"].written("2.5")
    with pytest.raises(WrongUse, match="true or false"):
        found["FAST"].written("3")
    with pytest.raises(WrongUse, match="a number"):
        found["STEPS"].written("true")


def test_a_macro_that_only_a_condition_asks_for_is_mentioned():
    assert mentions(TEXT, "FAST_PATH")
    assert not mentions(TEXT, "OLD")


def test_a_long_gap_takes_no_longer_than_its_length():
    assert constants("#define A" + " " * 1_000_000 + "\\\n") == {}


def test_a_name_defined_very_often_is_replaced_everywhere():
    text = "#define A 1\n" * 100_000
    assert with_values(text, {constants(text)["A"]: "22"}) == "#define A 22\n" * 100_000
