"""Which textures and samplers are read by comparison with a reference depth.

A type says so of `sampler2DShadow`; of a texture and a sampler apart only the instructions do.
"""

from __future__ import annotations

from shaderlab.spirv.grammar import INSTRUCTIONS, Op
from shaderlab.spirv.module import Module

_COMPARING = tuple(
    kind.opcode
    for kind in INSTRUCTIONS.values()
    if "Dref" in kind.name and kind.name.startswith("OpImage")
)


def compared_variables(module: Module) -> frozenset[int]:
    """Ids of the variables an instruction with a depth reference reads directly."""
    found: set[int] = set()
    for index in module.indices(*_COMPARING):
        found |= _sources(module, module.instruction_words(index)[3])
    return frozenset(found)


def _sources(module: Module, id: int) -> set[int]:
    """The variables a sampled image is made of."""
    pending, found = [id], set()
    while pending:
        made = module.definition(pending.pop())
        if made.opcode == Op.Variable:
            found.add(made.words[2])
        elif made.opcode == Op.SampledImage:
            pending += made.operands[:2]
        elif made.opcode in (Op.Load, Op.AccessChain, Op.InBoundsAccessChain, Op.CopyObject):
            pending.append(made.operands[0])
    return found
