"""Which textures and samplers are read by comparison with a reference depth.

A type says so of `sampler2DShadow`; of a texture and a sampler apart only the instructions do.
"""

from __future__ import annotations

from shaderlab.spirv.grammar import INSTRUCTIONS
from shaderlab.spirv.module import Module
from shaderlab.spirv.texture_reads import image_variables

_COMPARING = tuple(
    kind.opcode
    for kind in INSTRUCTIONS.values()
    if "Dref" in kind.name and kind.name.startswith("OpImage")
)


def compared_variables(module: Module) -> frozenset[int]:
    """Ids of the variables an instruction with a depth reference reads."""
    found: set[int] = set()
    for index in module.indices(*_COMPARING):
        found |= image_variables(module, module.instruction_words(index)[3])
    return frozenset(found)
