"""Which instructions ran, from the blocks that did."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection

from shaderlab.spirv.module import Module


def executes(module: Module, executed: Collection[tuple[int, int]]) -> Callable[[int], bool]:
    """Whether the instruction of an index ran; what stands before all functions always does.

    `executed`: function and label ids of the blocks that ran.
    """
    ran = frozenset(executed)
    blocks = [
        (block.first, block.last)
        for function in module.functions
        for block in function.blocks
        if (function.id, block.label) in ran
    ]
    starts = [first for first, _ in blocks]
    first_function = module.functions[0].first if module.functions else len(module)

    def did(index: int) -> bool:
        place = bisect_right(starts, index) - 1
        return index < first_function or (place >= 0 and index <= blocks[place][1])

    return did
