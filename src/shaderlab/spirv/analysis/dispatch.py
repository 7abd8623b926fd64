"""What is known of a compute shader's dispatch before it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shaderlab.spirv.warps import LANES

_WARPS = 64
"""At most so many are looked at, spread over the dispatch."""
_SPREAD = (math.sqrt(5) - 1) / 2
"""Multiples of the golden ratio fall evenly between all those before."""

Sides = tuple[int, int, int]


@dataclass(frozen=True)
class Dispatch:
    """What is known of a dispatch before it runs."""

    groups: Sides
    local: Sides
    push: bytes = b""
    """Contents of the push constants."""
    constants: Mapping[int, bytes] = field(default_factory=dict, hash=False)
    """Given values of specialisation constants by `SpecId`."""

    @property
    def invocations(self) -> int:
        return math.prod(self.groups) * math.prod(self.local)

    @cached_property
    def looked_at(self) -> np.ndarray:
        """(warps, 32) numbers of invocations in the dispatch, -1 behind the end of a workgroup."""
        per_group = math.prod(self.local)
        per_warp = min(LANES, per_group)
        in_group = -(-per_group // LANES)
        number = math.prod(self.groups) * in_group
        if number <= _WARPS:
            chosen = np.arange(number)
        else:
            chosen = np.unique((np.arange(1, _WARPS + 1) * _SPREAD % 1 * number).astype(np.int64))
        group, warp = np.divmod(chosen, in_group)
        local = warp[:, None] * LANES + np.arange(per_warp)
        return np.where(local < per_group, group[:, None] * per_group + local, -1)
