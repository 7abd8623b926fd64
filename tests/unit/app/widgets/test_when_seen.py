"""Work for a hidden panel waits until the panel is shown, and is done once then."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import QtWidgets
from shaderlab.app.widgets.when_seen import WhenSeen


@pytest.fixture
def panel(qtbot):
    widget = QtWidgets.QLabel("panel")
    qtbot.addWidget(widget)
    return widget


def test_work_is_done_at_once_on_screen_and_once_after_being_hidden(panel):
    done: list[tuple[object, ...]] = []
    seen = WhenSeen(panel)
    show = seen(lambda *what: done.append(("show", *what)))
    follow = seen(lambda line: done.append(("follow", line)))
    show()
    follow(3)
    show(1)
    assert done == []
    panel.show()
    assert done == [("follow", 3), ("show", 1)], "the latest of each, in the latest order"
    follow(4)
    assert done[2:] == [("follow", 4)]
    panel.hide()
    panel.show()
    assert len(done) == 3, "nothing was asked meanwhile"


def test_what_is_needed_elsewhere_is_done_while_hidden(panel):
    done, needed = [], [False]
    seen = WhenSeen(panel, lambda: needed[0])
    work = seen(done.append)
    work(1)
    seen.catch_up()
    assert done == [1]
    needed[0] = True
    work(2)
    assert done == [1, 2]


def test_it_says_when_the_panel_is_shown_and_hidden(panel):
    changes: list[bool] = []
    WhenSeen(panel).changed.connect(changes.append)
    panel.show()
    panel.hide()
    assert changes == [True, False]
