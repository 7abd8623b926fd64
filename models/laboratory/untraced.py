"""The ablation of the trace: counts as if every basic block ran once in every pixel.

What is left of the features when the shader was not run.  The paper's ablation of ShaderPerFormer
sets every count to 1, its untraced regressions count every instruction of every function once;
here it is once for each pixel, so that counts keep their unit, and only of the functions that the
entry point reaches, the blocks a trace knows.
"""

from __future__ import annotations

from shaderlab.frontend.program import Program
from shaderlab.prediction.features.example import example
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models.model import CountedShader
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import Trace
from shaderlab.training.shader_data import SIZE


def once_each(program: Program) -> Trace:
    """A frame of the canonical size in which every reachable block ran once in every pixel.

    Raises `InvalidModule` where the program has no fragment entry point.
    """
    module = program.module
    blocks = reachable_blocks(module, module.run_entry_point(program.entry_point))
    counts = describe(module, blocks, [SIZE[0] * SIZE[1]] * len(blocks))
    return Trace("none", SIZE, 1.0, 1, counts, float("nan"))


def shader(program: Program, traced: CountedShader) -> CountedShader:
    """What methods see of a shader without its trace.

    `traced` is the same shader with it, which says whether undefined values are known to be in it.
    """
    trace = once_each(program)
    return CountedShader(
        traced.id,
        TracedProgram(program, trace).executed,
        example(program.module, trace),
        traced.reads_uninitialised,
        traced.divides_by_zero,
    )
