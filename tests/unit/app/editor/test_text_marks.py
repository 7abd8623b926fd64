import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.text_marks import (
    Mark,
    comment_toggled,
    expression,
    marks_by_line,
    underlined,
)


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


INDENTED = st.builds(
    lambda indent, body: " " * indent + body,
    st.integers(0, 8),
    st.text(st.sampled_from("abc =;(){}"), max_size=12),
)


@given(st.lists(INDENTED, min_size=1, max_size=8))
def test_toggling_comments_twice_changes_nothing(lines):
    assert comment_toggled(comment_toggled(lines)) == lines


def test_comments_line_up_at_the_least_indent():
    lines = ["    if (a) {", "", "        b;", "    }"]
    assert comment_toggled(lines) == ["    // if (a) {", "", "    //     b;", "    // }"]


def test_searches():
    def found(pattern, text, **options):
        chosen = {"case": False, "word": False, "regex": False} | options
        searched = expression(pattern, **chosen)
        return searched and [m.group() for m in searched.finditer(text)]

    assert found("a.b", "a.b aXb") == ["a.b"]
    assert found("a.b", "a.b aXb", regex=True) == ["a.b", "aXb"]
    assert found("sin", "Sin asin sin") == ["Sin", "sin", "sin"]
    assert found("sin", "Sin asin sin", word=True, case=True) == ["sin"]
    assert found("(", "f(x)") == ["("]
    assert found("(", "f(x)", regex=True) is None
    assert found("", "abc") is None
    assert isinstance(expression("x", case=True, word=False, regex=False), re.Pattern)
