"""Which draws came to their end on a device that ends no loops: those that may run as they are.

Whatever runs a program of the user's goes through `Drawing`, `Dispatching` or `fetched_vertices`,
and they ask here.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from shaderlab.errors import InternalError, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.scene.draw import Draw
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.passes.guarding import LONG, Guarded, guard
from shaderlab.spirv.trace import BlockId

_MOST_ENDED = 4096
"""Draws that are remembered: a slider that is dragged makes one for each value."""


class Ended:
    """Draws that came to their end on a device."""

    def __init__(self) -> None:
        self._draws: set[Hashable] = set()

    def has(self, draw: Draw, at_any_time: bool) -> bool:
        return self._key(draw, at_any_time) in self._draws

    def add(self, draw: Draw) -> None:
        if len(self._draws) >= _MOST_ENDED:
            self._draws.clear()
        self._draws.update(self._key(draw, at_any_time) for at_any_time in (False, True))

    def _key(self, draw: Draw, at_any_time: bool) -> Hashable:
        values = tuple(sorted((name, each.value) for name, each in draw.inputs.values.items()))
        return draw.pipeline_key, values, None if at_any_time else draw.inputs.uniforms

    def close(self) -> None:
        """Nothing is held."""


def ended(device: Device) -> Ended:
    """The device's."""
    return device.companion(Ended, Ended)


def may_go_on(program: Program, rounds: int) -> bool:
    """Whether it has loops of more rounds than `rounds` (`guarding.BRIEF` or `LONG`), or whose end
    does not follow from constants."""
    found = _guarded(program, rounds)
    return bool(found.loops or found.unguarded)


def require_known(device: Device, draw: Draw, program: Program, *, bounded: bool = False) -> None:
    """A program of a draw is about to run, as it is or with its loops `bounded`.

    On a device that ends no loops, raises UnsupportedShader for a loop that cannot be bounded, and
    InternalError where one may never end and the draw was not counted to its end before: whoever
    runs it has to (`tracing.require_end`).
    """
    if ends_loops(device) or not may_go_on(program, LONG):
        return
    for loop in _guarded(program, LONG).unguarded:
        raise UnsupportedShader(
            f"{_line(program, loop)} may never end, and cannot be bounded. {device.info.name}"
            " could not stop it, so it is not run."
        )
    if not bounded and not ended(device).has(draw, at_any_time=True):
        raise InternalError(f"{program.name} was to run before it was known to end")


@lru_cache(maxsize=64)
def _guarded(program: Program, rounds: int) -> Guarded:
    functions = reachable_functions(program.module, program.entry())
    return guard(program.module, functions, program.entry().id, rounds)


def _line(program: Program, loop: BlockId) -> str:
    (block,) = describe(program.module, [loop], [0])
    return f"line {block.lines[0].line}" if block.lines else "a loop"
