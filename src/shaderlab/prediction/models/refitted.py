"""Simple Heuristics and PILR (paper §6.1) refitted by shaderlab: what the learned models must beat.

The same linear fits as in `regressions`, to our own samples, free and with every coefficient held
to zero or more.  A frame never takes less than the fastest training shader, so neither does a
forecast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle, check_shapes
from shaderlab.prediction.bundles.card import MethodCard
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.models import distrust
from shaderlab.prediction.models.bands import FLOOR, Band, calibrated_or_floor, checked_floor
from shaderlab.prediction.models.model import (
    CountedShaders,
    Installed,
    Model,
    Predicted,
    banded,
    sentences,
)
from shaderlab.prediction.models.regressions import TOTAL, LinearFit

ARCHITECTURE = "refitted-instruction-regression"
TITLES: Mapping[str, str] = {
    "pilr-refit": "PILR, refitted",
    "pilr-nonneg": "PILR, refitted without negative prices",
    "sh-refit": "Simple Heuristics, refitted",
    "sh-nonneg": "Simple Heuristics, refitted without negative prices",
}

_LARGEST_WEIGHT = 1.0
_NOTABLE = 0.01
"""Least part of the instructions whose being unknown is worth a warning."""


@dataclass(frozen=True)
class RefittedModel(Model):
    """All refitted regressions of one target."""

    fits: Mapping[str, LinearFit]
    """By method."""
    floor_s: float
    """Seconds of the fastest training shader."""

    ARCHITECTURES = (ARCHITECTURE,)
    BY_COUNTS = True

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> RefittedModel:
        card, tensors = bundle.card, bundle.tensors
        shapes: dict[str, tuple[int, ...]] = {FLOOR: (1,)}
        for method in card.methods:
            if method.name not in TITLES:
                raise InvalidModel(f"no refitted regression is called {method.name!r}")
            if method.name.startswith("sh-") != (method.features == (TOTAL,)):
                raise InvalidModel(f"{method.name}: features are not its own")
            if not method.bands:
                raise InvalidModel(f"{method.name}: bands: missing")
            shapes |= LinearFit.shapes(method)
        check_shapes(tensors, shapes)
        floor_s = checked_floor(tensors)
        for name in shapes:
            least = 0.0 if "-nonneg." in name else -_LARGEST_WEIGHT
            if not ((tensors[name] >= least) & (tensors[name] <= _LARGEST_WEIGHT)).all():
                raise InvalidModel(f"weights: {name}: outside {least:g} to {_LARGEST_WEIGHT:g} s")
        fits = {method.name: LinearFit.read(method, tensors) for method in card.methods}
        return cls(card, fits, floor_s)

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By the regression named, the first without a name; never under the floor."""
        own = self._card(method)
        fit = self.fits[own.name]
        fitted_s = fit.predict_s(traced.executed)
        time_s = max(fitted_s, self.floor_s)
        undefined = distrust.undefined_values(self.card, traced)
        band = calibrated_or_floor(own, self.floor_s, time_s, bool(undefined))
        basis, lines = self._basis(own, fitted_s, band), self.lines(traced, time_s, self.floor_s)
        warnings = [*undefined, *self._warnings(traced, fit)]
        return self.answer(own, time_s, band, basis, lines, warnings)

    @property
    def fixed_s(self) -> float:
        return self.floor_s

    def predict(self, method: str, counted: CountedShaders) -> Predicted:
        fit = self.fits[method]
        time_s = np.array(
            [max(fit.predict_s(each.executed), self.floor_s) for each in counted.shaders]
        )
        return banded(
            time_s,
            counted,
            self.card.target.device,
            partial(calibrated_or_floor, self._card(method), self.floor_s),
        )

    def _card(self, method: str | None) -> MethodCard:
        return next(each for each in self.methods if method in (None, each.name))

    def _basis(self, method: MethodCard, fitted_s: float, band: Band) -> str:
        target = self.card.target
        what = "all executed instructions" if method.features == (TOTAL,) else "executed opcodes"
        below = fitted_s < self.floor_s
        return sentences(
            f"{TITLES[method.name]}: linear regression over {what}, fitted by shaderlab to times "
            f"of {method.training_samples:,} shaders on the {target.name} "
            f"(clocks: {target.clocks}).",
            f"It gave {units.seconds(fitted_s)}, so this is the floor." if below else "",
            band.origin,
            f"Lines share the time above the floor of {units.seconds(self.floor_s)} by executed "
            "instructions.",
        )

    def _warnings(self, traced: TracedProgram, fit: LinearFit) -> list[str]:
        warnings = distrust.of_trace(self.card, traced)
        unknown = traced.instructions_outside(fit.features)
        share = sum(unknown.values()) / (traced.instructions or 1)
        if fit.features != (TOTAL,) and share > _NOTABLE:
            warnings.append(f"The fit never saw {units.percent(share)} of what it executes.")
        return warnings
