"""A capture on its way from the file to a frame's forecast, in threads of its own.

One thread reads draws; two take those that were read to the device and the predictor.  What they
find is said to one listener, from these threads.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedDraw, Counters, Listed, pass_numbers, pass_of
from shaderlab.errors import Abandoned, InternalError, ShaderlabError
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forecasts.shared_passes import in_passes
from shaderlab.scene.target_pictures import thumbnail
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.edited_frame import (
    THUMBNAIL,
    Analysed,
    Changed,
    Edit,
    EditedFrame,
    Picture,
    ShaderKey,
)
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind, frame_heat

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast

AT_ONCE = 2
"""Draws: one is counted while another is predicted."""
_SUM_S = 0.4
"""Between sums while draws come in."""
MOST_PICTURES = 200
"""Of passes, that are shown."""


@dataclass(frozen=True)
class NoHeat:
    """The heat map that was asked for cannot be made."""

    error: ShaderlabError


@dataclass(frozen=True)
class Summed:
    """The frame's times, of the draws that are known so far."""

    forecasts: tuple[FrameForecast, ...]
    """With edited shaders in place."""
    before: tuple[FrameForecast, ...]
    """Without edits; equal to `forecasts` while there are none."""
    edits: frozenset[tuple[ShaderKey, str]] | None = frozenset()
    """Shaders that were replaced, with the digests of the programs in their place; None while the
    frame is redrawn, when some draws are of one version and some of another."""


@dataclass(frozen=True)
class Ended:
    """No more is read."""

    error: ShaderlabError | None = None


Said = (
    Listed | CapturedDraw | Mapping[int, Counters] | Analysed | Changed | Picture | Summed
    | FrameHeat | NoHeat | Ended
)  # fmt: skip


