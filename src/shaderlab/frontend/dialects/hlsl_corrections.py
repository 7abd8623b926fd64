"""What glslang gets wrong in HLSL, put right in the module it made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shaderlab.frontend.dialects.family import Attempt
from shaderlab.frontend.toolchain.interface import REGISTER_BINDINGS, Compilation
from shaderlab.spirv.grammar import ENUMS, Decoration, Op, opcodes
from shaderlab.spirv.module import Module

BUFFERS = frozenset({"StructuredBuffer", "ByteAddressBuffer"})
"""Types of HLSL that become storage buffers although their registers are `t`."""
PREFIXES = frozenset({"WavePrefixSum", "WavePrefixProduct"})
"""Functions that leave out the value of their own invocation; glslang's do not."""

_GROUP_OPERATIONS = ENUMS["GroupOperation"]
_INCLUSIVE, _EXCLUSIVE = (_GROUP_OPERATIONS[f"{name}Scan"] for name in ("Inclusive", "Exclusive"))
_SCANS = opcodes("GroupNonUniformIAdd GroupNonUniformFAdd GroupNonUniformIMul GroupNonUniformFMul")


@dataclass(frozen=True)
class Corrected(Attempt):
    """An attempt whose module is put right."""

    are_registers_apart: bool = False
    """Whether `t0` of a `StructuredBuffer` and `u0` get bindings of their own."""

    def compiled(self) -> Compilation:
        made = super().compiled()
        if not made.spirv:
            return made
        module = Module.parse(made.spirv)
        words = module.words.copy()
        _exclude_own(module, words)
        if self.are_registers_apart:
            _move_apart(module, words)
        return replace(made, spirv=words.astype(np.dtype("<u4")).tobytes())


def _exclude_own(module: Module, words: np.ndarray) -> None:
    """A prefix of HLSL is an exclusive scan; none of its functions is an inclusive one."""
    for index in module.indices(*_SCANS):
        place = int(module.starts[index]) + 4
        if words[place] == _INCLUSIVE:
            words[place] = _EXCLUSIVE


def _move_apart(module: Module, words: np.ndarray) -> None:
    """Read-only storage buffers are bound where textures of their registers are."""
    read_only = {
        structure
        for index in module.indices(Op.MemberDecorate)
        for _, structure, _, decoration, *_ in [module.instruction_words(index)]
        if decoration == Decoration.NonWritable
    }
    pointees = {
        module.instruction_words(index)[1]: module.instruction_words(index)[3]
        for index in module.indices(Op.TypePointer)
    }
    variables = {
        module.instruction_words(index)[2]
        for index in module.indices(Op.Variable)
        if pointees.get(module.instruction_words(index)[1]) in read_only
    }
    for index in module.indices(Op.Decorate):
        _, target, decoration, *literals = module.instruction_words(index)
        if target in variables and decoration == Decoration.Binding:
            from_writable = literals[0] - REGISTER_BINDINGS["u"]
            if from_writable >= 0:
                place = int(module.starts[index]) + 3
                words[place] = from_writable + REGISTER_BINDINGS["t"]
