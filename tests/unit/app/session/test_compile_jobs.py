"""From a text that changes to programs and errors, with one compile at a time."""

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.compile_jobs import CALM_S, PATIENCE_S, CompileJobs
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.source import Source
from shaderlab.app.session.suspects import Suspects
from shaderlab.app.session.workers import Crew
from shaderlab.errors import CompileFailed, ShaderTimeout
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage

from .fakes import FakeClock, FakeCompiler, FakeWorkers, program

WRONG = CompileFailed("line 1: no", (Diagnostic(1, 2, Severity.ERROR, "no"),))
HUNG = ShaderTimeout("compiling a took longer than its limit")


class Desk:
    def __init__(self):
        self.owner = QObject()
        self.clock, self.quarantine = FakeClock(), Suspects()
        self.tools = Tools(Bridge(self.owner), self.quarantine, self.clock, Crew(FakeWorkers()))
        self.jobs = CompileJobs(self.tools, self.owner)
        self.compiler = FakeCompiler()
        self.jobs.start(self.compiler)
        self.programs: list[str] = []
        self.jobs.compiled.connect(lambda made: self.programs.append(made.name))

    def open(self, text: str = "a") -> None:
        self.jobs.open(Source(text, "name", None))

    @property
    def texts(self) -> list[str]:
        """All that was sent."""
        return [request.of for request in self.compiler.requests]

    def answer(self) -> None:
        """The text under way compiles to a program of its name."""
        self.compiler.answer(program(self.compiler.open[0].of))

    @property
    def messages(self) -> list[str]:
        return [d.message for d in self.jobs.diagnostics]


@pytest.fixture
def desk(qapp):
    return Desk()


def test_a_text_becomes_a_program(desk):
    desk.open()
    assert desk.jobs.busy
    assert not desk.jobs.settled
    desk.clock.move(0.03)
    desk.answer()
    assert desk.programs == ["a"]
    assert desk.jobs.settled
    assert desk.jobs.compile_s == pytest.approx(0.03)


def test_a_document_opened_before_the_compiler_came_up_is_compiled_then(qapp):
    desk = Desk()
    desk.jobs = CompileJobs(desk.tools, desk.owner)
    desk.open()
    assert desk.texts == []
    desk.jobs.start(desk.compiler)
    assert desk.texts == ["a"]


def test_the_newest_text_is_next_and_only_one_is_under_way(desk):
    desk.open("a")
    for text in ("ab", "abc", "abcd"):
        desk.jobs.edit(text)
        assert desk.texts == ["a"]
    desk.answer()
    assert desk.texts == ["a", "abcd"]
    desk.answer()
    assert desk.programs == ["a", "abcd"], "one just overtaken is of use"
    assert desk.jobs.settled


def test_errors_of_an_overtaken_text_are_not_shown(desk):
    desk.open("a")
    desk.jobs.edit("ab")
    desk.compiler.fail(WRONG)
    assert desk.messages == []
    assert desk.jobs.compiles
    desk.answer()
    assert desk.programs == ["ab"]


def test_an_overtaken_compile_that_takes_long_is_given_up_for_the_newest(desk):
    desk.open("a")
    desk.clock.move(PATIENCE_S + 5)
    assert not desk.compiler.given_up, "nothing newer waits"
    desk.jobs.edit("ab")
    assert [request.of for request in desk.compiler.given_up] == ["a"]
    assert desk.texts == ["a", "ab"]
    desk.clock.move(PATIENCE_S / 2)
    desk.jobs.edit("abc")
    assert len(desk.compiler.given_up) == 1
    desk.clock.move(PATIENCE_S / 2)
    assert desk.texts == ["a", "ab", "abc"]
    desk.answer()
    assert desk.programs == ["abc"]
    assert desk.messages == []
    assert not desk.quarantine.reason(Source("a", "name", None), "compile")


