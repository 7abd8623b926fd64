"""Comments, strings and directives of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend import scanner
from shaderlab.frontend.dialects.literals import COMPONENTS, value

PIECES = st.lists(
    st.sampled_from(
        ["/*", "*/", "//", '"', "\n", "\\\n", "a", " ", "#if 1", "#endif", "é", "*", "/"]
    )
).map("".join)


def test_comments_are_blanked_in_place():
    text = "a /* b\nc */ d // e\nf"
    assert scanner.blank(text) == "a     \n     d     \nf"


def test_a_line_comment_continues_over_a_spliced_line_end():
    assert scanner.blank("// a \\\nb\nc").split() == ["c"]


def test_comment_marks_inside_strings_are_text():
    assert scanner.blank('#include "a//b" c', strings=False) == '#include "a//b" c'
    assert scanner.blank('"/*" x').strip() == "x"


def test_comments_that_mean_something_are_left():
    assert scanner.without_comments("a /* b */ // c\nd") == "a          \nd"
    for kept in ("a /* never", "#define A 1 /* over\nlines */ + 2", 'x "/* */"'):
        assert scanner.without_comments(kept) == kept
    assert scanner.without_comments("#define A 1 /* x */\n/* y\n */ z") == (
        "#define A 1        \n    \n    z"
    )


@given(PIECES)
def test_taking_comments_out_keeps_every_place(text):
    bare = scanner.without_comments(text)
    assert [line.rstrip() for line in scanner.blank(bare).split("\n")] == [
        line.rstrip() for line in scanner.blank(text).split("\n")
    ]


def test_an_apostrophe_or_a_lone_quote_does_not_swallow_the_next_line():
    assert "void main" in scanner.blank("#error it's \"bad\nvoid main")


@given(PIECES)
def test_blanking_keeps_length_and_line_ends(text):
    for strings in (True, False):
        blanked = scanner.blank(text, strings=strings)
        assert len(blanked) == len(text)
        assert [i for i, c in enumerate(blanked) if c == "\n"] == [
            i for i, c in enumerate(text) if c == "\n"
        ]


@given(PIECES)
def test_blanking_twice_changes_nothing_more(text):
    once = scanner.blank(text)
    assert scanner.blank(once) == once


def test_directives_carry_their_line_and_argument():
    text = (
        '#if 1\n  # include "a" // why\n#endif\n/*\n#include "no"\n*/\n#define A \\\n#include "b"\n'
    )
    found = scanner.directives(text)
    assert [(d.line, d.name, d.argument) for d in found] == [
        (0, "if", "1"),
        (1, "include", '"a"'),
        (2, "endif", ""),
        (6, "define", "A \\"),
    ]


def test_whether_a_text_ends_in_a_comment():
    assert scanner.ends_in_comment("a /* b")
    assert scanner.ends_in_comment("/*/")
    assert not scanner.ends_in_comment("/* a */")
    assert not scanner.ends_in_comment("// a /* b")


def test_conditionals_must_balance_within_a_text():
    assert scanner.conditional_balance("#ifdef A\n#else\n#endif\n#if 1\n#endif")
    assert not scanner.conditional_balance("#if 1")
    assert not scanner.conditional_balance("#endif\n#if 1")
    assert scanner.conditional_balance("// #if 1")


def test_a_bool_is_written_as_a_word_or_a_digit():
    assert [value(each, "bool") for each in ("true", " 1", "false", "0")] == [1, 1, 0, 0]
    assert value("2", "bool") is None


@pytest.mark.parametrize("kind", COMPONENTS)
def test_a_literal_has_the_components_of_its_type(kind):
    count = COMPONENTS[kind]
    found = value("1" if count == 1 else f"vec{count}({', '.join('1' * count)})", kind)
    assert found == (1 if count == 1 else (1,) * count)
    assert value("1, 1, 1, 1, 1", kind) is None
    assert count == int(kind[-1]) if kind[-1].isdigit() else count == 1
