"""The program after `spirv-opt -O`: about what drivers leave of it."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.errors import CompileFailed, InvalidModule
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.toolchain.choice import toolchain


def optimized(program: Program) -> Program:
    """`program` with its calls inlined and dead and constant work gone; what is left keeps lines.

    Not for the interface thread: a process is run.  Raises MissingTool, ShaderTimeout,
    CompileFailed where spirv-opt refuses the module, InvalidModule where it made none.
    """
    try:
        spirv = toolchain().optimize(program.spirv, ("-O",))
    except InvalidModule as error:
        raise CompileFailed(f"spirv-opt does not optimise {program.name}: {error}") from None
    made = replace(program, spirv=spirv, dialect=Dialect.SPIRV, text="", diagnostics=())
    _ = made.module  # what it wrote is read here, not first where nobody expects an error
    return made
