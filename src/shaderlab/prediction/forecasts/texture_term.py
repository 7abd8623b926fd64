"""What reading textures adds to a forecast whose model has no price of it.

No published sample reads a texture; those of an H200 do, and what is assumed here was compared with
131 of them (`models.recipes.laws`).  The term is what a GPU's texture units need at least for the
reads that the trace counted, by the vendor's figures: texels filtered per second, fewer for wide
texels; or what memory needs at least for the distinct texels, where that is longer and the textures
are known.  A write of a texel
is taken for a read, in compute shaders as in fragment shaders.  Arithmetic may hide all of it, or
wait for it: the forecast with it lies between the longer of the two and their sum, and the band
reaches from the one to beyond the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shaderlab import units
from shaderlab.frontend.stage import Stage
from shaderlab.prediction.cost import Bound, Cost
from shaderlab.prediction.features.texture_work import TextureReads, moves_texels
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, TexturePrice, TextureShare
from shaderlab.prediction.line_shares import LineShares
from shaderlab.products import products

_FULL_RATE_BYTES = 4
"""Wider texels are filtered slower in proportion: of 16 bytes at a quarter of the rate; those that
are fetched alone at half."""
_TEXTURE = "texture"


@dataclass(frozen=True)
class Rates:
    """A GPU's published figures."""

    texels_per_s: float
    """Filtered bilinearly, of four bytes."""
    cache_bytes: float
    """Of the last level."""
    bytes_per_s: float
    """Of memory."""

    def seconds(self, reads: Sequence[TextureReads]) -> float:
        """What they take at least."""
        filtering = sum(each.reads * _passes(each) for each in reads) / self.texels_per_s
        return max(filtering, self._from_memory(reads) / self.bytes_per_s)

    def _from_memory(self, reads: Sequence[TextureReads]) -> float:
        """Bytes: all distinct texels once; where the cache does not hold them, what it lacks of
        them again with every read."""
        distinct = sum(each.texels * each.texel_bytes for each in reads)
        if distinct <= self.cache_bytes:
            return distinct
        missing = 1 - self.cache_bytes / distinct
        return max(distinct, missing * sum(each.reads * each.texel_bytes for each in reads))


def _passes(each: TextureReads) -> float:
    """Of the filter unit, for one read.

    Reads between two mip levels were not slower than those of one: most textures are magnified.
    """
    wide = each.texel_bytes / _FULL_RATE_BYTES
    passes = max(1.0, wide if each.filters else wide / 2)
    if each.filters and each.bound is not None and each.bound.size[2] > 1:
        passes *= 2.0
    return passes


def published(slug: str, *, computes: bool = False) -> Rates | None:
    """Of a target that is a product; `computes`: of the units that run a compute shader."""
    product = products().get(slug)
    if product is None:
        return None
    units_at_work = product.units if computes else product.units_drawing
    return Rates(
        units_at_work * product.core.texels * product.clock_hz,
        (product.cache_mib or 0.0) * 2**20,
        product.bandwidth_gbs * 1e9,
    )


def with_textures(forecast: Forecast, traced: TracedProgram) -> Forecast:
    """The forecast with the time of the frame's texture reads, as far as that can be said.

    One whose model priced them stays as it is, and so does one without a time.
    """
    if forecast.textures is not None or forecast.time_s is None:
        return forecast
    of_form = traced.form(forecast.form) or traced
    reads = of_form.texture_reads
    if not reads:
        return forecast
    count = _counted(reads)
    rates = published(forecast.target, computes=traced.program.stage is Stage.COMPUTE)
    if rates is None:
        why = (
            f"{count} are not priced: this target was fitted to no shader that has such work, and "
            "no texel rate of it is known. `shaderlab calibrate` prices texture reads for a device "
            "here."
        )
        return replace(
            forecast,
            textures=TextureShare(TexturePrice.NONE),
            warnings=(*forecast.warnings, why),
        )
    term_s = rates.seconds(reads)
    _, time_s, _ = forecast.interval_s
    if not time_s > 0:
        return forecast  # no time at all, as `claims` says
    low_s, with_s, high_s = joined(forecast.interval_s, term_s)
    why = (
        f"Includes a texture term of {units.seconds(term_s)} for {count}: an estimate from the "
        "GPU's published texel rate, cache and bandwidth, compared with measured times on an H200 "
        "alone; no shader this target was fitted to read textures."
    )
    return replace(
        forecast,
        time_s=with_s,
        low_s=low_s,
        high_s=high_s,
        lines=_lines(forecast, traced, time_s, with_s),
        cost=_cost(forecast.cost, time_s / with_s, term_s > time_s),
        textures=TextureShare(TexturePrice.PUBLISHED, term_s),
        warnings=(*forecast.warnings, why),
    )


def joined(interval_s: tuple[float, float, float], term_s: float) -> tuple[float, float, float]:
    """Low end, time and high end, in seconds, of a forecast with what its reads take."""
    low_s, time_s, high_s = interval_s
    with_s = math.hypot(time_s, term_s)
    return max(low_s, min(term_s, with_s)), with_s, high_s + term_s


def _counted(reads: Sequence[TextureReads]) -> str:
    """`50.3 M texture reads and 786 k writes`."""
    read = sum(each.reads for each in reads if not each.writes)
    written = sum(each.reads for each in reads if each.writes)
    parts = [f"{units.count(round(read))} texture reads"] if read else []
    if written:
        name = "writes" if read else "texture writes"
        parts.append(f"{units.count(round(written))} {name}")
    return " and ".join(parts)


def _cost(cost: Cost | None, kept: float, reads_lead: bool) -> Cost | None:
    """Shares of the longer time, of which the work priced before takes `kept`."""
    if cost is None:
        return None
    shares = {name: share * kept for name, share in cost.shares}
    shares[_TEXTURE] = shares.get(_TEXTURE, 0.0) + 1 - kept
    bound = Bound.WORK if reads_lead else cost.bound
    return replace(
        cost, bound=bound, shares=tuple(sorted(shares.items(), key=lambda each: -each[1]))
    )


def _lines(forecast: Forecast, traced: TracedProgram, time_s: float, with_s: float) -> LineShares:
    """Shares of the longer time; what the term adds divides over the lines that read."""
    if not forecast.lines:
        return forecast.lines
    shares = {(each.file, each.line): each.share * time_s / with_s for each in forecast.lines}
    work, analysis = traced.work, traced.analysis
    reads = np.array([moves_texels(kind) for kind in work.kinds], bool)[work.kind]
    amounts = np.bincount(work.instruction[reads], work.operations[reads])
    for index in np.flatnonzero(amounts).tolist():
        at = int(analysis.place[index])
        if at >= 0:
            key = analysis.places[at].file, analysis.places[at].line
            part = float(amounts[index] / amounts.sum()) * (1 - time_s / with_s)
            shares[key] = shares.get(key, 0.0) + part
    ordered = sorted(shares.items(), key=lambda each: (-each[1], each[0]))
    return LineShares([(*where, share) for where, share in ordered])
