from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.editor.line_costs import (
    LineCosts,
    hottest,
    joined,
    unrun_stretches,
    with_uncalled,
)
from shaderlab.app.editor.margin_notes import MarginNotes


def test_a_stretch_goes_on_over_lines_without_a_count():
    assert unrun_stretches({3: 5, 5: 0, 9: 0, 10: 7, 12: 0}) == ((5, 9), (12, 12))
    assert unrun_stretches({}) == ()


@given(st.dictionaries(st.integers(1, 200), st.integers(0, 2)))
def test_stretches_have_every_line_that_never_ran_and_none_that_did(counts):
    inside = {n for first, last in unrun_stretches(counts) for n in range(first, last + 1)}
    for line, count in counts.items():
        assert (line in inside) == (count == 0)


def test_heat_follows_the_time_where_it_is_known_and_else_the_runs():
    counts = {1: 10, 2: 10 * 300, 3: 0}
    assert MarginNotes(counts, 10).costs == LineCosts({2: 5}, ((3, 3),))
    assert MarginNotes(counts, 10, {1: 0.4, 2: 0.03}).costs.heat == {1: 5, 2: 1}


def test_the_hottest_line_near_the_pointer():
    heat = {4: 2, 5: 3, 6: 3, 20: 5}
    assert hottest(heat, 1, 10) == 5
    assert hottest(heat, 7, 19) is None
    assert joined([LineCosts(heat), LineCosts({5: 1}, ((8, 9),))]) == LineCosts(
        {**heat, 5: 1}, ((8, 9),)
    )


def test_functions_without_a_count_never_ran():
    bodies = [(1, 4), (6, 9), (11, 11)]
    counted = {2: 5, 3: 0}
    assert with_uncalled([(3, 3)], bodies, counted) == ((3, 3), (6, 9))
    assert with_uncalled([], bodies, {1: 1, 4: 1, 6: 2, 11: 1}) == ()
