"""What the analyses find in modules of real compilers: read it in golden/*.analysed.

To accept a deliberate change of an analysis, run the tests with SHADERLAB_WRITE_GOLDEN=1 and read
the difference.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.operations import Operations
from shaderlab.spirv.analysis.access_paths import AccessPaths
from shaderlab.spirv.analysis.barriers import hazards
from shaderlab.spirv.analysis.cfg import FlowGraph, callers_first, reachable_blocks
from shaderlab.spirv.analysis.dataflow import Dataflow, analyse
from shaderlab.spirv.analysis.dependency_chains import longest_chains
from shaderlab.spirv.analysis.flow_counts import edge_counts, function_flows
from shaderlab.spirv.analysis.frequencies import Odds, Shape, executions
from shaderlab.spirv.analysis.influence import influence
from shaderlab.spirv.analysis.kernel_uses import kernel_uses
from shaderlab.spirv.analysis.loop_invariants import hoisting
from shaderlab.spirv.analysis.predication import predication
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.spirv.analysis.unrolling import loops
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import reflect
from tests import kernels

from .test_golden import GOLDEN, assembled

NAMES = (
    *("everything", "everything_optimized", "kernel"),
    *("shadertoy", "switch_and_demote", "phi_and_lines"),
)
ODDS = Odds(
    then=0.3, either=0.6, leave=0.1, breaks=0.4, bounded=0.9, breakable=0.7, trips=(12.0, 5.0)
)

pytestmark = pytest.mark.skipif(shutil.which("spirv-as") is None, reason="needs SPIRV-Tools")


def found_in(module: Module) -> Iterator[str]:
    """All that the analyses say, a line each."""
    entry = module.entry_points[0]
    flow = analyse(module)
    yield "callers first: " + " ".join(each.name for each in callers_first(module))
    frequencies, guessed = executions(module, entry.id, ODDS)
    yield f"frequencies are {'guessed' if guessed else 'bounded'}"
    blocks = sum(len(graph) for graph in flow.graphs)
    counts = np.arange(1.0, blocks + 1) * 7 % 31
    through = predication(module, flow.graphs).executions(counts)
    invariants = hoisting(flow)
    first = 0
    for graph in flow.graphs:
        yield f"function {graph.function.name}"
        yield from _of_graph(graph, flow, LoopBounds(module))
        for number, block in enumerate(graph.function.blocks):
            often = frequencies.get((graph.function.id, block.label), 0.0)
            predicated = through[first + number]
            yield f"  block {number} runs {often:.6g} times, {predicated:g} lanes predicated"
            yield "    " + _verdicts(flow, block.first + 1, block.last)
        first += len(graph)
        yield from _chains(graph, flow, module)
    for loop, before in enumerate(invariants.before):
        leave = [index for index, of in invariants.loop.items() if of == loop]
        yield f"loop {loop} after {before}: {leave} can leave"
    yield from _of_module(module)


def _of_graph(graph: FlowGraph, flow: Dataflow, bounds: LoopBounds) -> Iterator[str]:
    shape = Shape(graph, bounds)
    limits = bounds.executions(graph, 2.0)
    for block, successors in enumerate(graph.successors):
        purpose = shape.purpose(block) if len(successors) > 1 else ""
        yield (
            f"  {block} to {successors} by {graph.immediate_dominators[block]}, "
            f"decided by {sorted(graph.deciders[block])}, in {graph.loops_around[block]}, "
            f"{'again' if graph.cyclic[block] else 'once'}, at most {limits[block]:g} {purpose}"
        )
    yield f"  merges {graph.merges}, continues {graph.continues}"
    for each in loops(graph, flow):
        seen = shape.loops[each.header]
        yield (
            f"  loop {each.header}: {sorted(each.inside)}, own {each.own}, "
            f"{'constant' if each.constant else 'varying'}, {each.entries} {each.returns}, "
            f"bound {seen.bound:g}, {seen.decision} decides, "
            f"{'breakable' if seen.breakable else 'whole'}, depth {seen.depth}"
        )


def _verdicts(flow: Dataflow, first: int, last: int) -> str:
    """A letter for each instruction: constant, uniform or varying; small where it is dead."""
    letters = ("CUV"[flow.dependence[index]] for index in range(first, last + 1))
    shown = zip(letters, flow.live[first : last + 1], strict=True)
    return "".join(each if live else each.lower() for each, live in shown)


def _chains(graph: FlowGraph, flow: Dataflow, module: Module) -> Iterator[str]:
    operations = Operations(module)
    indices = (i for b in graph.function.blocks for i in range(b.first + 1, b.last + 1))
    names = {i: operations.describe(i)[0] for i in indices if flow.live[i]}
    for each in longest_chains(graph, flow, names):
        links = " ".join(
            f"{link.instruction}:{link.operation}:{link.cycles}" for link in each.links
        )
        yield f"  {each.kind} from block {each.block}: {links}"


def _of_module(module: Module) -> Iterator[str]:
    entry = module.entry_points[0]
    found = influence(module, entry, reflect(module, entry))
    for name, each in sorted(found.decisions.items()):
        at = [(*(at or ()), str(effect)) for at, effect in each.effects.items()]
        yield f"{name} decides {at} {each.elements}"
    executed = reachable_blocks(module, entry)
    yield f"uninitialised: {uninitialised_reads(module, entry.name, executed)}"
    paths = AccessPaths(module)
    pointers = {module.instruction_words(index)[3] for index in module.indices(Op.Load)}
    yield "read: " + " ".join(sorted({paths.of(each) for each in pointers}))
    for function in function_flows(module, entry):
        counts = [(7 * n + 3) % 11 for n in range(len(function.labels))]
        edges = {f"{a}-{b}": n for (a, b), n in sorted(edge_counts(function, counts).items())}
        yield f"{function.name} leaks at {sorted(function.leaking)}, edges {edges}"


@pytest.mark.parametrize("name", NAMES)
def test_the_analyses_find_what_is_written_down(name):
    text = "".join(f"{line}\n" for line in found_in(Module.parse(assembled(name))))
    golden = GOLDEN / f"{name}.analysed"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def uses_of(path: Path) -> Iterator[str]:
    """What a kernel does with the whole numbers it is given, and where it may race."""
    module = compile_text(path.read_text("utf-8"), path.name, None).module
    entry = module.entry_points[0]
    interface = reflect(module, entry)
    found = kernel_uses(module, entry, interface)
    yield f"{path.name} reads {sorted(found.read)}, writes {sorted(found.written)}"
    yield f"  gathers from {sorted(found.gathered)}"
    for (at, name), use in sorted(found.by_value.items(), key=repr):
        told = {
            what: sorted(each) if isinstance(each, set) else each
            for what, each in vars(use).items()
            if each
        }
        yield f"  {at} {name}: {told}"
    for each in hazards(module, entry, interface):
        yield f"  {each}"


def test_kernels_use_their_numbers_as_is_written_down():
    paths = sorted(kernels.FOLDER.glob("*.comp"))
    text = "".join(f"{line}\n" for path in paths for line in uses_of(path))
    golden = GOLDEN / "kernels.uses"
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")
