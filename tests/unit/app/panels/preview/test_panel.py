"""Sizes and pictures of the preview."""

import numpy as np
import pytest

from shaderlab.app.panels.preview.key_codes import key_code
from shaderlab.app.panels.preview.panel import SIZES, pixels_for
from shaderlab.app.panels.preview.picture import Picture
from shaderlab.app.qt import QEvent, QPoint, QPointF, Qt, QtGui, QtWidgets
from shaderlab.app.widgets.pictures import to_image
from shaderlab.app.widgets.theme import LIGHT


def test_pictures_stand_upright():
    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[0] = (255, 0, 0, 0)  # the bottom row, red, and transparent as shaders often leave it
    image = to_image(pixels, y_up=True)
    assert (image.width(), image.height()) == (3, 2)
    assert image.pixelColor(0, 1).getRgb() == (255, 0, 0, 255)
    assert image.pixelColor(0, 0).getRgb() == (0, 0, 0, 255)


def test_keys_have_the_codes_of_a_browser_and_those_of_the_number_block_their_own():
    def codes(modifier):
        pressed = (QtGui.QKeyEvent(QEvent.Type.KeyPress, ord(each), modifier) for each in "09*+-./")
        return [key_code(event) for event in pressed]

    assert codes(Qt.KeyboardModifier.KeypadModifier) == [96, 105, 106, 107, 109, 110, 111]
    assert codes(Qt.KeyboardModifier.NoModifier) == [48, 57, None, None, 189, 190, 191]


def test_with_y_down_row_0_is_the_top():
    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[0] = (255, 0, 0, 0)
    assert to_image(pixels, y_up=False).pixelColor(0, 0).getRgb() == (255, 0, 0, 255)


class Shown:
    """A picture of 40 x 20 pixels in a widget of that size, and what it says."""

    def __init__(self, qtbot, y_up: bool):
        self.picture = Picture(LIGHT)
        qtbot.addWidget(self.picture)
        self.picture.setMinimumSize(0, 0)
        self.picture.resize(40, 20)
        self.picture.set_image(to_image(np.zeros((20, 40, 4), np.uint8), y_up), y_up)
        self.said: list[tuple] = []
        for name in ("pressed", "dragged", "released", "turned", "zoomed"):
            signal = getattr(self.picture, name)
            signal.connect(lambda *at, name=name: self.said.append((name, *at)))

    def mouse(self, kind, x: float, y: float, buttons=Qt.MouseButton.LeftButton) -> None:
        button = Qt.MouseButton.NoButton
        if kind is not QEvent.Type.MouseMove:
            button = Qt.MouseButton.LeftButton
        at = QPointF(x, y)
        event = QtGui.QMouseEvent(kind, at, at, button, buttons, Qt.KeyboardModifier.NoModifier)
        QtWidgets.QApplication.sendEvent(self.picture, event)

    def drag(self, start, end) -> None:
        self.mouse(QEvent.Type.MouseButtonPress, *start)
        self.mouse(QEvent.Type.MouseMove, *end)
        self.mouse(QEvent.Type.MouseButtonRelease, *end, Qt.MouseButton.NoButton)


@pytest.mark.parametrize("y_up", [True, False])
def test_the_mouse_counts_from_where_the_fragment_coordinate_is_0(qtbot, y_up):
    shown = Shown(qtbot, y_up)
    shown.drag((10, 5), (20, 15))
    near, far = (0.75, 0.25) if y_up else (0.25, 0.75)
    assert shown.said == [("pressed", 0.25, near), ("dragged", 0.5, far), ("released",)]


@pytest.mark.parametrize(("y_up", "row"), [(True, 17), (False, 2)])
def test_the_pixel_under_the_cursor_is_the_one_that_is_shown_there(qtbot, y_up, row):
    shown = Shown(qtbot, y_up)
    shown.mouse(QEvent.Type.MouseMove, 10.5, 2.5, Qt.MouseButton.NoButton)
    assert shown.picture.pixel == (10, row)


def test_with_a_camera_the_mouse_turns_it_and_the_shaders_mouse_rests(qtbot):
    shown = Shown(qtbot, y_up=False)
    shown.picture.has_camera = True
    shown.drag((10, 5), (20, 15))
    assert shown.said == [("turned", 10, 10, 20), ("released",)]
    qtbot.keyClick(shown.picture, Qt.Key.Key_Left)
    name, right, down, _ = shown.said[-1]
    assert (name, right < 0, down) == ("turned", True, 0)
    qtbot.keyClick(shown.picture, Qt.Key.Key_Minus)
    assert shown.said[-1] == ("zoomed", -1)


@pytest.mark.parametrize("has_camera", [True, False])
def test_the_wheel_zooms_a_camera_or_looks_closer(qtbot, has_camera):
    shown = Shown(qtbot, y_up=True)
    shown.picture.has_camera = has_camera
    at, none = QPointF(5, 5), QPoint()
    event = QtGui.QWheelEvent(
        at, at, none, QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    shown.picture.wheelEvent(event)
    assert shown.said == ([("zoomed", 2)] if has_camera else [])
    assert event.isAccepted()
    assert (shown.picture.zoom > 1) is not has_camera


@pytest.mark.parametrize("software", [True, False])
@pytest.mark.parametrize("choice", [key for key, _ in SIZES] + ["nonsense", "0x0"])
def test_every_choice_of_size_can_be_drawn(choice, software):
    width, height = pixels_for(choice, (620, 1), software)
    assert 16 <= width <= 8192
    assert 16 <= height <= 8192


def test_automatic_size_spares_software_drivers():
    assert pixels_for("auto", (2000, 1000), software=False) == (2000, 1000)
    assert pixels_for("auto", (2000, 1000), software=True) == (512, 384)
    assert pixels_for("half", (2000, 1000), software=True) == (1000, 500)
    assert pixels_for("1024x768", (1, 1), software=True) == (1024, 768)
