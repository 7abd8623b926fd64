"""Controls that go on in the next line."""

import pytest

from shaderlab.app.qt import QSize, QtWidgets, QWidget
from shaderlab.app.widgets.flow_layout import FlowBar, FlowLayout


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


def test_a_bar_grows_by_a_line_and_leaves_what_is_beside_it_its_room(qtbot):
    area, panel, large, flow = QtWidgets.QScrollArea(), QWidget(), Large(), FlowLayout(spacing=10)
    qtbot.addWidget(area)
    for _ in range(3):
        flow.addWidget(Box())
    bar = FlowBar(flow)
    column = QtWidgets.QVBoxLayout(panel)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(large, 1)
    column.addWidget(bar)
    area.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(panel)
    area.resize(400, 200)
    area.show()
    QtWidgets.QApplication.processEvents()
    assert (bar.height(), large.height(), panel.height()) == (20, 180, 200)
    area.resize(250, 200)
    QtWidgets.QApplication.processEvents()
    assert (bar.height(), large.height(), panel.height()) == (50, 150, 200)


class Large(QWidget):
    def sizeHint(self) -> QSize:
        return QSize(480, 360)
