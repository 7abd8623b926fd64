"""From a text that changes to programs and errors."""

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.compiling import CALM_S, Compiling
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.suspects import Suspects
from shaderlab.app.session.workers import Crew
from shaderlab.engine import questions
from shaderlab.errors import CompileFailed, ShaderTimeout
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.source import Source
from shaderlab.frontend.stage import Stage

from .fakes import FakeClock, FakeWorkers, Loop, program

WRONG = CompileFailed("line 1: no", (Diagnostic(1, 2, Severity.ERROR, "no"),))
HUNG = ShaderTimeout("compiling a took longer than its limit")
PATIENCE_S = questions.compiled_text.patience_s


class Desk:
    def __init__(self):
        self.owner, self.clock = QObject(), FakeClock()
        self.loop = Loop(self.clock)
        workers = FakeWorkers(self.loop.settle)
        tools = Tools(Bridge(self.owner), Suspects(), self.clock, Crew(workers), self.loop)
        self.compiling, self.compiler = Compiling(tools, self.owner), workers.text
        self.programs: list[str] = []
        self.compiling.compiled.connect(lambda made: self.programs.append(made.name))

    def open(self, text: str = "a", name: str = "name") -> None:
        self.compiling.open(Source(text, name, None))
        self.clock.settle()

    def edit(self, text: str) -> None:
        self.compiling.edit(text)
        self.clock.settle()

    @property
    def texts(self) -> list[str]:
        """All that was sent."""
        return [request.of for request in self.compiler.requests]

    def answer(self) -> None:
        """The text under way compiles to a program of its name."""
        self.compiler.answer(program(self.compiler.open[0].of))

    @property
    def messages(self) -> list[str]:
        return [d.message for d in self.compiling.diagnostics]


@pytest.fixture
def desk(qapp):
    desk = Desk()
    desk.compiling.start()
    yield desk
    desk.loop.end()


def test_a_text_becomes_a_program(desk):
    desk.open()
    assert (desk.compiling.busy, desk.compiling.settled) == (True, False)
    desk.clock.move(0.03)
    desk.answer()
    assert desk.programs == ["a"]
    assert (desk.compiling.busy, desk.compiling.settled) == (False, True)
    assert desk.compiling.compile_s == pytest.approx(0.03)


def test_nothing_is_compiled_before_the_start_or_without_a_document(qapp):
    desk = Desk()
    desk.edit("x")
    desk.compiling.read_as(Reading(Language.GLSL))
    desk.compiling.rename("b", None)
    desk.compiling.retry()
    assert desk.compiling.source is None
    desk.open()
    assert desk.texts == []
    desk.compiling.start()
    assert desk.texts == ["a"]
    desk.loop.end()


def test_the_newest_text_is_next_and_one_just_overtaken_is_of_use(desk):
    desk.open("a")
    for text in ("ab", "abc", "abcd"):
        desk.edit(text)
        assert desk.texts == ["a"]
    desk.answer()
    assert (desk.texts, desk.programs) == (["a", "abcd"], ["a"])
    desk.answer()
    assert desk.programs == ["a", "abcd"]
    assert desk.compiling.settled


def test_errors_of_an_overtaken_text_are_not_shown(desk):
    desk.open("a")
    desk.edit("ab")
    desk.compiler.fail(WRONG)
    assert desk.messages == []
    assert desk.compiling.compiles
    desk.answer()
    assert desk.programs == ["ab"]


def test_an_overtaken_compile_that_takes_long_is_given_up_for_the_newest(desk):
    desk.open("a")
    desk.clock.move(PATIENCE_S + 5)
    assert not desk.compiler.given_up, "nothing newer waits"
    desk.edit("ab")
    desk.clock.move()
    assert [request.of for request in desk.compiler.given_up] == ["a"]
    assert desk.texts == ["a", "ab"]
    desk.clock.move(PATIENCE_S / 2)
    desk.edit("abc")
    assert len(desk.compiler.given_up) == 1
    desk.clock.move(PATIENCE_S / 2)
    assert desk.texts == ["a", "ab", "abc"]
    desk.answer()
    assert (desk.programs, desk.messages) == (["abc"], [])


def test_a_text_typed_back_needs_no_other_compile(desk):
    desk.open("a")
    desk.answer()
    desk.edit("ab")
    desk.edit("a")
    assert desk.compiling.settled
    desk.answer()
    assert (desk.texts, desk.programs) == (["a", "ab"], ["a"]), "not the overtaken one"


def test_errors_wait_until_the_typing_pauses(desk):
    desk.open("a")
    desk.answer()
    desk.edit("a(")
    desk.clock.move(CALM_S / 2)
    desk.compiler.fail(WRONG)
    assert desk.messages == []
    assert not desk.compiling.settled
    desk.clock.move(CALM_S / 2 + 0.001)
    assert desk.messages == ["no"]
    assert not desk.compiling.compiles
    assert desk.compiling.settled
    desk.edit("a(b")
    desk.compiler.fail(CompileFailed("line 2: nor this"))
    assert desk.messages == ["line 2: nor this"], "it was wrong before"
    desk.edit("ab")
    desk.answer()
    assert (desk.messages, desk.compiling.compiles) == ([], True)


def test_withheld_errors_go_with_the_text_they_are_of(desk):
    desk.open("a")
    desk.answer()
    desk.edit("a(")
    desk.compiler.fail(WRONG)
    desk.clock.move(CALM_S / 2)
    desk.edit("a()")
    desk.clock.move(CALM_S / 2)
    assert desk.messages == [], "typed on meanwhile"
    desk.answer()
    desk.clock.move(10 * CALM_S)
    assert desk.messages == []


