"""`MatchedModel`: a GPU without samples, by a relative that has some and both's published times.

Where times of the same large set of shaders were published for two GPUs as distributions, the
q-quantile of one goes to the q-quantile of the other: a monotone map of times.  Put behind the
relative's forecast it gives this GPU's, exact if both GPUs rank shaders alike.  Lines keep the
relative's proportions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.cost import PASS, Cost
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forms import Form, method_name
from shaderlab.prediction.models.model import (
    Installed,
    Model,
    StageCost,
    latest_first,
    only_method,
    sentences,
)

ARCHITECTURE = "distribution-matched"
METHOD = "matched"

_MOST_KNOTS = 1024
_SHORTEST_S, _LONGEST_S = 1e-9, 1e4


@dataclass(frozen=True)
class MatchedModel(Model):
    """The matched forecast of one target."""

    bases: tuple[Model, ...]
    """The relative's, of the latest form first; the last of the program as written."""
    from_s: np.ndarray
    """(knots,) ascending seconds on the relative."""
    to_s: np.ndarray
    """(knots,) ascending seconds here."""

    ARCHITECTURES = (ARCHITECTURE,)

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> MatchedModel:
        card, tensors = bundle.card, bundle.tensors
        method = only_method(card, METHOD)
        if len(method.features) != 1 or len(method.bands) != 1:
            raise InvalidModel("methods[0]: not one feature, its relative, and one band")
        (relative,) = method.features
        bases = latest_first(each for each in (installed or {}).get(relative, ()) if each.HAS_FORMS)
        if not bases or bases[-1].form is not Form.WRITTEN:
            raise InvalidModel(f"needs the additive model of {relative!r}, which is not installed")
        if any(base.card.run.size != card.run.size for base in bases):
            raise InvalidModel(f"is of another size than the additive model of {relative}")
        if set(tensors) != {"from", "to"}:
            raise InvalidModel("weights: not 'from' and 'to'")
        knots = tensors["from"].shape
        if len(knots) != 1 or not 2 <= knots[0] <= _MOST_KNOTS or tensors["to"].shape != knots:
            raise InvalidModel(f"weights: not 2 to {_MOST_KNOTS} knots")
        for name, values in tensors.items():
            if not (np.diff(values) > 0).all():
                raise InvalidModel(f"weights: {name}: does not ascend")
            if values[0] < _SHORTEST_S or values[-1] > _LONGEST_S:
                raise InvalidModel(f"weights: {name}: a time no frame takes")
        from_s, to_s = (tensors[name].astype(np.float64) for name in ("from", "to"))
        return cls(card, bases, from_s, to_s)

    @classmethod
    def stage(cls, card: Card) -> int:
        return 2  # after the models of all forms

    @property
    def looks_at(self) -> frozenset[Form]:
        return frozenset(each.form for each in self.bases) - {Form.WRITTEN}

    @property
    def mapped(self) -> tuple[tuple[Model, ...], float]:
        (spread,) = self.methods[0].bands
        return self.bases, max(-math.log(spread.low), math.log(spread.high))

    def here_s(self, there_s: float) -> float:
        """Seconds here for seconds on the relative; beyond the knots in the last one's ratio."""
        inside = min(max(there_s, float(self.from_s[0])), float(self.from_s[-1]))
        log_s = np.interp(math.log(inside), *self._logarithms)
        return math.exp(log_s) * there_s / inside

    @cached_property
    def _logarithms(self) -> tuple[np.ndarray, np.ndarray]:
        return np.log(self.from_s), np.log(self.to_s)

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        base = next(each for each in self.bases if traced.form(each.form))
        there = base.forecast(traced)
        there_low_s, there_s, there_high_s = there.interval_s
        time_s = self.here_s(there_s)
        (spread,) = self.methods[0].bands
        target = self.card.target
        floor_s = target.floor_s or 0.0
        # Both parts of the error at once: the relative's own, and how far the GPUs differ.
        low_s = self.here_s(there_low_s) * spread.low
        return Forecast(
            target=target.slug,
            time_s=time_s,
            low_s=min(max(low_s, floor_s), time_s),
            high_s=self.here_s(there_high_s) * spread.high,
            method=METHOD,
            basis=self._basis(there),
            validated=self.methods[0].validation,
            lines=base.lines(traced, time_s, self.here_s(base.fixed_s)),
            warnings=there.warnings,
            form=base.form,
            cost=self._cost(there, time_s, self.here_s(base.fixed_s)),
        )

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        """The relative's above its pass, mapped to here."""
        relative = self.bases[-1]
        there = relative.stage_cost(traced)
        if there is None:
            return None
        floor_s = relative.fixed_s
        time_s = self.here_s(floor_s + there.time_s) - self.here_s(floor_s)
        return replace(there, time_s=time_s, method=METHOD)

    def _cost(self, there: Forecast, time_s: float, floor_s: float) -> Cost | None:
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
            pass_s = self.here_s(relative_s)
            work_s = self.here_s(relative_s + there.cost.work_s) - pass_s
        return Cost(there.cost.bound, tuple(ordered), None, work_s, pass_s)

    def _basis(self, there: Forecast) -> str:
        relative = self.bases[-1].card.target
        (spread,) = self.methods[0].bands
        return sentences(
            f"Distribution-matched, no sample of this GPU: the forecast for the {relative.name}, "
            f"{units.seconds(there.interval_s[1])} by {method_name(there.method)}, mapped to the "
            f"{self.card.target.name} by the times published for both over the same shaders.",
            f"Band: the {relative.name}'s, widened by {units.percent(1 - spread.low)} below and "
            f"{units.percent(spread.high - 1)} above: the ratio of the two GPUs' published fits "
            f"varied that much for {units.percent(spread.level)} of {spread.n} shaders.",
            self.card.target.notes,
        )
