"""What a view shows is of the present arguments, or says that it is not."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.suspects import Suspects
from shaderlab.app.session.views import View
from shaderlab.app.session.workers import Crew
from shaderlab.engine import questions
from shaderlab.errors import ShaderTimeout

from .fakes import FakeClock, FakeWorkers, Loop, program

A, B = program("a"), program("b")


class Desk:
    def __init__(self) -> None:
        self.owner, self.clock = QObject(), FakeClock()
        self.loop = Loop(self.clock)
        self.workers = FakeWorkers(self.loop.settle)
        crew = Crew(self.workers)
        tools = Tools(Bridge(self.owner), Suspects(), self.clock, crew, self.loop)
        self.view = View(tools, questions.flows, self.owner)
        self.heard: list[object] = []
        self.view.changed.connect(lambda: self.heard.append(self.view.answer))

    @property
    def asked(self) -> list[str]:
        return [each.of.name for each in self.workers.text.requests]

    def want(self, of) -> None:
        self.view.want(of.name, of)


@pytest.fixture
def desk(qapp):
    desk = Desk()
    yield desk
    desk.loop.end()


def test_an_answer_stays_until_the_next_and_says_what_it_is_of(desk):
    desk.want(A)
    assert (desk.view.waiting, desk.view.settled, desk.view.answer) == (True, False, None)
    desk.workers.text.answer(("flow of a",))
    assert (desk.view.current, desk.view.of) == (True, "a")
    desk.want(B)
    assert desk.asked == ["a", "b"]
    assert (desk.view.current, desk.view.of, desk.view.answer) == (False, "a", ("flow of a",))
    desk.workers.text.answer(("flow of b",))
    assert (desk.view.current, desk.view.of, desk.view.answer) == (True, "b", ("flow of b",))


def test_an_answer_to_former_arguments_does_not_arrive(desk):
    desk.want(A)
    assert desk.asked == ["a"]
    desk.want(B)
    desk.workers.text.answer(("flow of a",))
    assert desk.heard == []
    desk.workers.text.answer(("flow of b",))
    assert desk.heard == [("flow of b",)]


def test_what_was_answered_before_is_not_asked_again(desk):
    for each in (A, B):
        desk.want(each)
        desk.workers.text.answer((f"flow of {each.name}",))
    desk.want(A)
    assert desk.asked == ["a", "b"]
    assert (desk.view.current, desk.view.answer) == (True, ("flow of a",))


def test_what_nobody_wants_any_more_is_given_up(desk):
    desk.want(A)
    assert desk.asked == ["a"]
    desk.view.leave()
    desk.clock.move(1.9)
    assert desk.workers.text.given_up == []
    desk.clock.move(0.2)
    assert len(desk.workers.text.given_up) == 1
    assert desk.heard == []


def test_an_error_is_of_its_arguments_and_can_be_tried_again(desk):
    error = ShaderTimeout("took longer than its limit")
    desk.want(A)
    desk.workers.text.fail(error)
    assert (desk.view.settled, desk.view.current, desk.view.error) == (True, False, error)
    desk.view.retry()
    desk.workers.text.answer(("flow of a",))
    assert (desk.view.current, desk.view.error) == (True, None)
