"""`Forecast`: a predicted time, never without its method, its origin and its validated error."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.prediction.forms import Form
from shaderlab.prediction.line_shares import NO_LINES, LineShares


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


@dataclass(frozen=True)
class Forecast:
    """Predicted seconds per draw of one program on one target."""

    target: str
    """Slug, e.g. `rtx3060`."""
    time_s: float
    low_s: float
    high_s: float
    """Band that held on validation shaders, or as wide as the method's mean error: `basis` says."""
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

    @property
    def comparable(self) -> tuple[str, str, Form]:
        """Target, method and form: where these are another forecast's, a change is the program's,
        not the method's."""
        return self.target, self.method, self.form
