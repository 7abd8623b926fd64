"""`MatchedModel`: a GPU without samples, by a relative that has some and both's published times.

Where times of the same large set of shaders were published for two GPUs as distributions, the
q-quantile of one goes to the q-quantile of the other: a monotone map of times.  Put behind the
relative's forecast it gives this GPU's, exact if both GPUs rank shaders alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forms import Form, method_name
from shaderlab.prediction.models.mapped import MappedModel, Shares
from shaderlab.prediction.models.model import Installed, latest_first, only_method, sentences

ARCHITECTURE = "distribution-matched"
METHOD = "matched"

_MOST_KNOTS = 1024
_SHORTEST_S, _LONGEST_S = 1e-9, 1e4


@dataclass(frozen=True)
class MatchedModel(MappedModel):
    """The matched forecast of one target."""

    from_s: np.ndarray
    """(knots,) ascending seconds on the relative."""
    to_s: np.ndarray
    """(knots,) ascending seconds here."""

    ARCHITECTURES = (ARCHITECTURE,)
    RESTS_ON = "distribution"

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

    def mapping(self, shares: Shares) -> Callable[[float], float]:
        return self.here_s

    def here_s(self, there_s: float) -> float:
        """Seconds here for seconds on the relative; beyond the knots in the last one's ratio."""
        inside = min(max(there_s, float(self.from_s[0])), float(self.from_s[-1]))
        log_s = np.interp(math.log(inside), *self._logarithms)
        return math.exp(log_s) * there_s / inside

    @cached_property
    def _logarithms(self) -> tuple[np.ndarray, np.ndarray]:
        return np.log(self.from_s), np.log(self.to_s)

    def basis(self, there: Forecast) -> str:
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
