"""Shaders as the additive model sees them, many at a time.  Needs numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.prediction.features.context import context
from shaderlab.prediction.features.kinds import operation_table
from shaderlab.prediction.features.lane_work import Execution, lane_plan
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models import additive
from shaderlab.prediction.models.additive import Weights
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


def of(traced: TracedProgram) -> Example:
    """What the model sees of a traced program, at the size it was traced."""
    return Example(
        {execution: traced.work_of(execution).totals for execution in Execution}, traced.context
    )


def predict_s(weights: Weights, examples: Sequence[Example]) -> np.ndarray:
    """Seconds per draw of many shaders, (n,)."""
    factors = np.exp(additive.log_factor(weights, np.array([each.context for each in examples])))
    operations = operation_table(
        [each.spent[weights.execution] for each in examples], weights.kinds
    )
    work = (operations @ weights.prices) * factors
    return np.array([additive.seconds(weights, each) for each in work.tolist()])
