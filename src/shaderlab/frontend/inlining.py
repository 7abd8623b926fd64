"""The program with every call inlined; each copy keeps its source lines."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.errors import CompileFailed, InvalidModule
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain.choice import toolchain

_PASSES = (
    "--wrap-opkill",
    "--merge-return",
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
)
"""Returns are merged before: spirv-opt inlines nothing that returns from within a loop."""


def inlined(program: Program) -> Program:
    """`program` with its functions inlined into the entry point by spirv-opt.

    Raises CompileFailed where spirv-opt refuses the module, InvalidModule where its result is not
    one, MissingTool, ShaderTimeout.
    """
    try:
        spirv = toolchain().optimize(program.spirv, _PASSES)
    except InvalidModule as error:
        raise CompileFailed(f"spirv-opt cannot inline {program.name}: {error}") from None
    made = replace(program, spirv=spirv)
    _ = made.module  # parsed here, where callers expect an error
    return made
