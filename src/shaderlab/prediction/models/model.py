"""`Model`: one bundle, ready to predict its target.  Every architecture is one subclass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card, MethodCard
from shaderlab.prediction.cost import Cost
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Evidence, Forecast, Validation
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import NO_LINES, LineShares
from shaderlab.prediction.models.bands import Band


@dataclass(frozen=True)
class CountedShader:
    """One shader's counts at 1024x768, as the committed samples hold it."""

    id: str
    executed: Mapping[str, int]
    """Instructions by opcode name, summed over all invocations (paper §6.1)."""
    example: Example
    reads_uninitialised: bool
    """Whether it ran a read of an uninitialised value."""
    divides_by_zero: bool = False
    """Whether it ran a division by a constant zero (`spirv.analysis.undefined_results`)."""

    def undefined_on(self, device: str) -> bool:
        """Whether undefined values may decide what runs there.  `device`: its name or slug."""
        return self.reads_uninitialised or (self.divides_by_zero and drops_undefined(device))


def drops_undefined(device: str) -> bool:
    """Whether a device's driver drops work for the result of a division by zero."""
    return device.startswith("llvmpipe")


def copies_arrays(device: str) -> bool:
    """Whether a device's driver is known to copy large arrays in memory, for every invocation."""
    return device.startswith(("llvmpipe", "SwiftShader"))


class CountedShaders(Protocol):
    """Many shaders by their counts."""

    @property
    def shaders(self) -> Sequence[CountedShader]: ...

    def of_form(self, form: Form) -> Sequence[CountedShader | None]:
        """The same shaders, counted in that form; None for each that was not."""
        ...


@dataclass(frozen=True)
class Predicted:
    """A method's answers for many shaders."""

    time_s: np.ndarray
    """(n,) seconds; nan where the method has no answer (say, a shader too long for it)."""
    low_s: np.ndarray | None = None
    """(n,) ends of the band; None where the method has none."""
    high_s: np.ndarray | None = None


@dataclass(frozen=True)
class StageCost:
    """What a stage of a draw takes by the prices of its work alone, without the pass."""

    time_s: float
    method: str
    shares: tuple[tuple[str, float], ...] = ()
    """Of the time, by group (`features.cost_groups`); they sum to 1 where they are known."""
    lines: LineShares = NO_LINES
    """Of the time, by source line, descending."""
    prices_textures: bool = False
    """Whether it reads textures and the prices of all its reads were fitted."""


@dataclass(frozen=True)
class Model(ABC):
    """One bundle of one target."""

    card: Card

    ARCHITECTURES: ClassVar[tuple[str, ...]]
    """What cards call it."""
    HAS_FORMS: ClassVar[bool] = False
    """Whether a program's other forms have separate models, which lead once traced."""
    BY_COUNTS: ClassVar[bool] = False
    """Whether it predicts from counts alone."""
    RESTS_ON: ClassVar[Evidence] = "measured"

    @property
    def mapped(self) -> tuple[tuple[Model, ...], float]:
        """Models of another target whose forecasts it maps, and the mapping's own error: half the
        width of its band, a logarithm.  None of most."""
        return (), 0.0

    @classmethod
    @abstractmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> Self:
        """`installed`: the models read before.

        Raises `InvalidModel` where card and weights do not fit together, or a model that it builds
        on is not installed.
        """

    @classmethod
    def stage(cls, card: Card) -> int:
        """When to read a bundle: after those of lower stages, on which it may build."""
        return 0

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        """The bundle's default first."""
        return self.card.methods

    @property
    def form(self) -> Form:
        """The form of the program whose trace it needs."""
        return Form.WRITTEN

    @property
    def looks_at(self) -> frozenset[Form]:
        """The forms beside the written one of which a trace is of use."""
        return frozenset()

    @property
    def fixed_s(self) -> float:
        """Seconds of every forecast that no line accounts for."""
        return self.card.target.floor_s or 0.0

    @abstractmethod
    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """By its default method, or by the one named, which is among `methods`."""

    def answer(
        self,
        method: MethodCard,
        time_s: float,
        band: Band,
        basis: str,
        lines: LineShares,
        warnings: Iterable[str],
        validated: Validation | None = None,
        cost: Cost | None = None,
    ) -> Forecast:
        """A forecast of its target.  `validated`: the method's own by default."""
        return Forecast(
            target=self.card.target.slug,
            time_s=time_s,
            low_s=band.low_s,
            high_s=band.high_s,
            method=method.name,
            basis=basis,
            validated=validated or method.validation,
            lines=lines,
            warnings=tuple(warnings),
            form=self.form,
            cost=cost,
        )

    def time_s(self, traced: TracedProgram) -> float:
        """Seconds of the default method's forecast."""
        return self.forecast(traced).interval_s[1]

    def lines(self, traced: TracedProgram, time_s: float, floor_s: float) -> LineShares:
        """Shares of `time_s` by source line: the time above the floor by executed instructions."""
        return instruction_shares(traced, 1 - floor_s / time_s)

    def stage_cost(self, traced: TracedProgram) -> StageCost | None:
        """Of a stage as written; None of a model without prices for that."""
        return None

    def predict(self, method: str, counted: CountedShaders) -> Predicted | None:
        """Many forecasts at once from counts; None of a model that is not `BY_COUNTS`."""
        return None

    def refusal(self, traced: TracedProgram) -> str | None:
        """Why it has no forecast for a program, as a sentence; None where it has one."""
        return None

    def gives_way(self, traced: TracedProgram) -> str | None:
        """Why the target's next model should lead in its place; None where it should not."""
        return self.refusal(traced)


Installed = Mapping[str, Sequence[Model]]
"""Models by the slug of their target."""


def only_method(card: Card, name: str) -> MethodCard:
    """The card's one method, which has bands.  Raises `InvalidModel`."""
    if len(card.methods) != 1 or card.methods[0].name != name:
        raise InvalidModel(f"methods: not {name!r} alone")
    if not card.methods[0].bands:
        raise InvalidModel("methods[0]: bands: missing")
    return card.methods[0]


def sentences(*parts: str) -> str:
    """Those that say something, as one text."""
    return " ".join(part for part in parts if part)


def banded(
    time_s: np.ndarray, counted: CountedShaders, device: str, band: Callable[[float, bool], Band]
) -> Predicted:
    """Times (n,) with their bands; `band` of a time and whether undefined values may decide it."""
    bands = [
        band(each_s, shader.undefined_on(device))
        for each_s, shader in zip(time_s.tolist(), counted.shaders, strict=True)
    ]
    low_s, high_s = (
        np.array([getattr(each, end) for each in bands]) for end in ("low_s", "high_s")
    )
    return Predicted(time_s, low_s, high_s)


def latest_first(models: Iterable[Model]) -> tuple[Model, ...]:
    """Models of one target by their forms, from the latest to the program as written."""
    order = list(Form)
    return tuple(sorted(models, key=lambda each: order.index(each.form), reverse=True))


def instruction_shares(traced: TracedProgram, above: float) -> LineShares:
    """The part `above` of a forecast divided over lines by executed instructions, descending."""
    return traced.line_shares.scaled(above)
