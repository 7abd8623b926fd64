"""A captured frame with edited shaders: redrawn from the first draw that an edit changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shaderlab.captures.frame import CapturedDraw
from shaderlab.errors import WrongUse
from shaderlab.system.scratch import TemporaryFolder
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.edited_flow import EditedFlow

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.workers.captured_frames import FrameAnalyser

THUMBNAIL = (160, 100)
"""Width, height of a pass's picture at most, pixels."""
ShaderKey = tuple[str, str]
"""A captured shader: digest of its module, entry point."""


def shader_key(draw: CapturedDraw) -> ShaderKey | None:
    """What shader a draw uses; None where it has none."""
    its = draw.shader
    return (its.module.digest, its.entry_point) if its is not None else None


class Edit(NamedTuple):
    base: Program
    """The text before it was edited: what its numbers are compared with."""
    program: Program


class Analysed(NamedTuple):
    """A draw with its numbers; `edited`: as the edited frame draws it."""

    found: AnalysedDraw
    edited: bool


@dataclass(frozen=True)
class Picture:
    """What the frame's attachments showed after a draw."""

    event: int
    pixels: np.ndarray
    """(height, width, 4) uint8 RGBA, row 0 at the top."""
    edited: bool = False


class Changed(NamedTuple):
    """The edited frame is drawn; the draws, by event, that differ from the captured ones."""

    events: frozenset[int]


_Forecasts = dict[int, "tuple[Forecast, ...]"]


class EditedFrame:
    """Numbers of the draws that edits change.  `run` by one thread, the rest by any."""

    def __init__(
        self,
        analyser: FrameAnalyser,
        say: Callable[[Analysed | Changed | Picture], None],
        largest: tuple[int, int] = THUMBNAIL,
    ):
        """`largest`: width, height of a reported picture; a larger one is subsampled."""
        self._analyser, self._say, self._largest = analyser, say, largest
        self._folder: TemporaryFolder | None = None
        self._flows: list[EditedFlow] = []
        self._lock = threading.Lock()
        self._number = 0
        self._bases: dict[tuple[int, str], AnalysedDraw] = {}
        """Of draws with an edited shader, as its text was before: by event and its digest."""
        self._refined: set[tuple[int, str]] = set()
        self._base_of: dict[int, str] = {}
        """Of draws whose shader is edited now: the digest of that text."""
        self._draws: dict[int, AnalysedDraw] = {}

    @property
    def draws(self) -> dict[int, AnalysedDraw]:
        """Those that edits change, by event."""
        with self._lock:
            return dict(self._draws)

    def forecasts(self) -> tuple[_Forecasts, _Forecasts]:
        """Of the draws that edits change, by event: of those with an edited shader as its text was
        before, and of all as they are drawn now."""
        with self._lock:
            bases = {
                event: self._bases[event, digest].forecasts
                for event, digest in self._base_of.items()
                if (event, digest) in self._bases
            }
            return bases, {event: each.forecasts for event, each in self._draws.items()}

    def run(
        self,
        edits: Mapping[ShaderKey, Edit],
        draws: Iterator[CapturedDraw],
        is_wanted: Callable[[], bool],
    ) -> None:
        """Draw the frame with these edits, and say what came of it.

        Returns early once it is not wanted any more.  Raises WrongUse where the disk takes nothing,
        StartFailed.
        """
        changed: list[int] = []
        if edits:
            flow = self._new_flow()
            for draw in draws:
                if self._draw(draw, edits, flow, is_wanted):
                    changed.append(draw.event)
                if not is_wanted():
                    return
        with self._lock:
            self._draws = {event: self._draws[event] for event in changed}
            self._base_of = {n: each for n, each in self._base_of.items() if n in self._draws}
        self._say(Changed(frozenset(changed)))
        self._refine(changed, is_wanted)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def _draw(
        self,
        draw: CapturedDraw,
        edits: Mapping[ShaderKey, Edit],
        flow: EditedFlow,
        is_wanted: Callable[[], bool],
    ) -> bool:
        """Whether edits change the draw, which then has its numbers."""
        key = shader_key(draw)
        edit = edits.get(key) if key is not None else None
        seen = flow.seen_by(draw)
        if (edit is None and seen is draw) or draw.state is None:
            return False
        if edit is not None:
            self._count_base(draw, edit)
        else:
            self._base_of.pop(draw.event, None)
        program = edit.program if edit is not None else None
        found = self._analyser.analyse(seen, program, outputs=True)
        if not is_wanted():
            return False
        if found.replayed is not None:
            try:
                flow.leaves(draw, found.replayed)
            except OSError as error:
                raise WrongUse(f"the edited frame cannot be kept: {error.strerror}") from None
            pixels = found.replayed.pixels
            without = replace(found.replayed, pixels=None, colours={}, depth=None, buffers={})
            found = replace(found, replayed=without)
            if pixels is not None:
                height, width = pixels.shape[:2]
                step = max(1, -(-width // self._largest[0]), -(-height // self._largest[1]))
                small = np.ascontiguousarray(pixels[::step, ::step])
                self._say(Picture(draw.event, small, edited=True))
        self._keep(found)
        return True

    def _count_base(self, draw: CapturedDraw, edit: Edit) -> None:
        digest = edit.base.digest
        if (draw.event, digest) not in self._bases:
            found = self._analyser.analyse(draw, edit.base)
            with self._lock:
                self._bases[draw.event, digest] = found
        with self._lock:
            self._base_of[draw.event] = digest

    def _keep(self, found: AnalysedDraw) -> None:
        with self._lock:
            self._draws[found.draw.event] = found
        self._say(Analysed(found, edited=True))

    def _refine(self, events: list[int], is_wanted: Callable[[], bool]) -> None:
        """Better forecasts, as captured draws get them."""
        if not self._analyser.can_refine:
            return
        for event in events:
            if not is_wanted():
                return
            with self._lock:
                digest, found = self._base_of.get(event), self._draws[event]
                base = self._bases.get((event, digest)) if digest is not None else None
            if base is not None and digest is not None and (event, digest) not in self._refined:
                self._refined.add((event, digest))
                base = self._analyser.refined(base)
                with self._lock:
                    self._bases[event, digest] = base
            found = self._analyser.refined(found)
            if is_wanted():
                self._keep(found)
        self._say(Changed(frozenset(events)))

    def _new_flow(self) -> EditedFlow:
        """With a file of its own; the last but one is no longer looked at."""
        if self._folder is None:
            self._folder = TemporaryFolder()
        self._number += 1
        flow = EditedFlow(Path(self._folder.name) / f"{self._number}.bin")
        self._flows.append(flow)
        for old in self._flows[:-2]:
            old.close()
        del self._flows[:-2]
        return flow
