"""`Analysis`: what follows from a program's text alone, kept while only its counts change."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.prediction.features.lane_work import LanePlan, lane_plan
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.source_lines import instruction_lines
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
    """Source lines its work stands on, ascending."""
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
    worked = plan.instruction
    positions = zip(lines.file[worked].tolist(), lines.line[worked].tolist(), strict=True)
    found = [None if file < 0 else SourceLine(lines.files[file], line) for file, line in positions]
    places = tuple(sorted({where for where in found if where is not None}))
    number = {where: n for n, where in enumerate(places)}
    place = np.full(len(module), -1, np.int64)
    place[worked] = [-1 if where is None else number[where] for where in found]
    return Analysis(module, plan, places, place)


def forget() -> None:
    """Forget every remembered analysis."""
    _analyses.clear()
