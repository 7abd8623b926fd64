"""Defaults that decide what runs: asked about once, said everywhere, until a value is set."""

from dataclasses import replace

from shaderlab.app.session.draw_settings import REST_S
from shaderlab.errors import InvalidModule
from shaderlab.frontend.program import Severity
from shaderlab.spirv.analysis.influence import Decision, Effect, Influence
from shaderlab.spirv.trace import SourceLine

from .fakes import FLOAT, INT, forecast, frame, program, trace

LOOP = program("loop", inputs={"steps": INT, "glow": FLOAT})
EFFECTS = {SourceLine("", 12): Effect.LOOP, SourceLine("", 14): Effect.RESULT}
FOUND = Influence({"steps": Decision("steps", EFFECTS)})
SENTENCE = "The loop in line 12 and the result of line 14 depend on 'steps', guessed as 0"
HERE = "This loop and the result of line 14 depend on 'steps', guessed as 0"


def compile_loop(driven, made=LOOP) -> None:
    driven.text.answer(made)


def test_it_is_asked_once_per_program_and_said_with_lines(driven):
    compile_loop(driven)
    assert driven.text.on == "influence"
    driven.text.answer(FOUND)
    (note,) = driven.session.diagnostics
    assert (note.line, note.severity, note.message) == (12, Severity.NOTE, HERE)
    driven.session.edit("a // the same code")
    driven.text.answer(LOOP)
    assert driven.text.tasks.count("influence") == 1


def test_a_program_without_open_questions_is_not_analysed(driven):
    compile_loop(driven, program("plain"))
    assert driven.text.on == ""
    assert driven.session.diagnostics == ()


def test_setting_the_value_settles_it_and_resetting_opens_it_again(driven):
    compile_loop(driven)
    driven.text.answer(FOUND)
    driven.session.drawing.set_value("glow", (1.0,))
    assert [each.sentence for each in driven.session.decisions.deciding] == [SENTENCE]
    driven.session.drawing.set_value("steps", (8.0,))
    assert driven.session.diagnostics == ()
    driven.session.drawing.reset_input("steps")
    assert [each.message for each in driven.session.diagnostics] == [HERE]


def test_forecasts_say_on_which_defaults_they_rest(driven):
    compile_loop(driven)
    driven.device.answer(frame())
    driven.device.answer(trace())
    assert driven.predictor.on == "", "what they rest on is not known yet"
    driven.text.answer(FOUND)
    assert driven.predictor.open[0].arguments[-1] == (SENTENCE,)
    driven.predictor.answer((forecast(),))
    driven.session.drawing.set_value("steps", (8.0,))
    driven.device.answer(frame())
    driven.clock.move(REST_S)
    driven.device.answer(trace())
    assert driven.predictor.open[0].arguments[-1] == ()


def test_while_the_text_does_not_compile_its_errors_alone_are_shown(driven):
    compile_loop(driven)
    driven.text.answer(FOUND)
    driven.session.edit("b")
    driven.text.fail(InvalidModule("broken"))
    driven.clock.move(1.0)
    assert [each.message for each in driven.session.diagnostics] == ["broken"]


def test_a_module_that_cannot_be_analysed_is_not_asked_about_again(driven):
    compile_loop(driven)
    driven.text.fail(InvalidModule("broken"))
    driven.session.drawing.set_value("glow", (2.0,))
    assert driven.text.tasks.count("influence") == 1
    assert driven.session.diagnostics == ()
    assert driven.told == []


def test_a_pragma_that_cannot_be_followed_is_told_with_its_line(driven):
    text = "// #pragma shaderlab slider(glow, 0, 4)\n// #pragma shaderlab slider(glow)\n"
    driven.text.answer(replace(program("pragmas"), text=text))
    (problem,) = driven.session.diagnostics
    assert (problem.line, problem.severity) == (2, Severity.WARNING)
    driven.session.open_text("c", "c", None)
    assert driven.session.diagnostics == ()


def test_another_document_begins_without(driven):
    compile_loop(driven)
    driven.text.answer(FOUND)
    driven.session.open_text("c", "c", None)
    assert driven.session.diagnostics == ()
