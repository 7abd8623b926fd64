"""Wording that several panels share."""

from shaderlab.app.widgets.phrases import line_ranges


def test_lines_next_to_each_other_are_a_range():
    assert line_ranges(()) == ""
    assert line_ranges((5,)) == "5"
    assert line_ranges((1, 2, 3, 7, 9, 10)) == "1\u20133, 7, 9\u201310"
