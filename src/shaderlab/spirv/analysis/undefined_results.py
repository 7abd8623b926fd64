"""Divisions by a constant zero, whose results are undefined.

SPIR-V leaves `x / 0` undefined, as GLSL does `smoothstep` with equal edges.  Most drivers compute
infinity or NaN.  Gallivm, llvmpipe's compiler, treats the result as undefined, and whatever it is
added to or multiplied by as well, so the straight-line work for these is removed; loops stay.  It
does compute `mod(x, 0)`.

Only operands that are constants themselves are found.  After `spirv-opt -O` more are: as written,
variables and parameters often stand between.
"""

from __future__ import annotations

from collections.abc import Collection

from shaderlab.spirv.analysis.executed import executes
from shaderlab.spirv.grammar import GLSL_STD_450, Op
from shaderlab.spirv.module import Module

_SMOOTHSTEP = next(code for code, name in GLSL_STD_450.items() if name == "SmoothStep")
_SIGN = {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FFFFFFFFFFFFFFF}
"""All bits of a float but its sign, by width."""


def undefined_results(module: Module, executed: Collection[tuple[int, int]]) -> tuple[int, ...]:
    """Indices of instructions that ran and divide by a constant zero, ascending.

    `executed`: function and label ids of the blocks that ran.  Of vectors one component is enough.
    """
    ran, constants = executes(module, executed), _Constants(module)

    def is_undefined(index: int) -> bool:
        words = module.instruction_words(index)
        if module.opcodes[index] == Op.FDiv:
            return constants.any_zero(words[4])
        smoothstep = words[3] in module.glsl_sets and words[4] == _SMOOTHSTEP
        return smoothstep and constants.any_equal(words[5], words[6])

    found = module.indices(Op.FDiv, Op.ExtInst)
    return tuple(index for index in found if ran(index) and is_undefined(index))


class _Constants:
    """Values of float constants, as far as they stand in the module."""

    def __init__(self, module: Module):
        self._module = module
        self._widths = {
            words[1]: words[2]
            for index in module.indices(Op.TypeFloat)
            for words in (module.instruction_words(index),)
        }
        self._parts: dict[int, tuple[int | None, ...]] = {}

    def any_zero(self, id: int) -> bool:
        return 0 in self._of(id)

    def any_equal(self, one: int, other: int) -> bool:
        pairs = zip(self._of(one), self._of(other), strict=False)
        return any(a is not None and a == b for a, b in pairs)

    def _of(self, id: int) -> tuple[int | None, ...]:
        """Bits of each component, -0 as 0; None of a component that is no constant."""
        if id not in self._parts:
            self._parts[id] = (None,)  # a module that names itself must not hang us
            self._parts[id] = self._read(id)
        return self._parts[id]

    def _read(self, id: int) -> tuple[int | None, ...]:
        found = self._module.definition(id)
        words = found.words
        if found.opcode == Op.Constant and words[1] in self._widths:
            bits = sum(word << 32 * n for n, word in enumerate(words[3:]))
            return (0 if not bits & _SIGN[self._widths[words[1]]] else bits,)
        if found.opcode == Op.ConstantNull:
            return (0,) * self._components(words[1])
        if found.opcode in (Op.ConstantComposite, Op.CompositeConstruct):
            return tuple(part for each in words[3:] for part in self._of(each))
        return (None,) * self._components(words[1])

    def _components(self, type_id: int) -> int:
        words = self._module.definition(type_id).words
        return words[3] if words[0] & 0xFFFF == Op.TypeVector else 1
