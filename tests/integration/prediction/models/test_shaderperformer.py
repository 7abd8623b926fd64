"""The shipped Transformer asked by name, with the real compiler and a software driver's counts."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.examples import examples
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer_model import METHOD, ShaderPerFormerModel
from shaderlab.scene.draw import Draw
from shaderlab.spirv.tokens import tokenize
from tests.integration.prediction.test_predict_traced import HOT_LOOP

TARGETS = ["llvmpipe", "rtx3060", "rx6600xt"]

PLAIN = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(fragCoord / iResolution.xy, 0.0, 1.0);
}
"""


def traced(worker, program):
    return program, worker.trace(Draw.of(program, (1024, 768))).result()


def transformer(target: str) -> ShaderPerFormerModel:
    (found,) = catalogue().choose([target])
    (model,) = (each for each in found.models if isinstance(each, ShaderPerFormerModel))
    return model


def test_the_forecast_is_the_networks_answer_to_tokens_and_counts(worker):
    program, trace = traced(worker, compile_text(HOT_LOOP, "made-for-the-test", None))
    forecasts = predict(program, trace, TARGETS, method=METHOD)
    assert [each.target for each in forecasts] == TARGETS
    tokens = tokenize(program.module)
    counts = shaderperformer.token_counts(tokens, {b.label: b.count for b in trace.blocks})
    assert counts[np.flatnonzero(tokens.labels)[0]] == 1024 * 768
    for forecast in forecasts:
        model = transformer(forecast.target)
        assert forecast.method == METHOD
        assert forecast.time_s == pytest.approx(model.predict_s(tokens.ids, counts))
        assert forecast.low_s <= forecast.time_s <= forecast.high_s
        assert forecast.validated.n > 100
        assert "95 % intervals" in forecast.validated.source
        work = 1 - (model.card.target.floor_s or 0.0) / forecast.time_s
        assert sum(line.share for line in forecast.lines) == pytest.approx(work, rel=0.02)


def test_a_loop_of_two_hundred_sines_costs_more_than_a_gradient(worker):
    hot, plain = (
        predict(
            *traced(worker, compile_text(text, "made-for-the-test", None)), TARGETS, None, METHOD
        )
        for text in (HOT_LOOP, PLAIN)
    )
    for busy, idle in zip(hot, plain, strict=True):
        assert busy.time_s > 2 * idle.time_s


def test_a_program_too_long_for_it_gets_the_default_and_is_told(worker):
    (longest,) = (each for each in examples() if each.path.stem == "still_life")
    program, trace = traced(worker, load_program(longest.path))
    assert len(tokenize(program.module)) > 4096
    for forecast in predict(program, trace, TARGETS, method=METHOD):
        assert forecast.method == "additive"
        assert forecast.basis.startswith("ShaderPerFormer cannot read it: 5,")
        assert "at most 4,096 are read" in forecast.basis


def test_it_leads_nowhere(worker):
    program, trace = traced(worker, compile_text(PLAIN, "made-for-the-test", None))
    assert all(each.method != METHOD for each in predict(program, trace))
