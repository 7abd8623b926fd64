"""Simple Heuristics and PILR (paper §6.1) refitted by shaderlab: what the learned models must beat.

The same linear fits as in `regressions`, to our own samples, free and with every coefficient held
to zero or more.  A frame never takes less than the fastest training shader, so neither does a
forecast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card, MethodCard
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.models import distrust
from shaderlab.prediction.models.bands import Band, calibrated_band
from shaderlab.prediction.models.regressions import TOTAL, LinearFit, instruction_shares

ARCHITECTURE = "refitted-instruction-regression"
TITLES: Mapping[str, str] = {
    "pilr-refit": "PILR, refitted",
    "pilr-nonneg": "PILR, refitted without negative prices",
    "sh-refit": "Simple Heuristics, refitted",
    "sh-nonneg": "Simple Heuristics, refitted without negative prices",
}
FLOOR = "floor"
"""Tensor beside the fits: seconds of the fastest training shader."""

_LARGEST_WEIGHT = 1.0
_LONGEST_FLOOR_S = 10.0
_NOTABLE = 0.01
"""Least part of the instructions whose being unknown is worth a warning."""


@dataclass(frozen=True)
class RefittedModel:
    """All refitted regressions of one target."""

    card: Card
    fits: Mapping[str, LinearFit]
    """By method."""
    floor_s: float

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        return self.card.methods

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> RefittedModel:
        """Raises `InvalidModel` where card and weights do not fit together."""
        card, tensors = bundle.card, bundle.tensors
        shapes: dict[str, tuple[int, ...]] = {FLOOR: (1,)}
        for method in card.methods:
            if method.name not in TITLES:
                raise InvalidModel(f"no refitted regression is called {method.name!r}")
            if method.name.startswith("sh-") != (method.features == (TOTAL,)):
                raise InvalidModel(f"{method.name}: features are not its own")
            if not method.bands:
                raise InvalidModel(f"{method.name}: bands: missing")
            shapes[f"{method.name}.intercept"] = (1,)
            shapes[f"{method.name}.coefficients"] = (len(method.features),)
        check_shapes(tensors, shapes)
        floor_s = checked_floor(tensors)
        for name in shapes:
            least = 0.0 if "-nonneg." in name else -_LARGEST_WEIGHT
            if not ((tensors[name] >= least) & (tensors[name] <= _LARGEST_WEIGHT)).all():
                raise InvalidModel(f"weights: {name}: outside {least:g} to {_LARGEST_WEIGHT:g} s")
        fits = {
            method.name: LinearFit(
                method.features,
                float(tensors[f"{method.name}.intercept"][0]),
                tensors[f"{method.name}.coefficients"],
            )
            for method in card.methods
        }
        return cls(card, fits, floor_s)

    def time_s(self, method: str, traced: TracedProgram) -> float:
        """Seconds by the regression named, never under the floor; looks at counts alone."""
        return max(self.fits[method].predict_s(traced), self.floor_s)

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By the regression named, the first without a name."""
        own = next(each for each in self.methods if method in (None, each.name))
        fit = self.fits[own.name]
        fitted_s = fit.predict_s(traced)
        time_s = self.time_s(own.name, traced)
        undefined = distrust.reads_undefined(traced)
        band = band_of(own, time_s, self.floor_s, reads_undefined=bool(undefined))
        return Forecast(
            target=self.card.target.slug,
            time_s=time_s,
            low_s=band.low_s,
            high_s=band.high_s,
            method=own.name,
            basis=self._basis(own, fitted_s, band),
            validated=own.validation,
            lines=instruction_shares(traced, 1 - self.floor_s / time_s),
            warnings=(*undefined, *self._warnings(traced, fit)),
        )

    def _basis(self, method: MethodCard, fitted_s: float, band: Band) -> str:
        target = self.card.target
        what = "all executed instructions" if method.features == (TOTAL,) else "executed opcodes"
        sentences = [
            f"{TITLES[method.name]}: linear regression over {what}, fitted by shaderlab to times "
            f"of {method.training_samples:,} shaders on the {target.name} "
            f"(clocks: {target.clocks}).",
            band.origin,
            f"Lines share the time above the floor of {units.seconds(self.floor_s)} by executed "
            "instructions.",
        ]
        if fitted_s < self.floor_s:
            sentences.insert(1, f"It gave {units.seconds(fitted_s)}, so this is the floor.")
        return " ".join(sentences)

    def _warnings(self, traced: TracedProgram, fit: LinearFit) -> list[str]:
        warnings = distrust.of_trace(self.card, traced) + distrust.reads_textures(traced)
        unknown = traced.instructions_outside(fit.features)
        share = sum(unknown.values()) / (traced.instructions or 1)
        if fit.features != (TOTAL,) and share > _NOTABLE:
            warnings.append(f"The fit never saw {units.percent(share)} of what it executes.")
        return warnings


def band_of(method: MethodCard, time_s: float, floor_s: float, *, reads_undefined: bool) -> Band:
    """The calibrated band; down to the floor where a GPU may run next to nothing."""
    band = calibrated_band(time_s, method.bands, floor_s)
    if not reads_undefined:
        return band
    return Band(floor_s, band.high_s, band.origin, band.extrapolated)


def check_shapes(tensors: Mapping[str, np.ndarray], shapes: Mapping[str, Sequence[int]]) -> None:
    """Raises `InvalidModel` unless exactly these tensors are there, in these shapes."""
    if set(tensors) != set(shapes):
        odd = sorted(set(tensors) ^ set(shapes))[0]
        raise InvalidModel(f"weights: {odd[:80]!r} is missing or has no use")
    for name, shape in shapes.items():
        if tensors[name].shape != tuple(shape):
            raise InvalidModel(f"weights: {name}: shape {tensors[name].shape} is not {shape}")


def checked_floor(tensors: Mapping[str, np.ndarray]) -> float:
    """The floor in seconds.  Raises `InvalidModel` where no frame could take so short or long."""
    floor_s = float(tensors[FLOOR][0])
    if not 1e-9 <= floor_s <= _LONGEST_FLOOR_S:
        raise InvalidModel(f"weights: {FLOOR}: {floor_s:g} s")
    return floor_s
