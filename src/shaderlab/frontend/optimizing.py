"""The program after `spirv-opt -O`, which is close to what drivers run."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.errors import CompileFailed, InvalidModule
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.toolchain.choice import toolchain


def optimized(program: Program) -> Program:
    """`program` with calls inlined and dead and constant work removed; the rest keeps its lines.

    Raises CompileFailed where spirv-opt refuses the module, InvalidModule where its result is not
    one, MissingTool, ShaderTimeout.
    """
    try:
        spirv = toolchain().optimize(program.spirv, ("-O",))
    except InvalidModule as error:
        raise CompileFailed(f"spirv-opt cannot optimise {program.name}: {error}") from None
    made = replace(program, spirv=spirv, dialect=Dialect.SPIRV, text="", diagnostics=())
    made.__dict__["kernel_uses"] = program.kernel_uses  # its buffers are filled alike
    _ = made.module  # parsed here, where callers expect an error
    return made