class OpenedCapture:
    """Reads and analyses until `close`.  Methods may be called from any thread."""

    def __init__(self, path: Path, analyser: FrameAnalyser | None, say: Callable[[Said], object]):
        """Without an analyser, where no device runs, draws are only listed and shown."""
        self.path = path
        self._analyser, self._say = analyser, say
        self._stop = threading.Event()
        self._closed = False
        self._lock = threading.Condition()
        self._left: deque[CapturedDraw] = deque()
        self._later: deque[CapturedDraw] = deque()
        """Counted, and to be refined once all others are counted."""
        self._under_way = 0
        self._reading = True
        self._draws: dict[int, CapturedDraw] = {}
        self._captured: dict[int, AnalysedDraw] = {}
        self._edits: dict[ShaderKey, Edit] = {}
        self._edited = EditedFrame(analyser, self._settled) if analyser is not None else None
        self._listed = 0
        """Draws of the frame, read or not."""
        self._summed_at = 0.0
        self._pictures = 0
        self._drawn_edits: frozenset[tuple[ShaderKey, str]] | None = frozenset()
        """As `Summed.edits`."""
        self._drawing_edits: frozenset[tuple[ShaderKey, str]] = frozenset()
        self._edits_number = 0
        """Goes up with every edit."""
        self._heat_number = 0
        """Of the heat map that was asked for last."""
        self._pool = ThreadPoolExecutor(AT_ONCE + 3, thread_name_prefix="capture")

    def start(self) -> None:
        self._pool.submit(self._read)
        if self._analyser is not None:
            for _ in range(AT_ONCE):
                self._pool.submit(self._work)
            self._pool.submit(self._work_on_edits)

    def stop_reading(self) -> None:
        """Take no more draws; what is there stays."""
        self._stop.set()
        with self._lock:
            self._left.clear()
            self._later.clear()
            self._lock.notify_all()

    def close(self) -> None:
        """End the threads as soon as their requests are answered; nothing is said any more."""
        self._closed = True
        self.stop_reading()
        with self._lock:
            self._lock.notify_all()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def edit(self, key: ShaderKey, base: Program, program: Program | None) -> None:
        """Draw `program` in place of a shader, wherever it is used; None: the captured one again.

        The draws after the first of them see what they leave.  `base`: what the text compiled to
        before it was edited.
        """
        with self._lock:
            if program is None:
                self._edits.pop(key, None)
            else:
                self._edits[key] = Edit(base, program)
            self._edits_number += 1
            self._lock.notify_all()

    def ask_heat(self, kind: FrameHeatKind, event: int | None = None) -> None:
        """Have the frame's heat map said, again and again while it is made, with edited shaders in
        place.  Of several that are asked for, the last alone is made.

        `event`: the draw, for a difference.
        """
        with self._lock:
            self._heat_number += 1
            number = self._heat_number
            known = self._captured | (self._edited.draws if self._edited is not None else {})
        if self._analyser is not None and not self._closed:
            draws = [known[each] for each in sorted(known) if event in (None, each)]
            self._pool.submit(self._make_heat, kind, draws, number)

    def _make_heat(self, kind: FrameHeatKind, draws: list[AnalysedDraw], number: int) -> None:
        assert self._analyser is not None
        said_at = time.monotonic()
        try:
            for found in self._heats(kind, draws):
                if self._closed or number != self._heat_number:
                    return
                now = time.monotonic()
                if found.done == found.total or now - said_at > _SUM_S:
                    said_at = now
                    self._tell(found)
        except ShaderlabError as error:
            self._tell_no_heat(error, number)
        except Exception as fault:  # noqa: BLE001, the listener shows it
            error = InternalError(f"a fault in shaderlab: {type(fault).__name__}: {fault}")
            self._tell_no_heat(error, number)

    def _tell_no_heat(self, error: ShaderlabError, number: int) -> None:
        """Unless another map was asked for meanwhile: that one may well be made."""
        if number == self._heat_number:
            self._tell(NoHeat(error))

    def _heats(self, kind: FrameHeatKind, draws: list[AnalysedDraw]) -> Iterator[FrameHeat]:
        assert self._analyser is not None
        if kind is FrameHeatKind.DIFFERENCE:
            return (self._analyser.difference(each) for each in draws)
        return frame_heat(kind, draws, self._analyser.heat)

    # -- reading ----------------------------------------------------------------------------

    def _read(self) -> None:
        error: ShaderlabError | None = None
        try:
            self._read_all()
        except Abandoned:
            pass
        except ShaderlabError as found:
            error = found
        except Exception as fault:  # noqa: BLE001, the listener shows it
            error = InternalError(f"a fault in shaderlab: {type(fault).__name__}: {fault}")
        with self._lock:
            self._reading = False
            is_idle = not (self._left or self._later or self._under_way) and bool(self._captured)
            self._lock.notify_all()
        if is_idle:  # the last draw was counted before reading ended
            self._sum()
        self._tell(Ended(error))

    def _read_all(self) -> None:
        last: CapturedDraw | None = None
        for each in opening.events(self.path, stop=self._stop):
            if self._stop.is_set():
                break
            self._tell(each)
            if isinstance(each, Listed):
                self._listed = len(each.draws)
            elif isinstance(each, CapturedDraw):
                self._take(each)
                if each.state is not None:
                    if last is not None and pass_of(last) != pass_of(each):
                        self._show(last)
                    last = each
        if last is not None:
            self._show(last)

    def _take(self, draw: CapturedDraw) -> None:
        with self._lock:
            self._draws[draw.event] = draw
            if self._analyser is not None:
                self._left.append(draw)
                self._lock.notify_all()

    def _show(self, draw: CapturedDraw) -> None:
        target = next((each for each in draw.targets if each is not None), None)
        if target is None or self._stop.is_set() or self._pictures >= MOST_PICTURES:
            return
        try:
            pixels = thumbnail(target, draw.size, THUMBNAIL)
        except ShaderlabError:
            return
        if pixels is not None:
            self._pictures += 1
            self._tell(Picture(draw.event, pixels))

    # -- counting and predicting ------------------------------------------------------------

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                self._analyse(*task)
            except ShaderlabError as error:  # the device or the predictor cannot be started
                self._tell(Ended(error))
                self.stop_reading()
            except Exception as fault:  # noqa: BLE001, the listener shows it
                self._tell(
                    Ended(InternalError(f"a fault in shaderlab: {type(fault).__name__}: {fault}"))
                )
                self.stop_reading()
            finally:
                with self._lock:
                    self._under_way -= 1
                    is_idle = not (self._left or self._later or self._under_way or self._reading)
            if is_idle or time.monotonic() - self._summed_at > _SUM_S:
                self._sum()

    def _next(self) -> tuple[CapturedDraw, bool] | None:
        """The next draw, and whether it is to be refined; waits.  None once it is closed."""
        with self._lock:
            while not (self._left or (self._later and not self._reading) or self._closed):
                self._lock.wait()
            if self._closed:
                return None
            self._under_way += 1
            refining = not self._left
            return (self._later if refining else self._left).popleft(), refining

    def _analyse(self, draw: CapturedDraw, refining: bool) -> None:
        """Count and predict a draw, or give one that was counted better forecasts."""
        assert self._analyser is not None
        if refining:
            with self._lock:
                known = self._captured[draw.event]
            found = self._analyser.refined(known)
        else:
            found = self._analyser.analyse(draw)
        with self._lock:
            self._captured[draw.event] = found
            if self._analyser.can_refine and not refining:
                self._later.append(draw)
                self._lock.notify_all()
        self._tell(Analysed(found, edited=False))

    # -- edits --------------------------------------------------------------------------------

    def _work_on_edits(self) -> None:
        """Redraw the frame after each edit, from the first draw that it changes."""
        done = 0
        while True:
            with self._lock:
                while done == self._edits_number and not self._closed:
                    self._lock.wait()
                number, edits = self._edits_number, dict(self._edits)
            if self._closed:
                break
            try:
                assert self._edited is not None
                self._drawn_edits = None
                self._drawing_edits = frozenset(
                    (key, each.program.digest) for key, each in edits.items()
                )
                self._edited.run(edits, self._in_order(number), self._is_wanted(number))
            except ShaderlabError as error:
                self._tell(Ended(error))
            except Exception as fault:  # noqa: BLE001, the listener shows it
                error = InternalError(f"a fault in shaderlab: {type(fault).__name__}: {fault}")
                self._tell(Ended(error))
            done = number
        if self._edited is not None:
            self._edited.close()

    def _is_wanted(self, number: int) -> Callable[[], bool]:
        return lambda: number == self._edits_number and not self._closed

    def _in_order(self, number: int) -> Iterator[CapturedDraw]:
        """The draws by event, each as soon as it is read."""
        last = -1
        while True:
            with self._lock:
                while True:
                    if self._closed or number != self._edits_number:
                        return
                    event = min((each for each in self._draws if each > last), default=None)
                    if event is not None or not self._reading:
                        break
                    self._lock.wait()
                if event is None:
                    return
                draw = self._draws[event]
            last = event
            yield draw

    def _settled(self, said: Analysed | Changed | Picture) -> None:
        """A draw of the edited frame has numbers, or all of them have."""
        if isinstance(said, Changed):
            self._drawn_edits = self._drawing_edits
        self._tell(said)
        if isinstance(said, Picture):
            return
        if isinstance(said, Changed) or time.monotonic() - self._summed_at > _SUM_S:
            self._sum()

    def _sum(self) -> None:
        self._summed_at = time.monotonic()
        with self._lock:
            captured = {event: each.forecasts for event, each in self._captured.items()}
        bases, edited = self._edited.forecasts() if self._edited is not None else ({}, {})
        # A draw that an edit changes is in both sums or in none.
        ready = {event for event in edited if event in bases or event in captured}
        before = now = self._total(captured | {e: each for e, each in bases.items() if e in ready})
        if ready:
            now = self._total(captured | {event: edited[event] for event in ready})
        self._tell(Summed(now, before, self._drawn_edits))

    def _total(self, alone: Mapping[int, tuple[Forecast, ...]]) -> tuple[FrameForecast, ...]:
        with self._lock:
            numbers = pass_numbers(self._draws.values())
            total = max(self._listed, len(self._draws))
        parts = in_passes({event: each for event, each in alone.items() if each}, numbers)
        by_draw = {str(event): each for event, each in sorted(parts.items())}
        return frame_forecasts(by_draw, dict.fromkeys(by_draw, 1), total - len(by_draw))

    def _tell(self, said: Said) -> None:
        if not self._closed:
            self._say(said)
