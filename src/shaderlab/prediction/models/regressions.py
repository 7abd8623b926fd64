"""Simple Heuristics and PILR (paper §6.1): linear regressions over executed SPIR-V instructions.

Time = intercept + weights . counts, where the counts are executed instructions of the frame summed
over all invocations: one total for Simple Heuristics, one per opcode for PILR.  The published fits
are scikit-learn's LinearRegression in float32 with a free intercept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle, check_shapes
from shaderlab.prediction.bundles.card import MethodCard
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.line_shares import LineShares
from shaderlab.prediction.models import distrust
from shaderlab.prediction.models.bands import Band, error_band
from shaderlab.prediction.models.model import (
    CountedShaders,
    Installed,
    Model,
    Predicted,
    StageCost,
    instruction_shares,
    sentences,
)

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

    @classmethod
    def shapes(cls, method: MethodCard) -> dict[str, tuple[int, ...]]:
        """Shapes of the tensors that hold a method's fit, by name."""
        return {
            f"{method.name}.intercept": (1,),
            f"{method.name}.coefficients": (len(method.features),),
        }

    @classmethod
    def read(cls, method: MethodCard, tensors: Mapping[str, np.ndarray]) -> LinearFit:
        """The fit in what `tensors_of` wrote, of `shapes`."""
        intercept, coefficients = (tensors[name] for name in cls.shapes(method))
        return cls(method.features, float(intercept[0]), coefficients)

    def predict_s(self, executed: Mapping[str, int]) -> float:
        """Seconds per draw from executed instructions by opcode; may be negative.

        Counts are float32 as in the published fits.  The products are summed in float64: PILR's
        terms cancel (sum of magnitudes up to 8 times the result), which float32 would show.
        """
        if self.features == (TOTAL,):
            counts = [sum(executed.values())]
        else:
            counts = [executed.get(name, 0) for name in self.features]
        return self.intercept_s + float(
            self.coefficients.astype(np.float64) @ np.array(counts, np.float32).astype(np.float64)
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
class _Answer:
    """A time, the regression it is of, and what was refused before it."""

    time_s: float
    used: Regression
    refused: Sequence[str]


@dataclass(frozen=True)
class RegressionModel(Model):
    """All regressions of one target: the default first, the others to fall back on."""

    regressions: tuple[Regression, ...]

    ARCHITECTURES = (ARCHITECTURE,)
    BY_COUNTS = True

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> RegressionModel:
        card, tensors = bundle.card, bundle.tensors
        shapes: dict[str, tuple[int, ...]] = {}
        for method in card.methods:
            if method.name not in _TITLES:
                raise InvalidModel(f"no regression is called {method.name!r}")
            if (method.name == "sh") != (method.features == (TOTAL,)):
                raise InvalidModel(f"{method.name}: features are not its own")
            if not method.by_time:
                raise InvalidModel(f"{method.name}: by_time: missing")
            shapes |= LinearFit.shapes(method)
        check_shapes(tensors, shapes)
        for name in shapes:
            if not (np.abs(tensors[name]) < _LARGEST_WEIGHT).all():
                raise InvalidModel(f"weights: {name}: a value of over {_LARGEST_WEIGHT:g} s")
        return cls(
            card,
            tuple(Regression(each, LinearFit.read(each, tensors)) for each in card.methods),
        )

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """The first regression whose result is a possible time on this GPU.

        Where none is, the floor itself (the largest intercept where the floor is unknown).
        `method` puts the regression of that name first.
        """
        found = self._answer(traced.executed, method)
        time_s, used = found.time_s, found.used
        floor_s = self.card.target.floor_s or 0.0
        band = error_band(time_s, used.card.by_time, floor_s)
        lines = _line_shares(traced, time_s, used, floor_s)
        warnings = self._warnings(traced, used, band)
        return self.answer(used.card, time_s, band, self._basis(found, band), lines, warnings)

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        """By the price of an instruction: PILR's coefficients mean nothing one by one."""
        for each in self.regressions:
            if each.fit.features == (TOTAL,):
                time_s = max(float(each.fit.coefficients[0]), 0.0) * traced.instructions
                lines = instruction_shares(traced, 1.0)
                return StageCost(time_s, each.card.name, lines=lines)
        return None

    def predict(self, method: str, counted: CountedShaders) -> Predicted:
        found = [self._answer(each.executed, method) for each in counted.shaders]
        floor_s = self.card.target.floor_s or 0.0
        bands = [error_band(each.time_s, each.used.card.by_time, floor_s) for each in found]
        return Predicted(
            np.array([each.time_s for each in found]),
            np.array([each.low_s for each in bands]),
            np.array([each.high_s for each in bands]),
        )

    def gives_way(self, traced: TracedProgram) -> str | None:
        """Where the default's result is no time this GPU could take."""
        default = self.regressions[0]
        time_s = default.fit.predict_s(traced.executed)
        if self._possible(time_s):
            return None
        return f"{default.title} gave {units.seconds(time_s)}, {self._limit()}."

    def _answer(self, executed: Mapping[str, int], method: str | None) -> _Answer:
        refused: list[str] = []
        ordered = sorted(self.regressions, key=lambda each: each.card.name != method)
        for regression in ordered:
            time_s = regression.fit.predict_s(executed)
            if self._possible(time_s):
                return _Answer(time_s, regression, refused)
            refused.append(f"{regression.title} gave {units.seconds(time_s)}")
        floor_s = self.card.target.floor_s
        largest_s = max(regression.fit.intercept_s for regression in self.regressions)
        return _Answer(floor_s or largest_s, ordered[-1], refused)

    def _possible(self, time_s: float) -> bool:
        return time_s > 0 and time_s >= (self.card.target.floor_s or 0.0)

    def _limit(self) -> str:
        floor_s = self.card.target.floor_s
        if floor_s:
            return f"below the {units.seconds(floor_s)} that every frame takes there"
        return "which is not a possible time"

    def _basis(self, found: _Answer, band: Band) -> str:
        target, method, refused = self.card.target, found.used.card, found.refused
        what = "all executed instructions" if method.name == "sh" else "executed opcodes"
        shown = "the floor itself" if len(refused) == len(self.regressions) else "a fallback"
        return sentences(
            f"{' and '.join(refused)}, {self._limit()}, so this is {shown}." if refused else "",
            f"{found.used.title}: linear regression over {what}, as published for the "
            f"{target.name} from {method.training_samples:,} shaders (clocks: {target.clocks}).",
            band.origin,
            "Lines share the time above the floor by executed instructions: "
            "single coefficients of this fit mean nothing."
            if method.name != "sh"
            else "",
            target.notes,
        )

    def _warnings(
        self, traced: TracedProgram, regression: Regression, band: Band
    ) -> tuple[str, ...]:
        warnings = distrust.of_trace(self.card, traced)
        outside = traced.instructions_outside(regression.fit.features).items()
        # `forecasts.texture_term` warns about texture reads.
        unknown = {name: n for name, n in outside if not name.startswith("OpImage")}
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
