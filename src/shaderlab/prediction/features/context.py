"""What a shader is like as a whole: the properties the additive model's context factor looks at."""

from __future__ import annotations

import numpy as np

from shaderlab.prediction.features.lane_work import LaneWork
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace
from shaderlab.spirv.warps import LANES

CONTEXT: tuple[str, ...] = (
    "log_instructions",
    "coherence",
    "log_blocks",
    "log_operations_per_pixel",
    "log_trips",
    "constant_share",
    "uniform_share",
    "branches_per_instruction",
    "calls_per_instruction",
    "discards",
)
"""What the context factor looks at, in the order of its weights."""


def context(module: Module, trace: Trace, work: LaneWork) -> np.ndarray:
    """(context,) float64 properties of a traced program, named by `CONTEXT`."""
    width, height = trace.size
    pixels = width * height
    static = sum(block.instructions for block in trace.blocks) or 1
    executed = sum(block.instructions * block.count for block in trace.blocks)
    grouped = sum(
        block.instructions * block.count
        if block.lane_groups is None
        else block.instructions * block.lane_groups * LANES
        for block in trace.blocks
    )
    by_level = {"constant": 0.0, "uniform": 0.0, "varying": 0.0}
    for kind, operations in work.totals.items():
        by_level[kind.partition(":")[0]] += operations
    total = sum(by_level.values()) or 1.0
    often = max((block.count for block in trace.blocks), default=0)

    def share(name: str) -> float:
        return sum(block.opcodes.get(name, 0) for block in trace.blocks) / static

    return np.array(
        [
            np.log(static),
            executed / (grouped or 1),
            np.log(max(len(trace.blocks), 1)),
            np.log(total / pixels + 1),
            np.log(often / pixels + 1),
            by_level["constant"] / total,
            by_level["uniform"] / total,
            share("OpBranchConditional"),
            share("OpFunctionCall"),
            float(bool(module.indices(Op.Kill))),
        ]
    )
