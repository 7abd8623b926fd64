import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.problem_marks import Mark, marks_by_line, underlined


@pytest.mark.parametrize(
    ("text", "mark", "token"),
    [
        ("  float x = foo + 1;", Mark(1, 0, True, "'foo' is not declared"), "foo"),
        ("  foobar = foo;", Mark(1, 0, True, "'foo' : undeclared"), "foo"),
        ("  float x = 1", Mark(1, 0, True, "syntax error"), "float x = 1"),
        ("  float x = bar;", Mark(1, 13, True, "no good"), "bar"),
        ("  a = b + b;", Mark(1, 10, True, "'b' : no good"), "b"),
        ("\ta;  ", Mark(1, 99, True, "beyond the end"), "a;"),
    ],
)
def test_the_token_that_is_meant_is_underlined(text, mark, token):
    start, end = underlined(text, mark)
    assert text[start:end] == token


@given(st.text(st.characters(exclude_characters="\n")), st.integers(0, 50), st.text())
def test_underlines_stay_within_the_line(text, column, message):
    start, end = underlined(text, Mark(1, column, True, message))
    assert end <= len(text)
    assert start >= 0


def test_an_error_outranks_warnings_and_like_messages_are_joined():
    marks = [
        Mark(2, 0, False, "w"),
        Mark(2, 0, True, "a"),
        Mark(2, 0, True, "b"),
        Mark(2, 0, True, "a"),
        Mark(3, 0, False, "w"),
    ]
    kept = marks_by_line(marks)
    assert kept[2].message == "a\nb"
    assert kept[2].error
    assert not kept[3].error
