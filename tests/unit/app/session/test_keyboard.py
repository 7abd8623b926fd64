"""What a shader sees of keys, frame by frame."""

from __future__ import annotations

from shaderlab.app.session.keyboard import ShaderKeyboard
from shaderlab.scene.keys import NO_KEYS, Keys


def test_a_press_is_fresh_in_one_frame_and_switches_until_the_next():
    keyboard = ShaderKeyboard()
    keyboard.press(65)
    assert keyboard.take() == Keys((65,), (65,), (65,))
    assert keyboard.take() == keyboard.resting == Keys((65,), (), (65,))
    keyboard.release(65)
    assert keyboard.take() == Keys((), (), (65,))
    keyboard.press(65)
    keyboard.release(65)
    assert keyboard.take() == Keys((65,), (65,), ()), "a press shorter than a frame is seen in it"
    assert keyboard.take() == NO_KEYS


def test_a_key_that_repeats_was_pressed_once_and_what_is_left_behind_is_released():
    keyboard, changes = ShaderKeyboard(), []
    keyboard.changed.connect(lambda: changes.append(keyboard.resting))
    for code in (37, 37, 65):
        keyboard.press(code)
    keyboard.release(1)
    keyboard.release_all()
    keyboard.release_all()
    assert changes == [
        Keys((37,), (), (37,)), Keys((37, 65), (), (37, 65)), Keys((), (), (37, 65))
    ]  # fmt: skip
    keyboard.clear()
    keyboard.clear()
    assert changes[3:] == [NO_KEYS]
    assert keyboard.take() == NO_KEYS
