"""Heat maps of a whole captured frame: what its draws cost, summed up pixel by pixel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shaderlab.errors import DeviceStuck, ShaderlabError, WrongUse
from shaderlab.spirv.heat import HeatKind, HeatView

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.workers.analysed_draws import AnalysedDraw


class FrameHeatKind(StrEnum):
    """What the map shows of every pixel."""

    OVERDRAW = "overdraw"
    """Invocations of fragment shaders, of all draws that covered it."""
    INSTRUCTIONS = "instructions"
    """Instructions that they executed."""
    LANES = "lanes"
    """Part of the lanes' time in which those of its 8x4 group work, over all draws."""
    DIFFERENCE = "difference"
    """How far one draw's picture is from the captured one, in steps of 255."""


@dataclass(frozen=True)
class FrameHeat:
    """The map, as far as it has come."""

    kind: FrameHeatKind
    values: np.ndarray
    """(height, width) float64, row 0 at the top of the attachments; nan where nothing ran."""
    done: int
    """Draws that are in it."""
    total: int
    """Draws into attachments of this size that were counted."""
    elsewhere: int
    """Draws into attachments of other sizes, which are left out."""
    failed: int = 0
    """Draws that could not be drawn again."""


class Heats(Protocol):
    """Has a draw's heat map made; raises ShaderlabError."""

    def __call__(self, draw: AnalysedDraw, view: HeatView) -> np.ndarray: ...


def costliest_size(draws: Sequence[AnalysedDraw]) -> tuple[int, int] | None:
    """Width, height of the attachments whose draws execute most instructions; None without.

    Dispatches have no pixels.
    """
    work: Counter[tuple[int, int]] = Counter()
    for each in draws:
        if each.trace is not None and not each.draw.is_dispatch:
            work[each.draw.size] += each.trace.instructions_executed
    return max(work, key=lambda size: work[size], default=None)


def frame_heat(
    kind: FrameHeatKind, draws: Sequence[AnalysedDraw], heat: Heats
) -> Iterator[FrameHeat]:
    """The map after each draw of the costliest size.  Raises WrongUse where none was counted,
    and DeviceStuck."""
    draws = [each for each in draws if not each.draw.is_dispatch]
    size = costliest_size(draws)
    if size is None:
        raise WrongUse("no draw with pixels was counted")
    counted = [each for each in draws if each.trace is not None and each.program is not None]
    here = [each for each in counted if each.draw.size == size]
    total = np.zeros((size[1], size[0]))
    held = np.zeros_like(total)
    failed = 0
    for number, each in enumerate(here, 1):
        assert each.program is not None
        try:
            found = heat(each, _view(kind, each.program)).astype(np.float64)
            if kind is FrameHeatKind.LANES:
                work = heat(each, HeatView(HeatKind.INSTRUCTIONS)).astype(np.float64)
                with np.errstate(divide="ignore", invalid="ignore"):
                    held += np.nan_to_num(work / found, posinf=0.0)
                found = work
            total += np.nan_to_num(found)
        except DeviceStuck:
            raise
        except ShaderlabError:
            failed += 1
        yield FrameHeat(
            kind, _shown(kind, total, held), number, len(here), len(counted) - len(here), failed
        )


def difference(ours: np.ndarray, theirs: np.ndarray) -> FrameHeat:
    """Of two pictures, (height, width, 4) uint8 RGBA: the largest of the colours' differences."""
    gap = np.abs(ours[..., :3].astype(np.int16) - theirs[..., :3]).max(axis=2)
    return FrameHeat(FrameHeatKind.DIFFERENCE, gap.astype(np.float64), 1, 1, 0)


def _shown(kind: FrameHeatKind, total: np.ndarray, held: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        values = total / held if kind is FrameHeatKind.LANES else total
    return np.where(total > 0, values, np.nan)


def _view(kind: FrameHeatKind, program: Program) -> HeatView:
    if kind is FrameHeatKind.INSTRUCTIONS:
        return HeatView(HeatKind.INSTRUCTIONS)
    if kind is FrameHeatKind.LANES:
        return HeatView(HeatKind.LANES)
    entry = program.entry().id
    first = next(f.blocks[0].label for f in program.module.functions if f.id == entry)
    return HeatView(HeatKind.BLOCKS, frozenset({first}))
