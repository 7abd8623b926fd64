"""How often devices that mask branches run blocks, of shaders whose counts are real."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.draw import Draw
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.analysis.dependency_chains import CHAIN

SIZE = (64, 32)
LANES = SIZE[0] * SIZE[1]
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = fragCoord.x;\n"
TAIL = "\nfragColor = vec4(x);\n}"


@pytest.fixture(params=["as written", "optimised"])
def functions(request, worker):
    """Of a text, how often a lane goes through its extended instructions: jumping, masking."""

    def count(body: str, before: str = "") -> tuple[dict[str, float], dict[str, float]]:
        program = compile_text(before + HEAD + body + TAIL, "made-for-the-test", None)
        if request.param == "optimised":
            program = optimized(program)
        traced = TracedProgram(program, worker.trace(Draw.of(program, SIZE)).result())
        jumping, masking = (
            {
                name: n / LANES
                for kind, n in work.totals.items()
                if not kind.startswith(CHAIN) and (name := kind.split(":")[1])[:2] != "Op"
            }
            for work in map(traced.work_of, (Execution.JUMPING, Execution.PREDICATING))
        )
        return jumping, masking

    return count


def test_a_branch_nobody_takes_is_gone_through_by_all(functions):
    jumping, masking = functions("if (x < 0.0) x = sin(x) * exp(x); else x = cos(x) * log(x);")
    assert jumping == {"Cos": 1, "Log": 1}
    assert masking == {"Sin": 1, "Exp": 1, "Cos": 1, "Log": 1}


def test_a_branch_that_half_of_the_groups_take_costs_all_of_them(functions):
    jumping, masking = functions("if (x < 32.0) x = sin(x) * exp(x);")
    assert jumping == {"Sin": 0.5, "Exp": 0.5}
    assert masking == {"Sin": 1, "Exp": 1}


def test_inside_a_loop_it_is_once_a_trip(functions):
    jumping, masking = functions(
        "for (int i = 0; i < 7 + iFrame; i++) { x = sin(x); if (x > 9.0) x = cos(x) * exp(x); }"
    )
    trips = 7 + Uniforms().frame
    assert jumping == {"Sin": trips}
    assert masking == dict.fromkeys(("Sin", "Cos", "Exp"), trips + 1)  # the last with nobody in it


def test_a_loop_is_left_when_nobody_is_in_it_and_gone_through_once_if_nobody_ever_was(functions):
    _, masking = functions(
        "if (x < 0.0) { for (int i = 0; i < 90 + iFrame; i++) { x = sin(x) * exp(x); } }"
    )
    assert masking == {"Sin": 1, "Exp": 1}


def test_lanes_that_left_a_loop_cost_no_more_than_the_pass_in_which_they_did(functions):
    jumping, masking = functions(
        "for (int i = 0; i < 8; i++) { if (x < 32.0 && i > 3) break; x += sin(x) * 1e-9; }"
    )
    assert jumping["Sin"] == 6  # four trips and eight
    assert masking["Sin"] == 7


def test_what_runs_before_a_break_is_gone_through_in_every_iteration(functions):
    jumping, masking = functions(
        "for (int i = 0; i < 7 + iFrame; i++) { x += sin(x); if (x > 1e6) { x = exp(x); break; } }"
    )
    trips = 7 + Uniforms().frame
    assert jumping == {"Sin": trips}
    assert masking == dict.fromkeys(("Sin", "Exp"), trips + 1)


def test_a_loop_before_a_break_is_inside_the_loop_it_leaves(functions):
    _, masking = functions(
        "for (int i = 0; i < 3 + iFrame; i++) { x += sin(x); if (x > 1e6) {"
        " for (int k = 0; k < 40 + iFrame; k++) x = exp(x); break; } }"
    )
    assert masking == dict.fromkeys(("Sin", "Exp"), 3 + Uniforms().frame + 1)


def test_a_function_called_from_a_branch_nobody_takes_runs_masked(functions):
    jumping, masking = functions(
        "if (x < 0.0) x = f(x) + f(x + 1.0);",
        before="float f(float y) { return y < -1.0 ? 1.0 : exp(y) + sin(y); }\n",
    )
    assert not jumping
    assert masking == {"Exp": 2, "Sin": 2}


def test_the_line_of_a_branch_nobody_takes_has_its_share_there_and_none_on_a_gpu(worker):
    costly = " ".join(f"x += tan(x + {n}.0) * exp(x);" for n in range(20))
    text = HEAD + "if (x < 0.0) {" + costly + "}" + TAIL
    program = compile_text(text, "made-for-the-test", None)
    trace = worker.trace(Draw.of(program, (512, 384))).result()
    on_cpu, on_gpu = predict(program, trace, targets=["llvmpipe", "rtx3060"])
    assert next(line.share for line in on_cpu.lines if line.line == 3) > 0.5
    assert all(line.share < 0.5 for line in on_gpu.lines if line.line == 3)
    assert on_cpu.time_s > 1.5 * predict_empty(worker, "llvmpipe")
    assert on_gpu.time_s < 1.5 * predict_empty(worker, "rtx3060")


def predict_empty(worker, target: str) -> float:
    program = compile_text(HEAD + TAIL, "made-for-the-test", None)
    trace = worker.trace(Draw.of(program, (512, 384))).result()
    return predict(program, trace, targets=[target])[0].time_s


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.path.stem)
def test_no_block_is_gone_through_less_often_than_it_is_run(worker, example):
    program = optimized(load_program(example.path))
    trace = worker.trace(Draw.of(program, SIZE)).result()
    plan = TracedProgram(program, trace).analysis.plan
    ran = {(block.function, block.label): block.count for block in trace.blocks}
    counts = np.array([ran.get(block, 0) for block in plan.blocks], np.float64)
    through = plan.predication.executions(counts)
    assert (through >= counts).all()
    jumping, hoisting = (
        sum(plan.work(trace, each).totals.values())
        for each in (Execution.JUMPING, Execution.HOISTING)
    )
    assert 0 < hoisting <= jumping
