"""The workgroup a compute entry point declares (SPIR-V specification, "Execution Mode", LocalSize).

The built-in constant WorkgroupSize, where a module has one, overrides what the mode says.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.spirv.grammar import ENUMS, BuiltIn, Decoration, Op
from shaderlab.spirv.module import EntryPoint, Module

_MODES = ENUMS["ExecutionMode"]
_MOST = 1 << 16
"""Invocations along one side of a workgroup; devices have a thousand or so."""


@dataclass(frozen=True)
class Workgroup:
    """Invocations of one workgroup along x, y and z."""

    size: tuple[int, int, int]
    """As declared: of a specialisation constant its default."""
    constants: tuple[int | None, int | None, int | None] = (None, None, None)
    """`SpecId` of each side that a specialisation constant gives."""

    def specialised(self, values: dict[int, int]) -> tuple[int, int, int]:
        """The sides where specialisation constants have these values, by `SpecId`."""
        x, y, z = (
            values.get(number, side) if number is not None else side
            for side, number in zip(self.size, self.constants, strict=True)
        )
        return x, y, z


def workgroup(module: Module, entry: EntryPoint) -> Workgroup:
    """Of an entry point; one that declares none has one invocation."""
    specialised = _spec_ids(module)
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2:4] == (Decoration.BuiltIn, BuiltIn.WorkgroupSize):
            return _of_ids(module, module.definition(words[1]).operands, specialised)
    for index in module.indices(Op.ExecutionMode):
        words = module.instruction_words(index)
        if words[1:3] == (entry.id, _MODES["LocalSize"]):
            return _bounded(words[3:6], (None, None, None))
    for index in module.indices(Op.ExecutionModeId):
        words = module.instruction_words(index)
        if words[1:3] == (entry.id, _MODES["LocalSizeId"]):
            return _of_ids(module, words[3:6], specialised)
    return Workgroup((1, 1, 1))


def _spec_ids(module: Module) -> dict[int, int]:
    return {
        words[1]: words[3]
        for index in module.indices(Op.Decorate)
        if (words := module.instruction_words(index))[2] == Decoration.SpecId and len(words) > 3
    }


def _of_ids(module: Module, ids: tuple[int, ...], specialised: dict[int, int]) -> Workgroup:
    sides, constants = [], []
    for each in ids[:3]:
        definition = module.definition(each)
        known = definition.opcode in (Op.Constant, Op.SpecConstant) and definition.operands
        sides.append(definition.operands[0] if known else 1)
        constants.append(specialised.get(each))
    return _bounded(tuple(sides), tuple(constants))


def _bounded(sides: tuple[int, ...], constants: tuple[int | None, ...]) -> Workgroup:
    x, y, z = (*(max(1, min(side, _MOST)) for side in sides), 1, 1, 1)[:3]
    a, b, c = (*constants, None, None, None)[:3]
    return Workgroup((x, y, z), (a, b, c))
