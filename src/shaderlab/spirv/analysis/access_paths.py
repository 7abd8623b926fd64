"""What a pointer points at, as its source would write it: `ray.at.x`, `weights[n]`."""

from __future__ import annotations

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Instruction, Module, printable

_LETTERS = "xyzw"
_DEEPEST = 16
"""Chains of chains longer than this are cut: no compiler writes them."""


class AccessPaths:
    """Names of one module's pointers, by its debug names."""

    def __init__(self, module: Module):
        self._module = module
        self._members: dict[tuple[int, int], str] = {}
        for index in module.indices(Op.MemberName):
            _, struct, member, *_ = module.instruction_words(index)
            self._members[struct, member] = printable(module.string(index, 3))

    def of(self, pointer: int) -> str:
        """Empty where the module has no name for it.  Raises InvalidModule."""
        return self._path(pointer, 0)

    def root(self, pointer: int) -> int:
        """Id of the variable or parameter at the start of a chain.  Raises InvalidModule."""
        for _ in range(_DEEPEST):
            definition = self._module.definition(pointer)
            if definition.opcode not in (Op.AccessChain, Op.InBoundsAccessChain):
                break
            pointer = definition.operands[0]
        return pointer

    def _path(self, pointer: int, depth: int) -> str:
        definition = self._module.definition(pointer)
        if definition.opcode not in (Op.AccessChain, Op.InBoundsAccessChain) or depth > _DEEPEST:
            return printable(self._module.names.get(pointer, ""))
        base, *indices = definition.operands
        path = self._path(base, depth + 1)
        kind = self._pointee(base)
        for index in indices:
            part, kind = self._step(kind, index)
            path = f"{path}.{part}" if path and part[0] != "[" else path + part
        return path

    def _pointee(self, pointer: int) -> Instruction:
        """The type a pointer points at."""
        module = self._module
        pointer_type = module.definition(module.definition(pointer).result_type)
        return module.definition(pointer_type.operands[1])

    def _step(self, kind: Instruction, index: int) -> tuple[str, Instruction]:
        """One index into a type: how it is written, and the type inside."""
        module, number = self._module, self._constant(index)
        if kind.opcode == Op.TypeStruct and number is not None and number < len(kind.operands):
            name = self._members.get((kind.result, number)) or f"_{number}"
            return name, module.definition(kind.operands[number])
        inner = module.definition(kind.operands[0])
        if kind.opcode == Op.TypeVector and number is not None and number < len(_LETTERS):
            return _LETTERS[number], inner
        return f"[{self._index(index) if number is None else number}]", inner

    def _constant(self, id: int) -> int | None:
        definition = self._module.definition(id)
        return definition.operands[0] if definition.opcode == Op.Constant else None

    def _index(self, id: int) -> str:
        definition = self._module.definition(id)
        if definition.opcode == Op.Load:
            return self.of(definition.operands[0]) or "\u2026"
        return "\u2026"
