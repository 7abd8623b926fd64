"""Which shaders of a corpus to measure next, so that fast and slow ones are not too few.

Times are sorted into octaves (factors of two).  An octave is thin if it holds fewer than half
the average of the octaves within the fences of the interquartile range (1.5 times it beyond
either quartile, in logarithms).  LLMPerf balances its data by that range; there input
sizes fill what is thin, here shaders whose forecast lies there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from shaderlab.campaigns.campaign import Progress
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Preparation
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.samples.sample import Sample
from shaderlab.scene.draw import CANONICAL
from shaderlab.workers.predictor import PredictorWorker

FIRST = 24
"""Fewest times from which thin octaves are determined."""
ROUND = 24
"""Shaders chosen at once, at most."""
FEWEST_SHARED = 30
"""Shaders two campaigns on a device must share to bring the one's times to the other's clock."""
_AHEAD = 400
"""Shaders forecast in a round once it has found some."""
_FEWEST_RATIOS = 5
"""Measured times that are compared with forecasts; the first shaders are taken in order."""


@dataclass(frozen=True)
class Candidate:
    """A shader of the corpus and what it should take."""

    shader: Shader
    digest: str
    """Of its program."""
    seconds: float
    """Per draw, from likely counts."""


class Runs(Protocol):
    """What measures a round: a `Campaign`."""

    def run(self, report: Callable[[Progress], None] = ..., *, retry: bool = ...) -> Progress:
        """As `Campaign.run`."""
        ...


def octave(seconds: float) -> int:
    """Of microseconds: 0 holds 1 to 2 µs."""
    return math.floor(math.log2(seconds * 1e6))


def lacking(times_s: Sequence[float], slowest_s: float) -> dict[int, int]:
    """How many shaders each thin octave lacks; from the fastest time to `slowest_s`."""
    logs = np.log2(np.array(times_s) * 1e6)
    if not logs.size:
        return {}
    low, high = np.percentile(logs, [25, 75])
    reach = 1.5 * (high - low)
    first, last = math.floor(logs.min()), octave(slowest_s)
    usual = range(max(first, math.floor(low - reach)), min(last, math.floor(high + reach)) + 1)
    held = Counter(np.floor(logs).astype(int).tolist())
    wanted = math.ceil(sum(held[each] for each in usual) / max(len(usual), 1) / 2)
    return {each: wanted - held[each] for each in range(first, last + 1) if held[each] < wanted}


def _shared(left: dict[int, int], most: int) -> dict[int, int]:
    """One round's share of what octaves lack: most for the thinnest, at least one for each."""
    whole = max(sum(left.values()), most)
    return {place: math.ceil(most * count / whole) for place, count in left.items()}


