"""Values of a pixel picked by a click on the preview, in a real window."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import QPoint, Qt

TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += fragCoord.x * float(i);
    }
    float bad = sqrt(-1.0 - sum);
    fragColor = vec4(1.0, 0.5, 0.0, 1.0);
}
"""
WIDTH, HEIGHT = 320, 180


@pytest.fixture
def picked(driven, qtbot):
    """Clicks on a pixel of the paused preview with the caret on a line; waits for its values."""
    driven.session.on_device.pictures.playback.pause()
    driven.show(TEXT)
    pixels, picture = driven.session.on_device.pixels, driven.window.preview.picture

    def pick(line: int, x: int, y: int):
        driven.editor.go_to(line)
        place = picture.picture_rect()
        at = QPoint(
            round(place.left() + (x + 0.5) / WIDTH * place.width()),
            round(place.top() + (HEIGHT - y - 0.5) / HEIGHT * place.height()),
        )
        qtbot.mouseClick(
            picture, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, at
        )
        driven.wait(
            lambda: pixels.values is not None and pixels.values.line.line == line, "the values"
        )
        return pixels.values

    yield pick
    pixels.pick(None)
    driven.session.on_device.pictures.playback.play()


def cells(panel) -> list[list[str]]:
    model = panel.model
    return [
        [model.data(model.index(row, column)) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_click_shows_colour_cost_and_the_caret_lines_values(driven, picked):
    values = picked(5, 100, 40)
    assert values.pixel == (100, 40)
    panel = driven.window.pixel_panel
    assert "Pixel (100.5, 40.5): #ff8000" in panel.head
    assert "Line 5 ran 4 times" in panel.head
    assert panel.isVisible()
    columns = list(panel.model.columns)
    rows = cells(panel)
    assert [row[columns.index("i")] for row in rows] == ["0", "1", "2", "3"]
    assert [row[columns.index("sum =")] for row in rows] == ["0", "100.5", "301.5", "603"]

    driven.editor.go_to(7)
    driven.wait(lambda: "Line 7 ran once" in panel.head, "the other line's values")
    columns = list(panel.model.columns)
    assert "nan" in cells(panel)[0][columns.index("bad =")]
    driven.editor.go_to(1)
    driven.wait(lambda: "Line 1" in panel.head, "a line without values")
    assert "no variable" in panel.caption or panel.model.rowCount() == 0


def test_values_follow_the_text(driven, picked):
    picked(5, 10, 0)
    panel = driven.window.pixel_panel
    driven.edit(TEXT.replace("i < 4", "i < 2"))
    driven.editor.go_to(5)
    driven.wait(lambda: "Line 5 ran 2 times" in panel.head, "the new text's values")
    driven.editor.set_unmodified()
    driven.window.documents.new()
    assert panel.head == ""
    assert "Ctrl+click" in panel.empty.text
    driven.show()
