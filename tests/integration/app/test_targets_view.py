"""The table of targets in a real window: the frame that is predicted, its curve over time."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import Qt
from shaderlab.app.session.counted_run import CANONICAL, CountedRun

# Three loop rounds at time 0, 600 at time 10, then three again.
PEAK = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float total = 0.0;
    int rounds = iTime < 9.0 || iTime > 12.0 ? 3 : 600;
    for (int i = 0; i < rounds; i++) {
        total += sin(fragCoord.x + float(i));
    }
    fragColor = vec4(total);
}
"""


@pytest.fixture
def small(driven):
    """Frames of few pixels, which are counted at once."""
    panel = driven.window.targets_panel
    driven.window.layout_.show_tab(panel)
    panel.strip.run_chosen.emit(CountedRun((128, 96), 1.0))
    driven.show(PEAK)
    yield panel
    panel.strip.run_chosen.emit(CANONICAL)
    driven.complete()


def test_the_frame_that_is_predicted_is_chosen_in_place(driven, small):
    def pick(text: str) -> None:
        menu = small.strip.run.menu()
        menu.aboutToShow.emit()
        next(each for each in menu.actions() if each.text().endswith(text)).trigger()

    (before,) = (bar for bar in small.bars if bar.target == "rtx3060")
    pick("t = 10 s")
    driven.complete()
    trace = driven.session.trace
    assert (trace.size, trace.time_s) == ((128, 96), 10.0)
    assert small.strip.run.text() == "128 \u00d7 96, t = 10 s"
    assert driven.window.settings.forecast_time_s == 10.0
    (after,) = (bar for bar in small.bars if bar.target == "rtx3060")
    assert after.time_s > before.time_s
    assert after.since_last is None, "times of unequal frames are not compared"
    assert driven.session.trace.line_counts["", 6] == 600 * 128 * 96
    pick("t = 1 s")
    driven.complete()


def test_a_curve_over_time_finds_the_worst_moment(driven, small, qtbot):
    curve = driven.session.curve
    small.strip.curve.click()
    small.chart.end.setCurrentIndex(2)
    qtbot.mouseClick(small.chart.button, Qt.MouseButton.LeftButton)
    assert curve.running
    driven.wait(lambda: not curve.running, "the curve")
    assert curve.error is None
    assert len(curve.moments) >= 17
    assert 9.0 <= small.chart.worst.time_s <= 12.0
    assert "Worst" in small.chart.text
    qtbot.mouseClick(small.chart.go, Qt.MouseButton.LeftButton)
    driven.complete()
    assert driven.session.trace.time_s == small.chart.worst.time_s
    assert curve.current, "the curve is of all times"

    qtbot.mouseClick(small.chart.button, Qt.MouseButton.LeftButton)
    driven.wait(lambda: curve.moments, "the first moment")
    qtbot.mouseClick(small.chart.button, Qt.MouseButton.LeftButton)
    assert not curve.running
    assert len(curve.moments) < 17, "what is there stays"
    driven.edit(PEAK.replace("600", "500"))
    driven.complete()
    assert "earlier version" in small.chart.text
    small.strip.curve.click()


def test_details_open_and_close_where_there_is_little_room(driven, small, qtbot):
    """Their button stays in sight, and the panel does not scroll as a whole."""
    window = driven.window
    before = window.size()
    window.resize(1280, 720)
    driven.wait(lambda: window.height() == 720, "the size")
    qtbot.mouseClick(small.opener, Qt.MouseButton.LeftButton)
    driven.wait(lambda: small.details_shown, "the details")
    area = window.layout_.docks["targets"]._area
    driven.wait(lambda: small.height() == area.viewport().height(), "one page")
    assert small.opener.visibleRegion().boundingRect().size() == small.opener.size()
    qtbot.mouseClick(small.opener, Qt.MouseButton.LeftButton)
    assert not small.details_shown
    assert small.table.isVisible()
    window.resize(before)
