"""The preview's time, zoom, full screen and export, in a real window."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from shaderlab.app.qt import QApplication, QEvent, QPoint, QPointF, Qt, QtGui
from shaderlab.app.shell.export_dialog import ExportDialog

CLOCK = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(iTime / 10.0, fragCoord / iResolution.xy, 1.0);
}
"""
WIDTH, HEIGHT = 320, 180


@pytest.fixture
def preview(driven):
    driven.show(CLOCK)
    driven.session.on_device.pictures.playback.pause()
    yield driven.window.preview
    driven.window.preview.picture.zoom_to(1.0)
    driven.session.on_device.pictures.set_loop(None)
    driven.window.preview.timeline.show_loop(None)
    driven.session.on_device.pictures.playback.play()


def red(preview) -> int:
    image = preview.picture.image
    return image.pixelColor(WIDTH // 2, HEIGHT // 2).red()


def test_time_is_scrubbed_stepped_and_looped(driven, preview, qtbot):
    playback = driven.session.on_device.pictures.playback
    preview.timeline.slider.setValue(round(5.0 * 60))
    driven.wait(lambda: abs(red(preview) - 127.5) < 1, "the picture at 5 s")
    assert playback.moment[:2] == (5.0, 300)
    qtbot.keyClick(preview.timeline.slider, Qt.Key.Key_Right)
    assert playback.moment.frame == 301
    driven.window.actions_["run.step_back"].trigger()
    driven.window.actions_["run.step_back"].trigger()
    assert playback.moment.frame == 299

    menu = preview.timeline.button.menu()
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text() == "Loop 0 to 1 s").trigger()
    assert playback.loop == (0.0, 1.0)
    assert playback.time_s == 0.0
    assert preview.timeline.slider.maximum() == 60
    driven.session.on_device.toggle_play()
    driven.wait(lambda: playback.time_s > 0.9, "nearly the end")
    driven.wait(lambda: playback.time_s < 0.5, "the start again")
    driven.session.on_device.toggle_play()


def wheel(picture, at: QPoint, notches: int) -> None:
    event = QtGui.QWheelEvent(
        QPointF(at), QPointF(picture.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(picture, event)


def test_pixels_are_looked_at_and_read(driven, preview, qtbot):
    picture = preview.picture
    preview.timeline.slider.setValue(0)
    driven.wait(lambda: red(preview) == 0, "the picture at 0 s")
    assert picture.readout == ""
    middle = picture.rect().center()
    wheel(picture, middle, 8)
    assert picture.zoom == pytest.approx(16.0)
    qtbot.mouseMove(picture, middle + QPoint(1, 1))
    qtbot.mouseMove(picture, middle)
    driven.wait(lambda: picture.pixel is not None, "the display's word that the mouse moved")
    x, y = picture.pixel
    assert abs(x - WIDTH // 2) <= 1
    assert f"({x + 0.5}, {y + 0.5})" in picture.readout
    assert "rgb(0, 127" in picture.readout or "rgb(0, 128" in picture.readout
    before = picture.picture_rect().left()
    qtbot.mousePress(picture, Qt.MouseButton.MiddleButton, pos=middle)
    qtbot.mouseMove(picture, middle + QPoint(40, 0))
    move = QtGui.QMouseEvent(
        QEvent.Type.MouseMove, QPointF(middle + QPoint(40, 0)), Qt.MouseButton.NoButton,
        Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(picture, move)
    qtbot.mouseRelease(picture, Qt.MouseButton.MiddleButton, pos=middle + QPoint(40, 0))
    assert picture.picture_rect().left() == pytest.approx(before + 40)
    wheel(picture, middle, -20)
    assert picture.zoom == 1.0


def test_the_picture_is_copied_and_shown_on_the_whole_screen(driven, preview, qtbot):
    preview.timeline.slider.setValue(round(5.0 * 60))
    driven.wait(lambda: abs(red(preview) - 127.5) < 1, "the picture at 5 s")
    driven.window.actions_["file.copy_picture"].trigger()
    copied = QApplication.clipboard().image()
    assert (copied.width(), copied.height()) == (WIDTH, HEIGHT)
    assert abs(copied.pixelColor(5, 5).red() - 127.5) < 1

    driven.window.actions_["view.preview_full_screen"].trigger()
    full = preview.full_screen
    assert full.isFullScreen()
    preview.timeline.slider.setValue(round(9.0 * 60))
    driven.wait(lambda: full.image.pixelColor(5, 5).red() > 220, "the next picture")
    qtbot.keyClick(full, Qt.Key.Key_Escape)
    assert preview.full_screen is None


def test_an_animation_is_exported_or_given_up(driven, preview, qtbot, tmp_path):
    driven.window.actions_["file.export_animation"].trigger()
    (dialog,) = (each for each in driven.window.children() if isinstance(each, ExportDialog))
    dialog.film.setCurrentIndex(2)
    dialog.path.setText(str(tmp_path / "clock.png"))
    dialog.rate.setCurrentIndex(0)
    dialog.end.setValue(1.0)
    assert dialog.summary.text() == "10 frames"
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    driven.wait(lambda: "Saved" in dialog.summary.text(), "the export")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 10
    pictures = [np.asarray(Image.open(file)) for file in files]
    assert pictures[0].shape == (360, 640, 3)
    reds = [int(each[100, 100, 0]) for each in pictures]
    assert reds == pytest.approx([255 * n / 100 for n in range(10)], abs=1)
    assert pictures[0][0, 0, 2] > 250, "the top is up"
    dialog.end.setValue(60.0)
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    driven.wait(lambda: driven.session.exports.done > 2, "some pictures")
    dialog.reject()
    assert driven.session.exports.plan is None