def test_a_text_typed_back_needs_no_other_compile(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("ab")
    desk.jobs.edit("a")
    desk.clock.move(PATIENCE_S)
    assert [request.of for request in desk.compiler.given_up] == ["ab"]
    assert desk.texts == ["a", "ab"]
    assert desk.jobs.settled
    assert desk.programs == ["a"]


def test_errors_wait_until_the_typing_pauses(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("a(")
    desk.clock.move(CALM_S / 2)
    desk.compiler.fail(WRONG)
    assert desk.messages == []
    assert not desk.jobs.settled
    desk.clock.move(CALM_S / 2 + 0.001)
    assert desk.messages == ["no"]
    assert not desk.jobs.compiles
    assert desk.jobs.settled


def test_withheld_errors_go_with_the_text_they_are_of(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("a(")
    desk.compiler.fail(WRONG)
    desk.clock.move(CALM_S / 2)
    desk.jobs.edit("a()")
    desk.clock.move(CALM_S / 2)
    assert desk.messages == [], "typed on meanwhile"
    desk.answer()
    desk.clock.move(10 * CALM_S)
    assert desk.messages == []


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


def test_errors_and_blame_of_a_former_document(desk):
    desk.open("a")
    desk.open("b")
    desk.compiler.fail(HUNG)
    assert desk.messages == []
    assert desk.quarantine.reason(Source("a", "name", None), "compile") == str(HUNG)
    desk.answer()
    assert desk.programs == ["b"]


def test_the_same_text_in_a_second_document_is_compiled_for_it(desk):
    desk.open("a")
    desk.open("a")
    desk.answer()
    assert desk.programs == []
    desk.answer()
    assert desk.programs == ["a"]


def test_a_new_name_in_the_same_folder_changes_nothing(desk):
    desk.open()
    desk.answer()
    desk.jobs.rename("other", None)
    assert desk.jobs.settled
    assert desk.texts == ["a"]
    desk.jobs.rename("other", Path("/elsewhere"))
    assert desk.texts == ["a", "a"]


# -- what ended the compiler ----------------------------------------------------------------


def test_a_text_that_ended_the_compiler_is_refused_until_its_code_changes(desk):
    desk.open("int a;")
    desk.compiler.fail(HUNG)
    assert desk.messages == [str(HUNG)]
    desk.jobs.edit("// a comment\nint a;")
    desk.clock.move(CALM_S)
    (message,) = desk.messages
    assert "not compiled again automatically: compiling a took longer" in message
    assert "choose Compile now" in message
    assert desk.jobs.settled
    assert len(desk.texts) == 1
    desk.jobs.edit("int b;")
    assert desk.texts[-1] == "int b;"


def test_compile_now_compiles_it_all_the_same(desk):
    desk.open("int a;")
    desk.compiler.fail(HUNG)
    desk.jobs.again()
    assert desk.texts == ["int a;", "int a;"]


def test_a_module_is_loaded_and_refused_by_its_bytes(desk):
    path = Path("/x/m.spv")
    desk.jobs.open(Source("", "m.spv", path.parent, path, "ab" * 32))
    assert desk.compiler.requests[0].arguments == (path,)
    desk.compiler.fail(HUNG)
    desk.jobs.open(Source("", "m.spv", path.parent, path, "ab" * 32))
    assert len(desk.compiler.requests) == 1
    assert "Choose Reload" in desk.messages[0]
    desk.jobs.open(Source("", "m.spv", path.parent, path, "cd" * 32))
    assert len(desk.compiler.requests) == 2


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Stage.VERTEX, "This vertex shader compiles; open its fragment shader and choose this one"),
        (Stage.GEOMETRY, "This geometry shader compiles; it is neither rendered nor counted"),
    ],
)
def test_a_shader_of_a_stage_that_is_not_drawn_is_no_program(desk, stage, said):
    desk.open()
    warned = replace(program("a"), stage=stage, diagnostics=WRONG.diagnostics)
    desk.compiler.answer(warned)
    assert desk.programs == []
    own, about = desk.jobs.diagnostics
    assert own.message == "no", "with what the compiler says"
    assert about.message.startswith(said)
    assert (about.line, about.column, about.severity) == (0, 0, Severity.ERROR)
    assert not desk.jobs.compiles
    assert not desk.jobs.has_program


def test_a_compute_shader_is_one(desk):
    desk.open()
    desk.compiler.answer(replace(program("a"), stage=Stage.COMPUTE))
    assert desk.programs == ["a"]


def test_what_is_shown_and_under_way_is_announced(desk):
    told: list[str] = []
    desk.jobs.diagnostics_changed.connect(lambda: told.append("diagnostics"))
    desk.jobs.state_changed.connect(lambda: told.append("state"))

    def new() -> list[str]:
        found, told[:] = [*told], []
        return found

    desk.open("a")
    assert new() == ["diagnostics", "state"]
    desk.answer()
    assert new() == ["state"]
    desk.jobs.edit("a(")
    assert new() == ["state"]
    desk.compiler.fail(WRONG)
    assert new() == ["state"], "withheld"
    desk.clock.move(CALM_S)
    assert new() == ["diagnostics", "state"]
    desk.jobs.edit("a((")
    desk.compiler.fail(WRONG)
    assert "diagnostics" not in new(), "the same"
    desk.jobs.leave_behind("a(((")
    assert new() == ["state"]


