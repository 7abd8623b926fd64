"""`Analysis`: what follows from a program's text alone, kept while only its counts change."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.prediction.dataflow import analyse
from shaderlab.prediction.lane_work import LanePlan, lane_plan
from shaderlab.spirv.lines import instruction_lines
from shaderlab.spirv.trace import SourceLine

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.spirv.module import Module


@dataclass(frozen=True)
class Analysis:
    """The static side of one module."""

    module: Module
    plan: LanePlan
    places: tuple[SourceLine, ...]
    """Source lines its work stands on."""
    place: np.ndarray
    """(instructions,) index into `places`; -1 for the prelude and for code without lines."""


_REMEMBERED = 32
_analyses: OrderedDict[str, Analysis] = OrderedDict()


def analysis_of(program: Program) -> Analysis:
    """The analysis of a program's module; those of the last few programs are remembered."""
    found = _analyses.pop(program.digest, None) or analyse_module(program.module)
    _analyses[program.digest] = found
    while len(_analyses) > _REMEMBERED:
        _analyses.popitem(last=False)
    return found


def analyse_module(module: Module) -> Analysis:
    """The analysis of a module, not remembered."""
    plan = lane_plan(module, analyse(module))
    lines = instruction_lines(module)
    number: dict[SourceLine, int] = {}
    place = np.full(len(module), -1, np.int64)
    for index in plan.instruction.tolist():
        line = lines.at(index)
        if line is not None:
            place[index] = number.setdefault(line, len(number))
    return Analysis(module, plan, tuple(number), place)


def forget() -> None:
    """Forget every remembered analysis."""
    _analyses.clear()
