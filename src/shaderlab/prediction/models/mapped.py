"""`MappedModel`: a GPU by a relative that has samples: the relative's forecast, mapped."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shaderlab.prediction.cost import PASS, Cost
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.model import Model, StageCost

Shares = Sequence[tuple[str, float]]
"""Of a time, by group of work (`features.cost_groups`)."""


@dataclass(frozen=True)
class MappedModel(Model):
    """Times are mapped as a subclass says; lines keep the relative's proportions."""

    bases: tuple[Model, ...]
    """The relative's, of the latest form first; the last of the program as written."""

    @abstractmethod
    def mapping(self, shares: Shares) -> Callable[[float], float]:
        """From seconds of a frame on the relative to seconds here, for work that divides so."""

    @abstractmethod
    def basis(self, there: Forecast) -> str:
        """How a forecast came about, as sentences; `there`: the relative's."""

    @property
    def looks_at(self) -> frozenset[Form]:
        return frozenset().union(*(each.looks_at for each in self.bases))

    @property
    def mapped(self) -> tuple[tuple[Model, ...], float]:
        (spread,) = self.methods[0].bands
        return self.bases, max(-math.log(spread.low), math.log(spread.high))

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        base = next(each for each in self.bases if traced.form(each.form))
        there = base.forecast(traced)
        here_s = self.mapping(there.cost.shares if there.cost else ())
        there_low_s, there_s, there_high_s = there.interval_s
        time_s = here_s(there_s)
        (spread,) = self.methods[0].bands
        target = self.card.target
        floor_s = target.floor_s or 0.0
        low_s, high_s = both_errors(
            time_s, (here_s(there_low_s), here_s(there_high_s)), spread.low, spread.high
        )
        fixed_s = here_s(base.fixed_s)
        return Forecast(
            target=target.slug,
            time_s=time_s,
            low_s=min(max(low_s, floor_s), time_s),
            high_s=high_s,
            method=self.methods[0].name,
            basis=self.basis(there),
            validated=self.methods[0].validation,
            lines=base.lines(traced, time_s, fixed_s),
            warnings=there.warnings,
            form=base.form,
            cost=_cost(there, time_s, fixed_s, here_s),
            rests_on=self.RESTS_ON,
        )

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        """The relative's above its pass, mapped to here."""
        relative = self.bases[-1]
        there = relative.stage_cost(traced)
        if there is None:
            return None
        here_s, floor_s = self.mapping(there.shares), relative.fixed_s
        time_s = here_s(floor_s + there.time_s) - here_s(floor_s)
        return replace(there, time_s=time_s, method=self.methods[0].name)


def both_errors(
    time_s: float, there: tuple[float, float], low: float, high: float
) -> tuple[float, float]:
    """Ends of a band in seconds, of two errors that know nothing of each other.

    `there`: ends of the relative's own band, mapped to here; `low`, `high`: how far the GPUs
    differ, as factors.  Logarithms of such errors add by their squares.
    """
    below, above = math.log(time_s / there[0]), math.log(there[1] / time_s)
    low_s = time_s * math.exp(-math.hypot(below, math.log(low)))
    return low_s, time_s * math.exp(math.hypot(above, math.log(high)))


def _cost(
    there: Forecast, time_s: float, floor_s: float, here_s: Callable[[float], float]
) -> Cost | None:
    """The relative's work in its proportions, behind this GPU's own pass."""
    if there.cost is None:
        return None
    work = {name: share for name, share in there.cost.shares if name != PASS}
    above = max(1 - floor_s / time_s, 0.0) / (sum(work.values()) or 1.0)
    shares = {name: share * above for name, share in work.items()}
    shares[PASS] = 1 - sum(shares.values())
    ordered = sorted(shares.items(), key=lambda each: -each[1])
    work_s = pass_s = None
    if there.cost.work_s is not None and there.cost.pass_s is not None:
        relative_s = there.cost.pass_s
        pass_s = here_s(relative_s)
        work_s = here_s(relative_s + there.cost.work_s) - pass_s
    return Cost(there.cost.bound, tuple(ordered), None, work_s, pass_s)