def test_a_warning_is_shown_with_its_program(desk):
    warning = Diagnostic(1, 1, Severity.WARNING, "unused")
    desk.open("a")
    desk.compiler.answer(replace(program("a"), diagnostics=(warning,)))
    assert desk.messages == ["unused"]
    assert desk.jobs.compiles
    desk.jobs.edit("ab")
    desk.answer()
    assert desk.messages == []


def test_errors_of_a_text_that_was_wrong_before_are_shown_at_once(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("a(")
    desk.clock.move(CALM_S)
    desk.compiler.fail(WRONG)
    assert desk.messages == ["no"]
    desk.jobs.edit("a(b")
    desk.compiler.fail(CompileFailed("line 2: nor this"))
    assert desk.messages == ["line 2: nor this"]
    desk.jobs.edit("ab")
    desk.answer()
    assert desk.messages == []
    assert desk.jobs.compiles


def test_typing_on_over_a_withheld_error_waits_for_another_pause(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("a(")
    desk.compiler.fail(WRONG)
    desk.clock.move(CALM_S * 0.9)
    desk.jobs.edit("a((")
    desk.clock.move(CALM_S * 0.9)
    assert desk.messages == []
    desk.clock.move(CALM_S * 0.1)
    assert desk.messages == ["no"], "of the text before, whose successor takes long"


def test_a_text_left_for_later_is_not_followed_until_it_is_compiled(desk):
    desk.jobs.leave_behind("x")
    assert not desk.jobs.left_behind, "no document"
    desk.open("a")
    desk.answer()
    assert desk.jobs.follows
    desk.jobs.leave_behind("a")
    assert desk.jobs.follows, "the same text"
    desk.jobs.leave_behind("ab")
    assert desk.jobs.left_behind
    assert not desk.jobs.follows
    assert desk.jobs.settled
    desk.jobs.edit("ab")
    assert not desk.jobs.left_behind
    desk.answer()
    assert desk.jobs.follows
    desk.jobs.leave_behind("abc")
    desk.open("b")
    assert not desk.jobs.left_behind


def test_what_changes_before_a_document_is_open_is_nothing(desk):
    assert not desk.jobs.left_behind
    assert desk.jobs.compile_s is None
    desk.jobs.edit("a")
    desk.jobs.read_as(Reading(Language.GLSL))
    desk.jobs.rename("b", None)
    desk.jobs.again()
    assert desk.texts == []
    assert desk.jobs.source is None
    assert desk.jobs.changed_at == 0.0


def test_another_reading_is_another_compile(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.read_as(Reading(Language.GLSL))
    desk.jobs.read_as(Reading(Language.GLSL))
    assert desk.texts == ["a", "a"]
    assert desk.compiler.requests[1].arguments[3] == Reading(Language.GLSL)


def test_a_rename_in_the_same_folder_while_it_compiles_compiles_it_under_its_name(desk):
    desk.open("a")
    desk.jobs.rename("other", None)
    desk.answer()
    assert [each.arguments[1] for each in desk.compiler.requests] == ["name", "other"]


def test_a_document_opened_over_another_forgets_what_was_shown(desk):
    desk.open("a")
    desk.answer()
    desk.jobs.edit("a(")
    desk.clock.move(CALM_S)
    desk.compiler.fail(WRONG)
    desk.clock.move(1.0)
    desk.open("b")
    assert (desk.messages, desk.jobs.compiles, desk.jobs.has_program) == ([], True, False)
    assert desk.jobs.changed_at == desk.clock.time
    desk.answer()
    desk.jobs.edit("b(")
    desk.compiler.fail(WRONG)
    desk.open("c")
    desk.clock.move(CALM_S)
    assert desk.messages == [], "what was withheld goes too"


def test_a_modules_compile_again_needs_reload(desk):
    path = Path("/x/m.spv")
    desk.jobs.open(Source("", "m.spv", path.parent, path, "ab" * 32))
    desk.compiler.fail(HUNG)
    desk.jobs.again()
    assert len(desk.compiler.requests) == 1, "its bytes are what ended the compiler"
    assert "Choose Reload" in desk.messages[0]
