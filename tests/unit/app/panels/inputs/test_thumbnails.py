"""Small pictures of textures."""

import pytest

from shaderlab.app.panels.inputs.thumbnails import SIDE, Thumbnails
from shaderlab.app.qt import QColor, QImage, QObject
from shaderlab.scene.textures import ImageFile, Pattern, Texture


@pytest.fixture
def thumbnails(qtbot):
    owner = QObject()
    made = Thumbnails(owner)
    yield made
    made.close()


def made_of(qtbot, thumbnails, texture):
    with qtbot.waitSignal(thumbnails.made, timeout=30_000) as made:
        thumbnails.want("wood", texture)
    assert made.args[:2] == ["wood", texture]
    return made.args[2]


def test_patterns_look_like_themselves(qtbot, thumbnails):
    white = made_of(qtbot, thumbnails, Texture(Pattern.WHITE))
    assert white.pixelColor(0, 0) == QColor("white")
    noise = made_of(qtbot, thumbnails, Texture(Pattern.NOISE))
    assert len({noise.pixel(x, 0) for x in range(noise.width())}) > 8


def test_files_are_scaled_and_flipped(qtbot, thumbnails, tmp_path):
    image = QImage(200, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    for x in range(200):
        image.setPixelColor(x, 0, QColor("blue"))
    path = tmp_path / "wood.png"
    image.save(str(path))
    small = made_of(qtbot, thumbnails, Texture(ImageFile(path)))
    assert min(small.width(), small.height()) == SIDE
    assert small.pixelColor(5, 0).blue() > small.pixelColor(5, small.height() - 1).blue()
    flipped = made_of(qtbot, thumbnails, Texture(ImageFile(path, flipped=True)))
    assert flipped.pixelColor(5, 0).blue() < flipped.pixelColor(5, small.height() - 1).blue()


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n broken", b"no picture"])
def test_what_is_no_picture_has_none(qtbot, thumbnails, tmp_path, data):
    path = tmp_path / "wood.png"
    path.write_bytes(data)
    assert made_of(qtbot, thumbnails, Texture(ImageFile(path))) is None
    assert made_of(qtbot, thumbnails, Texture(ImageFile(tmp_path / "gone.png"))) is None
