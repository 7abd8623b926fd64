"""A sweep as rows of a table, and what is offered to sweep."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from shaderlab import units
from shaderlab.frontend.source_text import unify_line_ends
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.studies.axes import number
from shaderlab.studies.constants import constants
from shaderlab.studies.sweep import Point, Sweep

_NONE = "\u2013"
_LONGEST = 200_000
"""Characters of a text whose constants are looked for: the window does not wait for more."""
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Knob:
    """What can be swept."""

    name: str
    value: str
    """At present."""
    suggested: str
    """Values worth a first look."""

    @property
    def text(self) -> str:
        return f"{self.name} = {self.value}"


@dataclass(frozen=True)
class Row:
    """One value."""

    value: str
    predicted: str
    band: str
    measured: str
    changed: str
    psnr: str
    is_reference: bool
    is_knee: bool
    """Of the picture."""
    tip: str = ""


def knobs(text: str, inputs: Sequence[ShaderInput]) -> tuple[Knob, ...]:
    """Constants of the text that are plain numbers, then inputs of one number that it, or a file it
    includes, may read."""
    found = [
        Knob(each.name, each.value, suggested(each.value, whole=_is_whole(each.value)))
        for each in constants(unify_line_ends(text) if len(text) <= _LONGEST else "").values()
        if _as_number(each.value) is not None
    ]
    words = set(re.findall(r"\w+", text))
    for each in inputs:
        value = each.value
        if each.numeric is None or not isinstance(value, tuple) or len(value) != 1:
            continue
        if "#include" not in text and each.name not in words:
            continue  # the dialect declares it for every shader
        shown = f"{value[0]:g}"
        found.append(Knob(each.name, shown, suggested(shown, whole=each.type in ("int", "uint"))))
    return tuple(found)


def suggested(value: str, *, whole: bool) -> str:
    """A quarter of the value to four times it; `0` to `4` where it is 0."""
    if value in ("true", "false"):
        return "false,true"
    present = _as_number(value) or 0.0
    if present == 0:
        return "0,1,2,4" if whole else "0,0.25,0.5,1"
    scaled = [factor * present for factor in _FACTORS]
    if whole:
        scaled = [float(round(each)) for each in scaled if abs(each) >= 1]
    return ",".join(dict.fromkeys(f"{each:g}" for each in scaled))


def _as_number(text: str) -> float | None:
    try:
        value = number(text.rstrip("uUfFhH"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _is_whole(text: str) -> bool:
    return text.lstrip("+-").rstrip("uU").isdigit()


def varied(found: Sweep) -> str:
    """Names of what the sweep varies."""
    return ", ".join(axis.name for axis in found.axes)


def rows(found: Sweep, target: str) -> tuple[Row, ...]:
    """By value, in the order asked for."""
    knee = found.picture_knee
    return tuple(_row(found, point, target, point is knee) for point in found.points)


def _row(found: Sweep, point: Point, target: str, is_knee: bool) -> Row:
    value = ", ".join(point.values)
    if point.failure:
        return Row(value, _NONE, "", "", _NONE, "", False, False, point.failure)
    forecast = next((each for each in point.forecasts if each.target == target), None)
    predicted, band = _NONE, ""
    if forecast is not None and forecast.time_s is not None:
        predicted = units.seconds(forecast.time_s)
        if forecast.low_s is not None and forecast.high_s is not None:
            band = f"{units.seconds(forecast.low_s)} to {units.seconds(forecast.high_s)}"
    off = point.difference
    same = off is not None and off.rms == 0
    return Row(
        value,
        predicted,
        band,
        units.seconds(point.measured.time_s) if point.measured else "",
        "" if off is None else units.percent(off.changed),
        "same" if same else "" if off is None else f"{off.psnr_db:.1f} dB",
        point.values == found.reference,
        is_knee,
        forecast.basis if forecast is not None else "",
    )


def summary(found: Sweep, target: str, target_name: str) -> str:
    """Range, knee and agreement, in a sentence or two."""
    times = [t for point in found.points if (t := point.seconds(target)) is not None]
    parts = []
    if times:
        parts.append(
            f"{units.seconds(min(times))} to {units.seconds(max(times))} predicted on {target_name}"
        )
    knee = found.picture_knee
    if knee is not None:
        reference = ", ".join(found.reference)
        parts.append(
            f"the picture's difference from that at {reference} has its knee at "
            f"{', '.join(knee.values)}"
        )
    text = "; ".join(parts)
    if found.part:
        text += f". Of the whole frame: {found.part} varies"
    agreed = found.agreement(found.device) if found.device in found.targets else None
    if agreed is not None:
        text += (
            f". Median error of the forecasts for {found.device}, measured here: "
            f"{units.percent(agreed.median_error)}"
        )
    return text
