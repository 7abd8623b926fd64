"""The time of a compute shader, by prices that were fitted to fragment shaders.

No model was fitted to compute shaders.  A dispatch's counts are priced operation by operation as a
fragment shader's are, 32 consecutive invocations of a workgroup taken for a warp, with the launch
of a dispatch in place of the floor of a render pass.  What fragment shaders have no price for,
buffers, shared memory, atomics and barriers, was fitted on the two software devices to twelve
kernels of our own (`tests.benchmarks.compute_kernels --large --fit`), each kernel judged by a fit
to the others.  On GPUs published bandwidth stands in for buffers, one GPU's launch and latencies
for every other's, and atomics make a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from shaderlab import units
from shaderlab.prediction.catalogue.targets import Target
from shaderlab.prediction.cost import LAUNCH, Bound, Cost
from shaderlab.prediction.features.memory_accesses import MemoryAccesses, Reached
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import (
    Forecast,
    Side,
    Status,
    TexturePrice,
    TextureShare,
    Validation,
)
from shaderlab.prediction.forecasts.claims import Evidence
from shaderlab.prediction.forecasts.texture_term import published, with_textures
from shaderlab.prediction.line_shares import LineShares
from shaderlab.prediction.models.model import StageCost
from shaderlab.products import products
from shaderlab.spirv.module import printable
from shaderlab.spirv.trace import SourceLine

LOW, HIGH = 0.2, 8.0
"""Ends of the band, times the predicted time, where no device was measured: as far down as on
software devices and further up, since nothing of a GPU's memory was measured."""
_LAUNCH_S, _LONGEST_LAUNCH_S = 5.2e-6, 20e-6
"""Of a dispatch on a GPU with its barrier.  Measured on one, an NVIDIA H200 with driver 580.159:
the least of twelve kernels took 5.3 µs, an empty one 3.6.  That others launch as fast is our
assumption, and so is the upper end."""
_LOAD_S, _BARRIER_S = 1.2e-7, 4.5e-8
"""What an invocation waits for a load from a buffer that the next step needs, and for its
workgroup, on the same H200, fitted to nine kernels of 4,096 to 65,536 elements.  Dispatches too
small to fill a GPU, and loops that all invocations go through alike, take these and little else."""
GATHER_BYTES = 1 << 19
"""From this size on, gathers out of a buffer took up to 6.4 times the forecast: Lennard-Jones on
llvmpipe 0.9 times at 128 KiB, 2.3 at 512 KiB, 4.5 at 2 MiB; on SwiftShader 1.0, 2.7 and 3.9 at
512 KiB, 2 and 8 MiB (`tests.benchmarks.compute_kernels --large`; 1 MiB of second-level cache)."""
_SECTOR = 32
"""Bytes that a gathered access may move, in the upper end of a GPU's band."""
_BYTES = 4
"""Of an access, which no cache is taken to serve."""
_MEMORY = "memory"


@dataclass(frozen=True)
class Prices:
    """Of a software device: seconds of processor time, and the errors of kernels left out."""

    dispatch: float
    priced: float
    """Factor on what fragment shaders' prices give."""
    buffer: float
    shared: float
    atomic: float
    barrier: float
    low: float
    """Measured over predicted time of kernels left out of the fit, the least and the most."""
    high: float
    mape: float
    median: float
    spearman: float
    """The lowest over sizes of one kernel."""

    def of_memory(self, reached: Reached) -> float:
        """Seconds of accesses."""
        return (
            self.buffer * reached.buffer
            + self.shared * reached.shared
            + self.atomic * reached.atomic
            + self.barrier * reached.barrier
        )


PRICES: dict[str, Prices] = {
    "llvmpipe": Prices(
        dispatch=3.33e-5, priced=7.47, buffer=3.44e-10, shared=0.0, atomic=1.47e-8,
        barrier=1.57e-9, low=0.43, high=6.09, mape=0.350, median=0.277, spearman=0.98,
    ),
    "swiftshader": Prices(
        dispatch=4.94e-5, priced=0.350, buffer=4.46e-11, shared=1.48e-8, atomic=1.50e-8,
        barrier=3.19e-8, low=0.30, high=5.60, mape=0.405, median=0.257, spearman=0.98,
    ),
}  # fmt: skip
"""By device: what `tests.benchmarks.compute_kernels --large --fit` prints."""

