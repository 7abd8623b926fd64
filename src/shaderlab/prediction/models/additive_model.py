"""`AdditiveModel`: a bundle of the additive model, and its forecasts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import itemgetter
from weakref import WeakKeyDictionary

import numpy as np

from shaderlab import units
from shaderlab.errors import InvalidModel, WrongUse
from shaderlab.frontend.mesa import FITTED_TO, mesa_of
from shaderlab.prediction.bundles.accuracy import TextureCard
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.cost import PASS, Cost
from shaderlab.prediction.features.cost_groups import cost_group_of
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.features.texture_work import is_texture_read
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, TexturePrice, TextureShare, Validation
from shaderlab.prediction.forms import FORMS, Form, method_name
from shaderlab.prediction.line_shares import NO_LINES, LineShares
from shaderlab.prediction.models import additive, distrust, other_compilers
from shaderlab.prediction.models.additive import Priced, Weights, predict_s
from shaderlab.prediction.models.bands import Band, calibrated_band
from shaderlab.prediction.models.model import (
    CountedShaders,
    Installed,
    Model,
    Predicted,
    StageCost,
    banded,
    latest_first,
    only_method,
    sentences,
)

EXECUTIONS = {
    "additive-lane-work": Execution.JUMPING,
    "additive-hoisted-work": Execution.HOISTING,
    "additive-chained-work": Execution.PREDICATING,
}
"""By architecture: what the prices are of."""
METHOD, OPTIMIZED, COMPILED = FORMS

_NEAR_FLOOR = 1.5
"""Times the floor up to which a time is next to nothing but the pass."""
_DOUBT = 3.0
"""Of a compiled program: so many times the optimised one's forecast is not believed."""
_NOTABLE = 0.01
"""Least part of the time that is worth a warning, were unknown operations as dear as others."""

_FORM_BASES = {
    Form.WRITTEN: "",
    Form.OPTIMIZED: (
        "It prices what spirv-opt -O leaves of the program, traced separately, because drivers "
        "delete much the same code."
    ),
    Form.COMPILED: (
        "It prices what Mesa's compiler leaves of the program, traced separately, because drivers "
        "of all vendors unroll and delete much the same code."
    ),
}
_UNROLLED = (
    "Its loops of constant bounds were unrolled before, as NVIDIA's compiler does; programs the "
    "prices were fitted to kept those that Mesa's leaves."
)
_DOUBTED = (
    "The forecast for what spirv-opt leaves of the program is less than a third of that, so it is "
    "shown instead: one compiler found most of the work dead, and the GPU's compiler may too."
)
_UNFITTED = (
    "The program was compiled by {}, but the prices were fitted to what Mesa {} leaves of "
    "programs: the stated error was not validated for this compiler."
)
_WITHOUT_TEXTURES = (
    "What Mesa's compiler leaves of the program would be priced, but texture reads have prices in "
    "another form of it only."
)
_EXECUTION_BASES = {
    Execution.PREDICATING: (
        "The device predicates instead of branching, so code that no pixel takes costs time too, "
        "and so does the latency of dependent operations."
    ),
    Execution.HOISTING: (
        "Loop-invariant code that the driver hoists is counted once, before its loop."
    ),
}


