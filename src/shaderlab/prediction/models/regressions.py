"""Simple Heuristics and PILR (paper §6.1): linear regressions over executed SPIR-V instructions.

Time = intercept + weights . counts, where the counts are executed instructions of the frame summed
over all invocations: one total for Simple Heuristics, one per opcode for PILR.  The published fits
are scikit-learn's LinearRegression in float32 with a free intercept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card, MethodCard
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.line_shares import NO_LINES, LineShares
from shaderlab.prediction.models import distrust
from shaderlab.prediction.models.bands import Band, error_band

ARCHITECTURE = "executed-instruction-regression"
TOTAL = "instructions"
"""Name of the feature that counts all executed instructions, whatever their opcode."""

_TITLES = {"sh": "Simple Heuristics", "pilr": "PILR"}
_LARGEST_WEIGHT = 1.0
"""Seconds per executed instruction no fit can reach; anything larger is a damaged file."""


@dataclass(frozen=True)
class LinearFit:
    """Time = intercept + coefficients . counts."""

    features: tuple[str, ...]
    """Opcode names, or `TOTAL` alone."""
    intercept_s: float
    coefficients: np.ndarray
    """(features,) float32, seconds per executed instruction."""

    def predict_s(self, traced: TracedProgram) -> float:
        """Seconds per draw; may be negative, as linear fits can be.

        Counts are float32 as in the published fits.  The products are summed in float64: PILR's
        terms cancel (sum of magnitudes up to 8 times the result), which float32 would show.
        """
        if self.features == (TOTAL,):
            counts = np.array([traced.instructions], np.float32)
        else:
            counts = traced.counts(self.features)
        return self.intercept_s + float(
            self.coefficients.astype(np.float64) @ counts.astype(np.float64)
        )


@dataclass(frozen=True)
class Regression:
    """A fit with its card."""

    card: MethodCard
    fit: LinearFit

    @property
    def title(self) -> str:
        return _TITLES[self.card.name]


@dataclass(frozen=True)
class RegressionModel:
    """All regressions of one target: the default first, the others to fall back on."""

    card: Card
    regressions: tuple[Regression, ...]

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> RegressionModel:
        """Raises `InvalidModel` where card and weights do not fit together."""
        card, tensors = bundle.card, bundle.tensors
        expected: dict[str, tuple[int, ...]] = {}
        for method in card.methods:
            if method.name not in _TITLES:
                raise InvalidModel(f"no regression is called {method.name!r}")
            if (method.name == "sh") != (method.features == (TOTAL,)):
                raise InvalidModel(f"{method.name}: features are not its own")
            if not method.by_time:
                raise InvalidModel(f"{method.name}: by_time: missing")
            expected[f"{method.name}.intercept"] = (1,)
            expected[f"{method.name}.coefficients"] = (len(method.features),)
        if set(tensors) != set(expected):
            odd = sorted(set(tensors) ^ set(expected))[0]
            raise InvalidModel(f"weights: {odd[:80]!r} is missing or belongs to no method")
        for name, shape in expected.items():
            if tensors[name].shape != shape:
                raise InvalidModel(f"weights: {name}: shape {tensors[name].shape} is not {shape}")
            if not (np.abs(tensors[name]) < _LARGEST_WEIGHT).all():
                raise InvalidModel(f"weights: {name}: a value of over {_LARGEST_WEIGHT:g} s")
        return cls(
            card,
            tuple(
                Regression(
                    method,
                    LinearFit(
                        method.features,
                        float(tensors[f"{method.name}.intercept"][0]),
                        tensors[f"{method.name}.coefficients"],
                    ),
                )
                for method in card.methods
            ),
        )

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        return self.card.methods

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """The first regression whose result is a possible time on this GPU.

        Where none is, the floor itself (the largest intercept where the floor is unknown).
        `method` puts the regression of that name first.
        """
        target = self.card.target
        floor_s = target.floor_s or 0.0
        refused: list[str] = []
        for regression in sorted(self.regressions, key=lambda each: each.card.name != method):
            time_s = regression.fit.predict_s(traced)
            if self._possible(time_s):
                break
            refused.append(f"{regression.title} gave {units.seconds(time_s)}")
        else:
            time_s = floor_s or max(regression.fit.intercept_s for regression in self.regressions)
        used = regression.card
        band = error_band(time_s, used.by_time, floor_s)
        return Forecast(
            target=target.slug,
            time_s=time_s,
            low_s=band.low_s,
            high_s=band.high_s,
            method=used.name,
            basis=self._basis(regression, refused, band),
            validated=used.validation,
            lines=_line_shares(traced, time_s, regression, floor_s),
            warnings=self._warnings(traced, regression, band),
        )

    def refusal(self, traced: TracedProgram) -> str | None:
        """Why the default's result is no time this GPU could take, None where it is one."""
        default = self.regressions[0]
        time_s = default.fit.predict_s(traced)
        if self._possible(time_s):
            return None
        return f"{default.title} gave {units.seconds(time_s)}, {self._limit()}."

    def _possible(self, time_s: float) -> bool:
        return time_s > 0 and time_s >= (self.card.target.floor_s or 0.0)

    def _limit(self) -> str:
        floor_s = self.card.target.floor_s
        if floor_s:
            return f"below the {units.seconds(floor_s)} any frame takes there"
        return "no possible time"

    def _basis(self, regression: Regression, refused: Sequence[str], band: Band) -> str:
        target, method = self.card.target, regression.card
        what = "all executed instructions" if method.name == "sh" else "executed opcodes"
        sentences = [
            f"{regression.title}: linear regression over {what}, as published for the "
            f"{target.name} from {method.training_samples:,} shaders (clocks: {target.clocks})."
        ]
        if refused:
            shown = "the floor itself" if len(refused) == len(self.regressions) else "a fallback"
            sentences.insert(0, f"{' and '.join(refused)}, {self._limit()}, so this is {shown}.")
        sentences.append(band.origin)
        if method.name != "sh":
            sentences.append(
                "Lines share the time above the floor by executed instructions: "
                "single coefficients of this fit mean nothing."
            )
        if target.notes:
            sentences.append(target.notes)
        return " ".join(sentences)

    def _warnings(
        self, traced: TracedProgram, regression: Regression, band: Band
    ) -> tuple[str, ...]:
        warnings = distrust.of_trace(self.card, traced)
        unknown = traced.instructions_outside(regression.fit.features)
        if textures := distrust.reads_textures(traced):
            warnings += textures
            unknown = {n: c for n, c in unknown.items() if not n.startswith("OpImage")}
        if unknown and regression.fit.features != (TOTAL,):
            part = units.percent(sum(unknown.values()) / traced.instructions)
            names = ", ".join(sorted(unknown)[:4]) + (", …" if len(unknown) > 4 else "")
            warnings.append(f"The fit never saw {part} of the executed instructions ({names}).")
        if band.extrapolated:
            warnings.append("No validation shader is this fast or slow: the error is a guess.")
        return tuple(warnings)


def _line_shares(
    traced: TracedProgram, time_s: float, regression: Regression, floor_s: float
) -> LineShares:
    """Shares of `time_s`, descending.

    Simple Heuristics adds up instruction by instruction, so its shares are exact.  PILR's
    coefficients are of either sign and nearly collinear (call and return, merge and branch), so a
    line's sum of them is no cost; there the time above the floor goes by executed instructions.
    """
    if regression.fit.features == (TOTAL,):
        variable_s = float(regression.fit.coefficients[0]) * traced.instructions
    else:
        variable_s = time_s - floor_s
    return instruction_shares(traced, min(max(variable_s, 0.0), time_s - floor_s) / time_s)


def instruction_shares(traced: TracedProgram, above: float) -> LineShares:
    """The part `above` of a forecast divided over lines by executed instructions, descending."""
    if not above:
        return NO_LINES
    return LineShares(
        (place.file, place.line, share * above) for place, share in traced.line_shares.items()
    )
