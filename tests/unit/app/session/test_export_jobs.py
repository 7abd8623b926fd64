"""An animation, picture by picture: which moments are drawn, and what is left when it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab.app.session import export_jobs
from shaderlab.errors import DeviceLost, WrongUse
from shaderlab.frontend.program import Dialect
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.uniforms import Uniforms
from shaderlab.workers.exporting import Film, Plan

from .fakes import FakeWorker, frame, program

PLAN = Plan(Film.GIF, Path("a.gif"), (4, 2), start_s=0.0, frames=2, rate_hz=25.0)


class Writer(FakeWorker):
    """In the place of what encodes."""

    def begin(self, plan):
        return self._ask("begin", plan)

    def add(self, pixels, path, bottom_up):
        return self._ask("add", pixels, path, bottom_up)

    def finish(self, path):
        return self._ask("finish", path)

    def discard(self):
        return self._ask("discard", None)


class Desk:
    def __init__(self, driven, monkeypatch):
        self.driven, self.writers = driven, []
        monkeypatch.setattr(export_jobs, "ExportWorker", self._make)
        self.exports = driven.session.exports
        self.told: list[object] = []
        self.changes = 0
        self.exports.finished.connect(self.told.append)
        self.exports.failed.connect(self.told.append)
        self.exports.changed.connect(self._count)

    def _make(self) -> Writer:
        self.writers.append(Writer())
        return self.writers[-1]

    def _count(self) -> None:
        self.changes += 1

    @property
    def device(self):
        return self.driven.workers.background_devices[-1]

    @property
    def times_s(self) -> list[float]:
        return [each.shown.inputs.uniforms.time_s for each in self.device.frames]

    def rendered(
        self, dialect: Dialect = Dialect.SHADERTOY_ES310
    ) -> tuple[np.ndarray, np.ndarray, bool]:
        """The picture under way is drawn: its pixels, those that the writer is given, and whether
        the first row is at the bottom."""
        pixels = np.arange(2 * 4 * 4, dtype=np.uint8).reshape(2, 4, 4)
        drawn = Draw.of(program("drawn", dialect=dialect))
        self.device.answer(replace(frame(), pixels=pixels, draw=drawn))
        given, path, bottom_up = self.writers[-1].requests[-1].arguments
        assert path == self.exports.plan.path
        return pixels, given, bottom_up


@pytest.fixture
def desk(driven, monkeypatch):
    driven.compiles("a")
    return Desk(driven, monkeypatch)


def test_every_picture_is_drawn_and_written_in_turn(desk):
    exports = desk.exports
    exports.begin(PLAN)
    assert (exports.plan, exports.done, desk.changes) == (PLAN, 0, 1)
    (writer,) = desk.writers
    assert (writer.on, desk.device.tasks) == ("begin", [])
    writer.answer(None)
    desk.rendered()
    assert (writer.on, exports.done) == ("add", 0)
    writer.answer(None)
    assert (exports.done, desk.changes) == (1, 2)
    desk.rendered()
    writer.answer(None)
    assert (writer.on, exports.done) == ("finish", 2)
    assert desk.told == []
    writer.answer(None)
    assert desk.told == [PLAN]
    assert (exports.plan, desk.changes) == (None, 4)
    assert desk.times_s == [0.0, 1 / 25]
    assert desk.device.requests[0].of.name == "a"
    assert desk.device.frames[0].shown.size == (4, 2)
    assert (desk.device.closed, desk.device.waited_for) == (True, False)
    assert (writer.closed, writer.waited_for, "discard" in writer.tasks) == (True, False, False)


def test_the_device_s_pixels_go_to_the_writer_as_they_are(desk):
    """To turn and copy a large picture would hold the interface."""
    desk.exports.begin(PLAN)
    desk.writers[0].answer(None)
    pixels, given, bottom_up = desk.rendered(Dialect.SHADERTOY_ES310)
    assert given is pixels
    assert bottom_up
    desk.writers[0].answer(None)
    pixels, given, bottom_up = desk.rendered(Dialect.HLSL)
    assert given is pixels
    assert not bottom_up


def test_the_clock_of_each_picture_is_the_plans(desk):
    desk.exports.begin(PLAN)
    desk.writers[0].answer(None)
    desk.rendered()
    desk.writers[0].answer(None)
    second = desk.device.frames[1].shown.inputs.uniforms
    assert second == Uniforms(time_s=1 / 25, frame=1, time_delta_s=1 / 25, frame_rate=25.0)


def test_one_that_begins_later_has_the_frame_it_is_by_then(desk):
    desk.exports.begin(replace(PLAN, start_s=2.0))
    desk.writers[0].answer(None)
    assert desk.device.frames[0].shown.inputs.uniforms.frame == 120
    assert desk.times_s == [2.0]


def test_a_captured_draw_keeps_its_own_time(desk):
    drawing = desk.driven.session.drawing
    drawing.take(DrawState(attachments=Attachments((7, 5), fixed=object())))
    own_s = drawing.draw(program("a")).inputs.uniforms.time_s
    desk.exports.begin(PLAN)
    desk.writers[0].answer(None)
    assert desk.times_s == [own_s] != [PLAN.time_s(0)]


def test_nothing_begins_without_a_program_or_beside_another(driven, monkeypatch):
    desk = Desk(driven, monkeypatch)
    desk.exports.begin(PLAN)
    assert (desk.exports.plan, desk.writers) == (None, [])
    driven.compiles("a")
    desk.exports.begin(PLAN)
    desk.exports.begin(replace(PLAN, frames=9))
    assert (desk.exports.plan, len(desk.writers)) == (PLAN, 1)
    desk.exports.cancel()
    driven.session.on_device._place.worker = None
    desk.exports.begin(PLAN)
    assert desk.exports.plan is None, "no device"


def test_one_that_is_cancelled_leaves_nothing_and_late_answers_are_dropped(desk):
    exports = desk.exports
    exports.cancel()
    assert desk.changes == 0, "there is nothing to cancel"
    exports.begin(PLAN)
    writer = desk.writers[0]
    exports.cancel()
    assert exports.plan is None
    assert desk.device.closed
    assert [each.task for each in writer.open] == ["begin", "discard"]
    assert not writer.closed, "it is discarding"
    writer.open[1].answer(None)
    assert (writer.closed, writer.waited_for) == (True, False)
    writer.answer(None)
    assert desk.device.tasks == []
    exports.begin(PLAN)
    late = desk.writers[1]
    exports.cancel()
    late.fail(WrongUse("late"))
    assert desk.told == []


def test_what_fails_is_told_once_and_leaves_nothing(desk):
    exports = desk.exports
    exports.begin(PLAN)
    desk.writers[0].answer(None)
    error = DeviceLost("gone")
    desk.device.fail(error)
    assert desk.told == [error]
    assert exports.plan is None
    assert desk.writers[0].on == "discard"
    assert desk.device.closed
    exports.begin(PLAN)
    assert (exports.done, len(desk.writers)) == (0, 2)


def test_its_device_counts_among_the_sessions_while_it_lives(desk):
    session = desk.driven.session
    desk.exports.begin(PLAN)
    desk.device.replacements = 3
    assert session.replacements["animation"] == 3
    desk.exports.close()
    assert "animation" not in session.replacements
    assert desk.exports.plan is None
