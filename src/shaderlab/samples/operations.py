"""What the instructions of a block are, finer than opcodes: extended instructions and widths.

A learned cost has to distinguish `sin` from `abs` (both OpExtInst), a `vec3` multiplication from a
scalar one; the opcode alone, which the paper's features stop at (§6.1), does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Block, Instruction, Module


def operations_by_label(module: Module) -> Mapping[int, Counter[str]]:
    """Static operations of every block by the result id of its OpLabel.

    As in a trace's histograms, OpLabel and debug instructions are left out.
    """
    namer = _Namer(module)
    return {
        block.label: namer.histogram(block)
        for function in module.functions
        for block in function.blocks
    }


def static_opcodes(module: Module) -> Counter[str]:
    """Instructions of the whole module by opcode name."""
    return Counter(grammar.name(opcode) for opcode in module.opcodes.tolist())


def undefined_uses(module: Module) -> int:
    """Operands inside functions that name the result of an OpUndef."""
    undefined = {module.instruction_words(index)[2] for index in module.indices(Op.Undef)}
    if not undefined:
        return 0
    return sum(
        word in undefined
        for function in module.functions
        for block in function.blocks
        for instruction in block
        for word in _ids(instruction)
    )


def _ids(instruction: Instruction) -> list[int]:
    """Operands that name results; literals, which may equal an id by chance, left out.

    Operands that follow a mask (image operands, memory access) are left out too.
    """
    kind = grammar.INSTRUCTIONS.get(instruction.opcode)
    if kind is None:
        return []
    words = instruction.words[1:]
    found: list[int] = []
    for operand in kind.operands:
        if operand in ("IdRef*", "PairIdRefIdRef*"):
            return [*found, *words]
        if not words:
            return found
        if operand.startswith("IdRef") or operand in ("IdScope", "IdMemorySemantics"):
            found.append(words[0])
        elif operand.endswith("*") or operand in ("LiteralString", "MemoryAccess?"):
            return found
        words = words[1:]
    return found


def opcode_of(operation: str) -> str:
    """The opcode's name in an operation: `OpExtInst` for `OpExtInst.Normalize*3`."""
    return operation.partition("*")[0].partition(".")[0]


class _Namer:
    def __init__(self, module: Module):
        self._module = module
        self._components: dict[int, int] = {}

    def histogram(self, block: Block) -> Counter[str]:
        executable = self._module.executable
        return Counter(self._name(at) for at in block if executable[at.index])

    def _name(self, instruction: Instruction) -> str:
        name = instruction.name
        if instruction.opcode == Op.ExtInst:
            words = instruction.words
            if words[3] in self._module.glsl_sets:
                name += f".{grammar.GLSL_STD_450.get(words[4], words[4])}"
        result_type = instruction.result_type
        components = self.components(result_type) if result_type else 1
        return f"{name}*{components}" if components > 1 else name

    def components(self, type: int) -> int:
        """Numbers in a value of the type: 3 for vec3, 9 for mat3; 1 for all but those."""
        known = self._components.get(type)
        if known is None:
            definition = self._module.definition(type)
            known = 1
            if definition.opcode in (Op.TypeVector, Op.TypeMatrix):
                words = definition.words
                known = words[3] * self.components(words[2])
            self._components[type] = known
        return known
