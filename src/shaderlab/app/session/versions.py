"""What the document was at each good compile: its text, predicted times and lines' shares.

Versions that were given a name are the variants; one of them is the baseline that times and
statistics are compared with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.prediction.forecasts.time_changes import Times

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.line_shares import LineShares

MOST_VERSIONS = 200
"""Of one document; then those closest in time to their neighbours go."""
MOST_CHARACTERS = 16 << 20
"""Of all their texts together."""
MOST_VARIANTS = 50
LONGEST_NAME = 120
MOST_FRAMES = 8
"""Sizes and times of a frame whose predictions a version keeps, beside the present one's."""
LEAST_SHARE = 0.0005
"""A line that takes less of the time is not kept."""


@dataclass(frozen=True)
class FrameTimes:
    """What a version has of one frame."""

    times_s: Times
    lines: Mapping[str, LineShares]


@dataclass(frozen=True)
class Version:
    """One good compile of the document."""

    number: int
    """Grows from version to version of a document; keeps while the document is open."""
    text: str
    """Empty for a SPIR-V module."""
    at: float
    """Seconds since the epoch."""
    times_s: Times = field(default_factory=dict)
    lines: Mapping[str, LineShares] = field(default_factory=dict)
    """By target: shares of the document's own lines."""
    name: str = ""
    """Of a variant; empty for a version that is only part of the history."""
    program: Program | None = field(default=None, compare=False)
    """Of a variant; None where it was not compiled since the document was opened."""
    run: CountedRun | None = None
    """The frame that `times_s` are of; None where there are none."""
    others: Mapping[CountedRun, FrameTimes] = field(default_factory=dict, compare=False)
    """Of frames of other sizes or times, that were predicted before; the latest last."""

    def time_s(self, key: tuple[str, str, str]) -> float | None:
        """Predicted seconds by `Forecast.comparable`."""
        return self.times_s.get(key)


