"""Draws are chosen by clicks and keys."""

from __future__ import annotations

from shaderlab.app.panels.frame.panel import FramePanel
from shaderlab.app.panels.frame.rows import DrawRow
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.theme import LIGHT

LEFT = Qt.MouseButton.LeftButton


def test_a_double_click_chooses_a_draw_once(qtbot):
    panel = FramePanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(600, 400)
    panel.show_frame((DrawRow(7, "draw", "a.frag"), DrawRow(9, "draw", "b.frag")), {7: 0, 9: 0})
    panel.show()
    chosen = []
    panel.draw_chosen.connect(chosen.append)

    def place(row: int):
        return panel.table.visualRect(panel.table.model().index(row, 0)).center()

    view = panel.table.viewport()
    qtbot.mouseClick(view, LEFT, pos=place(0))
    qtbot.mouseDClick(view, LEFT, pos=place(0))
    assert chosen == [7]
    qtbot.mouseClick(view, LEFT, pos=place(1))
    assert chosen == [7, 9], "another one at once"