@dataclass(frozen=True, eq=False)
class AdditiveModel(Model):
    """The additive model of one target, for one form of its programs."""

    weights: Weights
    dividing: tuple[Model, ...] = ()
    """Of a form without the user's lines: models of the same target's other forms, the latest form
    first.  The first that has its trace says how time divides over lines."""
    _priced: WeakKeyDictionary[TracedProgram, Priced] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )
    """Of frames still in use: matched models and the division over lines ask for it again."""
    _made: WeakKeyDictionary[TracedProgram, Forecast] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )
    """Likewise: every matched model asks for its relative's."""
    _lines: WeakKeyDictionary[TracedProgram, LineShares] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )
    """Of the work alone, by source line: likewise."""

    ARCHITECTURES = tuple(EXECUTIONS)
    BY_COUNTS = True
    HAS_FORMS = True

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> AdditiveModel:
        card = bundle.card
        form = form_of(card)
        dividing: tuple[Model, ...] = ()
        if form is Form.COMPILED:
            own = (installed or {}).get(card.target.slug, ())
            dividing = latest_first(each for each in own if each.HAS_FORMS)
            if not dividing or dividing[-1].form is not Form.WRITTEN:
                raise InvalidModel(f"needs the model {METHOD!r} of its target for the lines")
        return cls(card, weights_of(bundle), dividing)

    @classmethod
    def stage(cls, card: Card) -> int:
        return int(any(FORMS.get(method.name) is Form.COMPILED for method in card.methods))

    @property
    def form(self) -> Form:
        return FORMS[self.methods[0].name]

    @property
    def looks_at(self) -> frozenset[Form]:
        forms = {each.form for each in (self, *self.dividing)}
        return frozenset(forms | ({Form.UNROLLED} if self._unrolls else set())) - {Form.WRITTEN}

    @property
    def _unrolls(self) -> bool:
        """Whether its GPU's compiler unrolls loops of constant bounds that Mesa's leaves."""
        return self.form is Form.COMPILED and self.card.target.vendor == "NVIDIA"

    @property
    def fixed_s(self) -> float:
        return self.weights.floor_s

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """Raises `WrongUse` where it needs the trace of another form and there is none."""
        found = self._made.get(traced)
        if found is None:
            found = self._made[traced] = self._forecast(traced)
        return found

    def _forecast(self, traced: TracedProgram) -> Forecast:
        priced, by_line = self._price(traced), self._by_line(traced)
        time_s, doubt = priced.time_s, ""
        if by_line.form is Form.OPTIMIZED and self.form is Form.COMPILED:
            time_s = float(believed_s(time_s, by_line.time_s(traced)))
            doubt = _DOUBTED if time_s < priced.time_s else ""
        undefined = distrust.undefined_values(self.card, traced)
        textures = self._textures(priced)
        band = self._band(time_s, bool(undefined), textures)
        validated = self._validated(traced, bool(undefined))
        stated = textures.validation if textures else validated
        found = self.answer(
            self.methods[0],
            time_s,
            band,
            self._basis(
                band.origin,
                by_line,
                doubt,
                self._needed(traced).program.made_by,
                unrolled=self._needed(traced) is not traced.form(self.form),
            ),
            self.lines(traced, time_s, self.fixed_s),
            [*undefined, *self._warnings(traced, priced, stated)],
            stated,
            self._cost(priced, time_s),
        )
        return replace(found, textures=TextureShare(TexturePrice.FITTED)) if textures else found

    def _validated(self, traced: TracedProgram, reads_uninitialised: bool) -> Validation:
        """Its error for programs as the compiler at hand leaves them, where that was measured."""
        made_by = self._needed(traced).program.made_by
        found = other_compilers.validation(self.card.target.slug, made_by)
        if found is not None and not reads_uninitialised:
            return found
        return self.methods[0].validation_of(reads_uninitialised)

    def _textures(self, priced: Priced) -> TextureCard | None:
        """What the card says of shaders like this one; None where it has to say nothing."""
        fits = priced.reads_textures and priced.prices_textures
        return self.methods[0].textures if fits else None

    def gives_way(self, traced: TracedProgram) -> str | None:
        """To a model of another form that has prices of texture reads, where it has none."""
        if self.methods[0].textures or not any(each.methods[0].textures for each in self.dividing):
            return None
        return _WITHOUT_TEXTURES if self._price(traced).reads_textures else None

    def time_s(self, traced: TracedProgram) -> float:
        return self._price(traced).time_s

    def lines(self, traced: TracedProgram, time_s: float, floor_s: float) -> LineShares:
        """Shares of `time_s` by source line, descending.

        The time above the floor divides over all work by price; work without a line of the user's
        (the prelude's) keeps its part, so the shares sum to at most that time.
        """
        by_line = self._by_line(traced)
        if by_line is not self:
            return by_line.lines(traced, time_s, floor_s)
        above = max(time_s - floor_s, 0.0) / time_s if time_s else 0.0
        return self._lines_of_work(traced).scaled(above)

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        if self.form is not Form.WRITTEN:
            return None
        priced = self._price(traced)
        lines = self._lines_of_work(traced) if priced.work_s else NO_LINES
        shares = _ordered(_by_group(priced, 1.0))
        fitted = self._textures(priced) is not None
        return StageCost(priced.work_s, self.methods[0].name, shares, lines, fitted)

    def _lines_of_work(self, traced: TracedProgram) -> LineShares:
        """Shares of the priced work by source line, descending."""
        found = self._lines.get(traced)
        if found is None:
            found = self._lines[traced] = _line_shares(self._needed(traced), self._price(traced))
        return found

    def _cost(self, priced: Priced, time_s: float) -> Cost:
        above = max(1 - self.fixed_s / time_s, 0.0) if priced.by_kind and time_s else 0.0
        shares = {**_by_group(priced, above), PASS: 1 - above}
        bound = additive.bound_by(self.weights, priced.work_s)
        return Cost(bound, _ordered(shares), self._on_floor, priced.work_s, self.fixed_s)

    @cached_property
    def _on_floor(self) -> float | None:
        """By the first of the bands, where that ends not far above the floor."""
        bands, floor_s = self.methods[0].bands, self.card.target.floor_s
        end_s = bands[0].to_s
        if floor_s is None or end_s is None or end_s > _NEAR_FLOOR * floor_s:
            return None
        return bands[0].n / sum(each.n for each in bands)

    def predict(self, method: str, counted: CountedShaders) -> Predicted:
        """nan for shaders without counts of its form."""
        time_s = self._times_s(counted)
        for other in self.dividing:
            if other.form is Form.OPTIMIZED:
                optimized = other.predict(other.methods[0].name, counted)
                if optimized is not None:
                    time_s = believed_s(time_s, optimized.time_s)
        device, textures = self.card.target.device, self.methods[0].textures
        found = banded(time_s, counted, device, self._band)
        reads = [any(map(is_texture_read, each.example.operations)) for each in counted.shaders]
        if textures is None or not any(reads):
            return found
        fitted = banded(time_s, counted, device, partial(self._band, textures=textures))
        low_s, high_s = (
            np.where(reads, ours, others)
            for ours, others in zip(_ends(fitted), _ends(found), strict=True)
        )
        return Predicted(time_s, low_s, high_s)

    def _times_s(self, counted: CountedShaders) -> np.ndarray:
        shaders = counted.of_form(self.form)
        time_s = np.full(len(shaders), np.nan)
        examples = [each.example for each in shaders if each is not None]
        if examples:
            time_s[[each is not None for each in shaders]] = predict_s(self.weights, examples)
        return time_s

    def _price(self, traced: TracedProgram) -> Priced:
        found = self._priced.get(traced)
        if found is None:
            needed = self._needed(traced)
            work = needed.work_of(self.weights.execution)
            found = self._priced[traced] = additive.price(self.weights, work, needed.context)
        return found

    def _needed(self, traced: TracedProgram) -> TracedProgram:
        """The form of the program that it prices."""
        found = traced.form(self.form)
        if found is not None and self._unrolls:
            return traced.form(Form.UNROLLED) or found
        if found is None:
            raise WrongUse(f"{self.methods[0].name} needs a trace of the {self.form} program too")
        return found

    def _by_line(self, traced: TracedProgram) -> Model:
        """The model whose prices divide time over lines."""
        return next((each for each in self.dividing if traced.form(each.form)), self)

    def _band(
        self, time_s: float, reads_uninitialised: bool, textures: TextureCard | None = None
    ) -> Band:
        """The calibrated band; down to the floor where a GPU may run next to nothing."""
        floor_s = self.card.target.floor_s or 0.0
        band = calibrated_band(time_s, (textures or self.methods[0]).bands, floor_s)
        if not reads_uninitialised:
            return band
        return Band(
            min(band.low_s, floor_s or self.fixed_s),
            band.high_s,
            f"{band.origin} Its low end is the floor, because undefined values may end a "
            "shader at once.",
            band.extrapolated,
        )

    def _basis(self, band: str, by_line: Model, doubt: str, made_by: str, *, unrolled: bool) -> str:
        card, method = self.card, self.methods[0]
        whose = "" if by_line is self else f" according to {method_name(by_line.methods[0].name)}"
        return sentences(
            f"Additive model: every kind of operation has its price on the {card.target.name}, "
            f"fitted to measured times of {method.training_samples:,} shaders "
            f"(clocks: {card.target.clocks}).",
            _FORM_BASES[self.form],
            _UNROLLED if unrolled else "",
            f"That compiler was {made_by}." if made_by else "",
            doubt,
            _EXECUTION_BASES.get(self.weights.execution, ""),
            band,
            "Lines share the time above the floor of "
            f"{units.seconds(self.fixed_s)} by the price of their work{whose}.",
            card.target.notes,
        )

    def _warnings(
        self, traced: TracedProgram, priced: Priced, stated: Validation | None
    ) -> list[str]:
        warnings = distrust.of_trace(self.card, traced)
        made_by = self._needed(traced).program.made_by
        known = other_compilers.validation(self.card.target.slug, made_by)
        if made_by and mesa_of(made_by) != FITTED_TO and (known is None or stated != known):
            warnings.append(_UNFITTED.format(made_by, FITTED_TO))
        if priced.unknown_share * priced.work_s > _NOTABLE * priced.time_s:
            warnings.append(
                f"{units.percent(priced.unknown_share)} of its work is of kinds that "
                "too few training shaders had."
            )
        return warnings


