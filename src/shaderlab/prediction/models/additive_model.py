"""`AdditiveModel`: a bundle of the additive model, and its forecasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel, WrongUse
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card, MethodCard
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.prediction.line_shares import NO_LINES, LineShares
from shaderlab.prediction.models import additive, distrust
from shaderlab.prediction.models.additive import Late, Priced, Weights
from shaderlab.prediction.models.bands import Band, calibrated_band

ARCHITECTURES = {
    "additive-lane-work": Execution.JUMPING,
    "additive-hoisted-work": Execution.HOISTING,
    "additive-chained-work": Execution.MASKING,
}
"""By name: what the prices are of."""
METHOD, OPTIMIZED, COMPILED = FORMS

_DOUBT = 3.0
"""Of a compiled program: so many times the optimised one's forecast is not believed."""

_MOST_HIDDEN = 256
_HIGHEST_PRICE_S = 1e-3
"""Seconds per scalar operation no GPU needs; anything more is a damaged file."""
_LONGEST_FLOOR_S = 10.0
_LARGEST_EXPONENT = 100.0
_LARGEST_BOUND = 5.0
_LEAST_SLOPE = 1e-3
_NOTABLE = 0.01
"""Least part of the time that is worth a warning, were unknown operations as dear as others."""

_FORM_BASES = {
    Form.WRITTEN: "",
    Form.OPTIMIZED: (
        "Priced is what spirv-opt -O leaves of the program, counted apart, as drivers delete alike."
    ),
    Form.COMPILED: (
        "Priced is what Mesa's compiler leaves of the program, counted apart, as drivers of all "
        "vendors unroll and delete much alike."
    ),
}
_DOUBTED = (
    "What spirv-opt leaves of it is forecast to take less than a third of that, so that forecast "
    "is believed: one compiler saw that work is for nothing, and the GPU's may too."
)
_EXECUTION_BASES = {
    Execution.MASKING: (
        "The device masks lanes instead of jumping over branches, so what no pixel runs costs time "
        "too; and it waits for results that need one another."
    ),
    Execution.HOISTING: (
        "What a loop does not change is counted once ahead of it, where the driver moves it."
    ),
}


