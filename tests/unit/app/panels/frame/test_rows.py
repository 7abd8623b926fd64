from __future__ import annotations

from math import nan
from pathlib import Path

import pytest

from shaderlab import units
from shaderlab.app.panels.frame.frame_bar import FrameBar, Part
from shaderlab.app.panels.frame.rows import (
    EVENT,
    NOTHING,
    SHARE,
    SINCE_PIN,
    TARGET_TIME,
    DrawsModel,
    TargetsModel,
    draw_rows,
    filtered,
    target_rows,
)
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.theme import LIGHT
from shaderlab.captures.frame import CapturedDraw, CapturedShader
from shaderlab.gpu.replayed import Replayed
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.scene.contents import Contents
from shaderlab.workers.analysed_draws import AnalysedDraw

VALIDATED = Validation(0.1, None, 10, "somebody")


def forecast(time_s: float, target: str = "rtx3060", **more) -> Forecast:
    return Forecast(target, time_s, time_s / 2, time_s * 2, "sh", "", VALIDATED, **more)


def draw(event: int, marker: str = "", reason: str = "") -> CapturedDraw:
    shader = CapturedShader(Contents(Path("pack"), ()), "main")
    return CapturedDraw(event, "vkCmdDraw()", marker, shader=shader, reason=reason)


def known(event: int, *forecasts: Forecast, reason: str = "") -> AnalysedDraw:
    replayed = Replayed(0.25, nan, None, 0.0)
    return AnalysedDraw(draw(event), None, replayed, None, forecasts, reason)


def test_shares_are_of_all_draws_with_a_time_on_the_target():
    draws = [draw(9, "shadows"), draw(4), draw(12)]
    found = {4: known(4, forecast(3e-3), forecast(1.0, "other")), 9: known(9, forecast(1e-3))}
    rows = draw_rows(draws, found, [9], "rtx3060")
    assert [row.event for row in rows] == [4, 9, 12]
    assert [row.share for row in rows] == [0.75, 0.25, None]
    assert rows[0].difference == 0.25
    assert rows[0].here_s is None
    assert rows[1].name == "shadows / vkCmdDraw()"
    assert [row.is_edited for row in rows] == [False, True, False]
    assert rows[1].note == "edited"
    assert draw_rows(draws, found, (), "unknown")[0].share is None


def test_a_draw_says_why_it_has_no_numbers_and_how_far_to_trust_them():
    found = {1: known(1, reason="it crashed the driver")}
    assert draw_rows([draw(1)], found, (), "rtx3060")[0].note == "it crashed the driver"
    (row,) = draw_rows([draw(2, reason="it has no pixel shader")], {}, (), "rtx3060")
    assert row.note == "it has no pixel shader"
    doubtful = forecast(1.0, status=Status.ESTIMATE, domain=Side.OUTSIDE)
    (row,) = draw_rows([draw(3)], {3: known(3, doubtful)}, (), "rtx3060")
    assert row.note == "an estimate: counts or prices are assumed; unlike the training data"


def test_the_filter_wants_all_words_in_any_of_the_texts():
    rows = draw_rows([draw(1, "Shadows"), draw(21, "opaque")], {}, (), "rtx3060")
    assert [row.event for row in filtered(rows, "shadows vkcmd")] == [1]
    assert [row.event for row in filtered(rows, " ")] == [1, 21]
    assert [row.event for row in filtered(rows, "21")] == [21]
    assert not filtered(rows, "shadows opaque")


def test_the_table_sorts_by_any_column_and_keeps_draws_without_numbers_last(qapp):
    model = DrawsModel()
    found = {1: known(1, forecast(1.0)), 2: known(2, forecast(3.0))}
    model.set_rows(draw_rows([draw(1), draw(2), draw(3)], found, (), "rtx3060"))
    assert [row.event for row in model.rows] == [1, 2, 3]
    model.sort(SHARE, Qt.SortOrder.DescendingOrder)
    assert [row.event for row in model.rows] == [2, 1, 3]
    model.sort(EVENT, Qt.SortOrder.DescendingOrder)
    assert [row.event for row in model.rows] == [3, 2, 1]
    for column in range(model.columnCount()):
        for number in range(3):
            assert isinstance(model.data(model.index(number, column)), str)
    assert model.data(model.index(0, SHARE)) == NOTHING


def test_targets_are_listed_fastest_first_with_the_change():
    before = frame_forecasts({"1": (forecast(2.0), forecast(1.0, "fast"))}, {"1": 1})
    now = frame_forecasts({"1": (forecast(1.0), forecast(1.0, "fast"))}, {"1": 1})
    rows = target_rows(now[::-1], before, {"rtx3060": "RTX 3060"})
    assert {row.target: row.name for row in rows} == {"rtx3060": "RTX 3060", "fast": "fast"}
    changes = {row.target: row.change for row in rows}
    assert "50" in changes["rtx3060"]
    assert changes["fast"] == ""
    later = frame_forecasts({"1": (forecast(2.0), forecast(1.0, "fast"))}, {"1": 1})
    assert [row.target for row in target_rows(later, (), {})] == ["fast", "rtx3060"]


@pytest.mark.parametrize(("x", "event"), [(0, 1), (49, 1), (51, 2), (99, 2)])
def test_the_bar_knows_which_draw_is_where(qapp, x: int, event: int):
    bar = FrameBar(LIGHT)
    bar.resize(100, 20)
    bar.set_parts([Part(1, "a", 0.5, 0), Part(2, "b", 0.5, 1)])
    found = bar.part_at(x)
    assert found is not None
    assert found.event == event
    assert bar.part_at(120) is None


def test_draws_and_targets_are_compared_with_the_pinned_frame():
    found = {4: known(4, forecast(3e-3)), 9: known(9, forecast(1e-3))}
    was = {4: forecast(1e-3), 9: forecast(1e-3)}
    rows = draw_rows([draw(4), draw(9), draw(12)], found, (), "rtx3060", pinned=was)
    assert [row.since_pin for row in rows] == [pytest.approx(2e-3), 0.0, None]
    model = DrawsModel()
    model.set_rows(rows)
    model.sort(SINCE_PIN, Qt.SortOrder.DescendingOrder)
    assert [model.data(model.index(n, SINCE_PIN)) for n in range(3)] == ["+2.00 ms", "0", NOTHING]
    now, before = (frame_forecasts({"4": (forecast(each),)}, {"4": 1}) for each in (3e-3, 1e-3))
    (row,) = target_rows(now, now, {}, before)
    assert (row.change, row.since_pin) == ("", units.change(3e-3, 1e-3))
    (row,) = target_rows(now, now, {}, now)
    assert row.since_pin == "no change"


def test_the_sum_of_some_of_the_draws_is_at_least_and_its_change_is_in_seconds():
    draws = {"4": (forecast(3e-3),), "9": (forecast(1e-3),)}
    (whole,) = frame_forecasts(draws, {"4": 1, "9": 1})
    (part,) = frame_forecasts({"4": (forecast(2e-3),)}, {"4": 1}, missing=1)
    (row,) = target_rows((part,), (whole,), {})
    model = TargetsModel()
    model.set_rows([row])
    assert part.low_s is not None
    assert model.data(model.index(0, TARGET_TIME)) == f"\u2265\u202f{units.seconds(part.low_s)}"
    assert row.change == "\u22121.00 ms"
