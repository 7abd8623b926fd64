from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.app.panels.hot_lines.lines import (
    COUNT,
    LINE,
    MOST_LINES,
    SHARE,
    SOURCE,
    TIME,
    HotLinesModel,
    hot_lines,
)
from shaderlab.app.qt import Qt, QtCore
from shaderlab.app.widgets.share_bar import SHARE_ROLE
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.prediction.line_shares import LineShares
from shaderlab.spirv.trace import SourceLine

TEXT = "void f()\n{\n    sin(x);\n    cos(x);\n}\n"
FORECAST = Forecast(
    "rtx3060", 2e-3, 1e-3, 4e-3, "additive", "", Validation(None, None, None, ""),
    LineShares((("", 3, 0.5), ("noise.glsl", 12, 0.3), ("", 4, 0.1), ("", 5, 0.0), ("", 99, 0.05))),
)  # fmt: skip
COUNTS = {SourceLine("", 3): 2**63, SourceLine("noise.glsl", 12): 7, SourceLine("", 1): 1}
ROWS = hot_lines(FORECAST, {"": COUNTS}, {"": TEXT})


def test_lines_have_share_time_count_and_source():
    assert [(r.place, r.share, r.count, r.source) for r in ROWS] == [
        ("3", 0.5, 2**63, "sin(x);"),
        ("noise.glsl:12", 0.3, 7, ""),
        ("4", 0.1, None, "cos(x);"),
        ("99", 0.05, None, ""),
    ]
    assert ROWS[0].time_s == 1e-3
    assert abs(FORECAST.lines.total - 0.95) < 1e-9


def test_of_a_long_text_the_hottest_lines_are_shown_and_all_are_summed_up():
    shares = LineShares(("", n, 1e-4) for n in range(1, 9001))
    rows = hot_lines(replace(FORECAST, lines=shares), {}, {"": "x\n" * 9000})
    assert [row.line for row in rows] == list(range(1, MOST_LINES + 1))
    assert abs(shares.total - 0.9) < 1e-9


def test_lines_of_a_frame_are_those_of_all_passes_by_their_part_of_it():
    passes = {"Buffer A": replace(FORECAST, time_s=6e-3), "Image": FORECAST}
    (frame,) = frame_forecasts({n: [f] for n, f in passes.items()}, {"Buffer A": 1, "Image": 1})
    counts = {"Buffer A": {SourceLine("", 3): 5}, "Image": COUNTS}
    rows = hot_lines(frame, counts, {"Buffer A": "\n\nfirst", "Image": TEXT})
    assert [(r.pass_name, r.place, r.count, r.source) for r in rows[:3]] == [
        ("Buffer A", "3", 5, "first"),
        ("Buffer A", "noise.glsl:12", None, ""),
        ("Image", "3", 2**63, "sin(x);"),
    ]
    assert rows[0].share == pytest.approx(0.75 * 0.5)
    assert rows[0].time_s == pytest.approx(3e-3)


def test_cells_and_their_order():
    model = HotLinesModel()
    model.set_rows(ROWS)
    assert (model.rowCount(), model.columnCount()) == (4, 6)

    def cell(row: int, column: int, role=None):
        index = model.index(row, column)
        return model.data(index) if role is None else model.data(index, role)

    assert [cell(0, column) for column in (LINE, SHARE, TIME, SOURCE)] == [
        "3", "50 %", "1.00 ms", "sin(x);",
    ]  # fmt: skip
    assert cell(0, COUNT) == "9223372 T"
    exact = "9,223,372,036,854,775,808"
    assert exact in cell(0, COUNT, Qt.ItemDataRole.ToolTipRole)
    assert cell(2, COUNT) == "\u2013"
    assert model.rows == ROWS, "hottest first, as they came"


def test_rows_are_sorted_by_any_column_and_stay_so():
    model = HotLinesModel()
    model.set_rows(ROWS)
    kept = QtCore.QPersistentModelIndex(model.index(0, SOURCE))
    model.sort(LINE, Qt.SortOrder.AscendingOrder)
    assert [row.place for row in model.rows] == ["3", "4", "99", "noise.glsl:12"]
    model.sort(LINE, Qt.SortOrder.DescendingOrder)
    assert [row.place for row in model.rows] == ["noise.glsl:12", "99", "4", "3"]
    assert model.rows[kept.row()] is ROWS[0], "what was chosen stays chosen"
    for column in (SHARE, TIME, COUNT, SOURCE):
        for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
            model.sort(column, order)
            keys = [model.sort_key(row, column) for row in model.rows]
            assert keys == sorted(keys, reverse=order == Qt.SortOrder.DescendingOrder)
            model.set_rows(ROWS)
            assert keys == [model.sort_key(row, column) for row in model.rows]


def test_the_hottest_line_has_the_longest_bar():
    model = HotLinesModel()
    model.set_rows(ROWS)
    bars = [model.data(model.index(row, SHARE), SHARE_ROLE) for row in range(len(ROWS))]
    assert bars == pytest.approx([1.0, 0.6, 0.2, 0.1])
