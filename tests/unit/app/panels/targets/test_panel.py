"""The targets' table and panel with forecasts made by hand, at several sizes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.targets.bars import Beside, Scale, bars_of
from shaderlab.app.panels.targets.cells import budget_colour
from shaderlab.app.panels.targets.moments import Moment
from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.panels.targets.table import (
    AXIS,
    LAST,
    NAME,
    PINNED,
    RESTS,
    TIME,
    VENDOR,
    TargetTable,
    tick_texts,
)
from shaderlab.app.qt import QAction, QImage, QModelIndex, Qt
from shaderlab.app.widgets.phrases import round_seconds
from shaderlab.app.widgets.theme import DARK, LIGHT
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.forecast import Forecast, Status, Validation
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import LineShares

ERROR = Validation(0.29, 0.95, 100, "somebody", median_ape=0.1)


def forecast(target: str, time_s: float, *warnings: str) -> Forecast:
    lines = LineShares((("", 1, 0.6), ("", 2, 0.3)))
    return Forecast(
        target, time_s, time_s / 2, time_s * 2, "additive", "basis", ERROR, lines, warnings
    )


FAST, SLOW = forecast("fast", 1e-3), forecast("slow", 5e-3, "Outside the training data: so there.")


@pytest.fixture
def table(qtbot):
    table = TargetTable(DARK)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.show()
    return table


def shown(table) -> list[int]:
    return [n for n in range(table.model().columnCount()) if not table.isColumnHidden(n)]


def test_changes_lead_and_the_pinned_column_comes_with_a_pin(table):
    bars = bars_of(
        [FAST, SLOW],
        {},
        Beside({("fast", "additive", "written"): 2e-3}, {("fast", "additive", "written"): 1e-3}),
    )
    table.show_bars(bars, "slow", pinned=False)
    assert shown(table) == [NAME, LAST, TIME, RESTS, AXIS]
    table.show_bars(bars, "slow", pinned=True)
    assert shown(table) == [NAME, LAST, PINNED, TIME, RESTS, AXIS]
    texts = [table.targets.data(table.targets.index(0, n)) for n in (NAME, LAST, PINNED, TIME)]
    assert texts == ["fast", "\u221250 %", "same", "1.00 ms"]
    assert table.targets.data(table.targets.index(1, LAST)) == "\u2013"


def test_columns_stay_where_they_are_while_times_are_refined(table):
    """Each keystroke would otherwise lay the table out, and paint it, once more."""
    for width in (700, 460):
        table.resize(width, 200)
        places = []
        for finer in ({}, {"slow": Form.COMPILED}, {}):
            bars = bars_of([FAST, SLOW], {}, Beside({}, {}, finer=finer))
            table.show_bars(bars, "slow", pinned=False)
            places.append([table.columnWidth(n) for n in range(AXIS + 1)])
        assert places[0] == places[1] == places[2]
        assert bool(places[0][RESTS]) == (width == 700)


def test_the_axis_goes_where_a_narrow_pane_leaves_it_no_room(table):
    table.show_bars(bars_of([FAST, SLOW], {}), "slow", pinned=False)
    assert AXIS in shown(table)
    assert sum(table.columnWidth(n) for n in shown(table)) <= table.viewport().width()
    table.resize(260, 200)
    assert shown(table) == [NAME, LAST, TIME]
    assert sum(table.columnWidth(n) for n in shown(table)) <= table.viewport().width()
    table.resize(700, 200)
    assert AXIS in shown(table)


@given(st.floats(1e-6, 1e-3), st.floats(13, 1e5), st.integers(20, 900))
def test_texts_of_a_scale_are_evenly_spaced_and_never_touch(fastest, ratio, room):
    scale = Scale(fastest, fastest * ratio)
    texts = tick_texts(scale, room, lambda text: 7.0 * len(text))
    for (right, _), (left, text) in pairwise(texts):
        assert left + 7.0 * len(text) <= right
    assert all(0 <= start <= room for start, _ in texts)
    ticks = [round_seconds(seconds) for seconds in scale.ticks_s]
    places = [ticks.index(text) for _, text in texts]
    assert len({a - b for a, b in pairwise(places)}) <= 1


def test_rows_are_chosen_by_click_and_by_key_but_not_by_new_forecasts(table, qtbot):
    chosen: list[str] = []
    table.chosen.connect(chosen.append)
    table.show_bars(bars_of([FAST, SLOW], {}), "slow", pinned=False)
    assert chosen == []
    place = table.visualRect(table.model().index(0, NAME)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert chosen == ["fast", "slow"]


def test_the_pointer_is_told_everything_of_a_row(table):
    bars = bars_of([FAST, SLOW], {}, Beside({("slow", "additive", "written"): 4e-3}))
    table.show_bars(bars, "slow", pinned=False)
    tip = table.targets.data(table.targets.index(1, TIME), Qt.ItemDataRole.ToolTipRole)
    assert tip.split("\n") == [
        "slow: 5.00 ms (2.50 ms \u2013 10.0 ms), fitted prices",
        "+25 % (+1.00 ms) vs previous; change not validated",
        "Outside the training data: so there.",
    ]
    assert table.model().rowCount(QModelIndex()) == 2


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_changes_and_warning_marks_are_painted_in_their_colours(table, theme):
    table.set_theme(theme)
    before_s = {("fast", "additive", "written"): 2e-3, ("slow", "additive", "written"): 1e-3}
    known = {
        slug: SimpleNamespace(
            name=slug, vendor="", changes={"additive": ChangeBand(slug, "additive", 9, 0.1, 0, 0.8)}
        )
        for slug in ("fast", "slow")
    }
    bars = bars_of([FAST, SLOW], known, Beside(before_s))  # type: ignore[arg-type]
    table.show_bars(bars, "fast", pinned=False)
    # Not `grab`, whose picture has no more colours than the screen.
    image = QImage(table.viewport().size(), QImage.Format.Format_RGB32)
    table.viewport().render(image)
    colours = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    assert theme.bars in colours, "a trusted dot"
    assert theme.warning in colours, "the mark"
    assert {theme.good, theme.error} <= colours, "faster and slower, on the chosen row too"


@pytest.fixture
def panel(qtbot):
    pin, unpin = QAction("Pin"), QAction("Unpin")
    panel = TargetsPanel(DARK, pin, unpin, "slow")
    panel.actions_ = (pin, unpin)
    qtbot.addWidget(panel)
    panel.resize(600, 260)
    panel.show()
    return panel


def test_the_wanted_target_is_told_of_first_and_kept_while_it_is_missing(panel):
    panel.show_forecasts([FAST], {}, "frame")
    assert panel.chosen is FAST
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    assert panel.chosen is SLOW
    panel.choose("fast")
    panel.show_forecasts([SLOW], {}, "frame")
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    assert panel.chosen is FAST


def test_the_headline_leads_with_the_changes_and_warns(panel):
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    assert panel.headline.text == "Edit the shader to see how the time changes"
    assert panel.headline.warning == "Outside the training data: so there."
    panel.set_pinned("v1", {("slow", "additive", "written"): 10e-3})
    panel.show_forecasts([FAST, SLOW], {}, "frame", {("slow", "additive", "written"): 4e-3})
    assert panel.headline.text == (
        "+25 % +1.00 ms vs previous, change not validated \u00b7 "
        "\u221250 % \u22125.00 ms since pin, change not validated"
    )
    assert "pinned: v1" in panel.caption
    panel.choose("fast")
    assert panel.headline.warning == ""


def test_details_take_the_rows_place_where_there_is_no_room_for_both(panel):
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    assert panel.table.isVisible()
    panel.opener.click()
    assert panel.details_shown
    assert not panel.table.isVisible()
    panel.resize(600, 900)
    assert panel.details_shown
    assert panel.table.isVisible()
    panel.resize(600, 260)
    panel.opener.click()
    assert panel.table.isVisible()
    assert not panel.details_shown


def inks(widget) -> set[str]:
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    widget.render(image)
    width, height = image.width(), image.height()
    return {image.pixelColor(x, y).name() for x in range(width) for y in range(height)}


def test_outdated_forecasts_are_dimmed_and_the_change_says_counting(panel):
    panel.set_pinned("v1", {("slow", "additive", "written"): 10e-3})
    panel.show_forecasts([FAST, SLOW], {}, "frame", {("slow", "additive", "written"): 4e-3})
    assert DARK.bars in inks(panel.table)
    panel.set_age("previous version, counting\u2026", {})
    assert DARK.bars not in inks(panel.table)
    assert "%" not in panel.headline.text
    assert panel.headline.text.count("counting") == 2
    assert "previous version" in panel.caption
    assert all("%" not in panel.table.targets.data(panel.table.targets.index(1, column))
               for column in (LAST, PINNED))  # fmt: skip
    panel.set_age("", {})
    assert DARK.bars in inks(panel.table)
    assert "+25 %" in panel.headline.text


def test_a_forecast_that_a_finer_one_will_replace_says_refining(panel):
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    panel.set_age("", {"slow": Form.COMPILED})
    assert "refining" in panel.headline.time
    assert "refining" in panel.caption
    tip = panel.table.targets.data(panel.table.targets.index(1, TIME), Qt.ItemDataRole.ToolTipRole)
    assert "compiled program is on its way" in tip
    panel.choose("fast")
    assert "refining" not in panel.headline.time, "this one stays as it is"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_lower_bound_is_open_at_the_right_and_no_time_is_no_dot(table, theme):
    table.set_theme(theme)
    table.resize(500, 200)
    bound = replace(SLOW, time_s=None, high_s=None, status=Status.LOWER_BOUND, warnings=())
    none = replace(FAST, time_s=None, low_s=None, high_s=None, status=Status.NONE)
    table.show_bars(bars_of([bound, none], {}), "", pinned=False)
    image = QImage(table.viewport().size(), QImage.Format.Format_RGB32)
    table.viewport().render(image)
    rows = [table.visualRect(table.model().index(row, AXIS)) for row in (0, 1)]
    middles = [
        [image.pixelColor(x, box.center().y()).name() for x in range(box.left(), box.right())]
        for box in rows
    ]
    assert len(set(middles[0])) > 5, "it fades out"
    assert len(set(middles[1])) == 1, "nothing is drawn"


def test_the_band_of_a_change_stands_behind_the_last_one(panel):
    band = ChangeBand("slow", "additive", 99, 0.1, 0.0, 0.8)
    info = SimpleNamespace(
        name="slow", vendor="", changes={"additive": band}, methods=("additive",), reasons={},
        clock="", driver="",
    )  # fmt: skip
    sure = replace(SLOW, warnings=())
    key = sure.comparable
    panel.show_forecasts([FAST, sure], {"slow": info}, "frame", {key: 4e-3})
    assert "(+13 % to +38 %)" in panel.headline.change.replace("&nbsp;", " ")
    panel.set_pinned("v1", {key: 5.1e-3})
    shown = panel.headline.change.replace("&nbsp;", " ")
    assert "+1.00 ms" in shown
    assert shown.count(" to ") == 1
    assert "to +8.4 %" in shown
    colour = DARK.dim
    assert f"color:{colour}; font-size:large" in panel.headline.change, "it may be none at all"


def test_no_change_is_quieter_than_a_change(panel):
    panel.show_forecasts([FAST, SLOW], {}, "frame", {SLOW.comparable: 5e-3})
    assert panel.headline.text.startswith("no change vs previous")
    assert "large" not in panel.headline.change
    panel.show_forecasts([FAST, SLOW], {}, "frame", {SLOW.comparable: 4e-3})
    assert "large" in panel.headline.change


VENDORS = {
    name: SimpleNamespace(
        name=name, vendor=vendor, changes={}, methods=("additive",), reasons={}, clock="",
        driver="",
    )
    for name, vendor in (("fast", "B"), ("slow", "A"), ("third", "B"))
}  # fmt: skip
THREE = [FAST, SLOW, forecast("third", 20e-3)]


def names(panel) -> list[str]:
    return [bar.name for bar in panel.bars]


def test_targets_are_hidden_grouped_and_put_in_order_by_menus(panel, qtbot):
    panel.strip.arranged.connect(panel.arrange)
    panel.show_forecasts(THREE, VENDORS, "frame")
    menu = panel.strip.targets.menu()

    def pick(text: str) -> None:
        menu.aboutToShow.emit()
        (entry,) = (each for each in menu.actions() if each.text() == text)
        entry.trigger()

    assert names(panel) == ["fast", "slow", "third"]
    pick("Group by vendor")
    assert names(panel) == ["slow", "fast", "third"]
    assert VENDOR in shown(panel.table)
    assert panel.table.rowSpan(1, VENDOR) == 2
    pick("By name")
    pick("Group by vendor")
    panel.table.hidden.emit("slow")
    assert names(panel) == ["fast", "third"]
    assert panel.strip.targets.text() == "2 of 3 targets"
    assert panel.chosen.target != "slow", "what is not listed is not chosen"
    pick("Show all")
    panel.table.moved.emit("third", -2)
    assert names(panel) == ["third", "fast", "slow"]
    pick("Fastest first")
    assert names(panel) == ["fast", "slow", "third"]
    pick("My own order")
    assert names(panel) == ["third", "fast", "slow"]


def test_a_budget_is_a_line_and_colours_what_may_be_over_it(panel):
    panel.strip.arranged.connect(panel.arrange)
    panel.show_forecasts(THREE, VENDORS, "frame")
    menu = panel.strip.budget.menu()
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text().startswith("144 Hz")).trigger()
    assert panel.strip.budget.text() == "144 Hz, 6.94 ms"
    budget_s = 1 / 144
    assert [budget_colour(bar, budget_s, DARK) for bar in panel.bars] == [
        DARK.text, DARK.warning, DARK.error,
    ]  # fmt: skip
    tip = panel.table.targets.data(panel.table.targets.index(2, TIME), Qt.ItemDataRole.ToolTipRole)
    assert "288 % of the 6.94 ms budget: over budget" in tip
    assert DARK.error in inks(panel.table)
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert panel.strip.budget.text() == "No budget"
    assert DARK.error not in inks(panel.table)


def test_the_worst_moment_of_a_curve_is_named_and_can_be_predicted(panel, qtbot):
    panel.show_forecasts([FAST, SLOW], {}, "frame")
    panel.strip.curve.click()
    curve = [Moment(t, s, s / 2, s * 2) for t, s in ((0, 1e-3), (5, 3e-3), (10, 2e-3))]
    axis = panel.chart.curve.plot.getAxis("left")
    assert not axis.isVisible(), "its numbers would mean nothing"
    panel.chart.show_curves({"slow": curve}, False, "")
    assert axis.isVisible()
    assert panel.chart.text == "Worst: 3.00 ms at t = 5 s"
    with qtbot.waitSignal(panel.chart.moment_chosen) as went:
        qtbot.mouseClick(panel.chart.go, Qt.MouseButton.LeftButton)
    assert went.args == [5]
    with qtbot.waitSignal(panel.chart.wanted) as went:
        qtbot.mouseClick(panel.chart.button, Qt.MouseButton.LeftButton)
    assert went.args == [30.0]
    panel.chart.show_curves({}, True, "counting 1 of 17")
    with qtbot.waitSignal(panel.chart.stopped):
        qtbot.mouseClick(panel.chart.button, Qt.MouseButton.LeftButton)
