"""A time measured on llvmpipe as evidence, where every block ran once in each pixel."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.forecast import Measured
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.training.untraced import once_each

WORK = " + ".join(f"sin(p.x * {n}.5 + iTime) * cos(p.y * {n}.0)" for n in range(20))


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
