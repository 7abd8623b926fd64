"""A figure of a paper that shaderlab is to reproduce or reach, and what shows whether it does.

Either a test of the suite holds it, or a figure was measured and kept with its command, or it is
not there for a reason.  The figures themselves are `models.recipes.acceptance`'s.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.laboratory import measured_figures
from models.laboratory.measured_figures import Measured
from shaderlab import units

REACHED, MISSED, ABSENT, TESTED = "reached", "missed", "not measured", "test"


@dataclass(frozen=True)
class Goal:
    """Of one kept figure: at most, at least, or shown beside what was published."""

    figure: str
    name: str = ""
    """In the report; the figure's own by default."""
    most: float | None = None
    least: float | None = None
    near: float | None = None
    """Published, and within a tenth of this to count as reproduced."""
    is_share: bool = True
    """Shown in percent; else as a number."""

    @property
    def wanted(self) -> str:
        if self.most is not None:
            return f"{self._name} at most {self._shown(self.most)}"
        if self.least is not None:
            return f"{self._name} at least {self._shown(self.least)}"
        return f"{self._name} {self._shown(self.near)}" if self.near is not None else ""

    def found(self, figures: Mapping[str, float]) -> str:
        return f"{self._name} {self._shown(figures[self.figure])}"

    def reached(self, figures: Mapping[str, float]) -> bool:
        value = figures[self.figure]
        if self.near is not None:
            return abs(value / self.near - 1) <= _TOLERANCE
        at_most = self.most is None or value <= self.most
        return at_most and (self.least is None or value >= self.least)

    @property
    def _name(self) -> str:
        return self.name or self.figure

    def _shown(self, value: float) -> str:
        if self.is_share:
            return units.percent(value)
        return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


_TOLERANCE = 0.1


class Evidence(ABC):
    """What shows a figure."""

    @abstractmethod
    def cells(self, models: Path) -> tuple[str, str, str, str]:
        """Wanted, found, outcome, and by what."""


@dataclass(frozen=True)
class ByTest(Evidence):
    """By tests: paths below `tests/`, each with the test's name after `::`."""

    nodes: tuple[str, ...]

    def cells(self, models: Path) -> tuple[str, str, str, str]:  # noqa: ARG002
        return "", "", TESTED, ", ".join(f"`{node}`" for node in self.nodes)


@dataclass(frozen=True)
class Figures(Evidence):
    """By a run of a benchmark that was kept."""

    kept: str
    """Its name in `acceptance.json`."""
    goals: tuple[Goal, ...]
    context: tuple[Goal, ...] = ()
    """Figures shown beside without a goal."""

    def cells(self, models: Path) -> tuple[str, str, str, str]:
        wanted = "; ".join(each.wanted for each in self.goals if each.wanted)
        measured = self.measured(models)
        if measured is None:
            return wanted, "", ABSENT, ""
        found = "; ".join(each.found(measured.figures) for each in (*self.goals, *self.context))
        reached = all(each.reached(measured.figures) for each in self.goals)
        return wanted, found, REACHED if reached else MISSED, self.origin(measured)

    def measured(self, models: Path) -> Measured | None:
        return measured_figures.read(models).get(self.kept)

    @staticmethod
    def origin(measured: Measured) -> str:
        text = f"`{measured.command}`"
        if measured.cores:
            text += f", load {measured.load:g} on {measured.cores} cores, {measured.date}"
        return text


@dataclass(frozen=True)
class PairFigures(Figures):
    """By the committed table of a pair: `METHOD fold error`, `METHOD median`, and of the best
    linear regression `linear …`."""

    def measured(self, models: Path) -> Measured | None:
        data = json.loads((models / "pairs.json").read_text(encoding="utf-8"))
        host, target = self.kept.split(" -> ")
        for pair in data["pairs"]:
            if (pair["host"], pair["target"]) == (host, target):
                return Measured(data["reproduce"], 0.0, 0, "", _of_pair(pair["methods"]))
        return None


def _of_pair(methods: list[dict]) -> dict[str, float]:
    judged = [each for each in methods if each["mape"] is not None]
    found = {f"{each['method']} median": each["median_ape"]["value"] for each in judged}
    found |= {
        f"{each['method']} fold error": each["fold_error"]
        for each in judged
        if each["fold_error"] is not None
    }
    linear = [
        each for each in judged if each["kind"] == "linear" and each["fold_error"] is not None
    ]
    best = min(linear, key=lambda each: each["fold_error"])
    lowest = min(linear, key=lambda each: each["median_ape"]["value"])
    return found | {
        "linear fold error": best["fold_error"],
        "linear median": lowest["median_ape"]["value"],
    }


@dataclass(frozen=True)
class Absent(Evidence):
    """Not measured."""

    wanted: str = ""

    def cells(self, models: Path) -> tuple[str, str, str, str]:  # noqa: ARG002
        return self.wanted, "", ABSENT, ""


@dataclass(frozen=True)
class Row:
    """One line of the report."""

    says: str
    evidence: Evidence
    why: str = ""
    """What bounds it where it is missed or not there; always shown."""

    def cells(self, models: Path) -> tuple[str, ...]:
        wanted, found, outcome, by = self.evidence.cells(models)
        return self.says, wanted, found, outcome, ". ".join(each for each in (by, self.why) if each)
