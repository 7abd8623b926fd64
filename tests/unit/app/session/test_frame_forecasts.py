"""The frame's forecast: each pass counted when what it reads changed, then all summed."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from shaderlab.app.session.frame_forecasts import PassCosts
from shaderlab.errors import ShaderTimeout, UnsupportedShader
from shaderlab.prediction.forecast import Forecast, Status, Validation
from shaderlab.prediction.forms import Form
from shaderlab.projects.project import Project, ProjectPass
from shaderlab.scene.draw import DrawState
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.textures import PassPicture, Texture
from shaderlab.spirv.analysis.influence import Decision, Effect, Influence
from shaderlab.spirv.trace import SourceLine

from .driven import change, load
from .fakes import INT, REST_MORE_S, frame, program, trace

_NOTHING_DECIDES = Influence({})
IMAGE = program("image", textures=["iChannel0"])
A, B = program("a"), program("b")
TEXTS = {
    "toy.frag": IMAGE,
    "other": program("image 2", textures=["iChannel0"]),
    "A.frag": A,
    "B.frag": B,
    "a": program("alone"),
}


def of(time_s: float) -> Forecast:
    unknown = Validation(None, None, None, "")
    return Forecast("rtx3060", time_s, time_s / 2, 2 * time_s, "additive", "", unknown)


def test_a_pass_without_any_time_says_why():
    nothing = replace(
        of(1.0), time_s=None, low_s=None, status=Status.NONE, warnings=("It never ends.",)
    )
    assert PassCosts(forecasts=(nothing,)).why_none == "It never ends."
    assert PassCosts(forecasts=(nothing, of(1.0))).why_none == ""
    assert PassCosts(error=ShaderTimeout("too long")).why_none == "too long"


@pytest.fixture
def project(tmp_path):
    """The image reads A; B is read by none."""
    for name in ("toy.frag", "A.frag", "B.frag"):
        (tmp_path / name).write_text(name)
    reads = Inputs(textures={"iChannel0": Input(Texture(PassPicture("A")))})
    passes = tuple(ProjectPass(n, tmp_path / f"{n}.frag", DrawState()) for n in "AB")
    return Project(tmp_path / "toy.frag", state=DrawState(reads), passes=passes)


def compile_all(driven, files=MappingProxyType({}), influence=_NOTHING_DECIDES) -> None:
    """What is under way; `files`: programs of other texts than before, by name."""
    for request in driven.text.open:
        if request.task == "influence":
            request.answer(influence)
        else:
            name = request.of.name if request.task == "load" else request.of
            made = files.get(name, TEXTS[name])
            load(request, made) if request.task == "load" else request.answer(made)


def serve(
    driven,
    seconds=None,
    fail=None,
    files=None,
    influence=_NOTHING_DECIDES,
    more=None,
) -> list[str]:
    """Answer all workers until they rest: what was counted, in order.

    `seconds`: of each program's forecast; `fail`: errors of counting a pass; `files`: programs of
    other texts in the passes' files; `influence`: of every analysis; `more`: a forecast for
    another target beside each.
    """
    counted = []
    for _ in range(60):
        compile_all(driven, files or {}, influence)
        driven.clock.move(REST_MORE_S)
        for request in driven.device.open:
            if request.task not in ("trace pass", "trace"):
                request.answer(frame() if request.task == "render" else trace())
                continue
            reads_none = request.task == "trace"  # so it is counted alone
            name = request.of.name.split()[0].title() if reads_none else request.arguments[1]
            counted.append(name)
            error = (fail or {}).get(name)
            request.fail(error) if error else request.answer(trace())
        for request in driven.predictor.open:
            time_s = (seconds or {}).get(request.of.name, 1.0)
            none = replace(of(1.0), time_s=None, low_s=None, high_s=None, status=Status.NONE)
            none = replace(none, warnings=("took too long",))
            found = none if request.task == "predict static" else of(time_s)
            request.answer((found,) if more is None else (found, more))
        if not (driven.device.open or driven.predictor.open or driven.text.open):
            return counted
    raise AssertionError("it never rests")


def opened(driven, project, shader) -> None:
    driven.session.open_text(shader.name, shader.name, shader.parent)
    driven.session.drawing.take(project.state if shader == project.shader else DrawState())
    driven.session.use_project(project, "toy.shaderlab.toml", shader)


@pytest.fixture
def toy(driven, project):
    serve(driven)
    opened(driven, project, project.shader)
    return driven


def test_every_pass_is_counted_once_and_the_times_are_summed(toy):
    assert serve(toy, {"image": 4.0, "a": 2.0, "b": 1.0}) == ["Image", "A", "B"]
    (found,) = toy.session.frame.forecasts
    assert (found.time_s, found.low_s, found.high_s) == (7.0, 3.5, 14.0)
    assert list(found.passes) == ["A", "B", "Image"]
    assert toy.session.frame.complete
    assert toy.session.history.now_s[found.comparable] == 7.0


def test_defaults_that_may_decide_are_looked_for_in_the_passes_that_have_any(toy):
    steps = program("a 3", inputs={"steps": INT})
    serve(toy, files={"A.frag": steps})
    analysed = [r.of.name for r in toy.text.requests if r.task == "influence"]
    assert analysed == ["image", "a 3"], "B reads nothing"


def test_defaults_that_decide_a_pass_are_said_with_its_forecast(toy):
    steps = program("a 3", inputs={"steps": INT})
    decides = Influence({"steps": Decision("steps", {SourceLine("", 12): Effect.LOOP})})
    serve(toy, files={"A.frag": steps}, influence=decides)
    asked = [r for r in toy.predictor.requests if r.task == "predict" and r.of is steps]
    said = "The loop in line 12 depends on 'steps', guessed as 0"
    assert asked[-1].arguments[-1] == (said,)


def test_a_frame_has_a_time_where_any_target_has_one(toy):
    none = {"time_s": None, "low_s": None, "high_s": None, "status": Status.NONE}
    serve(toy, more=replace(of(1.0), target="odd", **none))
    by_target = {each.target: each.time_s for each in toy.session.frame.forecasts}
    assert by_target["rtx3060"] == 3.0
    assert by_target.get("odd") is None


def test_an_edit_of_the_last_pass_counts_that_alone(toy):
    serve(toy)
    toy.session.edit("other")
    assert serve(toy, {"image 2": 6.0}) == ["Image"]
    (found,) = toy.session.frame.forecasts
    assert found.time_s == 8.0
    assert toy.session.history.before_s[found.comparable] == 3.0


def test_a_changed_buffer_is_counted_again_with_what_reads_it(toy, project):
    serve(toy)
    change(project.passes[0].shader)
    toy.session.passes.again()
    assert serve(toy, {"a 2": 5.0}, files={"A.frag": program("a 2")}) == ["Image", "A"]
    (found,) = toy.session.frame.forecasts
    assert found.time_s == 7.0


def test_until_all_are_there_the_missing_ones_are_named(toy):
    while toy.text.open:
        compile_all(toy)
    toy.device.answer(frame())
    toy.clock.move(REST_MORE_S)
    toy.device.answer(trace())
    assert toy.session.frame.outdated == ("A", "B")
    assert toy.session.frame.forecasts == ()
    assert not toy.session.frame.complete


@pytest.mark.parametrize("error", [UnsupportedShader("no 64-bit"), ShaderTimeout("no end")])
def test_a_pass_without_a_time_leaves_the_frame_without_one_and_is_named(toy, error):
    counted = serve(toy, fail={"A": error})
    assert counted == ["Image", "A", "B"]
    assert toy.session.frame.forecasts == ()
    why = "took too long" if isinstance(error, ShaderTimeout) else "It was not run: no 64-bit"
    assert toy.session.frame.problem == f"A has no forecast: {why}"
    assert toy.session.forecasts, "the edited pass has its own"


def test_what_was_counted_is_kept_when_another_pass_of_the_frame_is_opened(toy, project):
    serve(toy)
    opened(toy, project, project.passes[1].shader)
    assert serve(toy) == []
    assert toy.session.drawing.passes.edited == "B"
    assert [f.time_s for f in toy.session.frame.forecasts] == [3.0]


def test_forms_of_other_passes_follow_those_of_the_edited_one_and_are_predicted_with(toy):
    toy.has_targets(Form.OPTIMIZED)
    made = {each: program(f"{each.name}, optimised") for each in (A, B, IMAGE)}
    serve(toy)
    for _ in range(40):
        toy.clock.move(REST_MORE_S)
        for request in toy.optimizer.open:
            request.answer(made[request.of])
        serve(toy)
    asked = [r.of for r in toy.optimizer.requests]
    assert asked == [IMAGE, A, B], "each once, the edited one first"
    predicted = [(r.of, r.arguments[2]) for r in toy.predictor.requests if r.task == "predict"]
    for each in (A, B):
        forms = next(forms for of, forms in reversed(predicted) if of is each)
        assert forms[Form.OPTIMIZED][0] is made[each]


def test_a_form_that_cannot_be_made_is_asked_for_once(toy):
    toy.has_targets(Form.OPTIMIZED)
    serve(toy)
    for _ in range(40):
        toy.clock.move(REST_MORE_S)
        for request in toy.optimizer.open:
            request.fail(UnsupportedShader("it is beyond the optimiser"))
        serve(toy)
    assert [r.of for r in toy.optimizer.requests] == [IMAGE, A, B]
    assert [each.time_s for each in toy.session.frame.forecasts] == [3.0]


def test_a_document_of_its_own_has_no_frame(toy):
    serve(toy)
    toy.session.open_text("a", "alone.frag", None)
    assert toy.session.frame.forecasts == ()
    assert toy.session.frame.complete


def test_a_project_that_comes_after_the_counts_waits_for_those_of_its_passes(driven, project):
    shader = project.shader
    driven.session.open_text(shader.name, shader.name, shader.parent)
    while not driven.predictor.open:
        compile_all(driven)
        driven.clock.move(REST_MORE_S)
        for request in driven.device.open:
            request.answer(frame() if request.task == "render" else trace())
    driven.session.use_project(project, "toy.shaderlab.toml", shader)
    for request in driven.predictor.open:
        request.answer((of(1.0),))
    assert driven.session.frame.passes == {}
    serve(driven)
    assert [each.time_s for each in driven.session.frame.forecasts] == [3.0]
