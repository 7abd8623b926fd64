"""Which times of others do not look like their device's: listed before they are used.

A device's times are laid through a robust regression on what its shaders executed.  It is coarse
(a typical error is stated with each answer), so it finds wrong units, other devices under a known
name and broken clocks, and no small lies.  Where the same draw was measured before on the same kind
of device, that says more, and times are compared directly.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from shaderlab.samples.sample import Sample

FEWEST = 20
"""Samples of a device for a regression."""
_DEVIATIONS = 4.0
"""Robust standard deviations from which on a time is an outlier."""
_LEAST_FACTOR = 3.0
"""No time is an outlier below this factor, however well the others agree."""
_REPEAT_FACTOR = 1.5
"""By which two measurements of one draw may differ, once what all of them differ by is taken out:
the clock and the machine are a contributor's own."""
_STEPS = 30
_HUBER = 1.5


@dataclass(frozen=True)
class Outlier:
    """One sample whose time is not believed."""

    id: str
    device: str
    """Slug."""
    time_s: float
    expected_s: float
    reason: str


@dataclass(frozen=True)
class Judged:
    """What became of one device's new samples."""

    device: str
    """Slug."""
    samples: int
    typical: float | None
    """Median relative error of the regression; None where there are too few samples for one."""
    outliers: tuple[Outlier, ...]
    """By id."""
    repeats: int
    """Samples whose draw was measured before on this kind of device."""
    pace: float | None
    """Median ratio of these times to the earlier ones; None without repeats."""


def judge(new: Sequence[Sample], known: Iterable[Sample] = ()) -> list[Judged]:
    """By device: `new` samples beside those that are `known` and trusted."""
    fresh = {each.id for each in new}
    trusted = _by_device(each for each in known if each.id not in fresh)
    return [
        _judge(device[0], samples, trusted.get(device, []))
        for device, samples in sorted(_by_device(new).items())
    ]


def _by_device(samples: Iterable[Sample]) -> dict[tuple[str, str], list[Sample]]:
    found: dict[tuple[str, str], list[Sample]] = {}
    for each in samples:
        found.setdefault((each.device.slug, each.timing.clock), []).append(each)
    return found


def _judge(slug: str, new: list[Sample], known: list[Sample]) -> Judged:
    outliers: dict[str, Outlier] = {}
    counted = [each for each in new if each.trace is not None]
    base = [each for each in known if each.trace is not None]
    typical = None
    if len(counted) + len(base) >= FEWEST:
        found = _against_regression(counted, base)
        typical = found[0]
        outliers = {each.id: each for each in found[1]}
    repeats, pace, disagreeing = _against_repeats(new, known)
    outliers |= {each.id: each for each in disagreeing}
    ordered = tuple(outliers[id] for id in sorted(outliers))
    return Judged(slug, len(new), typical, ordered, repeats, pace)


def _against_regression(new: list[Sample], known: list[Sample]) -> tuple[float, list[Outlier]]:
    """Typical relative error, and what lies far from the line through all."""
    both = [*new, *known]
    features, times = _features(both), np.log([each.timing.time_s for each in both])
    weights = np.ones(len(both))
    residuals, spread = times, 0.0
    for _ in range(_STEPS):
        root = np.sqrt(weights)
        fit = np.linalg.lstsq(features * root[:, None], times * root, rcond=None)[0]
        residuals = times - features @ fit
        spread = max(1.4826 * float(np.median(np.abs(residuals))), 1e-3)
        weights = np.minimum(1.0, _HUBER * spread / np.maximum(np.abs(residuals), 1e-12))
    limit = max(_DEVIATIONS * spread, math.log(_LEAST_FACTOR))
    typical = float(np.expm1(np.median(np.abs(residuals))))
    outliers = [
        Outlier(
            each.id,
            each.device.slug,
            each.timing.time_s,
            each.timing.time_s / math.exp(off),
            f"{_factor(off)} than expected from what it executes",
        )
        for each, off in zip(new, residuals.tolist(), strict=False)
        if abs(off) > limit
    ]
    return typical, outliers


def _features(samples: Sequence[Sample]) -> np.ndarray:
    """(n, 3): a column for the constant, logarithms of executed and of extended instructions."""
    opcodes = [each.trace.opcodes if each.trace else {} for each in samples]
    executed = [float(sum(each.values())) for each in opcodes]
    extended = [float(each.get("OpExtInst", 0)) for each in opcodes]
    columns = (np.ones(len(samples)), np.log1p(executed), np.log1p(extended))
    return np.stack(columns, axis=1).astype(float)


def _against_repeats(
    new: list[Sample], known: list[Sample]
) -> tuple[int, float | None, list[Outlier]]:
    """How many draws were measured before, by what they differ in all, and which differ more."""
    earlier: dict[Hashable, list[float]] = {}
    for each in known:
        earlier.setdefault(_draw(each), []).append(each.timing.time_s)
    pairs = [
        (each, float(np.median(earlier[_draw(each)]))) for each in new if _draw(each) in earlier
    ]
    if not pairs:
        return 0, None, []
    offs = np.array([math.log(each.timing.time_s / then_s) for each, then_s in pairs])
    pace = float(np.median(offs)) if len(pairs) >= 3 else 0.0
    outliers = [
        Outlier(
            each.id,
            each.device.slug,
            each.timing.time_s,
            then_s * math.exp(pace),
            f"{_factor(off - pace)} than the same draw measured before",
        )
        for (each, then_s), off in zip(pairs, offs.tolist(), strict=True)
        if abs(off - pace) > math.log(_REPEAT_FACTOR)
    ]
    return len(pairs), math.exp(float(np.median(offs))), outliers


def _draw(sample: Sample) -> Hashable:
    """Program, inputs, textures and launch: what two measurements of the same have in common."""
    given = repr((astuple(sample.inputs), sample.textures, sample.launch))
    return sample.program.digest, given


def _factor(off: float) -> str:
    return f"{math.exp(abs(off)):.3g} times {'longer' if off > 0 else 'shorter'}"
