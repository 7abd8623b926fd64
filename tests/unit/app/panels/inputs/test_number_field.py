"""Typing and stepping numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from shaderlab.app.panels.inputs.editors import numbers_in
from shaderlab.app.panels.inputs.number_field import NumberField
from shaderlab.app.qt import Qt
from shaderlab.spirv.value_types import Component, Numeric

FLOAT, INT, UINT = Numeric(Component.FLOAT), Numeric(Component.INT), Numeric(Component.UINT)


class Bench:
    def __init__(self, qtbot: QtBot, numeric=FLOAT, step=0.0):
        self.field = NumberField(numeric, step, "glow")
        qtbot.addWidget(self.field)
        self.qtbot = qtbot
        self.edits: list[float] = []
        self.field.edited.connect(self.edits.append)

    def type(self, text: str) -> None:
        self.field.selectAll()
        self.qtbot.keyClicks(self.field, text)
        self.qtbot.keyClick(self.field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("numeric", "typed", "number", "shown"),
    [
        (FLOAT, "0.25", 0.25, "0.25"),
        (FLOAT, "-3e-7", -3e-7, "-3e-07"),
        (FLOAT, "1e99", 3.4028234663852886e38, "3.402823e+38"),
        (FLOAT, "1,5", 1.5, "1.5"),
        (INT, "12.9", 12.0, "12"),
        (INT, "-9e9", -(2.0**31), "-2147483648"),
        (UINT, "-4", 0.0, "0"),
        (UINT, "4294967295", 4294967295.0, "4294967295"),
    ],
)
def test_a_typed_number_is_held_as_the_type_can(qtbot, numeric, typed, number, shown):
    bench = Bench(qtbot, numeric)
    bench.field.show_number(1.0)
    bench.type(typed)
    assert bench.edits == [number]
    assert bench.field.text() == shown


@pytest.mark.parametrize("typed", ["", "abc", "nan", "inf", "1.2.3"])
def test_what_is_no_number_changes_nothing(qtbot, typed):
    bench = Bench(qtbot)
    bench.field.show_number(0.5)
    bench.type(typed)
    assert bench.edits == []
    assert bench.field.text() == "0.5"


def test_showing_a_number_is_no_edit(qtbot):
    bench = Bench(qtbot)
    bench.field.show_number(1 / 3)
    bench.field.editingFinished.emit()
    assert bench.edits == [], "nor is leaving it as it was shown, in fewer digits"
    assert bench.field.number == 1 / 3


def test_arrow_keys_step(qtbot):
    bench = Bench(qtbot)
    bench.field.show_number(2.0)
    bench.qtbot.keyClick(bench.field, Qt.Key.Key_Up)
    bench.qtbot.keyClick(bench.field, Qt.Key.Key_PageDown)
    assert bench.edits == [2.1, 1.1]
    whole = Bench(qtbot, INT)
    qtbot.keyClick(whole.field, Qt.Key.Key_Up)
    assert whole.edits == [1.0]
    given_step = Bench(qtbot, FLOAT, step=0.25)
    qtbot.keyClick(given_step.field, Qt.Key.Key_Down)
    assert given_step.edits == [-0.25]


@given(st.floats(-1e38, 1e38), st.sampled_from([1, -1, 10]))
def test_a_step_goes_the_right_way(qapp, start, steps):
    field = NumberField(FLOAT)
    field.show_number(start)
    field.step(steps)
    assert (field.number > start) == (steps > 0)
    assert abs(field.number - start) <= 10 * max(abs(start), 0.1)


def test_a_list_as_typed():
    assert numbers_in("1, 2 3;4", 4) == (1, 2, 3, 4)
    assert numbers_in("1", 3) == (1, 0, 0)
    assert numbers_in("1 2 3", 2) == (1, 2)
    assert numbers_in("", 2) == (0, 0)
    assert numbers_in("1, two", 2) is None
    assert numbers_in("1, nan", 2) is None
