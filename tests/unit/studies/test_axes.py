"""What a study varies, as people write it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.studies.axes import MOST, Axis, combinations, number, parse


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("STEPS=8,16,32", ("8", "16", "32")),
        ("STEPS=8:128:x2", ("8", "16", "32", "64", "128")),
        ("A=1:4", ("1", "2", "3", "4")),
        ("A=0.1:0.5:0.1", ("0.1", "0.2", "0.3", "0.4", "0.5")),
        ("A=0:60:20", ("0", "20", "40", "60")),
        ("A=10,20:40:10,20", ("10", "20", "30", "40")),
        ("light.on=true,false", ("true", "false")),
        ("w[3]=+1,-2.5e-3", ("1", "-2.5e-3")),
    ],
)
def test_lists_and_ranges(text, values):
    assert parse(text).values == values


@pytest.mark.parametrize(
    "text",
    ["STEPS", "=3", "A=", "A=x", "A=3:1", "A=1:9:0", "A=0:8:x2", "A=1:8:x1", "A=1:2:3:4",
     "A=nan", "A=1e999", "A=vec3(1)", "A=1;", "A=0:1:1e-9", "a b=3"],
)  # fmt: skip
def test_what_is_no_axis_is_refused(text):
    with pytest.raises(WrongUse):
        parse(text)


@given(st.integers(-999, 999), st.integers(0, MOST - 1), st.integers(1, 50))
def test_a_range_has_both_ends_and_equal_steps(first, steps, step):
    last = first + steps * step
    numbers = parse(f"N={first}:{last}:{step}").numbers
    assert numbers[0] == first
    assert numbers[-1] == last
    assert {b - a for a, b in pairwise(numbers)} <= {step}


def test_combinations_are_bounded_and_the_last_name_is_fastest():
    a, b = parse("A=1,2"), parse("B=true,false")
    assert combinations([a, b]) == (("1", "true"), ("1", "false"), ("2", "true"), ("2", "false"))
    with pytest.raises(WrongUse, match="110 combinations"):
        combinations([parse("A=1:10"), parse("B=1:11")])
    with pytest.raises(WrongUse, match="twice"):
        combinations([a, Axis("A", ("3",))])


def test_words_are_numbers_too():
    assert (number("true"), number("false"), number("-2.5")) == (1.0, 0.0, -2.5)
