from __future__ import annotations

from shaderlab.app.session.mouse import ShaderMouse

SIZE = (200, 100)


def test_before_any_press_all_is_zero() -> None:
    mouse = ShaderMouse()
    mouse.drag(0.5, 0.5)
    assert mouse.take(SIZE) == (0, 0, 0, 0)


def test_signs_tell_press_hold_and_release() -> None:
    mouse = ShaderMouse()
    mouse.press(0.25, 0.5)
    assert mouse.take(SIZE) == (50, 50, 50, 50)
    assert mouse.take(SIZE) == (50, 50, 50, -50)
    mouse.drag(0.75, 1.0)
    assert mouse.take(SIZE) == (150, 100, 50, -50)
    mouse.release()
    mouse.drag(0.0, 0.0)
    assert mouse.take(SIZE) == (150, 100, -50, -50)


def test_a_click_shorter_than_a_frame_is_still_seen() -> None:
    mouse = ShaderMouse()
    mouse.press(0.5, 0.5)
    mouse.release()
    assert mouse.take(SIZE) == (100, 50, -100, 50)


def test_places_follow_the_resolution() -> None:
    mouse = ShaderMouse()
    mouse.press(0.5, 0.5)
    mouse.take(SIZE)
    assert mouse.take((64, 32)) == (32, 16, 32, -16)
