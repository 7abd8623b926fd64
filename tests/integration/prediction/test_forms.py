"""Forecasts of what compilers leave of a program, and of the forms as written."""

from __future__ import annotations

from contextlib import closing

import pytest

from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import CompileFailed, WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized, unrolled
from shaderlab.locations import resources
from shaderlab.prediction.catalogue.targets import catalogue, installed
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.forms import Form, method_name
from shaderlab.prediction.models.additive_model import COMPILED, METHOD, OPTIMIZED
from shaderlab.prediction.models.matched import MatchedModel
from shaderlab.scene.draw import Draw, Frame
from tests.radv import needs_radv_listing

BODY = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.xy;
    float sum = 0.0, unseen = 0.0;
    for (int i = 0; i < 60; i++)
        sum += sin(p.x * float(i)) * cos(p.y + sum);
    %s
    fragColor = vec4(vec3(sum / 60.0), 1.0);
}
"""
HOT_LINE = 6
FOR_NOTHING = "unseen = p.x * 3.0; unseen += tan(unseen); unseen *= exp(unseen) + pow(unseen, p.y);"


def counted(worker, text):
    program = compile_text(text, "made-for-the-test", None)
    smaller = optimized(program)
    traces = [worker.trace(Draw.of(each, (512, 384))).result() for each in (program, smaller)]
    return (program, traces[0]), (smaller, traces[1])


@pytest.fixture(scope="module")
def frame(worker):
    return counted(worker, BODY % "")


@pytest.mark.parametrize("target", ["rtx3060", "rx6600xt", "llvmpipe"])
def test_the_optimised_program_is_priced_where_it_was_counted(frame, target):
    written, smaller = frame
    (first,) = predict(*written, targets=[target])
    (refined,) = predict(*written, targets=[target], other_forms={Form.OPTIMIZED: smaller})
    assert (first.method, refined.method) == (METHOD, OPTIMIZED)
    assert refined.validated.median_ape < first.validated.median_ape
    assert refined.low_s <= refined.time_s <= refined.high_s


def test_its_lines_are_those_of_the_text(frame):
    written, smaller = frame
    (forecast,) = predict(*written, targets=["rtx3060"], other_forms={Form.OPTIMIZED: smaller})
    assert forecast.lines[0].line == HOT_LINE
    assert 0 < sum(line.share for line in forecast.lines) <= 1


def test_work_for_nothing_costs_nothing(worker, frame):
    written, smaller = frame
    (with_it, less) = counted(worker, BODY % FOR_NOTHING)
    assert with_it[1].instructions_executed > written[1].instructions_executed
    (once,) = predict(*written, targets=["rtx3060"], other_forms={Form.OPTIMIZED: smaller})
    (again,) = predict(*with_it, targets=["rtx3060"], other_forms={Form.OPTIMIZED: less})
    assert again.time_s == pytest.approx(once.time_s, rel=1e-6)


def test_asked_for_by_name_without_its_trace(frame):
    written, _ = frame
    with pytest.raises(WrongUse, match="trace of the optimized program"):
        predict(*written, targets=["rtx3060"], method=OPTIMIZED)


@pytest.fixture(scope="module")
def forms(worker):
    """The program, its trace, and what it can be counted as besides."""
    program = compile_text(BODY % "", "made-for-the-test", None)
    draw = Draw.of(program, (512, 384))
    with closing(Engine(Crew(worker.info), kept=False)) as engine:
        wanted = frozenset({Form.OPTIMIZED, Form.COMPILED})
        others = engine.answer(questions.other_forms, Frame.of(draw), "0", wanted, None)
    return program, worker.trace(draw).result(), others


@pytest.mark.parametrize(
    ("target", "method", "forms"),
    [
        ("rtx3060", None, {Form.OPTIMIZED, Form.COMPILED, Form.UNROLLED}),
        ("rx6600xt", None, {Form.OPTIMIZED, Form.COMPILED}),
        ("rtx3060", "pilr", set()),
        ("rtx3060", METHOD, set()),
        ("swiftshader", None, {Form.OPTIMIZED}),
        ("rtx4060-laptop", "matched", {Form.OPTIMIZED, Form.COMPILED, Form.UNROLLED}),
        ("uhd630", None, set()),
    ],
)
def test_targets_tell_which_forms_are_of_use_to_them(target, method, forms):
    (info,) = (each for each in installed() if each.target == target)
    assert info.forms_of(method) == forms


@needs_radv_listing
@pytest.mark.parametrize("target", ["rtx3060", "rx6600xt", "llvmpipe"])
def test_the_compiled_program_goes_before_all_others(forms, target):
    program, trace, other_forms = forms
    assert set(other_forms) == {Form.OPTIMIZED, Form.COMPILED}
    (found,) = predict(program, trace, targets=[target], other_forms=other_forms)
    (before,) = predict(
        program, trace, targets=[target], other_forms={Form.OPTIMIZED: other_forms[Form.OPTIMIZED]}
    )
    assert (found.method, before.method) == (COMPILED, OPTIMIZED)
    assert found.validated.median_ape < before.validated.median_ape
    assert found.low_s <= found.time_s <= found.high_s


@needs_radv_listing
def test_a_device_that_compiles_otherwise_does_without(forms):
    program, trace, other_forms = forms
    (found,) = predict(program, trace, targets=["swiftshader"], other_forms=other_forms)
    assert found.method == OPTIMIZED


@needs_radv_listing
def test_its_lines_are_the_users_though_its_own_program_has_none(forms):
    program, trace, other_forms = forms
    (found,) = predict(program, trace, targets=["rtx3060"], other_forms=other_forms)
    assert found.lines[0].line == HOT_LINE
    assert 0 < sum(line.share for line in found.lines) <= 1
    assert f"according to {method_name(OPTIMIZED)}" in found.basis
    alone = {Form.COMPILED: other_forms[Form.COMPILED]}
    (found,) = predict(program, trace, targets=["rtx3060"], other_forms=alone)
    assert found.method == COMPILED
    assert found.lines[0].line == HOT_LINE
    assert f"according to {method_name(METHOD)}" in found.basis


@needs_radv_listing
def test_a_matched_target_follows_the_best_forecast_of_its_relative(forms):
    program, trace, other_forms = forms
    (target,) = catalogue().choose(["rtx4060-laptop"])
    (model,) = (each for each in target.models if isinstance(each, MatchedModel))
    for known, form in (({}, Form.WRITTEN), (other_forms, Form.COMPILED)):
        there, here = predict(
            program, trace, targets=["rtx3060", "rtx4060-laptop"], other_forms=known
        )
        assert here.method == "matched"
        assert here.form is there.form is form
        assert here.time_s == pytest.approx(model.here_s(there.time_s))
        assert f" by {method_name(there.method)}, mapped to the " in here.basis
        assert here.lines[0].line == HOT_LINE


def test_the_compiled_program_alone_is_asked_for_by_name(forms):
    program, trace, _ = forms
    with pytest.raises(WrongUse, match="trace of the compiled program"):
        predict(program, trace, targets=["rtx3060"], method=COMPILED)


@needs_radv_listing
def test_nvidias_loops_of_constant_bounds_are_unrolled_where_amds_stay(worker):
    """3 times 12 edges, with constant corners."""
    cube = resources() / "examples" / "cube.frag"
    program = compile_text(cube.read_text("utf-8"), "cube", None)
    assert len(unrolled(program).spirv) > 2 * len(optimized(program).spirv)
    draw = Draw.of(program, (512, 384))
    with closing(Engine(Crew(worker.info), kept=False)) as engine:
        wanted = frozenset({Form.COMPILED, Form.UNROLLED})
        others = engine.answer(questions.other_forms, Frame.of(draw), "0", wanted, None)
    trace = worker.trace(draw).result()
    for target, unrolls in (("rtx3060", True), ("rx6600xt", False), ("rtx4060-laptop", True)):
        alone = {Form.COMPILED: others[Form.COMPILED]}
        instead = {Form.COMPILED: others[Form.UNROLLED]}
        found, as_it_is, other = (
            predict(program, trace, targets=[target], other_forms=each)[0]
            for each in (others, alone, instead)
        )
        assert other.time_s < 0.7 * as_it_is.time_s
        assert found.time_s == pytest.approx((other if unrolls else as_it_is).time_s)
        assert found.form is Form.COMPILED


def test_a_program_without_such_loops_is_not_unrolled():
    with pytest.raises(CompileFailed, match="has no loops"):
        unrolled(compile_text("void mainImage(out vec4 c, vec2 p) { c = vec4(1); }", "a", None))
    until = "void mainImage(out vec4 c, vec2 p) { for (c = p.xyxy; c.x > 1.; c *= .5); }"
    with pytest.raises(CompileFailed, match="no loop of a is unrolled"):
        unrolled(compile_text(until, "a", None))
