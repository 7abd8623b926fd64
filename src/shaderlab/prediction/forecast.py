"""`Forecast`: a predicted time, never without its method, its origin and its validated error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

from shaderlab import units
from shaderlab.prediction.cost import Cost
from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import NO_LINES, LineShares

COUNTS_ESTIMATED = "counts estimated"
"""Ends the method's name of a forecast of a program that was not run."""


@dataclass(frozen=True)
class Validation:
    """Error of a method on shaders it was not fitted on."""

    mape: float | None
    """Mean absolute percentage error as a fraction."""
    spearman: float | None
    n: int | None
    """Validation shaders; None where the origin does not say."""
    source: str
    """Who measured it, on what: one sentence."""
    median_ape: float | None = None
    """Median of the same errors, a fraction."""
    within20: float | None = None
    """Share of shaders whose error is at most 20 %."""

    @property
    def error(self) -> float | None:
        """The one figure that stands for the others: the median, else the mean; None: unknown."""
        return self.mape if self.median_ape is None else self.median_ape

    @property
    def text(self) -> str:
        """The one figure that stands beside a time: `median error 10 %`, or `not validated`."""
        if self.median_ape is not None:
            return f"median error {units.percent(self.median_ape)}"
        if self.mape is not None:
            return f"mean error {units.percent(self.mape)}"
        return "not validated"


class Status(StrEnum):
    """What a forecast claims."""

    OK = "ok"
    """A time and a band."""
    LOWER_BOUND = "lower bound"
    """The frame did not come to its end: at least so long, with no time and no upper end."""
    ESTIMATE = "estimate"
    """A time and a band that rest on assumed counts."""
    NONE = "none"
    """No time at all."""

    @property
    def sign(self) -> str:
        """What stands before its time wherever that is shown: `\u2265`, `\u2248` or nothing."""
        return {Status.LOWER_BOUND: "\u2265\u202f", Status.ESTIMATE: "\u2248\u202f"}.get(self, "")


class Side(StrEnum):
    """Of the domain a program lies on."""

    INSIDE = "inside"
    OUTSIDE = "outside"


class TexturePrice(StrEnum):
    """What reads of textures are priced by."""

    FITTED = "fitted"
    """Times of shaders on the target that read textures; they are work like all other."""
    PUBLISHED = "published rates"
    """What the vendor states of the GPU: a separate term, not measured."""
    NONE = "none"


@dataclass(frozen=True)
class TextureShare:
    """What of a forecast is for reading textures."""

    price: TexturePrice
    time_s: float | None = None
    """Of the separate term: if nothing else ran.  None without one."""


@dataclass(frozen=True)
class VertexPart:
    """What a vertex stage of the draw's own adds to a forecast."""

    invocations: int | None = None
    """None where it could not be counted."""
    instructions: int = 0
    """Executed by all of them."""
    time_s: float | None = None
    """Part of the forecast's; None where it is left out."""
    low_s: float | None = None
    high_s: float | None = None
    method: str = ""
    """Whose prices."""
    lines: LineShares = NO_LINES
    """Shares of the part, by line of the vertex shader, descending."""


Evidence = Literal["measured", "distribution", "law"]
"""What forecasts for a target rest on: times of single shaders there, the distribution of its times
over many, or data sheets."""


def evidence_word(
    rests_on: Evidence, validated: Validation
) -> Literal["measured", "distribution", "law", "untested"]:
    """`rests_on`; a law whose forecasts nothing was compared with is untested."""
    return "untested" if rests_on == "law" and validated.error is None else rests_on


@dataclass(frozen=True)
class Forecast:
    """Predicted seconds per draw of one program on one target.

    What models answer always has a time and a band; `forecasts.claims` decides what of that may be
    claimed.
    """

    target: str
    """Slug, e.g. `rtx3060`."""
    time_s: float | None
    """None of a lower bound, and where there is none."""
    low_s: float | None
    """None where there is no time at all."""
    high_s: float | None
    """None of a lower bound likewise.  The band held on validation shaders, or is as wide as the
    method's mean error: `basis` says."""
    method: str
    """Short name: `pilr`, `sh`, …"""
    basis: str
    """For the user: what the number and its band rest on and, where a fallback was taken, why."""
    validated: Validation
    lines: LineShares = NO_LINES
    """By descending share."""
    warnings: tuple[str, ...] = ()
    """Why to distrust this one: other size than fitted, outside the fitted range, …"""
    form: Form = Form.WRITTEN
    """What of the program it rests on a trace of."""
    status: Status = Status.OK
    domain: Side = Side.INSIDE
    """Whether the program is like those the models were fitted on."""
    cost: Cost | None = None
    """What the time is made of; None where the method does not say."""
    textures: TextureShare | None = None
    """None where no texture is read."""
    disagreement: float | None = None
    """Measured over forecast time on this machine, where that casts doubt on this forecast."""
    vertex: VertexPart | None = None
    """None of a draw without a vertex stage of its own."""
    rests_on: Evidence = "measured"

    @property
    def comparable(self) -> tuple[str, str, Form]:
        """Target, method and form: where these are another forecast's, a change is the program's,
        not the method's."""
        return self.target, self.method, self.form

    @property
    def least_s(self) -> float | None:
        """The time, or what a lower bound says it takes at least; None where there is none."""
        return self.low_s if self.time_s is None else self.time_s

    @property
    def interval_s(self) -> tuple[float, float, float]:
        """Low end, time and high end.  Raises ValueError of a forecast that claims less."""
        if self.low_s is None or self.time_s is None or self.high_s is None:
            raise ValueError(f"{self.target}: {self.status}: no time with a band")
        return self.low_s, self.time_s, self.high_s


@dataclass(frozen=True)
class Measured:
    """What the very frame that was traced took on a device of this machine."""

    device: str
    """Slug."""
    time_s: float
    """Of a software device processor time."""
    pace: float | None = 1.0
    """How many times as long this processor takes as the one that the device's prices come from
    (`studies.pace`); 1 of a GPU, None where that is not known."""
    waited: float = 0.0
    """Share of its time in which the frame had no processor, for other work's sake."""

    MOST_WAITED: ClassVar[float] = 0.2
    """Above, the machine counts as busy.  Our choice: with twice as many busy threads as processors
    it was 0.5 to 0.64."""

    @property
    def busy(self) -> bool:
        return self.waited > self.MOST_WAITED
