"""The program as Mesa's compiler leaves it, as one that can be run and counted on any device.

A driver unrolls loops, turns branches into selections, folds and deletes far beyond what
`spirv-opt -O` does.  Other vendors' drivers do much the same, so what is left here predicts their
times too.
"""

from __future__ import annotations

from dataclasses import replace

from shaderlab.errors import CompileFailed, ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.radv.replay import replay_of


def compiled_program(program: Program, stats: CompiledStats) -> Program:
    """`stats`: what RADV made of the program.

    The result draws what the program draws; its blocks are those of the optimised program, its
    values scalars in SSA form, its lines none of the user's.  Not for the interface thread:
    processes are run.  Raises UnreadableNir for what cannot be replayed, and what compiling and
    optimising raise.
    """
    replayed = replay_of(program, stats)
    try:
        made = optimized(compile_text(replayed.text, program.name, None))
    except CompileFailed:
        raise ShaderlabError(
            f"{program.name} as the driver's compiler optimised it does not compile"
        ) from None
    return replace(made, made_by=stats.driver).bound_as(program)