class Chooser:
    """Takes candidates in order, chooses among them, and takes the measured time of each."""

    def __init__(self, candidates: Iterator[Candidate], times_s: Iterable[float], slowest_s: float):
        self._coming = candidates
        self._times = list(times_s)
        self._slowest_s = slowest_s
        self._passed: list[Candidate] = []
        """Forecast and not chosen so far."""
        self._said: dict[str, float] = {}
        self._fastest_s = math.inf
        """Of all forecasts so far."""
        self._ratios: list[float] = []
        """Ratios of measured to forecast times: the forecasts may be for another machine."""

    def measured(self, sample: Sample) -> None:
        self._times.append(sample.timing.time_s)
        said = self._said.get(sample.program.digest)
        if said:
            self._ratios.append(sample.timing.time_s / said)

    def choose(self, most: int = ROUND) -> list[Shader]:
        """Up to so many shaders; none where nothing is thin or no candidate would help."""
        first = max(FIRST - len(self._times), _FEWEST_RATIOS - len(self._said))
        if first > 0:
            return self._as_they_come(min(most, first))
        left = _shared(lacking(self._times, self._slowest_s), most)
        chosen: list[Shader] = []
        waiting, self._passed = self._passed, []
        seen = 0
        while left and len(chosen) < most:
            if seen >= len(waiting) + _AHEAD and (chosen or not self._within_reach(left)):
                break
            each = waiting[seen] if seen < len(waiting) else next(self._coming, None)
            if each is None:
                break
            seen += 1
            self._fastest_s = min(self._fastest_s, each.seconds)
            place = octave(each.seconds * self._pace)
            if place in left:
                chosen.append(self._take(each))
                left[place] -= 1
                left = {place: count for place, count in left.items() if count}
            else:
                self._passed.append(each)
        self._passed += waiting[seen:]
        return chosen

    def _as_they_come(self, count: int) -> list[Shader]:
        """Without those that would only turn out too slow."""
        chosen: list[Shader] = []
        for each in self._coming:
            if each.seconds > self._slowest_s:
                self._passed.append(each)
                continue
            chosen.append(self._take(each))
            if len(chosen) == count:
                break
        return chosen

    def _within_reach(self, octaves: Iterable[int]) -> bool:
        """Whether any is not below all forecasts, none of which goes below an empty pass's."""
        return any(place >= octave(self._fastest_s * self._pace) for place in octaves)

    @property
    def _pace(self) -> float:
        """By how much this machine takes longer than forecast."""
        return float(np.median(self._ratios)) if len(self._ratios) >= _FEWEST_RATIOS else 1.0

    def _take(self, candidate: Candidate) -> Shader:
        self._said[candidate.digest] = candidate.seconds
        return candidate.shader


def candidates(
    shaders: Iterable[Shader],
    target: str,
    size: tuple[int, int],
    workers: int,
    *,
    by_pixels: bool = False,
) -> Generator[Candidate]:
    """Those that compile and can be forecast, in the given order.

    `target`: slug of the device.  `by_pixels`: all of a frame's time grows with its pixels, as that
    of software devices does, whose models know one size alone.  Raises WrongUse where no model of
    it is installed.
    """
    full = CANONICAL.size
    asked, part = (full, math.prod(size) / math.prod(full)) if by_pixels else (size, 1.0)
    with closing(PredictorWorker()) as predictor:
        if target not in {each.target for each in predictor.targets().result()}:
            raise WrongUse(
                f"--balance chooses by forecast, and there is no model of {target}:"
                " `shaderlab calibrate` makes one"
            )
        with Preparation(optimize=False, workers=workers) as preparation:
            for shader, prepared in preparation.each(shaders):
                if isinstance(prepared, ShaderlabError):
                    continue
                program = prepared.program
                try:
                    found = predictor.predict_static(program, [target], size=asked).result()
                except ShaderlabError:
                    continue
                if found[0].time_s:
                    yield Candidate(shader, program.digest, found[0].time_s * part)


def run(
    chooser: Chooser,
    campaign_of: Callable[[Sequence[Shader]], Runs],
    report: Callable[[Progress], None],
    *,
    limit: int | None = None,
    retry: bool = False,
) -> Progress:
    """Measure round after round until no octave is thin that a candidate could fill, or `limit`
    shaders were tried.  Raises as `Campaign.run`."""
    whole = Progress(0, 0, 0, 0, 0.0, 0.0, "")
    while limit is None or whole.total < limit:
        chosen = chooser.choose(ROUND if limit is None else min(ROUND, limit - whole.total))
        if not chosen:
            break
        before = replace(whole, total=whole.total + len(chosen))
        heard = partial(_tell, report, before)
        ended = campaign_of(chosen).run(heard, retry=retry)
        whole = _added(before, ended)
    return whole


def _tell(report: Callable[[Progress], None], before: Progress, now: Progress) -> None:
    report(_added(before, now))


def _added(before: Progress, now: Progress) -> Progress:
    """A round on top of those before; its total is among theirs."""
    return replace(
        now,
        total=before.total,
        earlier=before.earlier + now.earlier,
        recorded=before.recorded + now.recorded,
        rejected=before.rejected + now.rejected,
        elapsed_s=before.elapsed_s + now.elapsed_s,
    )
