"""From the user's text to forecasts, with the real compiler and a software driver's counts."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.catalogue.domain import features_of_traced
from shaderlab.prediction.catalogue.targets import catalogue, installed
from shaderlab.prediction.features import program_analysis as analysis
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.draw import CANONICAL_SIZE, Draw
from shaderlab.scene.uniforms import Uniforms

HOT_LOOP = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = fragCoord / iResolution.xy;
    float sum = 0.0;
    for (int i = 0; i < 200; i++)
        sum += sin(p.x * float(i)) * cos(p.y + sum);
    fragColor = vec4(vec3(sum / 200.0), 1.0);
}
"""
HOT_LINE = 6

TEXTURED = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = texture(iChannel0, fragCoord / iResolution.xy);
}
"""


def forecasts(worker, text, size=CANONICAL_SIZE, **uniforms):
    program = compile_text(text, "made-for-the-test", None)
    trace = worker.trace(Draw.of(program, size, Uniforms(**uniforms))).result()
    return program, predict(program, trace)


def test_a_hot_loop_at_the_canonical_run(worker):
    program, everything = forecasts(worker, HOT_LOOP)
    assert {each.target for each in everything} == {each.target for each in installed()}
    for forecast in everything:
        assert forecast.warnings == ()
        # A shader of 200 sines and cosines a pixel is no matter of the floor, nor of seconds.
        most_s = 2.0 if forecast.target in ("llvmpipe", "swiftshader") else 0.2
        assert 5e-5 < forecast.time_s < most_s
        assert forecast.low_s <= forecast.time_s <= forecast.high_s
        assert sum(line.share for line in forecast.lines) <= 1
        assert forecast.lines[0].line == HOT_LINE
        last = program.text.count("\n")
        assert all(line.file == "" and 1 <= line.line <= last for line in forecast.lines)


def test_what_a_shader_does_is_told_by_kind_and_pixel(worker):
    program = compile_text(HOT_LOOP, "made-for-the-test", None)
    trace = worker.trace(Draw.of(program, (64, 48), Uniforms())).result()
    work = features_of_traced(TracedProgram(program, trace)).work
    assert (work["Sin"], work["Cos"]) == (200, 200)


def test_twice_the_trips_cost_more_on_every_target(worker):
    _, once = forecasts(worker, HOT_LOOP)
    _, twice = forecasts(worker, HOT_LOOP.replace("i < 200", "i < 400"))
    for few, many in zip(once, twice, strict=True):
        assert 1.2 < many.time_s / few.time_s < 2.3


def test_another_size_and_textures_are_warned_about(worker):
    _, (forecast, *_) = forecasts(worker, TEXTURED, size=(64, 48))
    assert any("64x48" in warning for warning in forecast.warnings)
    assert any("textures" in warning for warning in forecast.warnings)


def test_lines_of_the_additive_model_share_the_time_above_the_floor(worker):
    _, everything = forecasts(worker, HOT_LOOP)
    (target,) = catalogue().choose(["rtx3060"])
    floor_s = target.models[0].weights.floor_s
    (forecast,) = (each for each in everything if each.target == "rtx3060")
    assert forecast.method == "additive"
    above = (forecast.time_s - floor_s) / forecast.time_s
    shares = sum(line.share for line in forecast.lines)
    # The prelude's own few instructions are the rest.
    assert 0.98 * above < shares <= above * (1 + 1e-9)


def test_undefined_reads_are_warned_about_and_widen_the_band(worker):
    text = HOT_LOOP.replace("float sum = 0.0;", "float sum;")
    _, everything = forecasts(worker, text)
    by_target = {each.target: each for each in everything}
    for target in ("rtx3060", "gtx1660ti", "llvmpipe"):
        (warning,) = by_target[target].warnings
        assert f"{HOT_LINE}" in warning
        assert "uninitialised" in warning
    assert by_target["rtx3060"].low_s < 2e-5 < by_target["rtx3060"].time_s
    assert by_target["rtx3060"].validated.n < 30


def test_the_analysis_of_a_known_program_is_remembered(worker):
    program, before = forecasts(worker, HOT_LOOP)
    analysis.forget()
    first = analysis.analysis_of(program)
    assert analysis.analysis_of(replace(program, name="another name")) is first
    trace = worker.trace(Draw.of(program)).result()
    assert [each.time_s for each in predict(program, trace)] == [each.time_s for each in before]


ODD = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    uint a = uint(fragCoord.x), b = uint(fragCoord.y) + 3u;
    for (int i = 0; i < 60; i++) {
        a = (a % b + 7u) / 3u;
        b = bitfieldReverse(a) >> 5u;
    }
    fragColor = vec4(float(a & 255u) / 255.0, float(b & 255u) / 255.0, 0.0, 1.0);
}
"""
"""Unsigned division and remainder in a loop: no training shader of Shadertoy's does that."""


def test_a_shader_outside_the_training_data_is_warned_about_on_every_target(worker):
    _, everything = forecasts(worker, ODD)
    for forecast in everything:
        (outside,) = (each for each in forecast.warnings if each.startswith("Outside"))
        assert "OpUDiv and OpUMod" in outside
        assert "which no training shader had" in outside


def test_more_work_than_any_training_shader_is_outside(worker):
    endless = HOT_LOOP.replace("i < 200", "i < 60000")
    _, (forecast, *_) = forecasts(worker, endless, size=(64, 48))
    (outside,) = (each for each in forecast.warnings if each.startswith("Outside"))
    assert "a loop runs more often per pixel than in any training shader" in outside
