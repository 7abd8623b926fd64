"""Draws are chosen by clicks and keys."""

from __future__ import annotations

import numpy as np

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


def test_a_narrow_and_low_panel_keeps_its_tabs_and_rows(qtbot):
    panel = FramePanel(LIGHT)
    qtbot.addWidget(panel)
    panel.show_frame((DrawRow(7, "vkCmdDraw()", "main"),), {7: 0})
    panel.show_pictures({7: np.zeros((8, 8, 4), np.uint8)})
    panel.show_targets((), {"a": "GeForce RTX 3060"}, "a")
    panel.say("Frame: 647 \u00b5s", "2 of 9 read", running=True)
    panel.resize(480, 420)
    panel.show()
    bar = panel.pages.tabBar()
    assert bar.width() >= bar.sizeHint().width()
    assert panel.stop.isVisible()
    assert panel.passes.isVisible()
    panel.resize(450, 190)
    qtbot.waitUntil(lambda: not panel.passes.isVisible())
    assert (
        panel.table.viewport()
        .rect()
        .contains(panel.table.visualRect(panel.table.model().index(0, 0)))
    )
    panel.resize(450, 420)
    qtbot.waitUntil(panel.passes.isVisible)
