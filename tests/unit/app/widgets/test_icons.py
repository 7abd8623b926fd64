"""Icons are drawn when they are asked for, as sharp as the screen."""

import gc

import pytest

from shaderlab.app.qt import QIcon, QPainter, QPixmap, QRect, QSize, Qt
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import DARK, LIGHT


class _Screen:
    def __init__(self, ratio):
        self.devicePixelRatio = lambda: ratio


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0, 2.5])
def test_a_pixmap_has_the_pixels_of_the_screen(qapp, ratio, monkeypatch):
    monkeypatch.setattr(icons.QtGui.QGuiApplication, "screens", lambda: [_Screen(ratio)])
    made = icons.icon("new", LIGHT).pixmap(QSize(20, 20), ratio)
    assert made.size() == QSize(20, 20) * ratio
    assert made.devicePixelRatio() == ratio


def test_modes_and_themes_have_their_colours(qapp):
    def colours(theme, mode):
        image = icons.icon("new", theme).pixmap(QSize(24, 24), 1.0, mode).toImage()
        pixels = (image.pixelColor(x, y) for x in range(24) for y in range(24))
        return {pixel.name() for pixel in pixels if pixel.alpha() > 250}

    mode = QIcon.Mode
    assert LIGHT.text in colours(LIGHT, mode.Normal)
    assert DARK.text in colours(DARK, mode.Normal)
    assert LIGHT.text in colours(LIGHT, mode.Selected), "on a pale ground"
    assert not colours(LIGHT, mode.Disabled), "half transparent"


def test_an_icon_can_be_painted_copied_and_outlive_what_made_it(qapp):
    copy = QIcon(icons.icon("undo", LIGHT))
    copy.addPixmap(QPixmap(8, 8))  # a change makes Qt clone what draws it
    gc.collect()
    canvas = QPixmap(20, 20)
    canvas.fill(Qt.GlobalColor.transparent)
    painter = QPainter(canvas)
    copy.paint(painter, QRect(0, 0, 20, 20))
    painter.end()
    image = canvas.toImage()
    assert any(image.pixelColor(x, y).alpha() for x in range(20) for y in range(20))


def test_a_name_that_was_never_drawn_is_told_at_once(qapp):
    with pytest.raises(FileNotFoundError):
        icons.icon("nothing of the kind", LIGHT)
