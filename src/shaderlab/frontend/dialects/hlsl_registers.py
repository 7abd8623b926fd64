"""Bindings of HLSL's read-only buffers, which glslang puts where the writable ones are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shaderlab.frontend.dialects.family import Attempt
from shaderlab.frontend.toolchain.interface import REGISTER_BINDINGS, Compilation
from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import Module

BUFFERS = frozenset({"StructuredBuffer", "ByteAddressBuffer"})
"""Types of HLSL that this concerns: `t` registers that become storage buffers."""


@dataclass(frozen=True)
class WithReadOnlyBuffers(Attempt):
    """An attempt in which `t0` of a `StructuredBuffer` and `u0` get bindings of their own."""

    def compiled(self) -> Compilation:
        made = super().compiled()
        return replace(made, spirv=_apart(made.spirv)) if made.spirv else made


def _apart(spirv: bytes) -> bytes:
    """The module with its read-only storage buffers bound where textures of their registers are."""
    module = Module.parse(spirv)
    words = module.words.copy()
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
    return words.astype(np.dtype("<u4")).tobytes()
