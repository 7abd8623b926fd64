"""Charts stand still."""

import pytest

from shaderlab.app.qt import QPoint, Qt
from shaderlab.app.widgets.plotting import plain_plot, set_ranges


@pytest.mark.qt_log_ignore("not accepted by receiving widget")
def test_dragging_does_not_move_a_chart(qtbot):
    plot = plain_plot({})
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    set_ranges(plot, (0.0, 1.0), (0.0, 2.0))
    plot.show()
    qtbot.waitExposed(plot)
    before = plot.viewRange()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        qtbot.mousePress(plot.viewport(), button, pos=QPoint(150, 100))
        for at in range(100, 20, -10):
            qtbot.mouseMove(plot.viewport(), QPoint(150 - at // 4, at))
        qtbot.mouseRelease(plot.viewport(), button, pos=QPoint(130, 20))
    assert plot.viewRange() == before
