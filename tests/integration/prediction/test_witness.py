"""A time measured on llvmpipe as evidence, where every block ran once in each pixel."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from models.laboratory.untraced import once_each
from shaderlab import locations
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.prediction.forecast import Measured
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.draw import Draw
from shaderlab.studies.pace import kept, measured_by, pace_of
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.predictor import PredictorWorker

WORK = " + ".join(f"sin(p.x * {n}.5 + iTime) * cos(p.y * {n}.0)" for n in range(20))


@pytest.mark.parametrize(
    ("more", "disagrees"),
    [({"pace": 1.0}, True), ({"pace": 1.5}, False), ({"pace": None}, False), ({"pace": 5.0}, True),
     ({"waited": 0.5}, False), ({"waited": 0.1}, True)],
)  # fmt: skip
def test_only_what_the_processor_s_pace_does_not_explain_is_a_witness(more, disagrees):
    text = (
        "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{\n"
        f"vec2 p = fragCoord / iResolution.xy;\nfragColor = vec4({WORK});\n}}\n"
    )
    program = compile_text(text, "made-for-the-test", None)
    trace = once_each(program)
    (host,) = predict(program, trace, ["llvmpipe"])
    measured = replace(Measured("llvmpipe", 1.9 * host.time_s), **more)
    own, other = predict(program, trace, ["llvmpipe", "rtx3060"], measured=measured)
    assert (other.disagreement is not None) is disagrees
    busy = [each for each in own.warnings if "waited for a processor for 50 % of its time" in each]
    assert len(busy) == (more.get("waited") == 0.5)
    assert not any("waited for a processor" in each for each in other.warnings)


def test_a_shipped_example_casts_no_doubt_on_every_target(worker, tmp_path, monkeypatch):
    monkeypatch.setattr(locations, "user_cache", lambda: tmp_path)
    (clouds,) = (each for each in examples() if each.path.stem == "clouds")
    with closing(CompilerWorker()) as compiler, closing(PredictorWorker()) as predictor:
        draw = Draw.of(compiler.load(clouds.path).result())
        pace = pace_of(worker.info, worker, compiler, predictor)
        assert pace is not None
        trace = worker.trace(draw).result()
        timed = worker.profile(draw, 3, 1).result()
        measured = measured_by(replace(timed, waited=0.0), worker.info, pace)
        for forecast in predictor.predict(draw, trace, measured=measured).result():
            assert forecast.disagreement is None, forecast.warnings


def test_a_pace_is_kept_unless_the_machine_was_busy(worker, tmp_path, monkeypatch):
    monkeypatch.setattr(locations, "user_cache", lambda: tmp_path)
    with closing(CompilerWorker()) as compiler, closing(PredictorWorker()) as predictor:
        monkeypatch.setattr(Measured, "MOST_WAITED", -1.0)
        assert 0.05 < pace_of(worker.info, worker, compiler, predictor) < 20
        assert kept(worker.info) is None
        monkeypatch.setattr(Measured, "MOST_WAITED", 1.0)
        pace = pace_of(worker.info, worker, compiler, predictor)
    assert kept(worker.info) == pace
    assert pace_of(worker.info, worker, compiler, predictor) == pace, "without the closed children"
    assert kept(replace(worker.info, driver="another")) is None
    assert kept(replace(worker.info, kind="discrete")) == 1.0
    (tmp_path / "paces.json").write_text("{damaged")
    assert kept(worker.info) is None


@pytest.mark.parametrize(("edge", "disagrees"), [("0.06", True), ("0.05", False)])
def test_a_driver_that_drops_work_is_no_witness(edge, disagrees):
    text = (
        "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{\n"
        f"vec2 p = fragCoord / iResolution.xy;\nfloat s = {WORK};\n"
        f"fragColor = vec4(s * smoothstep(0.05, {edge}, p.x));\n}}\n"
    )
    program = compile_text(text, "made-for-the-test", None)
    trace = once_each(program)
    (host,) = predict(program, trace, ["llvmpipe"])
    assert host.time_s is not None
    measured = Measured("llvmpipe", host.time_s / 5)
    (found,) = predict(program, trace, ["rtx3060"], measured=measured)
    assert (found.disagreement is not None) is disagrees
