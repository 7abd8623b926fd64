"""Shaders as the additive model sees them, many at a time.  Needs numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.prediction import additive
from shaderlab.prediction.additive import Weights
from shaderlab.prediction.dataflow import analyse
from shaderlab.prediction.kinds import operation_table
from shaderlab.prediction.lane_work import lane_work
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace


@dataclass(frozen=True)
class Example:
    """One shader as the model sees it."""

    operations: Mapping[str, float]
    """Scalar operations of the frame by kind."""
    context: np.ndarray
    """(context,)"""


def example(module: Module, trace: Trace, full_pixels: int | None = None) -> Example:
    """What the model sees of a traced module.

    `full_pixels`: scale the counts of a smaller trace up to this many pixels.
    """
    work = lane_work(module, analyse(module), trace)
    pixels = trace.size[0] * trace.size[1]
    scale = 1.0 if full_pixels is None else full_pixels / pixels
    return Example(
        {kind: operations * scale for kind, operations in work.totals.items()},
        additive.context(module, trace, work),
    )


def predict_s(weights: Weights, examples: Sequence[Example]) -> np.ndarray:
    """Seconds per draw of many shaders, (n,)."""
    factors = np.exp(additive.log_factor(weights, np.array([each.context for each in examples])))
    operations = operation_table([each.operations for each in examples], weights.kinds)
    work = (operations @ weights.prices) * factors
    return np.array([additive.seconds(weights, each) for each in work.tolist()])
