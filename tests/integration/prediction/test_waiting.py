"""The chains of results that wait for one another, of shaders the front end compiled."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.prediction.dataflow import analyse
from shaderlab.prediction.lane_work import Execution, lane_plan
from shaderlab.prediction.operations import Operations
from shaderlab.prediction.predict import predict
from shaderlab.prediction.traced_program import TracedProgram
from shaderlab.prediction.waiting import WAITING, Link, longest_chain
from shaderlab.spirv.lines import instruction_lines
from shaderlab.spirv.module import Module

HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = fragCoord.x;\n"
TAIL = "\nfragColor = vec4(x);\n}"


def chains(module: Module) -> list[tuple[Link, ...]]:
    """The longest chain of every block."""
    flow, operations = analyse(module), Operations(module)
    found = []
    for function in module.functions:
        for block in function.blocks:
            inside = range(block.first + 1, block.last + 1)
            names = {i: operations.describe(i)[0] for i in inside if flow.live[i]}
            found.append(longest_chain(module, block, flow, names))
    return found


def chain(body: str) -> list[str]:
    """Operations of the longest chain of any block of the optimised program."""
    module = optimized(compile_text(HEAD + body + TAIL, "made-for-the-test", None)).module
    found = chains(module)
    longest = max(found, key=lambda links: sum(link.cycles for link in links))
    return [link.operation for link in longest if link.operation not in ("OpLoad", "OpStore")]


def test_what_needs_the_result_before_waits_for_it() -> None:
    assert chain("x = sin(cos(exp(x)));") == ["Exp", "Cos", "Sin"]


def test_what_does_not_goes_on_beside() -> None:
    assert chain("x = sin(x) + cos(x) + exp(x);").count("OpFAdd") == 2
    assert len({"Sin", "Cos", "Exp"} & set(chain("x = sin(x) + cos(x) + exp(x);"))) == 1


def test_of_two_chains_the_longer_counts() -> None:
    assert chain("x = sin(sin(x)) + exp(x);") == ["Sin", "Sin", "OpFAdd"]
    assert chain("x = sin(x) + exp(exp(exp(x)));") == ["Exp", "Exp", "Exp", "OpFAdd"]


def test_components_of_a_vector_go_side_by_side() -> None:
    one, three = chain("x = sin(x);"), chain("x = sin(vec3(x, x + 1.0, x * x)).y;")
    assert one.count("Sin") == three.count("Sin") == 1


def test_what_nobody_sees_is_not_waited_for() -> None:
    module = compile_text(HEAD + "float y = sin(sin(sin(x)));" + TAIL, "made-for-the-test", None)
    module = module.module
    for links in chains(module):
        assert "Sin" not in {link.operation for link in links}


def test_a_load_waits_for_what_was_stored() -> None:
    body = "float a[4]; int i = int(x) & 3; a[i] = sin(x); a[i] = cos(a[i]); x = exp(a[i]);"
    assert [each for each in chain(body) if each[:2] != "Op"] == ["Sin", "Cos", "Exp"]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.path.stem)
def test_chains_are_part_of_what_masked_devices_spend_and_of_nothing_else(worker, example) -> None:
    program = optimized(load_program(example.path))
    trace = worker.trace(program, Uniforms(size=(64, 32))).result()
    plan = lane_plan(program.module, analyse(program.module))
    for execution in Execution:
        waiting = {k for k in plan.work(trace, execution).totals if k.startswith(WAITING)}
        assert bool(waiting) == (execution is Execution.MASKING)
    # A chain is a way through its block, so no instruction stands in it twice, and in order.
    for block in np.unique(plan.chains.block):
        links = plan.chains.instruction[plan.chains.block == block]
        assert (np.diff(links) > 0).all()
        assert set(links) <= set(plan.instruction[plan.block == block])


def test_the_line_that_is_waited_for_has_the_larger_share(worker) -> None:
    beside = "a = a * 0.9 + 0.1; b = b * 0.9 + 0.2; c = c * 0.9 + 0.3; d = d * 0.9 + 0.4;"
    in_turn = "a = a * 0.9 + 0.1; a = a * 0.9 + 0.2; a = a * 0.9 + 0.3; a = a * 0.9 + 0.4;"
    start = "float a = x * 0.9, b = x * 0.8, c = x * 0.7, d = x * 0.6;"
    text = HEAD + "\n".join([start, beside, in_turn, "x = a + b + c + d;"]) + TAIL
    program = compile_text(text, "made-for-the-test", None)
    trace = worker.trace(program, Uniforms(size=(512, 384))).result()
    traced = TracedProgram(program, trace)
    lines = instruction_lines(program.module)

    def spent(waiting: bool, line: int) -> float:
        work = traced.work_of(Execution.MASKING)
        return sum(
            operations
            for kind, operations, index in zip(
                work.kind, work.operations, work.instruction, strict=True
            )
            if work.kinds[kind].startswith(WAITING) is waiting and lines.line[index] == line
        )

    assert spent(False, 4) == spent(False, 5) > 0
    assert spent(True, 5) > 3 * spent(True, 4)
    forecasts = predict(program, trace, targets=["swiftshader", "llvmpipe"])
    for forecast in forecasts:
        share = {line.line: line.share for line in forecast.lines}
        assert share[5] > 1.1 * share[4]
