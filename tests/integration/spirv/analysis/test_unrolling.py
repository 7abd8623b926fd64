"""Which loops count as written out, by what leaves them and how often they really ran."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.features.lane_work import lane_plan
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.dataflow import analyse

SIZE = (64, 32)
LANES = SIZE[0] * SIZE[1]
"""Groups of 8 x 4 lanes divide the picture, so none of them is partly outside."""
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = 0.0;\n"
TAIL = "\nfragColor = vec4(x * fragCoord.x);\n}"


@pytest.fixture(params=["as written", "optimised"])
def sines(request, worker):
    """Of a program, the sines of a frame by kind; each lane ran one per trip."""

    def count(loop: str) -> dict[str, float]:
        program = compile_text(HEAD + loop + TAIL, "made-for-the-test", None)
        if request.param == "optimised":
            program = optimized(program)
        trace = worker.trace(Draw.of(program, SIZE)).result()
        totals = lane_plan(program.module, analyse(program.module)).work(trace).totals
        return {kind: n for kind, n in totals.items() if ":Sin" in kind}

    return count


def test_a_short_loop_between_constants_is_written_out(sines):
    found = sines("for (int i = 0; i < 5; i++) x += sin(float(i));")
    assert found == {"constant:Sin:unrolled": 5 * LANES}


def test_a_long_one_stays_a_loop(sines):
    found = sines("for (int i = 0; i < 500; i++) x += sin(float(i));")
    assert found == {"constant:Sin:looped": 500 * LANES}


def test_so_does_one_that_a_uniform_leaves(sines):
    found = sines("for (int i = 0; i < 5 + iFrame; i++) x += sin(float(i));")
    (kind,) = found
    assert kind == "uniform:Sin:looped"


def test_a_short_loop_in_one_that_stays_is_written_out_by_itself(sines):
    found = sines(
        "for (int j = 0; j < 400; j++) { x += sin(float(j));"
        " for (int i = 0; i < 3; i++) x += cos(float(i)) + sin(float(i)); }"
    )
    assert found == {
        "constant:Sin:looped": 400 * LANES,
        "constant:Sin:unrolled": 1200 * LANES,
    }


def test_work_outside_of_loops_and_what_varies_is_not_told_apart(sines):
    assert set(sines("x = sin(iTime);")) == {"uniform:Sin"}
    assert set(sines("for (int i = 0; i < 3; i++) x += sin(fragCoord.y * float(i));")) == {
        "varying:Sin"
    }
