"""The time of a compute shader, by prices that were fitted to fragment shaders.

No model was fitted to compute shaders.  So a dispatch's counts are priced operation by operation as
a fragment shader's are, 32 consecutive invocations of a workgroup taken for a warp, without the
floor of a render pass.  Twelve kernels on the two software drivers say how far that is off; memory
that a cache does not hold, shared memory, barriers and atomics have no price of their own.
"""

from __future__ import annotations

from dataclasses import replace

from shaderlab.prediction.catalogue.targets import Target
from shaderlab.prediction.cost import Bound, Cost
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation

LOW, HIGH = 0.2, 8.0
"""Ends of the band, times the predicted time, where no device was measured: beyond what was seen on
software devices (`_MEASURED`), since a GPU may differ more."""
_FLOORS_S = {"llvmpipe": 60e-6, "swiftshader": 60e-6}
"""Seconds of a dispatch that does nothing, of all processors together."""
_MEASURED = {
    "llvmpipe": (0.2, 4.0, 0.5, 0.5, 0.9),
    "swiftshader": (0.2, 4.0, 0.5, 0.5, 0.9),
}
_SOURCE = (
    "Measured on twelve kernels of our own at four sizes on this device (python -m"
    " tests.benchmarks.compute_kernels); its prices were fitted to fragment shaders."
)
_UNKNOWN = Validation(
    None, None, None, "Not validated: no compute shader was measured on this target."
)
SENTENCE = (
    "An estimate: prices were fitted on fragment shaders, and no model was judged on compute"
    " shaders. On software devices, the only ones tried, most of twelve kernels took"
    " {span} as long as predicted."
)


def compute_forecast(target: Target, traced: TracedProgram) -> Forecast:
    """Of a dispatch; without a time where no method of the target prices its counts."""
    slug = target.card.target.slug
    cost = target.stage_cost(traced)
    if cost is None:
        return Forecast(
            slug,
            None,
            None,
            None,
            target.methods[0].name,
            "No method of this target prices operations one by one.",
            _UNKNOWN,
            warnings=("No method of this target can price a compute shader.",),
            status=Status.NONE,
            domain=Side.OUTSIDE,
        )
    floor_s = _FLOORS_S.get(target.device, 0.0)
    time_s = floor_s + cost.time_s
    known = _MEASURED.get(target.device)
    low, high = known[:2] if known else (LOW, HIGH)
    validated = _UNKNOWN
    if known:
        validated = Validation(known[3], known[4], 48, _SOURCE, median_ape=known[2])
    return Forecast(
        slug,
        time_s,
        time_s * low,
        time_s * high,
        cost.method,
        f"{traced.instructions:,} instructions priced as a fragment shader's, without a render"
        f" pass. The band is {low:g} to {high:g} times the time.",
        validated,
        lines=cost.lines,
        cost=Cost(Bound.WORK, tuple(cost.shares), None) if cost.shares else None,
    )


def claimed(forecast: Forecast, cut: tuple[str, ...], assumed: tuple[str, ...]) -> Forecast:
    """What it may claim: an estimate at best."""
    if forecast.status is Status.NONE:
        return replace(forecast, warnings=(*assumed, *forecast.warnings))
    warnings = (SENTENCE.format(span=_span()), *assumed, *forecast.warnings)
    if cut:
        return replace(
            forecast,
            time_s=None,
            high_s=None,
            status=Status.LOWER_BOUND,
            domain=Side.OUTSIDE,
            basis=f"A lower bound, the low end of this: {forecast.basis}",
            warnings=(*(f"A lower bound: {each}." for each in cut), *warnings),
        )
    return replace(forecast, status=Status.ESTIMATE, domain=Side.OUTSIDE, warnings=warnings)


def _span() -> str:
    low = min(each[0] for each in _MEASURED.values())
    high = max(each[1] for each in _MEASURED.values())
    return f"{low:g} to {high:g} times"
