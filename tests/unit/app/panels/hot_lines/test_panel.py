"""The table of hot lines with forecasts made by hand."""

from __future__ import annotations

from shaderlab.app.panels.hot_lines.lines import PASS, SHARE
from shaderlab.app.panels.hot_lines.panel import HotLinesPanel
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.prediction.line_shares import LineShares

NAMES = {"fast": "fast", "slow": "slow"}


def forecast(target: str, time_s: float) -> Forecast:
    lines = LineShares((("", 1, 0.6), ("", 2, 0.3)))
    return Forecast(
        target,
        time_s,
        time_s / 2,
        time_s * 2,
        "additive",
        "basis",
        Validation(0.29, 0.95, 100, "somebody"),
        lines,
    )


FAST, SLOW = forecast("fast", 1e-3), forecast("slow", 5e-3)


def test_a_line_of_another_pass_is_named_and_not_taken_for_one_of_the_document(qtbot):
    panel, chosen = HotLinesPanel(DARK), []
    qtbot.addWidget(panel)
    panel.line_chosen.connect(lambda *place: chosen.append(place))
    (frame,) = frame_forecasts({"A": [SLOW], "Image": [SLOW]}, {"A": 2, "Image": 1})
    panel.show_forecast(FAST, NAMES, {}, {"": "first"})
    assert panel.table.isColumnHidden(PASS)
    panel.show_forecast(frame, NAMES, {}, {"A": "a", "Image": "first\nsecond"}, "Image")
    assert not panel.table.isColumnHidden(PASS)
    assert [(row.pass_name, row.line) for row in panel.rows[:2]] == [("A", 1), ("A", 2)]
    panel.follow_line(1)
    (row,) = panel.table.selectionModel().selectedRows()
    assert panel.rows[row.row()].pass_name == "Image"
    assert panel.hot_line_after(9) == 1
    place = panel.table.visualRect(panel.model.index(0, SHARE)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen == [("", 1, "A")]
    assert panel.caption == "Lines: 90 % of 15.0 ms. Render passes: 10 %"


def test_hot_lines_keep_sort_order_and_place_when_forecasts_come_anew(qtbot):
    panel = HotLinesPanel(DARK)
    qtbot.addWidget(panel)
    assert panel.hot_line_after(1) == 0
    panel.show_forecast(FAST, NAMES, {}, {"": "first\nsecond\n"})
    assert [row.line for row in panel.rows] == [1, 2]
    assert [panel.hot_line_after(line) for line in (7, 1, 2)] == [1, 2, 1]
    assert [panel.hot_line_after(2) for _ in "ab"] == [1, 1], "from a line it did not lead to"
    panel.table.sortByColumn(SHARE, Qt.SortOrder.AscendingOrder)
    assert panel.hot_line_after(7) == 1, "whatever the order shown"
    panel.follow_line(2)
    panel.show_forecast(SLOW, NAMES, {}, {"": "first\nsecond\n"})
    assert [row.line for row in panel.rows] == [2, 1]
    (row,) = panel.table.selectionModel().selectedRows()
    assert panel.rows[row.row()].line == 2
    assert panel.target.currentData() == "slow"
    assert panel.caption == "Lines: 90 % of 5.00 ms. Render pass: 10 %"
    panel.set_stale("last version that compiled")
    assert "last version that compiled" in panel.caption