_UNKNOWN = Validation(
    None, None, None, "Not validated: no compute shader was measured on this target."
)
MEASURED = "h200"
"""The GPU that launches and waits were measured on."""
_ELSEWHERE = "are an NVIDIA H200's: none was measured on this GPU"
_ON_MEASURED = Validation(
    0.388,
    None,
    27,
    "Nine compute shaders of our own at three sizes from 4,096 to 65,536 elements, each forecast"
    " with waits fitted to the others (python -m tests.benchmarks.compute_waits).",
    median_ape=0.353,
    within20=0.30,
)
_SAMPLES = 78
_SOURCE = (
    "Twelve compute shaders of our own at up to eight sizes from 2,048 to 4,194,304 elements, each"
    " forecast by a fit to the other eleven"
    " (python -m tests.benchmarks.compute_kernels --large --fit)."
)


def compute_forecast(target: Target, traced: TracedProgram) -> Forecast:
    """Of a dispatch; without a time where no method of the target prices its counts."""
    found = _launched(target, with_textures(_priced(target, traced), traced))
    if found.time_s is None or not (large := _gathers(traced)):
        return found
    return replace(found, warnings=(large, *found.warnings))


def least_launch_s(target: Target) -> float:
    """Low end of what launching alone takes."""
    prices = PRICES.get(target.device)
    return prices.low * prices.dispatch if prices else LOW * _LAUNCH_S


def _launched(target: Target, forecast: Forecast) -> Forecast:
    """With the launch, which is no part of what its work takes and is added to it."""
    if forecast.time_s is None:
        return forecast
    prices = PRICES.get(target.device)
    launch_s, most_s = (
        (prices.dispatch, prices.high * prices.dispatch)
        if prices
        else (_LAUNCH_S, _LONGEST_LAUNCH_S)
    )
    low_s, work_s, high_s = forecast.interval_s
    time_s = launch_s + work_s
    kept = work_s / time_s
    bound = Bound.WORK if launch_s < work_s else Bound.LAUNCH
    shares = {LAUNCH: 1 - kept}
    if forecast.cost is not None and work_s:
        shares |= {name: share * kept for name, share in forecast.cost.shares}
    return replace(
        forecast,
        low_s=least_launch_s(target) + low_s,
        time_s=time_s,
        high_s=most_s + high_s,
        lines=forecast.lines.scaled(kept),
        cost=Cost(bound, tuple(sorted(shares.items(), key=lambda each: -each[1]))),
    )


def atomics_left_out(target: Target, evidence: Evidence) -> tuple[str, ...]:
    """Why a time leaves out atomic operations, by line; empty where they have a price."""
    return () if target.device in PRICES else evidence.atomics


def _gathers(traced: TracedProgram) -> str:
    """A warning about gathers from a buffer too large for caches; empty without them."""
    large = [each for each in traced.trace.gathered if each[1] >= GATHER_BYTES]
    if not large:
        return ""
    name, nbytes = large[0]
    return (
        f"Indices read from a buffer gather from {printable(name)} ({nbytes / 2**20:.1f} MiB):"
        " where it did not fit into cache, such compute shaders took 2 to 6.4 times the forecast."
    )


