"""The user's own vertex stage: compiled for the fragment program, drawn, counted, predicted."""

from dataclasses import replace

from shaderlab.app.session.compiling import CALM_S
from shaderlab.app.session.draw_settings import REST_S
from shaderlab.engine import questions
from shaderlab.errors import CompileFailed, UnsupportedShader
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage

from .driven import analysed
from .fakes import INT, forecast, frame, program, trace

PATIENCE_S = questions.vertex_stage.patience_s
MESH = program("mesh.vert", inputs={"rows": INT})
BROKEN = CompileFailed("no", (Diagnostic(3, 1, Severity.ERROR, "no such thing"),))


def asked(driven, task="vertex"):
    if driven.text.on == "influence":
        analysed(driven)
    (found,) = [each for each in driven.text.open if each.task == task]
    return found


def with_vertex(driven):
    """A fragment program that waits for the vertex stage it is drawn with."""
    driven.session.vertex.open("mesh", "mesh.vert", None)
    return driven.compiles("a")


def test_nothing_is_drawn_before_the_vertex_stage_fits(driven):
    made = with_vertex(driven)
    request = asked(driven)
    assert request.arguments[:3] == ("mesh", "mesh.vert", None)
    assert request.arguments[3] == Reading(stage=Stage.VERTEX)
    assert request.arguments[4] == made
    assert driven.device.on == ""
    request.answer(MESH)
    assert driven.device.frames[-1].shown.vertex == MESH


