"""The forecast of the target the user chose, for every view that divides it over lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast


@dataclass(frozen=True)
class ChosenForecast:
    """One target's forecast, and the other targets there are forecasts for."""

    forecast: Forecast
    names: Mapping[str, str]
    """Names of all targets with a forecast, by slug."""
    frame: FrameForecast | None = None
    """Of all passes, where `forecast` is of one of them."""

    @property
    def name(self) -> str:
        return self.names[self.forecast.target]