def test_typing_on_over_a_withheld_error_waits_for_another_pause(desk):
    desk.open("a")
    desk.answer()
    desk.edit("a(")
    desk.compiler.fail(WRONG)
    desk.clock.move(CALM_S * 0.9)
    desk.edit("a((")
    desk.clock.move(CALM_S * 0.9)
    assert desk.messages == []
    desk.clock.move(CALM_S * 0.1)
    assert desk.messages == ["no"], "of the text before, whose successor takes long"


def test_errors_of_a_first_text_are_shown_at_once(desk):
    desk.open("a(")
    desk.compiler.fail(WRONG)
    assert desk.messages == ["no"]


# -- documents ------------------------------------------------------------------------------


def test_answers_for_a_former_document_are_dropped(desk):
    desk.open("a")
    desk.open("b")
    assert desk.texts == ["a"], "the compiler is still on the first"
    desk.answer()
    assert desk.programs == []
    assert desk.texts == ["a", "b"]
    desk.answer()
    assert desk.programs == ["b"]


def test_a_document_that_is_opened_again_is_not_compiled_again(desk):
    for text in ("a", "b"):
        desk.open(text, name=text)
        desk.answer()
    desk.open("a", name="a")
    assert (desk.texts, desk.programs) == (["a", "b"], ["a", "b", "a"])
    assert desk.compiling.settled


def test_a_document_opened_over_another_forgets_what_was_shown(desk):
    desk.open("a")
    desk.answer()
    desk.edit("a(")
    desk.clock.move(CALM_S)
    desk.compiler.fail(WRONG)
    desk.clock.move(1.0)
    desk.open("b")
    compiling = desk.compiling
    assert (desk.messages, compiling.compiles, compiling.has_program) == ([], True, False)
    assert compiling.changed_at == desk.clock.time
    desk.answer()
    desk.edit("b(")
    desk.compiler.fail(WRONG)
    desk.open("c")
    desk.clock.move(CALM_S)
    assert desk.messages == [], "what was withheld goes too"


def test_another_folder_or_reading_is_another_compile_and_another_name_is_not(desk):
    desk.open()
    desk.answer()
    desk.compiling.rename("other", None)
    assert (desk.texts, desk.compiling.settled) == (["a"], True)
    desk.compiling.rename("other", Path("/elsewhere"))
    assert desk.texts == ["a", "a"]
    desk.answer()
    desk.compiling.read_as(Reading(Language.GLSL))
    desk.compiling.read_as(Reading(Language.GLSL))
    assert desk.texts == ["a", "a", "a"]
    assert desk.compiler.requests[2].arguments[3] == Reading(Language.GLSL)


# -- what is no program ---------------------------------------------------------------------


def test_what_ended_the_compiler_is_compiled_again_where_the_user_asks(desk):
    desk.open()
    desk.compiler.fail(HUNG)
    (message,) = desk.messages
    assert message.startswith(f"{HUNG}. It is not compiled again automatically")
    desk.open()
    assert desk.texts == ["a"]
    desk.compiling.retry()
    assert desk.texts == ["a", "a"]
    desk.compiler.fail(HUNG)
    desk.compiling.release(Source("a", "name", None))
    desk.open()
    assert desk.texts == ["a", "a", "a"]


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Stage.VERTEX, "This vertex shader compiles; open its fragment shader and choose this one"),
        (Stage.GEOMETRY, "This geometry shader compiles; it is neither rendered nor counted"),
    ],
)
def test_a_shader_of_a_stage_that_is_not_drawn_is_no_program(desk, stage, said):
    desk.open()
    desk.compiler.answer(replace(program("a"), stage=stage, diagnostics=WRONG.diagnostics))
    assert desk.programs == []
    own, about = desk.compiling.diagnostics
    assert own.message == "no", "with what the compiler says"
    assert about.message.startswith(said)
    assert (about.line, about.column, about.severity) == (0, 0, Severity.ERROR)
    assert not desk.compiling.compiles
    assert not desk.compiling.has_program


def test_a_compute_shader_is_one(desk):
    desk.open()
    desk.compiler.answer(replace(program("a"), stage=Stage.COMPUTE))
    assert desk.programs == ["a"]


def test_a_warning_is_shown_with_its_program(desk):
    warning = Diagnostic(1, 1, Severity.WARNING, "unused")
    desk.open("a")
    desk.compiler.answer(replace(program("a"), diagnostics=(warning,)))
    assert desk.messages == ["unused"]
    assert desk.compiling.compiles
    desk.edit("ab")
    desk.answer()
    assert desk.messages == []


def test_a_text_left_for_later_is_not_followed_until_it_is_compiled(desk):
    desk.compiling.leave_behind("x")
    assert not desk.compiling.left_behind, "no document"
    desk.open("a")
    desk.answer()
    assert desk.compiling.follows
    desk.compiling.leave_behind("a")
    assert desk.compiling.follows, "the same text"
    desk.compiling.leave_behind("ab")
    assert (desk.compiling.left_behind, desk.compiling.follows) == (True, False)
    assert desk.compiling.settled
    desk.edit("ab")
    assert not desk.compiling.left_behind
    desk.answer()
    assert desk.compiling.follows
    desk.compiling.leave_behind("abc")
    desk.open("b")
    assert not desk.compiling.left_behind
