"""The table of hot lines with forecasts made by hand."""

from __future__ import annotations

from shaderlab.app.panels.hot_lines.panel import HotLinesPanel
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.forecast import Forecast, Validation
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


def test_hot_lines_keep_sort_order_and_place_when_forecasts_come_anew(qtbot):
    panel = HotLinesPanel(DARK)
    qtbot.addWidget(panel)
    assert panel.hot_line_after(1) == 0
    panel.show_forecast(FAST, NAMES, {}, "first\nsecond\n")
    assert [row.line for row in panel.rows] == [1, 2]
    assert [panel.hot_line_after(line) for line in (7, 1, 2)] == [1, 2, 1]
    panel.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert panel.hot_line_after(7) == 1, "whatever the order shown"
    panel.follow_line(2)
    panel.show_forecast(SLOW, NAMES, {}, "first\nsecond\n")
    assert [row.line for row in panel.rows] == [2, 1]
    (row,) = panel.table.selectionModel().selectedRows()
    assert panel.rows[row.row()].line == 2
    assert panel.target.currentData() == "slow"
    assert panel.caption == "Lines take 90 % of 5.00 ms; the render pass the rest"
    panel.set_stale("last version that compiled")
    assert "last version that compiled" in panel.caption
