import re

from shaderlab.app.editor.search import expression


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
