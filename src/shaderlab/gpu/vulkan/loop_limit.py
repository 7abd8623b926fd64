"""Drivers that end loops on their own: their counts fall short of what a GPU would execute.

lavapipe leaves all loops of an invocation (of a vector of them, to be exact) after 65,535
iterations taken together, so that endless ones end.  Nothing reports it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.locations import resources
from shaderlab.scene.draw import Draw
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockId

ITERATIONS = 65_535

_SUSPICIOUS = ITERATIONS // 2
"""Iterations of one invocation from which its neighbours in the vector, which may go round other
loops, could have used up the rest."""


class LoopLimit:
    """Whether a device ends loops, found out by one draw when first asked."""

    def __init__(self, device: Device):
        self._device = device
        self._cuts: bool | None = None

    @property
    def cuts(self) -> bool:
        if self._device.info.kind != "software":
            return False
        if self._cuts is None:
            spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
            program = Program("loops", Dialect.SPIRV, "", spirv, "main")
            pixel = np.empty((1, 1, 4), np.uint8)
            draw = Draw.of(program, (1, 1))
            with Renderer(self._device, draw) as renderer:
                renderer.render(draw.inputs, pixel)
            self._cuts = not pixel.any()
        return self._cuts

    def close(self) -> None:
        """Nothing is held."""


def may_be_cut(device: Device, most_iterations: int) -> bool:
    """Whether the loops of an invocation with that many iterations may have been cut short."""
    if most_iterations < _SUSPICIOUS:
        return False
    return device.companion(LoopLimit, lambda: LoopLimit(device)).cuts


def loop_weights(module: Module, blocks: Sequence[BlockId]) -> list[int]:
    """By block: 1 for the header of a loop, which runs once per iteration, else 0."""
    merges = set(module.indices(Op.LoopMerge))  # the last but one instruction of its block
    headers = {
        (function.id, block.label)
        for function in module.functions
        for block in function.blocks
        if block.last - 1 in merges
    }
    return [int(tuple(block) in headers) for block in blocks]
