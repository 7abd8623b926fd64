"""Forecasts without a trace, compared with those of the same programs traced."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from shaderlab.errors import UnknownTarget, WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.forecasts.static_forecast import predict_static
from shaderlab.scene.draw import Draw

PIXELS = 1024 * 768
KNOWN = """\
float twice(float x) { return x * 2.0; }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = fragCoord.x;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 5; j++)
            v = sin(v) + twice(v) * 0.01;
    fragColor = vec4(v);
}
"""
ENDLESS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = fragCoord.x;
    while (v > -2.0)
        v = sin(v);
    fragColor = vec4(v);
}
"""


def test_where_constants_bound_all_loops_counts_are_as_traced(worker):
    program = compile_text(KNOWN, "known", None)
    traced = worker.trace(Draw.of(program)).result()
    counted = static_counts.read().count(program)
    assert not counted.guessed
    assert counted.trace.device == "none"
    real = {(b.function, b.label): b for b in traced.blocks}
    assert [(b.function, b.label) for b in counted.trace.blocks] == list(real)
    share = static_counts.read().invocations.bounded
    for block in counted.trace.blocks:
        other = real[block.function, block.label]
        assert block.opcodes == other.opcodes
        assert other.count * share**2 * 0.9 < block.count <= other.count * 1.01
    entry = counted.trace.blocks[0]
    assert max(b.count for b in counted.trace.blocks if b.function == entry.function) >= PIXELS


def test_both_forecasts_agree_within_the_band(worker):
    program = compile_text(KNOWN, "known", None)
    with_trace = {f.target: f for f in predict(program, worker.trace(Draw.of(program)).result())}
    for forecast in predict_static(program):
        traced = with_trace[forecast.target]
        assert forecast.low_s <= traced.time_s <= forecast.high_s
        assert forecast.low_s <= forecast.time_s <= forecast.high_s
        assert forecast.method == f"{traced.method}, counts estimated"
        assert {part.line for part in forecast.lines} == {part.line for part in traced.lines}


def test_a_program_that_never_ends_gets_a_wide_band():
    program = compile_text(ENDLESS, "endless", None)
    known = compile_text(KNOWN, "known", None)
    (forecast,) = predict_static(program, ["rtx3060"])
    (narrow,) = predict_static(known, ["rtx3060"])
    assert math.isfinite(forecast.time_s)
    assert forecast.high_s / forecast.time_s > 2 * narrow.high_s / narrow.time_s
    assert any("Not run" in warning for warning in forecast.warnings)


def test_unknown_targets_and_methods_are_refused():
    program = compile_text(ENDLESS, "endless", None)
    with pytest.raises(UnknownTarget):
        predict_static(program, ["gtx9999"])
    with pytest.raises(WrongUse):
        predict_static(program, ["rtx3060"], method="tarot")


def test_the_command_needs_no_device(tmp_path):
    path = tmp_path / "endless.frag"
    path.write_text(ENDLESS)
    words = [sys.executable, "-m", "shaderlab", "predict", str(path), "--static"]
    no_drivers = {"VK_ICD_FILENAMES": "/nowhere.json", "VK_DRIVER_FILES": "/nowhere.json"}
    run = subprocess.run(
        words, capture_output=True, text=True, timeout=100, env={**_environment(), **no_drivers}
    )
    assert run.returncode == 0, run.stderr
    assert "counts estimated" in run.stdout
    (warned,) = (line for line in run.stdout.splitlines() if ": Not run" in line)
    assert warned.startswith("warning: ")
    assert "rtx3060" in warned.partition(": Not run")[0]
    again = subprocess.run([*words, "--size", "64x48"], capture_output=True, text=True, timeout=100)
    assert again.returncode == 2
    assert "canonical run" in again.stderr


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)
