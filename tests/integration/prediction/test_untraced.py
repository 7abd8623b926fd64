"""Counts without a trace, of a program as glslang makes it."""

from __future__ import annotations

import math

import pytest

from models.laboratory import untraced
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forecasts.static_forecast import predict_static
from shaderlab.prediction.models.model import CountedShader
from shaderlab.spirv.analysis.cfg import call_order
from shaderlab.training.shader_data import SIZE

TEXT = """
float never(float x) { return sin(x); }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < 50; i++) sum += exp(fragCoord.x * float(i));
    fragColor = vec4(sum);
}
"""


@pytest.fixture(scope="module")
def program():
    return compile_text(TEXT, "loop", None)


def test_every_reachable_block_runs_once_in_every_pixel(program):
    trace = untraced.once_each(program)
    pixels = SIZE[0] * SIZE[1]
    assert {block.count for block in trace.blocks} == {pixels}
    assert {block.function_name for block in trace.blocks} >= {"main"}
    assert not any("never" in block.function_name for block in trace.blocks)
    reached = call_order(program.module, program.module.entry_points[0].id)
    assert len(trace.blocks) == sum(len(function.blocks) for function in reached)


def test_a_loop_of_fifty_counts_like_a_loop_of_one(program):
    traced = CountedShader("loop", {}, Example({each: {} for each in Execution}, None), True)
    shader = untraced.shader(program, traced)
    once = compile_text(TEXT.replace("50", "1"), "once", None)
    other = untraced.shader(once, traced)
    assert shader.executed == other.executed
    assert shader.executed["OpExtInst"] == SIZE[0] * SIZE[1]
    assert shader.example.operations == other.example.operations
    assert shader.reads_uninitialised


def test_texture_reads_have_their_term_without_a_trace_too():
    text = (
        "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{\n"
        "fragColor = texture(iChannel0, fragCoord / iResolution.xy);\n}\n"
    )
    program = compile_text(text, "made-for-the-test", None)
    (forecast,) = predict_static(program, ["rtx3060"])
    assert forecast.textures is not None
    assert forecast.textures.time_s == pytest.approx(1024 * 768 / (112 * 1.605e9), rel=1e-3)
    assert any("786 k texture reads" in each for each in forecast.warnings)
    work_s = math.sqrt(forecast.time_s**2 - forecast.textures.time_s**2)
    (line,) = forecast.lines
    assert (line.line, line.share) == (3, pytest.approx(1 - work_s / forecast.time_s, rel=1e-3))
