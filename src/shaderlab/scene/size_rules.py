"""How the elements a compute shader reaches grow with its launch (LLMPerf's index analysis)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class SizeRule:
    """s(g) = slope g + start, rounded up; g: invocations along x."""

    slope: Fraction
    start: Fraction
    lowest: int = 0
    """The smallest index that was used."""

    def elements(self, invocations: int) -> int:
        return math.ceil(self.slope * invocations + self.start)

    @property
    def text(self) -> str:
        """`2 g + 1`, `g`, `100`."""
        slope, start = self.slope, self.start
        if not slope:
            return f"{start}"
        head = "g" if slope == 1 else f"{slope} g"
        if not start:
            return head
        return f"{head} {'+' if start > 0 else '-'} {abs(start)}"


def rule_of(points: Sequence[tuple[int, int, int]]) -> SizeRule | None:
    """The line through the first two of three (g, lowest index, elements); None where the third
    is not on it, as where indices come out of a buffer, or where there are fewer."""
    if len(points) < 3:
        return None
    (g1, _, s1), (g2, _, s2), (g3, _, s3) = points[:3]
    slope = Fraction(s2 - s1, g2 - g1)
    rule = SizeRule(slope, s1 - slope * g1, min(low for _, low, _ in points))
    return rule if rule.elements(g3) == s3 else None
