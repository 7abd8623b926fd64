"""Controls that go on in the next line."""

import pytest

from shaderlab.app.qt import QSize, QtWidgets, QWidget
from shaderlab.app.widgets.flow_layout import FlowLayout


class Box(QWidget):
    def sizeHint(self) -> QSize:
        return QSize(100, 20)


@pytest.fixture
def row(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(spacing=10)
    holder.setLayout(flow)
    for _ in range(3):
        flow.addWidget(Box())
    return holder, flow


def places(holder) -> list[tuple[int, int]]:
    holder.show()
    QtWidgets.QApplication.processEvents()
    return [(box.x(), box.y()) for box in holder.findChildren(Box) if not box.isHidden()]


@pytest.mark.parametrize(
    ("width", "expected", "height"),
    [
        (320, [(0, 0), (110, 0), (220, 0)], 20),
        (319, [(0, 0), (110, 0), (0, 30)], 50),
        (120, [(0, 0), (0, 30), (0, 60)], 80),
    ],
)
def test_lines_break_where_the_room_ends(row, width, expected, height):
    holder, flow = row
    holder.resize(width, 100)
    assert places(holder) == expected
    assert flow.heightForWidth(width) == height


@pytest.mark.parametrize(
    ("width", "expected"),
    [(400, [(0, 0), (110, 0), (300, 0)]), (250, [(0, 0), (110, 0), (150, 30)])],
)
def test_what_follows_a_stretch_is_at_the_right_end_of_its_line(qtbot, width, expected):
    holder, flow = QWidget(), FlowLayout(spacing=10)
    qtbot.addWidget(holder)
    holder.setLayout(flow)
    flow.addWidget(Box())
    flow.addWidget(Box())
    flow.addStretch()
    flow.addWidget(Box())
    holder.resize(width, 100)
    assert places(holder) == expected


def test_hidden_controls_take_no_room(row):
    holder, flow = row
    holder.findChildren(Box)[0].hide()
    holder.resize(320, 100)
    assert places(holder) == [(0, 0), (110, 0)]
    assert flow.sizeHint().width() == 210


def test_it_never_asks_for_more_than_its_widest_control(row):
    _, flow = row
    flow.setContentsMargins(5, 5, 5, 5)
    assert flow.minimumSize().width() <= 110
