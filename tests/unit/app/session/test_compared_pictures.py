"""Two versions drawn at one moment, each once, and what is told of their difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shaderlab.app.session import compared_pictures
from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Dialect

from .fakes import forecast, frame, program, trace

SIZE = (3, 2)
THEN, OTHER = program("then"), program("other")


def picture(value: int):
    return replace(frame(), pixels=np.full((2, 3, 4), value, np.uint8))


class Desk:
    def __init__(self, driven):
        self.driven, self.compared = driven, driven.session.on_device.compared
        self.changes = self.holds = 0
        self.compared.changed.connect(self._changed)
        driven.session.on_device._place.interrupted.connect(self._held)

    def _changed(self) -> None:
        self.changes += 1

    def _held(self) -> None:
        self.holds += 1

    def draw(self, then: int, now: int, qtbot) -> None:
        """Both pictures come, and what they differ in."""
        assert self.driven.device.open[0].of is THEN
        self.driven.device.answer(picture(then))
        self.driven.device.answer(picture(now))
        qtbot.waitUntil(
            lambda: self.compared.pair is not None and self.compared.pair.flip is not None
        )


@pytest.fixture
def desk(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.answer((forecast(),))
    return Desk(driven)


def test_both_are_drawn_at_the_same_moment_and_their_difference_is_told_twice(desk, qtbot):
    desk.compared.compare(THEN, 2.5, SIZE)
    (first,) = desk.driven.device.frames[-1].draws
    assert (first.size, first.inputs.uniforms.time_s, first.inputs.uniforms.frame) == (
        SIZE,
        2.5,
        150,
    )
    desk.draw(10, 30, qtbot)
    second = desk.driven.device.frames[-1].shown
    assert second.program is desk.driven.session.program
    assert second.inputs.uniforms == first.inputs.uniforms
    pair = desk.compared.pair
    assert (pair.then[0, 0, 0], pair.now[0, 0, 0], pair.time_s) == (10, 30, 2.5)
    assert pair.y_up == Dialect.SHADERTOY_ES310.y_up
    assert pair.flip.shape == (2, 3)
    assert desk.compared.error is None
    assert desk.changes == 2, "first without FLIP, which takes a while"
    assert desk.holds == 1
    assert not desk.compared.due


def test_what_was_compared_is_not_drawn_again_before_something_changes(desk, qtbot):
    desk.compared.compare(THEN, 2.5, SIZE)
    desk.draw(10, 30, qtbot)
    drawn = len(desk.driven.device.frames)
    desk.driven.session.on_device.pump()
    assert len(desk.driven.device.frames) == drawn
    for given in ((THEN, 3.0, SIZE), (THEN, 3.0, (4, 2)), (OTHER, 3.0, (4, 2))):
        desk.compared.compare(*given)
        assert desk.compared.due or desk.driven.device.on == "render"
        while desk.driven.device.on:
            desk.driven.device.answer(picture(1))
    desk.driven.session.edit("b")
    desk.driven.compiles("b")
    desk.driven.device.answer(frame())
    desk.driven.device.answer(trace())
    assert desk.driven.device.open[0].of is OTHER, "with the text that is there now"


def test_a_large_picture_has_no_flip(desk, qtbot, monkeypatch):
    monkeypatch.setattr(compared_pictures, "MOST_FLIPPED", 5)
    desk.compared.compare(THEN, 2.5, SIZE)
    desk.driven.device.answer(picture(1))
    desk.driven.device.answer(picture(2))
    qtbot.waitUntil(lambda: desk.compared.pair is not None)
    assert desk.changes == 1
    assert desk.compared.pair.flip is None


def test_pictures_are_kept_apart_from_the_memory_they_came_in(desk, qtbot):
    desk.compared.compare(THEN, 2.5, SIZE)
    first = picture(10)
    desk.driven.device.answer(first)
    first.pixels[:] = 99
    desk.driven.device.answer(picture(30))
    qtbot.waitUntil(lambda: desk.compared.pair is not None)
    assert desk.compared.pair.then[0, 0, 0] == 10


@pytest.mark.parametrize("drawn", [0, 1])
def test_a_version_that_cannot_be_drawn_says_why_and_is_not_tried_again(desk, drawn):
    desk.compared.compare(THEN, 2.5, SIZE)
    for _ in range(drawn):
        desk.driven.device.answer(picture(1))
    desk.driven.device.fail(UnsupportedShader("not here"))
    assert str(desk.compared.error) == "not here"
    assert desk.compared.pair is None
    assert (desk.changes, desk.holds) == (1, 1)
    assert not desk.compared.due
    assert desk.driven.device.on == ""


def test_once_nobody_looks_nothing_is_drawn_or_told(desk, qtbot):
    desk.compared.compare(THEN, 2.5, SIZE)
    desk.compared.clear()
    desk.driven.device.fail(UnsupportedShader("not here"))
    assert desk.changes == 0
    assert desk.compared.error is None
    assert not desk.compared.due
    desk.compared.compare(THEN, 2.5, SIZE)
    desk.draw(10, 30, qtbot)
    desk.compared.clear()
    assert desk.compared.pair is None
