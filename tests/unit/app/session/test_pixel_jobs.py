"""Values of the picked pixel: asked for again whenever the picture on screen is another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.errors import UnsupportedShader
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.uniforms import Uniforms

from .fakes import REST_MORE_S, forecast, frame, program, trace


def picture(size: tuple[int, int] = (8, 6), time_s: float = 1.0):
    clock = Input(Uniforms(time_s=time_s))
    state = DrawState(Inputs(clock=clock), attachments=Attachments(size))
    return replace(frame(), draw=Draw(program("a"), state))


class Desk:
    def __init__(self, driven):
        self.driven, self.pixels = driven, driven.session.on_device.pixels
        self.changes = 0
        self.pixels.changed.connect(self._count)

    def _count(self) -> None:
        self.changes += 1

    @property
    def pictures(self):
        return self.driven.session.on_device.pictures

    def asked(self) -> list[tuple[int, tuple[int, int]]]:
        """Line and pixel of each request."""
        found = (each for each in self.driven.device.requests if each.task == "pixel")
        return [(each.arguments[1].line, each.arguments[2]) for each in found]

    def drawn(self, time_s: float = 1.0) -> None:
        """A picture of this time arrives."""
        self.pictures.draw_soon()
        assert self.driven.device.on == "render"
        self.driven.device.answer(picture(time_s=time_s))


@pytest.fixture
def desk(driven):
    driven.compiles("a")
    driven.device.answer(picture())
    driven.device.answer(trace())
    driven.predictor.answer((forecast(),))
    return Desk(driven)


def test_a_pixel_picked_is_read_at_once_within_the_picture(desk):
    desk.pixels.follow(3)
    assert desk.asked() == [], "none is picked"
    desk.pixels.pick((2, 5))
    assert desk.changes == 1
    assert desk.asked() == [(3, (2, 5))]
    desk.driven.device.answer("values")
    assert (desk.pixels.values, desk.pixels.error, desk.pixels.time_s) == ("values", None, 1.0)
    assert desk.changes == 2
    desk.pixels.pick((80, 70))
    assert desk.pixels.values is None
    assert desk.asked()[-1] == (3, (7, 5)), "that picture ends before"


def test_another_line_is_read_and_the_same_is_not(desk):
    desk.pixels.pick((2, 5))
    desk.driven.device.answer("values")
    desk.pixels.follow(1)
    desk.pixels.follow(4)
    desk.pixels.follow(4)
    assert [line for line, _ in desk.asked()] == [1, 4]


def test_while_paused_another_time_is_read(desk):
    desk.pixels.pick((2, 5))
    desk.driven.device.answer("values")
    desk.drawn()
    assert len(desk.asked()) == 1, "the same picture"
    desk.drawn(time_s=2.0)
    assert len(desk.asked()) == 2
    desk.driven.device.answer("later")
    assert (desk.pixels.values, desk.pixels.time_s) == ("later", 2.0)


def test_while_it_plays_only_another_program_or_other_values_are(desk):
    desk.pixels.pick((2, 5))
    desk.driven.device.answer("values")
    desk.pictures.playback.play()
    desk.drawn(time_s=2.0)
    assert len(desk.asked()) == 1
    desk.driven.device.answer(picture(time_s=2.0)) if desk.driven.device.on == "render" else None
    desk.driven.session.edit("b")
    desk.driven.compiles("b")
    while desk.driven.device.on == "render":
        desk.driven.device.answer(picture())
    assert desk.driven.device.on == "trace"
    desk.driven.device.answer(trace())
    assert desk.driven.device.on == "pixel"
    assert desk.driven.device.open[0].of.name == "b"


def test_a_pixel_that_cannot_be_read_says_why_until_it_can(desk):
    desk.pixels.pick((2, 5))
    desk.driven.device.fail(UnsupportedShader("no debug information"))
    assert str(desk.pixels.error) == "no debug information"
    assert desk.pixels.values is None
    assert desk.changes == 2
    desk.drawn(time_s=3.0)
    desk.driven.device.answer("values")
    assert (desk.pixels.values, desk.pixels.error) == ("values", None)


def test_without_a_pixel_nothing_is_read(desk):
    desk.pixels.pick((2, 5))
    desk.driven.device.answer("values")
    desk.pixels.pick(None)
    assert (desk.pixels.pixel, desk.pixels.values, desk.changes) == (None, None, 3)
    desk.drawn(time_s=2.0)
    desk.pixels.follow(9)
    assert len(desk.asked()) == 1
    desk.pixels.pick((2, 5))
    desk.driven.device.answer("values")
    desk.driven.session.open_text("b", "b.frag", None)
    assert desk.pixels.pixel is None


def test_before_there_is_a_picture_no_pixel_can_be_read(driven):
    pixels = driven.session.on_device.pixels
    pixels.pick((0, 0))
    driven.compiles("a")
    driven.device.fail(UnsupportedShader("no picture"))
    assert "pixel" not in driven.device.tasks


def test_reading_a_pixel_takes_the_device_and_holds_the_preview(desk):
    told: list[str] = []
    place = desk.driven.session.on_device._place
    place.state_changed.connect(lambda: told.append(place.runner.task))
    held: list[int] = []
    place.interrupted.connect(lambda: held.append(1))
    desk.pixels.pick((2, 5))
    assert told[-1] == "pixel"
    desk.driven.device.answer("values")
    assert held == [1]
    desk.pixels.pick((2, 6))
    desk.driven.device.fail(UnsupportedShader("no"))
    assert held == [1, 1]
    desk.driven.clock.move(REST_MORE_S)
