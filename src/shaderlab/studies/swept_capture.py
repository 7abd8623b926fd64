"""A sweep over one shader of a captured frame: all its draws change, and those after them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from shaderlab.captures.frame import CapturedDraw, pass_numbers
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forecasts.shared_passes import in_passes
from shaderlab.studies.axes import Axis
from shaderlab.studies.sweep import Point, Report, Sweep, reference_of, sweep
from shaderlab.studies.swept_texts import SweptText, changers
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.edited_frame import (
    Analysed,
    Changed,
    Edit,
    EditedFrame,
    Picture,
    ShaderKey,
    shader_key,
)

_WHOLE = (1 << 16, 1 << 16)
"""Width, height that no picture exceeds: each is compared in full."""


@dataclass(frozen=True)
class CapturePlan:
    """What is swept."""

    draws: tuple[CapturedDraw, ...]
    """Of the whole frame, in its order."""
    event: int
    """Of the draw whose shader varies."""
    text: SweptText
    """Of that shader."""
    base: Program
    """What the capture's text of it compiles to."""
    axes: tuple[Axis, ...]
    reference: tuple[str, ...] | None = None
    """Values whose picture others are compared with; None for the first of each axis."""


def sweep_capture(
    plan: CapturePlan,
    analyser: FrameAnalyser,
    compiler: CompilerWorker,
    device: str,
    report: Report | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Sweep:
    """As `sweep`; pictures are of what the last draw leaves that the reference changes.

    `device`: slug.

    Raises WrongUse also for a draw without a shader that can vary, for names that are nothing of
    its text, and where draws of the frame have no time, since their sum would fall short.
    """
    chosen = next((each for each in plan.draws if each.event == plan.event), None)
    key = shader_key(chosen) if chosen is not None else None
    if chosen is None or key is None or chosen.state is None:
        why = "there is no such draw" if chosen is None else chosen.reason or "it has no shader"
        raise WrongUse(f"draw {plan.event} cannot be swept: {why}")
    by_name = changers(plan.text.text, plan.axes, ())
    reference = reference_of(plan.axes, plan.reference)
    frame = _Frame(plan, key, analyser)

    def variant(values: tuple[str, ...]) -> tuple[Point, np.ndarray]:
        given = dict(zip((axis.name for axis in plan.axes), values, strict=True))
        program = by_name.compiled(plan.text, given, compiler) or plan.base
        forecasts, pixels = frame.drawn(program)
        return Point(values, forecasts), pixels

    with closing(frame):
        points = sweep(plan.axes, reference, variant, report, stopped)
    sharing = [each.event for each in plan.draws if shader_key(each) == key]
    part = f"the shader of {_listed(sharing)}"
    return Sweep(plan.axes, reference, device, points, part)


class _Frame:
    """The frame, its other draws counted once."""

    def __init__(self, plan: CapturePlan, key: ShaderKey, analyser: FrameAnalyser):
        self._plan, self._key = plan, key
        self._numbers = pass_numbers(plan.draws)
        self._alone: dict[int, tuple[Forecast, ...]] = {}
        for each in plan.draws:
            found = analyser.analyse(each)
            if analyser.can_refine:
                found = analyser.refined(found)
            if each.shader is not None and not found.forecasts:
                raise WrongUse(f"the frame has no time: draw {each.event}: {found.reason}")
            self._alone[each.event] = found.forecasts
        self._analyser = analyser
        self._edited = EditedFrame(analyser, self._hear, _WHOLE)
        self._last = 0
        """Event of the last picture that the present variant leaves."""
        self._compared: int | None = None
        """Event whose pictures are compared: the last one that the first variant changes."""
        self._pixels: np.ndarray | None = None

    def drawn(self, program: Program) -> tuple[tuple[FrameForecast, ...], np.ndarray]:
        """The frame's times and picture with this program in place of the shader."""
        self._pixels = None
        edits = {self._key: Edit(self._plan.base, program)}
        self._edited.run(edits, iter(self._plan.draws), lambda: True)
        changed = self._edited.draws
        for event, found in changed.items():
            if not found.forecasts:
                raise WrongUse(f"draw {event}: {found.reason or 'it has no time'}")
        pixels = self._as_captured() if self._pixels is None else self._pixels
        self._compared = self._last if self._compared is None else self._compared
        alone = self._alone | {event: found.forecasts for event, found in changed.items()}
        parts = in_passes({n: each for n, each in alone.items() if each}, self._numbers)
        by_draw = {str(event): each for event, each in sorted(parts.items())}
        return frame_forecasts(by_draw, dict.fromkeys(by_draw, 1)), pixels

    def close(self) -> None:
        self._edited.close()

    def _hear(self, said: Analysed | Changed | Picture) -> None:
        if isinstance(said, Picture) and self._compared in (None, said.event):
            self._last, self._pixels = said.event, said.pixels

    def _as_captured(self) -> np.ndarray:
        """The compared draw's picture where the variant changes nothing that it sees."""
        draw = next((each for each in self._plan.draws if each.event == self._compared), None)
        replayed = self._analyser.analyse(draw, outputs=True).replayed if draw else None
        if replayed is None or replayed.pixels is None:
            raise WrongUse("no draw that sees the change leaves a picture")
        return replayed.pixels


def _listed(events: list[int]) -> str:
    shown = ", ".join(map(str, events[:4])) + (" …" if len(events) > 4 else "")
    return f"draw{'s' * (len(events) > 1)} {shown}"
