"""Real keys reach a shader that reads Shadertoy's keyboard, its picture and its counts."""

from __future__ import annotations

from shaderlab.app.qt import Qt
from shaderlab.scene.textures import Filter, Pattern, Texture

KEYS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float held = texelFetch(iChannel0, ivec2(65, 0), 0).x;
    float switched = texelFetch(iChannel0, ivec2(32, 2), 0).x;
    float sum = 0.0;
    if (held > 0.5)
        for (int i = 0; i < 7; i++) sum += fragCoord.x * 1e-9;
    fragColor = vec4(held, switched, sum, 1.0);
}
"""
LOOP = 7


def _colour(driven) -> tuple[int, int]:
    colour = driven.window.preview.picture.image.pixelColor(5, 5)
    return colour.red(), colour.green()


def _runs_of_the_loop(driven) -> int:
    trace = driven.session.on_device.counts.trace
    return max((n for at, n in trace.line_counts.items() if at.line == LOOP), default=0)


def test_keys_are_the_shaders_while_the_preview_has_the_focus(driven, qtbot):
    driven.show(KEYS)
    window, session = driven.window, driven.session
    picture, keyboard = window.preview.picture, session.on_device.pictures.keyboard
    assert not picture.takes_keys
    session.drawing.set_texture("iChannel0", Texture(Pattern.KEYBOARD, Filter.NEAREST))
    driven.complete()
    assert picture.takes_keys
    assert _colour(driven) == (0, 0)
    assert _runs_of_the_loop(driven) == 0
    text = driven.editor.text

    window.activateWindow()
    qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=picture.rect().center())
    driven.wait(picture.hasFocus, "the focus in the picture")
    qtbot.keyPress(picture, Qt.Key.Key_A)
    driven.wait(lambda: _colour(driven) == (255, 0), "the picture with A held")
    driven.complete()
    assert _runs_of_the_loop(driven) > 0, "the counts see the key that is held"
    qtbot.keyRelease(picture, Qt.Key.Key_A)
    qtbot.keyClick(picture, Qt.Key.Key_Space)
    driven.wait(lambda: _colour(driven) == (0, 255), "the picture with the space bar's switch on")
    driven.complete()
    assert _runs_of_the_loop(driven) == 0
    assert driven.editor.text == text, "nothing was typed into the text"

    qtbot.keyPress(picture, Qt.Key.Key_A)
    qtbot.keyClick(picture, Qt.Key.Key_Tab)
    driven.wait(lambda: not picture.hasFocus(), "the focus elsewhere")
    assert keyboard.resting.held == (), "a key whose release nobody hears is released"
    window.actions_["run.restart"].trigger()
    driven.wait(lambda: _colour(driven) == (0, 0), "the switches as they were at first")


def test_the_shaders_keys_are_no_shortcuts_but_those_with_ctrl_are(driven, qtbot):
    driven.show(KEYS)
    driven.session.drawing.set_texture("iChannel0", Texture(Pattern.KEYBOARD, Filter.NEAREST))
    driven.complete()
    picture, playback = driven.window.preview.picture, driven.session.on_device.pictures.playback
    picture.setFocus()
    driven.wait(picture.hasFocus, "the focus in the picture")
    playing = playback.playing
    qtbot.keyClick(picture, Qt.Key.Key_F5)
    assert playback.playing is not playing
    qtbot.keyClick(picture, Qt.Key.Key_F5)
    assert driven.session.on_device.pictures.keyboard.resting.toggled == ()
