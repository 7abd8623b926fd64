"""Wording that several panels share."""

from shaderlab.app.widgets.phrases import grouped, line_ranges
from shaderlab.prediction.forms import method_name


def test_lines_next_to_each_other_are_a_range():
    assert line_ranges(()) == ""
    assert line_ranges((5,)) == "5"
    assert line_ranges((1, 2, 3, 7, 9, 10)) == "1\u20133, 7, 9\u201310"


def test_thousands_are_grouped():
    assert grouped(999) == "999"
    assert grouped(1234567.4) == "1\u202f234\u202f567"


def test_methods_have_names_and_keep_what_qualifies_them():
    assert method_name("trees") == "boosted trees"
    assert method_name("pilr, counts estimated") == "PILR, counts estimated"
    assert method_name("of the future") == "of the future"