def _ends(predicted: Predicted) -> tuple[np.ndarray, np.ndarray]:
    """Of bands that are there."""
    assert predicted.low_s is not None
    assert predicted.high_s is not None
    return predicted.low_s, predicted.high_s


def form_of(card: Card) -> Form:
    """The form an additive bundle prices.  Raises `InvalidModel` where its method is none."""
    name = card.methods[0].name
    if name not in FORMS:
        raise InvalidModel(f"methods: not one of {', '.join(FORMS)} alone")
    return FORMS[only_method(card, name).name]


def weights_of(bundle: Bundle) -> Weights:
    """The weights of an additive bundle.  Raises `InvalidModel`."""
    card = bundle.card
    return Weights.read(bundle.tensors, card.methods[0].features, EXECUTIONS[card.architecture])


def architecture_of(weights: Weights) -> str:
    """What a card states about these weights."""
    return next(name for name, each in EXECUTIONS.items() if each is weights.execution)


def believed_s(compiled_s: np.ndarray | float, optimized_s: np.ndarray | float) -> np.ndarray:
    """Seconds by the forecast of the compiled program, or of the optimised one far below it.

    Where both are far apart, one compiler found that work is dead (uninitialised values cause most
    of it), and another compiler may well find it too.  NaN for the optimised one is no forecast.
    """
    return np.where(np.asarray(optimized_s) * _DOUBT < compiled_s, optimized_s, compiled_s)


def _by_group(priced: Priced, part: float) -> dict[str, float]:
    """Shares of a time that has `part` of work, by group."""
    shares: defaultdict[str, float] = defaultdict(float)
    for kind, share in priced.by_kind.items():
        shares[cost_group_of(kind)] += share * part
    return shares


def _ordered(shares: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(shares.items(), key=lambda each: -each[1]))


def _line_shares(traced: TracedProgram, priced: Priced) -> LineShares:
    if not len(priced.parts):
        return NO_LINES
    analysis = traced.analysis
    place = analysis.place[priced.instruction]
    mine = place >= 0
    shares = np.bincount(place[mine], priced.parts[mine], len(analysis.places))
    parts = [
        (where.file, where.line, share)
        for where, share in zip(analysis.places, shares.tolist(), strict=True)
        if share > 0
    ]
    # Of equal shares the earlier line comes first: places ascend.
    return LineShares(sorted(parts, key=itemgetter(2), reverse=True))
