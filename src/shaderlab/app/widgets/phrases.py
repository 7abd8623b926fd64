"""Wording that several panels share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.prediction.forecast import Status
from shaderlab.prediction.forms import Form

if TYPE_CHECKING:
    from shaderlab.spirv.trace import Trace

STATUS_WORDS = {
    Status.OK: "",
    Status.LOWER_BOUND: "a lower bound: part of the frame was not counted or has no price",
    Status.ESTIMATE: "an estimate: counts or prices are assumed",
    Status.NONE: "no time",
}
"""What a forecast claims, where that is not a time with its band."""

SINCE_PIN, VS_PREVIOUS = "since pin", "vs previous"
"""What a change is measured from: the pinned variant, the version that compiled before."""

FORM_NAMES = {
    Form.WRITTEN: "as written",
    Form.OPTIMIZED: "optimised program",
    Form.COMPILED: "compiled program",
    Form.UNROLLED: "compiled program, loops unrolled",
}
"""What a number was predicted from."""


def round_seconds(seconds: float) -> str:
    """`10 ms`, where the exact value of a measured time would be `10.0 ms`."""
    number, _, unit = units.seconds(seconds).partition(" ")
    return f"{float(number):g} {unit}"


def line_ranges(lines: Sequence[int]) -> str:
    """Ascending line numbers as ranges and single numbers: `3, 5\u20137`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}\u2013{b}" if b > a else f"{a}" for a, b in runs)


def frame_caption(trace: Trace, edited_pass: str = "", *, is_launched: bool = False) -> str:
    """Which run counts or forecasts describe: of a frame with passes, that of one alone.

    `is_launched`: of a compute shader.
    """
    width, height = trace.size
    if is_launched:
        return f"One dispatch of {width * height:,} invocations"
    what = f"The pass {edited_pass} alone, not the frame:" if edited_pass else "One frame of"
    return f"{what} {width} \u00d7 {height} pixels at time {trace.time_s:g} s"
