from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.variants.diff import (
    Kind,
    LineCost,
    change_text,
    changed_spans,
    side_by_side,
    unified,
)
from shaderlab.app.panels.variants.prepared import Comparing

OLD = ["a", "float x = 1.0;", "b", "c"]
NEW = ["a", "float x = 2.5;", "b", "new", "c"]


def test_a_changed_line_stands_beside_the_one_it_was():
    rows = side_by_side(OLD, NEW)
    assert [(left.text, right.text) for left, right in rows] == [
        ("a", "a"), ("float x = 1.0;", "float x = 2.5;"), ("b", "b"), ("", "new"), ("c", "c"),
    ]  # fmt: skip
    assert (rows[1][0].spans, rows[1][1].spans) == (((10, 11), (12, 13)), ((10, 11), (12, 13)))
    assert rows[3][0].kind is Kind.GAP
    assert (rows[1][0].beside, rows[1][1].beside, rows[3][1].beside) == (2, 2, 0)
    assert (rows[4][0].old, rows[4][0].new) == (4, 5)


def test_one_column_has_what_was_removed_before_what_was_added():
    lines = unified(side_by_side(["a", "b", "z"], ["c", "d", "z"]))
    assert [(line.kind.value, line.text) for line in lines] == [
        ("-", "a"), ("-", "b"), ("+", "c"), ("+", "d"), (" ", "z"),
    ]  # fmt: skip


def test_lines_with_little_in_common_are_not_compared_character_by_character():
    assert changed_spans("vec3 colour = noise(p);", "}") == ((), ())
    assert changed_spans("", "x") == ((), ())


def test_a_change_of_nothing_is_not_shown():
    assert change_text(LineCost(1e-3, 1.0004e-3), 1e-3) == ""
    assert change_text(LineCost(1e-3, 2e-3), 1e-2) == "+1.00 ms"
    assert change_text(LineCost(1e-3, 0.0), 1e-2) == "\u22121.00 ms"


TEXTS = st.lists(st.sampled_from(["", "a", "b", "a b", "}"]), max_size=12)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_off_the_diff(old, new):
    rows = side_by_side(old, new)
    assert [left.text for left, _ in rows if left.kind is not Kind.GAP] == old
    assert [right.text for _, right in rows if right.kind is not Kind.GAP] == new
    lines = unified(rows)
    assert [line.text for line in lines if line.kind is not Kind.ADDED] == old
    assert [line.text for line in lines if line.kind is not Kind.REMOVED] == new
    for number, line in ((line.old, line) for line in lines if line.old):
        assert old[number - 1] == line.text
    for line in lines:
        for start, end in line.spans:
            assert 0 <= start < end <= len(line.text)


def test_very_long_lines_are_not_compared_character_by_character():
    long = "float a = 1.0; " * 200
    assert changed_spans(long, long + "b") == ((), ())
    short = "float a = 1.0; "
    assert changed_spans(short, short + "b") == ((), ((15, 16),))


def test_lines_far_from_every_change_are_one_row():
    same = [f"line {n}" for n in range(20)]
    changed = [*same[:9], "new", *same[9:]]
    ((shown, _),) = Comparing("\n".join(same), "\n".join(changed)).prepared().columns
    texts = [line.text for line in shown]
    assert texts[1:-1] == [*same[5:9], "new", *same[9:13]]
    assert [texts[0][2:], texts[-1][2:]] == [f"{n} lines that are the same" for n in (5, 7)]
