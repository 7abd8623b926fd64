"""How a time follows a size or a clock: laws through measured points, and what they project.

Source: Issa, *Analytical frame-time model*, Eqs. 30 to 38.  The paper writes Amdahl's law for the
time (Eq. 30), but the figures it prints follow a line through the score 1/T; the two agree near the
points and differ beyond: for its example the time that no clock undercuts is 14.5 ms by Eq. 30 and
17.5 ms by the score.  Both are here, the score for comparison only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

FARTHEST = 4.0
"""Beyond so many times the range of the points nothing is projected unless asked for."""


class Law(StrEnum):
    """What the time is taken for; x is what varies."""

    AMDAHL = "amdahl"
    """T = a + b / x, with x a clock: a does not follow it (Eq. 30)."""
    LINEAR = "linear"
    """T = a + b x, with x the pixels or the draws."""
    SCORE = "score"
    """1 / T = a + b / x: what the paper draws (Figs. 12, 14)."""


@dataclass(frozen=True)
class Scaling:
    """A law with its constants, and the points it goes through."""

    law: Law
    a: float
    """Seconds; of `SCORE` per second."""
    b: float
    x: tuple[float, ...]
    seconds: tuple[float, ...]
    relative: bool = False
    """Whether the squares of relative errors were least."""

    def at(self, x: float) -> float:
        """Seconds at x; inf where the score's law has its pole or goes below 0."""
        if self.law is Law.LINEAR:
            return self.a + self.b * x
        value = self.a + self.b / x
        if self.law is Law.AMDAHL:
            return value
        return 1 / value if value > 0 else float("inf")

    @property
    def residuals(self) -> tuple[float, ...]:
        """Seconds measured less those of the law, by point."""
        return tuple(t - self.at(x) for x, t in zip(self.x, self.seconds, strict=True))

    @property
    def deviation(self) -> float:
        """Largest distance of a measured time from the law's, relative to the time."""
        return max(abs(r) / t for r, t in zip(self.residuals, self.seconds, strict=True))

    def fixed_share(self, x: float) -> float:
        """Part of the time at x that does not follow x; nan for the score."""
        return self.a / self.at(x) if self.law is not Law.SCORE else float("nan")

    @property
    def bound_s(self) -> float:
        """The time that no clock undercuts; nan of a linear law."""
        if self.law is Law.AMDAHL:
            return self.a
        return 1 / self.a if self.law is Law.SCORE else float("nan")

    def efficiency(self, x: float, start: float | None = None) -> float:
        """Speed-up from `start` (the first point) to x over x / start, of a clock (Eq. 38).

        1 where the time falls as the clock rises.  The paper's Eq. 38 in terms of the score: with
        times in it, as printed, perfect scaling would give less than no scaling.
        """
        start = self.x[0] if start is None else start
        return self.at(start) / self.at(x) / (x / start)

    @property
    def left_out(self) -> float:
        """Largest relative error of a point forecast from the others; nan with two points."""
        if len(self.x) < 3:
            return float("nan")
        errors = []
        for i, (x, seconds) in enumerate(zip(self.x, self.seconds, strict=True)):
            others = [j for j in range(len(self.x)) if j != i]
            made = fit(
                self.law,
                [self.x[j] for j in others],
                [self.seconds[j] for j in others],
                relative=self.relative,
            )
            errors.append(abs(made.at(x) / seconds - 1))
        return max(errors)

    def projects(self, x: float) -> bool:
        """Whether x lies outside the points."""
        return not min(self.x) <= x <= max(self.x)

    def is_far(self, x: float) -> bool:
        """Whether x lies too far outside the points to say anything of it."""
        return x > FARTHEST * max(self.x) or x < min(self.x) / FARTHEST

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the constants say that a time cannot be."""
        if self.law is Law.SCORE:
            return ()
        said = []
        if self.a < 0:
            said.append(
                "The fixed part comes out below 0: the work per pixel grows with the size."
                if self.law is Law.LINEAR
                else "The time falls faster than the clock rises."
            )
        if self.b < 0:
            said.append(
                "The time does not scale: it falls as the size grows."
                if self.law is Law.LINEAR
                else "The time does not scale with the clock."
            )
        return tuple(said)


def fit(
    law: Law, x: Sequence[float], seconds: Sequence[float], *, relative: bool = False
) -> Scaling:
    """The law through the points: exact for two, least squares for more.

    Squares are of seconds (of the score's law: of 1 / seconds); `relative` makes them of relative
    errors, so that small times count as much as large ones.  Raises ValueError for fewer than two
    distinct x, or values that are not above 0.
    """
    at, times = np.asarray(x, float), np.asarray(seconds, float)
    if len(np.unique(at)) < 2 or not ((at > 0).all() and (times > 0).all()):
        raise ValueError("a law needs two places, and times, above 0")
    fitted = 1 / times if law is Law.SCORE else times
    varying = at if law is Law.LINEAR else 1 / at
    design = np.stack([np.ones(len(at)), varying / varying.max()], axis=1)
    weights = 1 / fitted if relative else np.ones(len(at))
    a, b = np.linalg.lstsq(design * weights[:, None], fitted * weights, rcond=None)[0]
    places, measured = tuple(at.tolist()), tuple(times.tolist())
    return Scaling(law, float(a), float(b / varying.max()), places, measured, relative)
