import pytest

from shaderlab.app.panels.outline.rows import outline_rows, row_at
from shaderlab.language.outline import outline
from shaderlab.language.syntax import Language, Syntax

TEXT = """uniform float speed;
struct Ray { vec3 at; };
float falloff(vec2 place)
{
    return exp(-dot(place, place));
}
void mainImage(out vec4 c, in vec2 p) { c = vec4(falloff(p)); }
"""
PARTS = outline(Syntax(TEXT, Language.GLSL))


def test_a_function_takes_what_its_lines_take():
    rows = outline_rows(PARTS, {4: 0.1, 5: 0.5, 7: 0.25, 99: 1.0})
    assert [row.first for row in rows] == [1, 2, 3, 7]
    assert [row.share for row in rows] == [None, None, pytest.approx(0.6), 0.25]
    assert [row.kind for row in rows] == ["uniform", "struct", "function", "function"]


def test_without_a_forecast_of_the_text_there_are_no_shares():
    assert {row.share for row in outline_rows(PARTS, None)} == {None}


def test_the_caret_s_part_is_found():
    rows = outline_rows(PARTS, None)
    assert [row_at(rows, line) for line in (1, 4, 6, 7, 8)] == [0, 2, 2, 3, -1]
