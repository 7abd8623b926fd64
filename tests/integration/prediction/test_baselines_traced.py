"""The baselines on programs as they are compiled and traced."""

from __future__ import annotations

import numpy as np
import pytest

from models.laboratory import untraced
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.example import Example, example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.models.model import CountedShader
from shaderlab.prediction.models.refitted import TITLES
from shaderlab.prediction.models.trees import METHOD, TreesModel, feature_table, features_of

TEXT = """
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    vec2 uv = fragCoord / iResolution.xy;
    float sum = 0.0;
    for (int i = 0; i < 40; i++) sum += sin(uv.x * float(i)) * exp(-uv.y);
    fragColor = vec4(vec3(sum), 1.0);
}
"""


@pytest.fixture(scope="module")
def traced():
    program = compile_text(TEXT, "loop", None)
    return TracedProgram(program, untraced.once_each(program))


@pytest.mark.parametrize("target", ["rtx3060", "rx6600xt", "llvmpipe"])
def test_every_baseline_forecasts_a_time_and_its_parts(traced, target):
    (info,) = (each for each in targets.installed() if each.target == target)
    for method in (*TITLES, METHOD):
        (found,) = predict(traced.program, traced.trace, [target], method=method)
        assert found.method == method
        assert 0 < found.low_s <= found.time_s <= found.high_s
        assert found.validated.n is not None
        assert 0 <= sum(line.share for line in found.lines) <= 1
        assert info.name in found.basis
    assert {line.line for line in found.lines} <= set(range(1, 9))


def test_trees_see_a_program_as_they_see_a_committed_sample(traced):
    """What was trained on and what is predicted from are the same numbers."""
    (target,) = targets.catalogue().choose(["rtx3060"])
    (model,) = (each for each in target.models if isinstance(each, TreesModel))
    names = model.methods[0].features
    sample = CountedShader(
        "loop", traced.executed, example(traced.program.module, traced.trace), False
    )
    live = features_of(names, traced.executed, traced.work.totals, traced.context)
    np.testing.assert_array_equal(feature_table([sample], names)[0], live)
    (found,) = predict(traced.program, traced.trace, ["rtx3060"], method=METHOD)
    assert found.time_s == pytest.approx(model.times_s(live[None, :])[0])
    empty = CountedShader(
        "empty", {}, Example({each: {} for each in Execution}, traced.context), False
    )
    assert (feature_table([empty], names)[0] != live).any()


def test_undefined_reads_are_warned_of_and_open_the_band():
    text = TEXT.replace("float sum = 0.0;", "float sum;")
    program = compile_text(text, "unset", None)
    trace = untraced.once_each(program)
    for method in ("pilr-refit", METHOD):
        (found,) = predict(program, trace, ["rtx3060"], method=method)
        assert any("uninitialised" in each for each in found.warnings)
        (target,) = targets.catalogue().choose(["rtx3060"])
        model = next(each for each in target.models if method in [m.name for m in each.methods])
        assert found.low_s == pytest.approx(model.floor_s)
