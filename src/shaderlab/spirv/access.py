"""Which storage buffers and images a module reads and which it writes."""

from __future__ import annotations

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain, Op.CopyObject)


def accesses(module: Module) -> tuple[frozenset[int], frozenset[int]]:
    """Ids of the module's variables that are loaded from, and of those that are written.

    Atomics do both.  What reaches a variable through a function's parameter counts as both.
    """
    roots: dict[int, int] = {}
    read: set[int] = set()
    written: set[int] = set()
    variables = {module.instruction_words(i)[2] for i in module.indices(Op.Variable)}

    def root(id: int) -> int:
        return roots.get(id, id)

    for function in module.functions:
        for index in range(function.first, function.last):
            opcode = int(module.opcodes[index])
            words = module.instruction_words(index)
            if opcode in _CHAINS:
                roots[words[2]] = root(words[3])
            elif opcode == Op.Load:
                roots[words[2]] = root(words[3])
                read.add(root(words[3]))
            elif opcode == Op.Store or opcode == Op.ImageWrite:
                written.add(root(words[1]))
            elif opcode == Op.ArrayLength:
                continue
            else:
                named = {root(word) for word in words[1:] if word in roots or word in variables}
                if opcode not in (Op.ImageRead, Op.ImageQuerySize) and named:
                    read |= named
                    if opcode == Op.FunctionCall or "Atomic" in grammar.name(opcode):
                        written |= named
                    if opcode == Op.ImageTexelPointer:
                        roots[words[2]] = root(words[3])
    return frozenset(read & variables), frozenset(written & variables)
