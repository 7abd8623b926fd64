"""Counts and shares of time as the editor's margin shows them, line by line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.editor.line_costs import LineCosts, unrun_stretches

if TYPE_CHECKING:
    from shaderlab.prediction.line_shares import LineShare
    from shaderlab.spirv.trace import Trace

COUNT_CHARACTERS, SHARE_CHARACTERS = 6, 6
"""Of the margin's columns, gaps included."""

HEAT_FROM = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Runs per pixel above which a line is shown one step hotter."""

SHARE_HEAT_FROM = (0.02, 0.05, 0.10, 0.20, 0.35)
"""Shares of the time from which a line is shown one step hotter."""

_NEGLIGIBLE, _UNDER = 0.0005, "under 0.1 %"
"""Shares of the time that would read as 0.0 %."""


@dataclass(frozen=True)
class MarginNote:
    """What the margin shows beside a line: how often it ran, and its part of the predicted time."""

    text: str
    """The count."""
    heat: int
    """Index into `Theme.heat`, by runs per pixel."""
    tip: str
    share: str | None = None
    """Part of the time, empty for a negligible one; None where no time is predicted."""
    share_heat: int = 0
    """Index into `Theme.heat`, by share."""


def margin_text(note: MarginNote, counts: bool, shares: bool) -> tuple[tuple[str, int | None], ...]:
    """Pieces of the margin's text, each with its heat, None for a plain one.

    One column is hot, not two: shares of time where they are shown and known, else counts.
    """
    share_known = shares and note.share is not None
    pieces: list[tuple[str, int | None]] = []
    if counts:
        text = f"{note.text:>{COUNT_CHARACTERS - 1}} "
        pieces.append((text, None if share_known else note.heat))
    if shares:
        text = f" {note.share or '':>{SHARE_CHARACTERS - 2}} "
        pieces.append((text, note.share_heat if share_known and note.share else None))
    return tuple(pieces)


def compact(count: int) -> str:
    """At most four characters and a prefix: `786k`, `1.2M`, `24G`."""
    for factor, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= factor * 0.9995:
            value = count / factor
            return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"
    return str(count)


def heat_of(runs_per_pixel: float) -> int:
    """Step of the heat scale, 0 for what runs at most once per pixel."""
    return sum(runs_per_pixel > limit for limit in HEAT_FROM)


def compact_share(share: float) -> str:
    """At most four characters: `31%`, `7.2%`; empty for less than a twentieth of a percent."""
    if share < _NEGLIGIBLE:
        return ""
    return f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def share_heat_of(share: float) -> int:
    """Step of the heat scale, 0 for a line hardly worth a look."""
    return sum(share >= limit for limit in SHARE_HEAT_FROM)


class MarginNotes(Mapping[int, MarginNote]):
    """A note per line that has a count, made when it is asked for: there may be thousands."""

    def __init__(
        self,
        counts: Mapping[int, int],
        invocations: int,
        shares: Mapping[int, float] | None = None,
        target: str = "",
        per: str = "pixel",
    ):
        """`counts` by line, of a stage that ran so many times, once `per` pixel, vertex or
        invocation.

        `shares` are the lines' parts (0..1) of the time predicted for `target`; None without one.
        """
        self._counts, self._invocations, self._per = counts, max(invocations, 1), per
        self._shares, self._target = shares, target

    def __getitem__(self, line: int) -> MarginNote:
        count = self._counts[line]
        note = _note(count, count / self._invocations, self._per)
        if self._shares is None:
            return note
        share = self._shares.get(line, 0.0)
        tip = note.tip
        if count:
            part = units.percent(share) if share >= _NEGLIGIBLE else _UNDER
            tip += f"\n{part} of the time predicted for {self._target}"
        elif share >= _NEGLIGIBLE:
            tip += (
                f"\n{units.percent(share)} of the time predicted for {self._target}, "
                "which includes branches that no pixel takes"
            )
        return replace(
            note,
            tip=tip,
            share=compact_share(share),
            share_heat=share_heat_of(share),
        )

    @property
    def costs(self) -> LineCosts:
        """What stands out, found without making the notes."""
        shares = self._shares
        if shares is None:
            runs = self._invocations
            steps = ((line, heat_of(count / runs)) for line, count in self._counts.items())
        else:
            steps = ((line, share_heat_of(shares.get(line, 0.0))) for line in self._counts)
        return LineCosts(
            {line: heat for line, heat in steps if heat}, unrun_stretches(self._counts)
        )

    def __contains__(self, line: object) -> bool:
        return line in self._counts

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)


def shares_by_target(line: int, of_targets: Mapping[str, Iterable[LineShare]]) -> str:
    """What part of the predicted time a line of the document takes on each target, by its name;
    empty where it takes next to nothing."""
    shares = {
        name: next((p.share for p in parts if p.line == line and not p.file), 0.0)
        for name, parts in of_targets.items()
    }
    most = sorted(shares.items(), key=lambda each: -each[1])
    lines = [f"{units.percent(share)}  {name}" for name, share in most if share >= _NEGLIGIBLE]
    if not lines:
        return ""
    if least := ", ".join(name for name, share in most if share < _NEGLIGIBLE):
        lines.append(f"{_UNDER}:  {least}")
    return "\n".join(("Share of the time:", *lines))


def _note(count: int, runs: float, per: str) -> MarginNote:
    if count == 0:
        tip = "never ran"
    else:
        tip = f"ran {units.count(count)} times: {_runs_text(runs)} per {per}"
    return MarginNote(compact(count), heat_of(runs), tip)


def _runs_text(runs: float) -> str:
    if math.isclose(runs, 1.0):
        return "once"
    return f"{runs:.3g} times" if runs < 1000 else f"{units.count(runs)} times"


def document_counts(trace: Trace) -> dict[int, int]:
    """Counts of the document's own lines."""
    return {place.line: n for place, n in trace.line_counts.items() if not place.file}