def _priced(target: Target, traced: TracedProgram) -> Forecast:
    cost = target.stage_cost(traced)
    # A regression over all instructions hides prices of zero and less in its other terms.
    if cost is None or not cost.shares:
        return Forecast(
            target.card.target.slug,
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
    reached = traced.memory
    prices = PRICES.get(target.device)
    if prices is None:
        return _on_gpu(target, traced, cost, reached)
    work_s = prices.priced * cost.time_s
    time_s = work_s + prices.of_memory(reached.total)
    return _forecast(
        target,
        cost,
        (time_s * prices.low, time_s, time_s * prices.high),
        _lines(cost, work_s, {at: prices.of_memory(each) for at, each in reached.lines.items()}),
        work_s,
        f"{traced.instructions:,} instructions priced as a fragment shader's, and buffers, shared"
        " memory, atomics and barriers by what twelve compute shaders took on this device. The band"
        f" spans the errors of held-out shaders: {prices.low:.2g} to"
        f" {prices.high:.2g} times as long.",
        Validation(prices.mape, prices.spearman, _SAMPLES, _SOURCE, median_ape=prices.median),
    )


def _on_gpu(
    target: Target, traced: TracedProgram, cost: StageCost, reached: MemoryAccesses
) -> Forecast:
    slug = target.card.target.slug
    rates, cost = published(slug), _on_all_units(slug, cost)
    per_access_s = _BYTES / rates.bytes_per_s if rates else 0.0
    memory_s = per_access_s * reached.total.buffer
    loads, barriers = traced.waits.loads, traced.waits.barriers
    waiting_s = {at: _LOAD_S * n for at, n in loads.items()}
    for at, n in barriers.items():
        waiting_s[at] = waiting_s.get(at, 0.0) + _BARRIER_S * n
    waited_s = sum(waiting_s.values())
    time_s = math.hypot(cost.time_s, memory_s, waited_s)
    low_s = LOW * (cost.time_s or time_s)
    moved_s = memory_s * (_SECTOR / _BYTES if _gathers(traced) else 1)
    high_s = HIGH * math.hypot(cost.time_s, moved_s, waited_s)
    memory = (
        f"buffers by the GPU's published bandwidth, as if no cache served any of"
        f" {reached.total.buffer:,} accesses"
        if rates
        else "buffers not at all, since no bandwidth of it is known"
    )
    return _forecast(
        target,
        cost,
        (low_s, time_s, high_s),
        _lines(
            cost,
            cost.time_s,
            {
                at: per_access_s * each.buffer + waiting_s.get(at, 0.0)
                for at, each in reached.lines.items()
            },
        ),
        cost.time_s,
        f"{traced.instructions:,} instructions priced as a fragment shader's, {memory}; shared"
        f" memory and atomics have no price. An invocation waits {units.seconds(waited_s)} for"
        f" {sum(loads.values()):.3g} loads and {sum(barriers.values()):.3g} barriers in turn."
        f" Launching is taken for {units.seconds(_LAUNCH_S)}, with its barrier. Launch and waits"
        f" {'were measured on it' if slug == MEASURED else _ELSEWHERE}. The band allows for a"
        f" launch of up to {units.seconds(_LONGEST_LAUNCH_S)}.",
        _ON_MEASURED if slug == MEASURED else _UNKNOWN,
    )


def _on_all_units(slug: str, cost: StageCost) -> StageCost:
    """Of a fragment shader's work, where more units compute than draw: an H200 has 132 and 4."""
    product = products().get(slug)
    if product is None or product.units_drawing == product.units:
        return cost
    return replace(cost, time_s=cost.time_s * product.units_drawing / product.units)


def _forecast(
    target: Target,
    cost: StageCost,
    interval_s: tuple[float, float, float],
    lines_s: Mapping[SourceLine, float],
    work_s: float,
    basis: str,
    validated: Validation,
) -> Forecast:
    low_s, time_s, high_s = interval_s
    part = min(1.0, work_s / time_s) if time_s else 0.0
    shares = {name: share * part for name, share in cost.shares}
    shares[_MEMORY] = shares.get(_MEMORY, 0.0) + 1 - part
    return Forecast(
        target.card.target.slug, time_s, low_s, high_s, cost.method, basis, validated,
        lines=_shares(lines_s, time_s),
        cost=Cost(Bound.WORK, tuple(sorted(shares.items(), key=lambda each: -each[1]))),
        textures=TextureShare(TexturePrice.FITTED) if cost.prices_textures else None,
        rests_on=target.rests_on,
    )  # fmt: skip


def _lines(
    cost: StageCost, work_s: float, memory_s: Mapping[SourceLine, float]
) -> Mapping[SourceLine, float]:
    """Seconds by line: the priced work's and those of its accesses."""
    found = {SourceLine(each.file, each.line): each.share * work_s for each in cost.lines}
    for line, seconds in memory_s.items():
        found[line] = found.get(line, 0.0) + seconds
    return found


def _shares(lines_s: Mapping[SourceLine, float], time_s: float) -> LineShares:
    """Descending; where memory and arithmetic overlap they are scaled to sum to 1."""
    whole = max(time_s, sum(lines_s.values()))
    ordered = sorted(lines_s.items(), key=lambda each: -each[1])
    return LineShares((at.file, at.line, seconds / whole) for at, seconds in ordered if seconds)


def claimed(forecast: Forecast, cut: tuple[str, ...], assumed: tuple[str, ...]) -> Forecast:
    """What it may claim: an estimate at best."""
    if forecast.status is Status.NONE:
        return replace(forecast, warnings=(*assumed, *forecast.warnings))
    warnings = (_sentence(), *assumed, *forecast.warnings)
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


def _sentence() -> str:
    known = list(PRICES.values())
    tried = (
        f" On software devices, the only ones tried, twelve compute shaders took"
        f" {min(each.low for each in known):.2g} to {max(each.high for each in known):.2g} times"
        " as long as predicted."
        if known
        else ""
    )
    return f"An estimate: prices were fitted on fragment shaders.{tried}"
