"""Warnings of a compute shader that compiled, beside those of the compiler."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.frontend.program import Diagnostic, Program, Severity
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.analysis.barriers import hazards


def checked(program: Program) -> Program:
    """The program with a warning for each barrier and data race in shared memory that is undefined.

    Raises InvalidModule.
    """
    if program.stage is not Stage.COMPUTE:
        return program
    found = tuple(
        Diagnostic(
            each.line.line if each.line else 0,
            1 if each.line else 0,
            Severity.WARNING,
            each.text,
            each.line.file if each.line else "",
        )
        for each in hazards(program.module, program.entry(), program.interface)
    )
    return replace(program, diagnostics=(*program.diagnostics, *found)) if found else program
