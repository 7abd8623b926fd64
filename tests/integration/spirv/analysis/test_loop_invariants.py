"""What a compiler may compute ahead of a loop, of shaders whose counts are real."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.scene.draw import Draw
from shaderlab.scene.uniforms import Uniforms

SIZE = (64, 32)
LANES = SIZE[0] * SIZE[1]
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = fragCoord.x, y = x;\n"
TAIL = "\nfragColor = vec4(y);\n}"


@pytest.fixture
def functions(worker):
    """Of a text once optimised, how often a lane runs its extended instructions, hoisted."""

    def count(body: str) -> dict[str, float]:
        program = optimized(compile_text(HEAD + body + TAIL, "made-for-the-test", None))
        traced = TracedProgram(program, worker.trace(Draw.of(program, SIZE)).result())
        assert sum(traced.work.totals.values()) >= sum(
            traced.work_of(Execution.HOISTING).totals.values()
        )
        return {
            name: n / LANES
            for kind, n in traced.work_of(Execution.HOISTING).totals.items()
            if (name := kind.split(":")[1])[:2] != "Op"
        }

    return count


def test_what_a_loop_does_not_change_is_computed_once(functions):
    found = functions("for (int i = 0; i < 9 + iFrame; i++) y = cos(y) * sin(x * 3.0);")
    trips = 9 + Uniforms().frame
    assert found == {"Cos": trips, "Sin": 1}


def test_what_only_the_inner_loop_leaves_alone_is_computed_once_a_trip_of_the_outer(functions):
    found = functions(
        "for (int i = 0; i < 5 + iFrame; i++) for (int j = 0; j < 7 + iFrame; j++)"
        " y = cos(y) * sin(x * float(i)) * exp(x);"
    )
    outer, inner = (n + Uniforms().frame for n in (5, 7))
    assert found == {"Cos": outer * inner, "Sin": outer, "Exp": 1}


def test_what_depends_on_it_goes_along_and_what_is_read_from_memory_stays(functions):
    found = functions(
        "float a[4]; for (int k = 0; k < 4; k++) a[k] = x * float(k);"
        " for (int i = 0; i < 9 + iFrame; i++) {"
        " y = cos(y) + sin(exp(x) * 2.0) + log(a[(i + int(y)) & 3]); a[i & 3] = y; }"
    )
    trips = 9 + Uniforms().frame
    assert found == {"Cos": trips, "Log": trips, "Sin": 1, "Exp": 1}


def test_nothing_is_computed_ahead_more_often_than_where_it_stands(functions):
    found = functions(
        "for (int i = 0; i < 9 + iFrame; i++) { y = cos(y);"
        " if (x < 8.0 && i == 3) y += sin(x * 3.0) * exp(x); }"
    )
    assert found["Sin"] == found["Exp"] == 1 / 8
