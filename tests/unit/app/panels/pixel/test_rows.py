import math

import pytest

from shaderlab.app.panels.pixel.rows import columns_of, rows_of, value_text
from shaderlab.gpu.pixel_values import PixelValues
from shaderlab.spirv.passes.recording import Access, Event, Site
from shaderlab.spirv.trace import SourceLine
from shaderlab.spirv.value_types import Component, Numeric

FLOAT = Numeric(Component.FLOAT)
SITES = (
    Site("ray.at.x", FLOAT, Access.READ, 1),
    Site("param", FLOAT, Access.WRITTEN, 1),
    Site("sum", FLOAT, Access.WRITTEN, 1),
    Site("", FLOAT, Access.RETURNED, 2),
)


def values(*steps: tuple[Event, ...]) -> PixelValues:
    line = SourceLine("", 3)
    return PixelValues((1, 2), line, (0, 0, 0, 255), 9, len(steps), SITES, steps, True)


def test_a_compilers_copies_have_no_column():
    titles = [each.title for each in columns_of(values(), "sum += f(ray.at.x); return sum;")]
    assert titles == ["ray.at.x", "sum =", "returned"]
    assert len(columns_of(values(), "")) == 4, "all where the text is not known"


def test_what_a_run_did_not_come_by_is_empty_and_what_is_no_number_is_odd():
    found = values((Event(0, (1.5,)), Event(2, (math.nan,))), (Event(2, (math.inf,)),))
    rows = rows_of(found, columns_of(found, "sum ray"))
    assert [[cell.text for cell in row] for row in rows] == [["1.5", "nan", ""], ["", "inf", ""]]
    assert [[cell.odd for cell in row] for row in rows] == [
        [False, True, False], [False, True, False],
    ]  # fmt: skip


def test_one_part_that_is_no_number_makes_a_value_odd():
    found = values((Event(0, (1.5, math.nan)),))
    assert rows_of(found, columns_of(found, "sum ray"))[0][0].odd


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((0.1,), "0.1"),
        ((16777217.0,), "1.677722e+07"),
        ((True,), "true"),
        ((-3, 4), "(-3, 4)"),
        ((1.0, 0.5), "(1, 0.5)"),
    ],
)
def test_values_are_written_as_a_person_would(value, text):
    assert value_text(value) == text