def test_its_counts_come_with_the_fragment_stage_s_and_go_to_the_forecast(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.device.answer(frame())
    driven.clock.move(REST_S)
    driven.device.answer(trace())
    assert driven.device.on == "trace vertex"
    assert driven.predictor.on == "", "half of the counts are missing"
    counted = replace(trace(), size=(3, 1))
    driven.device.answer(counted)
    assert driven.session.on_device.counts.vertex is counted
    analysed(driven)
    assert driven.predictor.on == "predict"
    assert driven.predictor.vertex is counted
    driven.predictor.answer((forecast(),))
    assert driven.session.complete


def test_a_device_that_cannot_count_it_still_counts_the_fragment_stage(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.device.answer(frame())
    driven.clock.move(REST_S)
    driven.device.answer(trace())
    driven.device.fail(UnsupportedShader("no atomics in this stage"))
    assert driven.session.on_device.counts.vertex is None
    assert driven.session.trace is not None
    analysed(driven)
    assert driven.predictor.on == "predict"


def test_while_its_text_fails_the_latest_that_compiled_is_drawn(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.device.answer(frame())
    driven.session.edit_vertex("mesh 2")
    asked(driven).fail(BROKEN)
    assert driven.session.vertex.diagnostics == (), "it may be typed on"
    driven.clock.move(CALM_S)
    (error,) = [d for d in driven.session.diagnostics if d.severity is Severity.ERROR]
    assert (error.file, error.line) == ("mesh.vert", 3)
    assert driven.session.drawing.vertex.program == MESH
    driven.session.edit("b")
    asked(driven, "compile").answer(program("b"))
    asked(driven).fail(BROKEN)
    again = asked(driven)
    assert again.arguments[0] == "mesh", "the text that compiled, for the new fragment stage"
    again.answer(MESH)
    assert driven.session.drawing.vertex.program == MESH
    assert [d.line for d in driven.session.vertex.diagnostics] == [3]


def test_an_error_in_a_text_that_is_typed_on_is_not_shown(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.device.answer(frame())
    driven.session.edit_vertex("mesh 2")
    asked(driven).fail(BROKEN)
    driven.session.edit_vertex("mesh 3")
    driven.clock.move(CALM_S)
    assert driven.session.vertex.diagnostics == ()
    asked(driven).answer(MESH)
    driven.clock.move(CALM_S)
    assert driven.session.vertex.diagnostics == ()


def test_without_any_that_compiled_the_reason_stands_in_the_picture_s_place(driven):
    with_vertex(driven)
    asked(driven).fail(BROKEN)
    error = driven.session.on_device.pictures.error
    assert str(error) == "the vertex stage does not compile: mesh.vert:3: no such thing"
    assert driven.device.on == ""
    driven.session.vertex.close()
    assert driven.device.on == "render"
    assert driven.device.frames[-1].shown.vertex is None


def test_both_stages_in_one_text_follow_it_and_its_language(driven):
    driven.session.reading.choose(Reading(Language.HLSL, entry="PSMain"))
    driven.session.vertex.open("both", "both.hlsl", None, in_document=True)
    driven.session.edit("both 2")
    while driven.session.compiling.busy:
        asked(driven, "compile").answer(program("both"))
    request = asked(driven)
    assert request.arguments[0] == "both 2"
    assert request.arguments[3] == Reading(Language.HLSL, Stage.VERTEX)
    assert driven.session.vertex.name == ""


def test_its_inputs_are_listed_and_those_that_decide_are_marked_in_its_file(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    assert [each.name for each in driven.session.drawing.listed()] == ["rows"]
    driven.session.drawing.set_value("rows", (3.0,))
    assert driven.session.drawing.inputs.values["rows"].value == (3.0,)


def test_another_document_is_drawn_with_its_geometry(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.device.answer(frame())
    driven.session.open_text("c", "c", None)
    asked(driven, "compile").answer(program("c"))
    assert driven.device.frames[-1].shown.vertex is None
    assert not driven.session.vertex.is_own


def state(driven) -> tuple[bool, bool, bool]:
    vertex = driven.session.vertex
    return vertex.is_own, vertex.settled, vertex.compiles


def test_without_a_stage_of_its_own_there_is_nothing_to_wait_for(driven):
    vertex = driven.session.vertex
    assert state(driven) == (False, True, True)
    vertex.edit("x")
    vertex.retry()
    driven.compiles("a")
    assert state(driven) == (False, True, True)
    assert (vertex.name, vertex.files) == ("", ())
    assert "vertex" not in driven.text.tasks


def test_it_is_settled_once_its_newest_text_and_the_newest_program_are_answered(driven):
    with_vertex(driven)
    assert state(driven) == (True, False, True)
    asked(driven).answer(replace(MESH, includes=("lib/mesh.glsl",)))
    assert state(driven) == (True, True, True)
    assert driven.session.vertex.files == ("lib/mesh.glsl",)
    assert driven.session.vertex.name == "mesh.vert"
    driven.session.edit_vertex("mesh 2")
    assert state(driven) == (True, False, True)
    asked(driven).fail(BROKEN)
    assert state(driven) == (True, False, False), "what is wrong is withheld"
    driven.clock.move(CALM_S)
    assert state(driven) == (True, True, False)
    driven.session.edit_vertex("mesh 3")
    asked(driven).answer(MESH)
    assert state(driven) == (True, True, True)
    assert driven.session.vertex.diagnostics == ()
    driven.session.edit("b")
    asked(driven, "compile").answer(program("b"))
    assert state(driven) == (True, False, True), "it may not fit the new program"


def test_an_error_is_shown_at_once_where_the_typing_has_paused(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.session.edit_vertex("mesh 2")
    driven.clock.move(CALM_S)
    asked(driven).fail(BROKEN)
    assert [each.line for each in driven.session.vertex.diagnostics] == [3]


def test_an_error_without_a_place_and_one_in_another_file_are_told_as_they_are(driven):
    with_vertex(driven)
    asked(driven).fail(UnsupportedShader("no such stage"))
    (found,) = driven.session.vertex.diagnostics
    assert (found.file, found.line, found.message) == ("mesh.vert", 0, "no such stage")
    problem = "the vertex stage does not compile: mesh.vert: no such stage"
    assert str(driven.session.drawing.problem) == problem
    driven.session.edit_vertex("mesh 2")
    inner = Diagnostic(7, 1, Severity.ERROR, "no", "lib/mesh.glsl")
    asked(driven).fail(CompileFailed("no", (inner,)))
    driven.clock.move(CALM_S)
    assert [each.file for each in driven.session.vertex.diagnostics] == ["lib/mesh.glsl"]
    assert "compile: lib/mesh.glsl:7: no" in str(driven.session.drawing.problem)


def test_warnings_come_with_the_program(driven):
    with_vertex(driven)
    warning = Diagnostic(2, 1, Severity.WARNING, "unused")
    asked(driven).answer(replace(MESH, diagnostics=(warning,)))
    assert [each.file for each in driven.session.vertex.diagnostics] == ["mesh.vert"]
    assert driven.session.vertex.compiles


def test_a_stage_that_fits_no_program_any_more_is_no_stage(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.session.edit("b")
    asked(driven, "compile").answer(program("b"))
    assert driven.session.drawing.waiting
    asked(driven).fail(BROKEN)
    assert not [each for each in driven.text.open if each.task == "vertex"], "it is the same text"
    assert driven.session.drawing.vertex.problem is not None
    assert not driven.session.drawing.waiting


def test_a_text_that_compiled_before_and_fits_no_more_is_not_tried_for_ever(driven):
    with_vertex(driven)
    asked(driven).answer(MESH)
    driven.session.edit_vertex("mesh 2")
    asked(driven).fail(BROKEN)
    driven.session.edit("b")
    asked(driven, "compile").answer(program("b"))
    asked(driven).fail(BROKEN)
    asked(driven).fail(BROKEN)
    assert not [each for each in driven.text.open if each.task == "vertex"]
    assert driven.session.drawing.vertex.problem is not None


def test_compiling_again_asks_again(driven):
    with_vertex(driven)
    asked(driven).fail(BROKEN)
    driven.session.vertex.retry()
    assert asked(driven).arguments[0] == "mesh"


def test_a_compile_of_an_outdated_text_is_given_up_after_a_while(driven):
    with_vertex(driven)
    driven.clock.move(PATIENCE_S + 1)
    assert not driven.text.given_up
    driven.session.edit_vertex("mesh 2")
    driven.clock.move()
    assert [each.task for each in driven.text.given_up] == ["vertex"]
    assert asked(driven).arguments[0] == "mesh 2"


def test_opening_and_closing_a_stage_is_told(driven):
    told: list[bool] = []
    vertex = driven.session.vertex
    vertex.changed.connect(lambda: told.append(vertex.is_own))
    with_vertex(driven)
    vertex.close()
    assert told == [True, False]
    assert driven.session.drawing.vertex.program is None
