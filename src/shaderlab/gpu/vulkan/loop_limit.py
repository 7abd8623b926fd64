"""Drivers that end loops on their own: a shader may run on them before its loops are bounded.

lavapipe leaves all loops of an invocation (of a vector of them, to be exact) after 65,535
iterations taken together, so that endless ones end.  Nothing reports it, loops that the invocation
does not come to count as well (`loop_weights`), and a loop that its optimiser proves endless takes
the rest of the shader, or the way to it, with it.  Where any of this may have happened, the program
is counted again with bounded loops (`spirv.passes.guarding`), which also names the loops.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import lru_cache

from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.raw_drawing import RawDrawing
from shaderlab.locations import resources
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.cfg import (
    FlowGraph,
    callers_first,
    calls_by_function,
    reachable_functions,
)
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.guarding import LONG, ROUNDS, SHORT, guard
from shaderlab.spirv.trace import BlockCount, BlockId

ITERATIONS = 65_535

SUSPICIOUS = ITERATIONS * 3 // 4
"""Iterations of one invocation, by `loop_weights`, from which its neighbours in the vector, which
may go round other loops, could have used up the rest."""


class LoopLimit:
    """Whether a device ends loops, found out by one draw when first asked."""

    def __init__(self, device: Device):
        self._device = device
        self._cuts: bool | None = None

    @property
    def cuts(self) -> bool:
        if self._device.info.kind != "software":
            return False
        if self._cuts is None:
            spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
            program = Program("loops", Dialect.SPIRV, "", spirv, "main")
            with ExitStack() as stack:
                drawing = RawDrawing(self._device, Draw.of(program, (1, 1)), stack)
                target, usage = drawing.target, vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
                pixel = HostBuffer(self._device, target.picture_bytes, usage, stack)
                self._device.run_once(drawing.record)
                self._device.run_once(lambda commands: target.copy_to(commands, pixel.handle))
                pixel.invalidate()
                self._cuts = not target.shown_pixels(pixel.bytes).any()
        return self._cuts

    def close(self) -> None:
        """Nothing is held."""


def ends_loops(device: Device) -> bool:
    """Whether every shader comes to an end on the device."""
    return device.companion(LoopLimit, lambda: LoopLimit(device)).cuts


def loops_left_alone(device: Device) -> int:
    """Rounds of loops with known ends that need no bound there, as `guard` takes them."""
    return SHORT if ends_loops(device) else LONG


def bounded_form(device: Device, program: Program | None) -> bytes | None:
    """The program with bounded loops, for a device that ends none, which is to run it again and
    again while time and inputs change; None where all its loops end soon by their constants."""
    return None if program is None or ends_loops(device) else _bounded(program)


@lru_cache(maxsize=64)
def _bounded(program: Program) -> bytes | None:
    module, entry = program.module, program.entry()
    found = guard(module, reachable_functions(module, entry), entry.id)
    return found.module.to_bytes() if found.loops else None


def vanished(program: Program, blocks: Iterable[BlockCount]) -> bool:
    """Whether a loop without a known end never went round: a compiler may take it, and what leads
    to it, for something that cannot happen."""
    idle = {BlockId(each.function, each.label) for each in blocks if not each.count}
    return bool(idle) and not idle.isdisjoint(_rounds_without_known_end(program))


@lru_cache(maxsize=64)
def _rounds_without_known_end(program: Program) -> frozenset[BlockId]:
    """Blocks that each round of such a loop passes before it goes back to the header."""
    module = program.module
    functions = reachable_functions(module, program.entry())
    found = guard(module, functions, program.entry().id, SHORT)
    loops = {*found.loops, *found.unguarded} - found.ending
    return frozenset(
        BlockId(function.id, each.words[2])
        for function in functions
        for block in function.blocks
        if BlockId(function.id, block.label) in loops
        for each in block
        if each.opcode == Op.LoopMerge
    )


def most_rounds(device: Device, weights: Iterable[int]) -> int:
    """Rounds of bounded loops after which their bound is met before the driver's own limit.

    `weights`: `loop_weights` of the module.
    """
    most = max(1, 1, *weights)
    return min(ROUNDS, SUSPICIOUS // most) if ends_loops(device) else ROUNDS


def loop_weights(module: Module, blocks: Sequence[BlockId]) -> list[int]:
    """By block: what a run of it adds to the iterations that the driver counts, at most.

    The header of a loop adds its own, and one for each loop inside it, in functions it calls as
    well: a vector goes through both sides of a branch, and so through loops that none of its
    invocations has come to.
    """
    inside: Counter[int] = Counter()
    """By function: its loops, and those of all it calls."""
    weights: dict[BlockId, int] = {}
    calls = calls_by_function(module)
    for function in reversed(callers_first(module)):
        graph = FlowGraph(function)
        called: Counter[int] = Counter()
        for callee, index in calls.get(function.id, ()):
            at = bisect([block.first for block in function.blocks], index) - 1
            called[at] += inside[callee]
        inside[function.id] = len(graph.loops) + called.total()
        for header, members in graph.loops.items():
            nested = sum(each in members for each in graph.loops)
            label = function.blocks[header].label
            weights[BlockId(function.id, label)] = nested + sum(called[each] for each in members)
    return [weights.get(BlockId(*block), 0) for block in blocks]
