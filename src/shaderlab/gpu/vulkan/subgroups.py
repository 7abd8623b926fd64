"""The program that is run to count a dispatch: with subgroups of 32 where it uses them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from shaderlab.errors import InvalidModule
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan.device import Device
from shaderlab.scene.draw import Draw
from shaderlab.spirv.passes.subgroups import emulated, uses_subgroups
from shaderlab.spirv.warps import LANES


class CountedProgram(NamedTuple):
    """With the ids, blocks and bindings of the draw's own program."""

    program: Program
    subgroup: int | None
    """Invocations of a subgroup; None where it has none, or what the device gives them."""


def counted_program(device: Device, draw: Draw) -> CountedProgram:
    """Of a dispatch.  The draw's own program where it uses no subgroups, where the device's have 32
    invocations, and where they cannot be emulated (`spirv.passes.subgroups`)."""
    program = draw.program
    if not uses_subgroups(program.module):
        return CountedProgram(program, None)
    if device.subgroup == LANES:
        return CountedProgram(program, LANES)
    x, y, z = draw.launch.local
    made = _emulated(_Keyed(program.digest, program.entry_point, (x, y, z), program))
    if made is None:
        return CountedProgram(program, None)
    return CountedProgram(replace(program, spirv=made), LANES)


class _Keyed(NamedTuple):
    """A program that is equal to those of the same code."""

    digest: str
    entry_point: str
    local: tuple[int, int, int]
    program: Program

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self[:3] == other[:3]

    def __hash__(self) -> int:
        return hash(self[:3])


@lru_cache(maxsize=16)
def _emulated(key: _Keyed) -> bytes | None:
    try:
        return emulated(key.program.module, key.entry_point, key.local)
    except InvalidModule:
        return None
