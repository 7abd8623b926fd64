"""The chains of results that wait for one another, of shaders the front end compiled."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.prediction.features.lane_work import Execution, lane_plan
from shaderlab.prediction.features.operations import Operations
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.analysis.dependency_chains import CARRIED, CHAIN, THROUGH, Link, longest_chains
from shaderlab.spirv.module import Module
from shaderlab.spirv.source_lines import instruction_lines

HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\nfloat x = fragCoord.x;\n"
TAIL = "\nfragColor = vec4(x);\n}"


def waited(module: Module, kind: str) -> list[tuple[Link, ...]]:
    """The longest chains of every piece of code."""
    flow, operations = analyse(module), Operations(module)
    found = []
    for graph in flow.graphs:
        indices = (i for b in graph.function.blocks for i in range(b.first + 1, b.last + 1))
        names = {i: operations.describe(i)[0] for i in indices if flow.live[i]}
        found += [wait.links for wait in longest_chains(graph, flow, names) if wait.kind == kind]
    return found


def chain(body: str, kind: str = THROUGH, *, as_written: bool = False) -> list[str]:
    """Operations of the longest chain of any piece of the optimised program."""
    program = compile_text(HEAD + body + TAIL, "made-for-the-test", None)
    found = waited((program if as_written else optimized(program)).module, kind)
    longest = max(found, key=lambda links: sum(link.cycles for link in links), default=())
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
    for links in waited(module, THROUGH):
        assert "Sin" not in {link.operation for link in links}


def test_a_load_waits_for_what_was_stored() -> None:
    body = "float a[4]; int i = int(x) & 3; a[i] = sin(x); a[i] = cos(a[i]); x = exp(a[i]);"
    assert [each for each in chain(body) if each[:2] != "Op"] == ["Sin", "Cos", "Exp"]


BRANCH = "float y = 0.5; if (x > 9.0) y = sin(x); x = exp(y);"


@pytest.mark.parametrize("as_written", [False, True])
def test_a_chain_goes_through_both_ways_of_a_branch(as_written) -> None:
    found = [each for each in chain(BRANCH, as_written=as_written) if each[:2] != "Op"]
    assert found == ["Sin", "Exp"]
    # What is written either way does away with what was there; what is written one way does not.
    masked = "x = sin(sin(x)); if (fragCoord.y > 9.0) x = 0.5; x = exp(x);"
    waited_for = [each for each in chain(masked, as_written=as_written) if each[:2] != "Op"]
    assert waited_for == ["Sin", "Sin", "Exp"]
    plain = "x = sin(sin(x)); x = 0.5 * fragCoord.y; x = exp(x);"
    assert not {"Sin", "Exp"} <= set(chain(plain, as_written=as_written))


def test_what_decides_on_the_way_is_waited_for() -> None:
    body = "float y = 0.5; if (sin(sin(x)) > 0.1) y = x; x = exp(y);"
    assert [each for each in chain(body) if each[:2] != "Op"] == ["Sin", "Sin", "Exp"]


ROUNDS = "float n = 9.0 + 9.0 * fract(x); for (float i = 0.0; i < n; i++) %s"


@pytest.mark.parametrize("as_written", [False, True])
def test_rounds_wait_for_what_they_take_over(as_written) -> None:
    def carried(body: str) -> list[str]:
        return [
            each
            for each in chain(ROUNDS % body, CARRIED, as_written=as_written)
            if each not in ("OpFOrdLessThan", "OpBranchConditional")
        ]

    assert carried("x = sin(x * 0.9) + 0.1;") == ["OpFMul", "Sin", "OpFAdd"]
    # Only the sum waits for the round before.
    assert carried("x += sin(i) - exp(i);") == ["OpFAdd"]
    # What each round computes anew depends on nothing, and nothing depends on it.
    assert "Sin" not in carried("{ float y = sin(i); y *= exp(y); x += y; }")


def test_chains_of_a_piece_are_spent_as_often_as_it_runs(worker) -> None:
    body = ROUNDS % "x = sin(x * 0.9) + 0.1;"
    program = optimized(compile_text(HEAD + body + TAIL, "made-for-the-test", None))
    trace = worker.trace(Draw.of(program, (64, 32))).result()
    totals = lane_plan(program.module, analyse(program.module)).work(trace, Execution.PREDICATING)
    totals = totals.totals
    assert totals[CARRIED + "Sin"] == totals[THROUGH + "Sin"] == 80 * totals["varying:Sin"]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.path.stem)
def test_chains_are_part_of_what_masked_devices_spend_and_of_nothing_else(worker, example) -> None:
    program = optimized(load_program(example.path))
    trace = worker.trace(Draw.of(program, (64, 32))).result()
    plan = lane_plan(program.module, analyse(program.module))
    for execution in Execution:
        waiting = {k for k in plan.work(trace, execution).totals if k.startswith(CHAIN)}
        assert bool(waiting) == (execution is Execution.PREDICATING)
    # A chain is a way through its piece of code, so no instruction stands in it twice.
    chains = plan.chains
    links = list(zip(chains.block, chains.kind, chains.instruction, strict=True))
    assert len(links) == len(set(links))
    assert set(chains.instruction.tolist()) <= set(plan.instruction.tolist())


def test_the_line_that_is_waited_for_has_the_larger_share(worker) -> None:
    beside = "a = a * 0.9 + 0.1; b = b * 0.9 + 0.2; c = c * 0.9 + 0.3; d = d * 0.9 + 0.4;"
    in_turn = "a = a * 0.9 + 0.1; a = a * 0.9 + 0.2; a = a * 0.9 + 0.3; a = a * 0.9 + 0.4;"
    start = "float a = x * 0.9, b = x * 0.8, c = x * 0.7, d = x * 0.6;"
    text = HEAD + "\n".join([start, beside, in_turn, "x = a + b + c + d;"]) + TAIL
    program = compile_text(text, "made-for-the-test", None)
    trace = worker.trace(Draw.of(program, (512, 384))).result()
    traced = TracedProgram(program, trace)
    lines = instruction_lines(program.module)

    def spent(waiting: bool, line: int) -> float:
        work = traced.work_of(Execution.PREDICATING)
        return sum(
            operations
            for kind, operations, index in zip(
                work.kind, work.operations, work.instruction, strict=True
            )
            if work.kinds[kind].startswith(CHAIN) is waiting and lines.line[index] == line
        )

    assert spent(False, 4) == spent(False, 5) > 0
    assert spent(True, 5) > 3 * spent(True, 4)
    forecasts = predict(program, trace, targets=["swiftshader", "llvmpipe"])
    for forecast in forecasts:
        share = {line.line: line.share for line in forecast.lines}
        assert share[5] > 1.1 * share[4]
