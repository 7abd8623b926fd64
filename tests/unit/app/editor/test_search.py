import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.search import Search


def found(pattern, text, **options):
    return [match.group() for _, match in Search(pattern, **options).matches(text)]


def test_searches():
    assert found("a.b", "a.b aXb") == ["a.b"]
    assert found("a.b", "a.b aXb", regex=True) == ["a.b", "aXb"]
    assert found("sin", "Sin asin sin") == ["Sin", "sin", "sin"]
    assert found("sin", "Sin asin sin", word=True, case=True) == ["sin"]
    assert found("sin(", "asin( sin(x", word=True) == [], "x goes on with the word"
    assert found("x =", "ax = x =", word=True) == ["x ="]
    assert found("(", "f(x)") == ["("]
    assert found("", "abc") == []
    assert found("^b$", "ab\nb", regex=True) == ["b"], "a line is searched by itself"


def test_a_malformed_expression_finds_nothing_and_is_explained():
    search = Search("f(", regex=True)
    assert list(search.matches("f(x)")) == []
    assert "unterminated" in search.problem
    assert not Search("f(").problem


@pytest.mark.parametrize(
    ("by", "text"),
    [
        ("vec$1 new_$2 =", "vec2 new_p = q; vec3 new_c = d;"),
        (r"vec\1 new_\2 =", "vec2 new_p = q; vec3 new_c = d;"),
        ("$2${1}0 =", "p20 = q; c30 = d;"),
        ("[$&]", "[vec2 p =] q; [vec3 c =] d;"),
        ("$$", "$ q; $ d;"),
    ],
)
def test_groups_are_put_into_the_replacement(by, text):
    search = Search(r"vec(\d) (\w+) =", regex=True)
    assert search.replaced("vec2 p = q; vec3 c = d;", by) == (text, 2)


def test_a_replacement_without_its_group_is_refused():
    with pytest.raises((re.error, IndexError)):
        Search("a", regex=True).replaced("a", "$1")
    assert Search("a").replaced("a.a", "$1") == ("$1.$1", 2)


@given(st.text("ab \n"), st.text("ab", min_size=1), st.text("ab$\\"))
def test_plain_text_is_replaced_as_python_replaces_it(text, pattern, by):
    assert Search(pattern, case=True).replaced(text, by)[0] == text.replace(pattern, by)
