"""The band of a forecast made as wide as shaders of this kind need, and the error it then has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shaderlab import units
from shaderlab.prediction.catalogue.domain import Features, Novelty
from shaderlab.prediction.catalogue.targets import Target
from shaderlab.prediction.catalogue.widths import Widths
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.models.bands import stretched

NOTABLE = 1.05
"""A part of the band that is longer than so many times its usual length is worth saying."""

_UNKNOWN = Validation(
    None, None, None, "Not validated on shaders outside the training data on this target."
)


@dataclass(frozen=True)
class Widening:
    """What all bands of one program have to allow for."""

    widths: Widths
    novelty: Novelty
    features: Features

    def of(self, forecast: Forecast, target: Target) -> Forecast:
        """The forecast with its band as long as this program's kind needs.

        Outside the training data its error is that of shaders left out of the fit.
        """
        own = self.widths.of(forecast.target, forecast.method)
        below, above = self._factors(forecast.target, forecast.method)
        low_s, high_s = self.ends_s(target, forecast.method, forecast.interval_s)
        forecast = replace(forecast, low_s=low_s, high_s=high_s)
        if max(below, above) >= NOTABLE:
            forecast = replace(forecast, basis=f"{forecast.basis} {_why(below, above)}")
        if self.novelty.outside:
            forecast = replace(forecast, validated=own.outside if own else _UNKNOWN)
        return forecast

    def ends_s(
        self, target: Target, method: str, interval_s: tuple[float, float, float]
    ) -> tuple[float, float]:
        """Ends of the band in seconds; `interval_s`: low end, time and high end by the model."""
        low_s, time_s, high_s = interval_s
        if not 0 < low_s <= time_s <= high_s:
            return low_s, high_s
        below, above = self._factors(target.card.target.slug, method)
        floor_s = min(target.card.target.floor_s or 0.0, low_s)
        bands = next((each.bands for each in target.methods if each.name == method), ())
        if self.widths.of(target.card.target.slug, method) is None or not bands:
            return max(time_s * (low_s / time_s) ** below, floor_s), time_s * (
                high_s / time_s
            ) ** above
        usual_s, _ = stretched(time_s, bands, floor_s, 1.0, 1.0)
        wide_s, high_s = stretched(time_s, bands, floor_s, below, above)
        # A low end below the band's own is the floor: undefined values may end a shader.
        return min(wide_s, low_s) if low_s < usual_s * (1 - 1e-9) else wide_s, high_s

    def _factors(self, target: str, method: str) -> tuple[float, float]:
        return self.widths.factors_at(target, method, self.novelty, self._columns)

    @cached_property
    def _columns(self) -> np.ndarray:
        return self.widths.columns(self.novelty, self.features)


def _why(below: float, above: float) -> str:
    parts = [
        f"{units.percent(factor - 1)} further {where}"
        for factor, where in ((below, "down"), (above, "up"))
        if factor >= NOTABLE
    ]
    return (
        f"The band reaches {' and '.join(parts)} than usual (in the logarithm of the time), as far "
        "as forecasts of held-out shaders of this kind were off."
    )
