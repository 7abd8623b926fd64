"""Forecasts without a trace, for programs that cannot be run: likely counts, a band that shows it.

The band joins two errors that have nothing to do with each other: the method's own, and how far
forecasts from likely counts lie from those of a real trace.  Their widths add as the squares of
logarithms do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.frontend.stage import Stage
from shaderlab.prediction.catalogue.targets import Target, catalogue
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import COUNTS_ESTIMATED, Forecast, Status, Validation
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forecasts.claims import (
    Evidence,
    atomics_of,
    claim,
    copied_array,
)
from shaderlab.prediction.forecasts.compute_work import (
    atomics_left_out,
    claimed,
    compute_forecast,
    least_launch_s,
)
from shaderlab.prediction.forecasts.static_counts import Spread, StaticCounts
from shaderlab.prediction.forecasts.texture_term import with_textures
from shaderlab.prediction.line_shares import NO_LINES
from shaderlab.spirv.analysis.dispatch import Dispatch

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program

_UNJUDGED = Validation(
    None,
    None,
    None,
    "Not validated for this target. Where counts were estimated, seven compute shaders whose loops "
    "end by push constants were off by 23 % (llvmpipe) and 35 % (SwiftShader) in the mean, others "
    "by up to eight times (python -m tests.benchmarks.compute_kernels --large --fit).",
)
_WARNING = "Not run: execution counts are estimated from the source."


def predict_static(
    program: Program,
    targets: Sequence[str] | None = None,
    models_dir: Path | None = None,
    method: str | None = None,
    unfinished: str = "",
    size: tuple[int, int] = (1024, 768),
    dispatch: Dispatch | None = None,
) -> tuple[Forecast, ...]:
    """As `predict.predict`, of a program that was not run, for a frame of the canonical run
    but for its `size`, or of a compute shader for a `dispatch`.

    `unfinished`: why a run did not come to its end, as a sentence; then there is no time either.
    Raises also `InvalidModel` where `static.json` is missing or damaged, and `InvalidModule`.
    """
    chosen = catalogue(models_dir).choose(targets)
    counts = static_counts.read(models_dir)
    counted = counts.count(program, size, dispatch)
    traced = TracedProgram(program, counted.trace)
    if program.stage is Stage.COMPUTE:
        return tuple(
            _of_dispatch(target, traced, counts, counted.guessed, unfinished) for target in chosen
        )
    evidence = Evidence(
        estimated=True,
        unfinished=unfinished,
        copied=copied_array(traced),
        atomics=atomics_of(traced),
    )
    return tuple(
        claim(
            without_trace(
                with_textures(target.forecast(traced, method), traced),
                counts,
                counted.guessed,
                target.card.target.floor_s or 0.0,
            ),
            evidence,
            target.card.target.device,
        )
        for target in chosen
    )


def _of_dispatch(
    target: Target, traced: TracedProgram, counts: StaticCounts, guessed: bool, unfinished: str
) -> Forecast:
    """Of a compute shader; how far off it is was measured on software devices only."""
    forecast = compute_forecast(target, traced)
    if forecast.time_s is None or unfinished:
        warnings = (*((unfinished,) if unfinished else ()), *forecast.warnings)
        return replace(
            forecast, time_s=None, low_s=None, high_s=None, lines=NO_LINES, cost=None,
            status=Status.NONE, warnings=warnings,
        )  # fmt: skip
    estimated = without_trace(forecast, counts, guessed, least_launch_s(target))
    left_out = atomics_left_out(target, Evidence(atomics=atomics_of(traced)))
    return claimed(replace(estimated, validated=_UNJUDGED), left_out, ())


def without_trace(
    forecast: Forecast, counts: StaticCounts, guessed: bool, floor_s: float = 0.0
) -> Forecast:
    """A forecast made from likely counts, marked as such and with the band it deserves.

    The band never falls below `floor_s` for lack of a trace.
    """
    spread = counts.spread(guessed)
    low, high = band(*forecast.interval_s, spread)
    trips = (
        "loop trip counts are guessed from real shaders"
        if guessed
        else "its loops' trip counts are constant or follow from the launch"
    )
    basis = (
        f"Not run: {trips}, and branches follow real shaders' odds. "
        f"Compared with forecasts from a trace, {units.percent(counts.level)} of {spread.n} such "
        f"shaders lay between {spread.low:.2g} and {spread.high:.2g} times; the band allows for "
        f"that. "
        f"{forecast.basis}"
    )
    validated = counts.error(forecast.target, forecast.method, guessed)
    return replace(
        forecast,
        low_s=max(low, min(floor_s, forecast.interval_s[0])),
        high_s=high,
        method=f"{forecast.method}, {COUNTS_ESTIMATED}",
        basis=basis,
        validated=validated
        or Validation(None, None, None, "Not validated on this target where counts are estimated."),
        warnings=(_WARNING, *forecast.warnings),
    )


def band(low_s: float, time_s: float, high_s: float, spread: Spread) -> tuple[float, float]:
    """Low and high end, seconds, of a band that `spread` is added to."""
    if not time_s > 0:
        return low_s, high_s
    below = math.hypot(math.log(time_s / low_s) if low_s > 0 else 0.0, math.log(spread.low))
    above = math.hypot(math.log(high_s / time_s), math.log(spread.high))
    return time_s * math.exp(-below), time_s * math.exp(above)
