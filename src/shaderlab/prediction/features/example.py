"""`Example`: one shader's work and context, all that the additive model sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shaderlab.prediction.features.context import context
from shaderlab.prediction.features.lane_work import Execution, lane_plan
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace


@dataclass(frozen=True)
class Example:
    """One shader as the model sees it."""

    spent: Mapping[Execution, Mapping[str, float]]
    """Scalar operations of the frame by kind, under each execution."""
    context: np.ndarray
    """(context,)"""

    @property
    def operations(self) -> Mapping[str, float]:
        """Those of lanes that jump over what none of them takes."""
        return self.spent[Execution.JUMPING]


def example(module: Module, trace: Trace, full_pixels: int | None = None) -> Example:
    """What the model sees of a traced module.

    `full_pixels`: scale the counts of a smaller trace up to this many pixels.
    """
    plan = lane_plan(module, analyse(module))
    works = {execution: plan.work(trace, execution) for execution in Execution}
    pixels = trace.size[0] * trace.size[1]
    scale = 1.0 if full_pixels is None else full_pixels / pixels
    return Example(
        {
            execution: {kind: operations * scale for kind, operations in work.totals.items()}
            for execution, work in works.items()
        },
        context(module, trace, works[Execution.JUMPING]),
    )
