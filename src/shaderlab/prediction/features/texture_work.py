"""Reads of textures as kinds of work: `varying:OpImageSampleImplicitLod:2D:mipmap:rgba8`.

What a read costs depends on what is bound, which the module does not say and a trace does: so the
kinds of a plan are refined once the frame is known.  In the order of what matters most, as a model
falls back on the coarser kind: dimension, filter (of what is filtered), format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from shaderlab.prediction.features.work_rows import LaneWork
from shaderlab.spirv.trace import BoundTexture

TEXEL_BYTES = {
    "r8": 1, "rg8": 2, "rgba8": 4, "srgba8": 4, "depth16": 2, "depth32": 4,
    "r16f": 2, "rg16f": 4, "rgba16f": 8, "r32f": 4, "rg32f": 8, "rgba32f": 16,
    "rgba32i": 16, "rgba32ui": 16,
}  # fmt: skip
"""By format."""
_CHAIN = 4 / 3
"""Texels of all mip levels over those of the first."""
_FILTERED = "OpImageSample"
_WRITE = "OpImageWrite"
_NO_READS = ("OpImageQuery", _WRITE, "OpImageTexelPointer")


@lru_cache(maxsize=1 << 14)
def is_texture_read(kind: str) -> bool:
    """Whether a kind of work reads texels."""
    name = kind.partition(":")[2].partition(":")[0]
    return name.startswith("OpImage") and name != "OpImage" and not name.startswith(_NO_READS)


def moves_texels(kind: str) -> bool:
    """Whether a kind of work reads texels or writes them."""
    return is_texture_read(kind) or kind.partition(":")[2].startswith(_WRITE)


@dataclass(frozen=True)
class TextureReads:
    """Reads of one texture by one kind of instruction, in one frame, or writes."""

    bound: BoundTexture | None
    """None where nobody recorded what was bound."""
    filters: bool
    """Whether the instruction filters, rather than fetch a texel or gather four."""
    reads: float
    """By all lanes of all groups that ran the instruction."""
    writes: bool = False
    """Whether the instruction writes a texel rather than read any."""
    corners: int = 4
    """Texels that one of them may reach."""

    @property
    def texels(self) -> float:
        """Distinct texels read, at most: all corners of each read, and no more than there are.

        None where nobody recorded how many there are.
        """
        if self.bound is None:
            return 0.0
        most = self.reads * self.corners
        width, height, depth = self.bound.size
        all_levels = _CHAIN if self.bound.levels > 1 else 1.0
        return min(most, width * height * depth * self.bound.layers * all_levels)

    @property
    def texel_bytes(self) -> int:
        """Of the format; of an unknown one those of four bytes."""
        return TEXEL_BYTES.get(self.bound.format if self.bound else "", 4)


def reads_of(
    work: LaneWork,
    reads: Mapping[int, tuple[int, int] | None],
    textures: Mapping[tuple[int, int], BoundTexture],
) -> list[TextureReads]:
    """The reads and writes of a frame, by texture and kind of instruction; arguments as of
    `refined`."""
    found: dict[tuple[tuple[int, int] | None, str], float] = {}
    for row in np.flatnonzero(np.isin(work.instruction, list(reads))).tolist():
        kind = work.kinds[work.kind[row]]
        if moves_texels(kind):
            at, name = reads[int(work.instruction[row])], kind.split(":")[1]
            one = ("Dref" in name and "Gather" not in name) or name == _WRITE
            components = 1 if one else 4
            amount = found.get((at, name), 0.0)
            found[at, name] = amount + float(work.operations[row]) / components
    return [
        TextureReads(
            textures.get(at) if at else None,
            name.startswith(_FILTERED),
            amount,
            writes=name == _WRITE,
            corners=4 if name.startswith(_FILTERED) or "Gather" in name else 1,
        )
        for (at, name), amount in found.items()
    ]


def refined(
    work: LaneWork,
    reads: Mapping[int, tuple[int, int] | None],
    textures: Mapping[tuple[int, int], BoundTexture],
) -> LaneWork:
    """The work with its reads of textures by what was bound.

    `reads`: by index of an instruction, the descriptor set and binding of what it reads.  Work
    without reads, or of a frame whose textures nobody recorded, stays as it is.
    """
    if not reads or not textures:
        return work
    kinds, kind = list(work.kinds), work.kind.copy()
    place = {name: number for number, name in enumerate(kinds)}
    for row in np.flatnonzero(np.isin(work.instruction, list(reads))).tolist():
        name = work.kinds[kind[row]]
        bound = textures.get(reads[int(work.instruction[row])] or (-1, -1))
        if bound is None or not is_texture_read(name):
            continue
        fine = f"{name}:{_description(name, bound)}"
        if fine not in place:
            place[fine] = len(kinds)
            kinds.append(fine)
        kind[row] = place[fine]
    order = np.argsort(np.array(kinds))
    rank = np.empty(len(kinds), np.int64)
    rank[order] = np.arange(len(kinds))
    return replace(work, kinds=tuple(sorted(kinds)), kind=rank[kind])


def _description(kind: str, bound: BoundTexture) -> str:
    is_array = bound.layers > (6 if bound.dimension == "Cube" else 1)
    dimension = bound.dimension + ("Array" if is_array else "")
    if _FILTERED in kind:
        return f"{dimension}:{bound.filter}:{bound.format}"
    return f"{dimension}:{bound.format}"
