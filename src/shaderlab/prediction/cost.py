"""`Cost`: what a forecast's time is made of, and what bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PASS = "pass"
"""Share of the render pass itself, which no shader can save."""
LAUNCH = "launch"
"""Share of launching a dispatch, likewise."""


class Bound(StrEnum):
    """What the time follows."""

    PASS = "pass-bound"
    """The work hides behind the pass: less of it changes nothing."""
    WORK = "work-bound"
    """Less work, less time."""
    LAUNCH = "launch-bound"
    """Launching the dispatch takes longer than its work."""
    CLOCK = "clock-bound"
    """The clock rises with the load: more or less work hardly shows."""


@dataclass(frozen=True)
class Cost:
    """Of one forecast."""

    bound: Bound
    shares: tuple[tuple[str, float], ...]
    """Of the time, by group (`features.cost_groups`) and `PASS` or `LAUNCH`, descending; they sum
    to 1."""
    on_floor: float | None = None
    """Share of validation shaders that are as fast as the pass; None where unknown."""
    work_s: float | None = None
    """Seconds of its work, however little of it shows behind the pass; texture terms and vertex
    stages apart.  None where the method does not say."""
    pass_s: float | None = None
    """Seconds of a pass without work; None likewise."""

    def beyond(self, other: Cost) -> tuple[tuple[str, float], ...]:
        """By group: its share here less that in the other's time, the largest first."""
        theirs = dict(other.shares)
        own = dict(self.shares)
        apart = {name: own.get(name, 0.0) - theirs.get(name, 0.0) for name in {**own, **theirs}}
        return tuple(sorted(apart.items(), key=lambda each: (-each[1], each[0])))

    def advice(self, target: str) -> str:
        """What that means for who wants to make the shader faster, as a sentence."""
        if self.bound is Bound.PASS:
            others = (
                f": {self.on_floor * 100:.0f} % of validation shaders are as fast as its pass"
                if self.on_floor
                else ""
            )
            return f"Optimising this changes nothing on the {target}{others}."
        if self.bound is Bound.CLOCK:
            return f"The clock of the {target} rises with the load: less work hardly shows."
        if self.bound is Bound.LAUNCH:
            launch = dict(self.shares).get(LAUNCH, 0.0)
            return f"Launching it takes {launch * 100:.0f} % of its time on the {target}."
        most = next((name for name, _ in self.shares if name not in (PASS, LAUNCH)), "")
        return f"Most of its work on the {target} is {most}." if most else ""