class Versions(QObject):
    """Those of the open document, oldest first.  Belongs to the interface's thread.

    All times are of one frame, so that any two can be compared.
    """

    changed = Signal()

    def __init__(
        self,
        device: DeviceJobs,
        forecasting: Forecasts,
        parent: QObject,
        *,
        now: Callable[[], float] = time.time,
    ):
        super().__init__(parent)
        self._device, self._forecasting, self._now = device, forecasting, now
        self.all: tuple[Version, ...] = ()
        self.generation = 0
        """Counts documents."""
        self.restored = False
        """Whether the document's versions of earlier are among them."""
        self._of: Variant | None = None
        """Program and inputs that the latest version's times are of."""
        self._baseline = 0
        self._numbers = 0
        forecasting.changed.connect(self._on_forecasts)
        device.program_changed.connect(self._on_program)

    # -- reading ----------------------------------------------------------------------------

    @property
    def variants(self) -> tuple[Version, ...]:
        """Versions with a name, oldest first."""
        return tuple(each for each in self.all if each.name)

    @property
    def baseline(self) -> Version | None:
        """The variant that the present is compared with."""
        return self.find(self._baseline)

    @property
    def latest(self) -> Version | None:
        return self.all[-1] if self.all else None

    def find(self, number: int) -> Version | None:
        return next((each for each in self.all if each.number == number), None)

    # -- what the user does -----------------------------------------------------------------

    def pin(self, name: str) -> Version | None:
        """Keep the current program under this name, as the baseline; None where there is none."""
        program, variant = self._device.program, self._device.variant
        if program is None:
            return None
        latest = self.latest
        if latest is None or self._of != variant or latest.name:
            history = self._forecasting.history
            times_s = dict(history.now_s) if history.of == variant else {}
            lines = latest.lines if latest is not None and self._of == variant else {}
            latest = self._append(program.text, times_s, lines, self._forecasting.run)
            self._of = variant
        named = replace(latest, name=name[:LONGEST_NAME], program=program)
        self._baseline = named.number
        self._put(named)
        return named

    def rename(self, number: int, name: str) -> None:
        """Give a version this name, which makes it a variant."""
        found, name = self.find(number), name.strip()[:LONGEST_NAME]
        if found is not None and name and name != found.name:
            self._put(replace(found, name=name))

    def unpin(self, number: int) -> None:
        """Its name goes; the version stays in the history."""
        found = self.find(number)
        if found is None or not found.name:
            return
        if number == self._baseline:
            self._baseline = 0
        self._put(replace(found, name="", program=None))

    def compare_with(self, number: int) -> None:
        """Have this variant as the baseline; 0: none."""
        if number != self._baseline:
            self._baseline = number
            self.changed.emit()

    def forget(self) -> None:
        """Drop the history; variants stay."""
        self.all = self.variants
        self._of = None
        self.changed.emit()

    def put_times_aside(self) -> None:
        """Another frame is predicted from now on: the times are kept for when this one is again."""
        self.all = tuple(_with_times_of(None, each) for each in self.all)
        self._of = None
        self.changed.emit()

    # -- what happens -----------------------------------------------------------------------

    def clear(self) -> None:
        """Another document."""
        self.all, self._of, self._baseline = (), None, 0
        self.restored = False
        self.generation += 1
        self.changed.emit()

    def restore(self, kept: Sequence[Version], baseline: int = 0) -> None:
        """Put versions of earlier before those of now; `baseline`: number of the one among them."""
        own, self.restored = self.all, self.restored or bool(kept)
        run = next((each.run for each in (*reversed(own), *reversed(kept)) if each.run), None)
        at = next((n for n, each in enumerate(kept) if each.number == baseline), None)
        numbered = [replace(_with_times_of(run, each), number=self._next_number()) for each in kept]
        if baseline and at is not None:
            self._baseline = numbered[at].number
        if numbered and own and numbered[-1].text == own[0].text and not own[0].name:
            former = numbered.pop()
            own = (replace(own[0], name=former.name, program=former.program), *own[1:])
            if former.number == self._baseline:
                self._baseline = own[0].number
        self.all = _bounded((*numbered, *own))
        self.changed.emit()

    def know_program(self, number: int, program: Program) -> None:
        """A variant of an earlier run was compiled again."""
        found = self.find(number)
        if found is not None and found.name:
            self._put(replace(found, program=program))

    def _on_program(self) -> None:
        """What leaves the program as it was, line for line, is no version of its own."""
        program, latest = self._device.program, self.latest
        if program is None or latest is None or self._device.variant != self._of:
            return
        if program.text != latest.text and not latest.name:
            self._put(replace(latest, text=program.text))

    def _on_forecasts(self) -> None:
        history, counts = self._forecasting.history, self._device.counts
        of, program = self._forecasting.of, counts.program
        if of is None or program is None or of != counts.variant or history.of != of:
            return
        if not history.now_s:
            return
        lines = {
            each.target: each.lines.of_document(LEAST_SHARE)
            for each in self._forecasting.forecasts
            if each.lines
        }
        run = self._forecasting.run
        self.all = tuple(_with_times_of(run, each) for each in self.all)
        latest = self.latest
        if latest is not None and of == self._of:
            times_s = {**latest.times_s, **history.now_s}
            if (times_s, lines) != (latest.times_s, latest.lines):
                self._put(replace(latest, times_s=times_s, run=run, lines=lines))
            return
        if latest is not None and latest.text == program.text and not latest.name:
            # The same text with other inputs: one version, as it is drawn now.
            self._of = of
            self._put(replace(latest, times_s=dict(history.now_s), run=run, lines=lines))
        elif program.text:
            self._append(program.text, dict(history.now_s), lines, run)
            self._of = of
            self.changed.emit()

    def _append(
        self, text: str, times_s: Times, lines: Mapping[str, LineShares], run: CountedRun | None
    ) -> Version:
        kept_s, run = MappingProxyType(dict(times_s)), run if times_s else None
        made = Version(self._next_number(), text, self._now(), kept_s, lines, run=run)
        self.all = _bounded((*self.all, made))
        return made

    def _put(self, version: Version) -> None:
        self.all = _bounded(version if each.number == version.number else each for each in self.all)
        self.changed.emit()

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers


def _with_times_of(run: CountedRun | None, version: Version) -> Version:
    """The same version with its times of this frame, if any; those of others are kept aside."""
    if version.run == run:
        return version
    others = dict(version.others)
    if version.run is not None and version.times_s:
        others[version.run] = FrameTimes(version.times_s, version.lines)
    found = others.pop(run, None) if run is not None else None
    others = dict([*others.items()][-MOST_FRAMES:])
    if found is None:
        return replace(version, times_s={}, lines={}, run=None, others=others)
    return replace(version, times_s=found.times_s, lines=found.lines, run=run, others=others)


def _bounded(versions: Iterable[Version]) -> tuple[Version, ...]:
    """At most as many as are kept.

    Of those without a name the ones go first that came closest between two others, so that the
    morning's versions outlive a burst of edits; the first and the latest stay.
    """
    found = list(versions)
    named = [each for each in found if each.name]
    for each in named[: max(len(named) - MOST_VARIANTS, 0)]:
        found[found.index(each)] = replace(each, name="", program=None)
    characters = sum(len(each.text) for each in found)
    while len(found) > MOST_VERSIONS or (characters > MOST_CHARACTERS and len(found) > 1):
        places = [n for n in range(1, len(found) - 1) if not found[n].name]
        if not places:
            places = list(range(len(found) - 1))
        least = min(places, key=lambda n: found[n + 1].at - found[max(n - 1, 0)].at)
        characters -= len(found.pop(least).text)
    return tuple(found)