@dataclass(frozen=True)
class AdditiveModel:
    """The additive model of one target."""

    card: Card
    weights: Weights
    dividing: tuple[AdditiveModel, ...] = ()
    """Of a form without the user's lines: models of the same target's other forms, the latest form
    first.  Of these the first that can be asked says how time divides over lines."""

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        return self.card.methods

    @classmethod
    def from_bundle(cls, bundle: Bundle, others: Sequence[AdditiveModel] = ()) -> AdditiveModel:
        """`others`: models of the same target, of other forms.

        Raises `InvalidModel` where card and weights do not fit together, or a form without lines
        has no other to divide its time.
        """
        card, tensors = bundle.card, dict(bundle.tensors)
        if len(card.methods) != 1 or card.methods[0].name not in FORMS:
            raise InvalidModel(f"methods: not one of {', '.join(FORMS)} alone")
        dividing: tuple[AdditiveModel, ...] = ()
        if FORMS[card.methods[0].name] is Form.COMPILED:
            dividing = latest_first(others)
            if not dividing or dividing[-1].form is not Form.WRITTEN:
                raise InvalidModel(f"needs the model {METHOD!r} of its target for the lines")
        if not card.methods[0].bands:
            raise InvalidModel("methods[0]: bands: missing")
        kinds = card.methods[0].features
        inputs = len(CONTEXT)
        out = tensors.get("context.out", np.zeros(0))
        hidden = out.size - 1
        if not 1 <= hidden <= _MOST_HIDDEN or out.ndim != 1:
            raise InvalidModel(f"weights: context.out: not 2 to {_MOST_HIDDEN + 1} numbers")
        shapes = {
            "prices": (len(kinds),),
            "floor": (1,),
            "exponent": (1,),
            "bound": (1,),
            "context.mean": (inputs,),
            "context.scale": (inputs,),
            "context.low": (inputs,),
            "context.high": (inputs,),
            "context.hidden": (inputs + 1, hidden),
            "context.out": (hidden + 1,),
        }
        if "late" in tensors:
            shapes["late"] = (3,)
        if set(tensors) != set(shapes):
            odd = sorted(set(tensors) ^ set(shapes))[0]
            raise InvalidModel(f"weights: {odd[:80]!r} is missing or has no use")
        for name, shape in shapes.items():
            if tensors[name].shape != shape:
                raise InvalidModel(f"weights: {name}: shape {tensors[name].shape} is not {shape}")
        _within(tensors, "prices", 0.0, _HIGHEST_PRICE_S)
        _within(tensors, "floor", 1e-9, _LONGEST_FLOOR_S)
        _within(tensors, "exponent", 1.0, _LARGEST_EXPONENT)
        _within(tensors, "bound", 0.0, _LARGEST_BOUND)
        _within(tensors, "context.scale", 1e-9, 1e9)
        if "late" in tensors:
            floor_s, slope, sharpness = tensors["late"].tolist()
            if not (
                1e-9 <= floor_s <= _LONGEST_FLOOR_S
                and _LEAST_SLOPE <= slope <= 1
                and 1 <= sharpness <= _LARGEST_EXPONENT
            ):
                raise InvalidModel("weights: late: a number out of its range")
        if (tensors["context.low"] > tensors["context.high"]).any():
            raise InvalidModel("weights: context.low: above context.high")
        values = {name: each.astype(np.float64) for name, each in tensors.items()}
        return cls(
            card,
            Weights(
                kinds=kinds,
                prices=values["prices"],
                floor_s=float(values["floor"][0]),
                exponent=float(values["exponent"][0]),
                bound=float(values["bound"][0]),
                mean=values["context.mean"],
                scale=values["context.scale"],
                low=values["context.low"],
                high=values["context.high"],
                hidden=values["context.hidden"],
                out=values["context.out"],
                late=Late(*values["late"].tolist()) if "late" in values else None,
                execution=ARCHITECTURES[card.architecture],
            ),
            dividing,
        )

    @property
    def form(self) -> Form:
        """The form of the program whose work it prices."""
        return FORMS[self.methods[0].name]

    def price(self, traced: TracedProgram) -> Priced:
        """The frame's price, computed once for this model and those that stand on it."""
        found = traced.priced.get(id(self))
        if found is None:
            found = traced.priced[id(self)] = self._price(traced)
        return found

    def _price(self, traced: TracedProgram) -> Priced:
        priced = self._priced(traced)
        work = priced.work_of(self.weights.execution)
        return additive.price(self.weights, work, priced.context)

    def _priced(self, traced: TracedProgram) -> TracedProgram:
        """The program whose work has prices here."""
        found = traced.form(self.form)
        if found is None:
            raise WrongUse(f"{self.methods[0].name} needs a trace of the {self.form} program too")
        return found

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """The model's one method; `method` is for models that have several.

        Raises `WrongUse` where it needs the trace of another form and there is none.
        """
        card, priced = self.card, self.price(traced)
        by_line = self._by_line(traced)
        time_s, doubt = priced.time_s, ""
        if by_line.form is Form.OPTIMIZED and self.form is Form.COMPILED:
            time_s = float(believed_s(time_s, by_line.price(traced).time_s))
            doubt = _DOUBTED if time_s < priced.time_s else ""
        undefined = distrust.reads_undefined(traced)
        band = self.band(time_s, reads_undefined=bool(undefined))
        return Forecast(
            target=card.target.slug,
            time_s=time_s,
            low_s=band.low_s,
            high_s=band.high_s,
            method=self.methods[0].name,
            basis=self._basis(band.origin, by_line, doubt),
            validated=self._validation(bool(undefined)),
            lines=self.lines(traced, time_s, self.weights.floor_s),
            warnings=(*undefined, *self._warnings(traced, priced)),
            form=self.form,
        )

    def lines(self, traced: TracedProgram, time_s: float, floor_s: float) -> LineShares:
        """Shares of `time_s` by source line, descending.

        The time above the floor divides over all work by price; work without a line of the user's
        (the prelude's) keeps its part, so the shares sum to at most that time.
        """
        by_line = self._by_line(traced)
        return _line_shares(by_line._priced(traced), time_s, floor_s, by_line.price(traced))

    def _by_line(self, traced: TracedProgram) -> AdditiveModel:
        """The model whose prices divide time over lines."""
        return next((each for each in self.dividing if traced.form(each.form)), self)

    def band(self, time_s: float, *, reads_undefined: bool) -> Band:
        """The calibrated band; down to the floor where a GPU may run next to nothing."""
        floor_s = self.card.target.floor_s or 0.0
        band = calibrated_band(time_s, self.methods[0].bands, floor_s)
        if not reads_undefined:
            return band
        return Band(
            min(band.low_s, floor_s or self.weights.floor_s),
            band.high_s,
            f"{band.origin} Its low end is the floor, as reads of what nothing wrote may end a "
            "shader at once.",
            band.extrapolated,
        )

    def _validation(self, reads_undefined: bool) -> Validation:
        """Of the validation shaders of the same kind, where they were told apart."""
        method = self.methods[0]
        part = method.undefined if reads_undefined else method.defined
        return part or method.validation

    def _basis(self, band: str, by_line: AdditiveModel, doubt: str) -> str:
        card, method = self.card, self.methods[0]
        whose = "" if by_line is self else f" as {by_line.methods[0].name} has it"
        sentences = [
            f"Additive model: every kind of operation has its price on the {card.target.name}, "
            f"fitted to measured times of {method.training_samples:,} shaders "
            f"(clocks: {card.target.clocks}).",
            _FORM_BASES[self.form],
            doubt,
            _EXECUTION_BASES.get(self.weights.execution, ""),
            card.default_reason,
            band,
            "Lines share the time above the floor of "
            f"{units.seconds(self.weights.floor_s)} by the price of their work{whose}.",
            card.target.notes,
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def _warnings(self, traced: TracedProgram, priced: Priced) -> tuple[str, ...]:
        warnings = distrust.of_trace(self.card, traced) + distrust.reads_textures(traced)
        if priced.unknown_share * priced.work_s > _NOTABLE * priced.time_s:
            warnings.append(
                f"{units.percent(priced.unknown_share)} of its work is of kinds that "
                "too few training shaders had."
            )
        return tuple(warnings)


def stands_on_others(card: Card) -> bool:
    """Whether it is a bundle whose `from_bundle` needs models of the target's other forms."""
    return any(FORMS.get(method.name) is Form.COMPILED for method in card.methods)


def latest_first(models: Iterable[AdditiveModel]) -> tuple[AdditiveModel, ...]:
    """Models of one target by their forms, from the latest to the program as written."""
    order = list(Form)
    return tuple(sorted(models, key=lambda each: order.index(each.form), reverse=True))


def believed_s(compiled_s: np.ndarray | float, optimized_s: np.ndarray | float) -> np.ndarray:
    """Seconds by the forecast of the compiled program, or of the optimised one far below it.

    Where both are far apart, one compiler saw that work is for nothing (values nothing wrote make
    most of it), and one more compiler may well see it too.  NaN for the latter is none.
    """
    return np.where(np.asarray(optimized_s) * _DOUBT < compiled_s, optimized_s, compiled_s)


def _line_shares(
    traced: TracedProgram, time_s: float, floor_s: float, priced: Priced
) -> LineShares:
    above = max(time_s - floor_s, 0.0) / time_s if time_s else 0.0
    if not above or not len(priced.parts):
        return NO_LINES
    analysis = traced.analysis
    place = analysis.place[priced.instruction]
    mine = place >= 0
    shares = np.bincount(place[mine], priced.parts[mine], len(analysis.places)) * above
    parts = [
        (where.file, where.line, share)
        for where, share in zip(analysis.places, shares.tolist(), strict=True)
        if share > 0
    ]
    # Of equal shares the earlier line comes first: places ascend.
    return LineShares(sorted(parts, key=itemgetter(2), reverse=True))


def architecture_of(weights: Weights) -> str:
    """What a card says of these weights."""
    return next(name for name, each in ARCHITECTURES.items() if each is weights.execution)


def tensors_of(weights: Weights) -> dict[str, np.ndarray]:
    """What `from_bundle` reads, float32."""
    values = {
        "prices": weights.prices,
        "floor": [weights.floor_s],
        "exponent": [weights.exponent],
        "bound": [weights.bound],
        "context.mean": weights.mean,
        "context.scale": weights.scale,
        "context.low": weights.low,
        "context.high": weights.high,
        "context.hidden": weights.hidden,
        "context.out": weights.out,
    }
    if weights.late is not None:
        values["late"] = [weights.late.floor_s, weights.late.slope, weights.late.exponent]
    return {name: np.asarray(value, np.float32) for name, value in values.items()}


def _within(tensors: dict[str, np.ndarray], name: str, low: float, high: float) -> None:
    # Compared in float64: a bound itself may round to the far side of it in float32.
    values = tensors[name].astype(np.float64)
    if not ((values >= low * (1 - 1e-6)) & (values <= high * (1 + 1e-6))).all():
        raise InvalidModel(f"weights: {name}: a value outside {low:g} to {high:g}")
