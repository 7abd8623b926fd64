"""Forecasts of draws that share a render pass.

A forecast is of a draw in a pass of its own, which takes its time even where nothing is drawn: a
hundred small draws in one pass would be predicted a hundred empty passes too long.  Here a pass
takes as long as the work of its draws, and at least as long as an empty one.  That draws of one
pass neither overlap nor wait for each other is assumed; nothing validates it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shaderlab.prediction.forecast import Forecast, TexturePrice


def in_passes(
    alone: Mapping[int, Sequence[Forecast]], passes: Mapping[int, int]
) -> dict[int, tuple[Forecast, ...]]:
    """Each draw's forecasts as its part of its pass; by draw, as `alone`.

    `passes`: the number of each draw's pass.  Passes of one draw, and those with a draw whose work
    is not known apart from its pass on a target, keep what they have.
    """
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for draw in alone:
        groups[passes.get(draw, -1 - draw)].append(draw)
    found = {draw: tuple(forecasts) for draw, forecasts in alone.items()}
    for draws in groups.values():
        if len(draws) > 1:
            for target in {each.target for each in alone[draws[0]]}:
                _share(found, draws, target)
    return found


def _share(found: dict[int, tuple[Forecast, ...]], draws: Sequence[int], target: str) -> None:
    own = {d: next((f for f in found[d] if f.target == target), None) for d in draws}
    known = {d: f for d, f in own.items() if f is not None}
    work_s = {d: work for d, f in known.items() if (work := _work_s(f)) is not None}
    if len(work_s) < len(draws):
        return
    whole_s = sum(work_s.values())
    empty_s = max(f.cost.pass_s or 0.0 for f in known.values() if f.cost is not None)
    pass_s = max(whole_s, empty_s)
    for draw, forecast in known.items():
        share = work_s[draw] / whole_s if whole_s else 1 / len(draws)
        part = _scaled(forecast, pass_s * share, pass_s / whole_s if whole_s else 1.0)
        found[draw] = tuple(part if each.target == target else each for each in found[draw])


def _work_s(forecast: Forecast) -> float | None:
    """Seconds of all its work; None where it is not known, or the forecast claims less."""
    cost, textures, vertex = forecast.cost, forecast.textures, forecast.vertex
    if cost is None or cost.work_s is None or cost.pass_s is None or not forecast.time_s:
        return None
    work_s = cost.work_s
    if textures is not None and textures.price is TexturePrice.PUBLISHED:
        work_s = math.hypot(work_s, textures.time_s or 0.0)
    if vertex is not None and vertex.time_s is not None:
        work_s += vertex.time_s
    return work_s


def _scaled(forecast: Forecast, time_s: float, work_factor: float) -> Forecast:
    """The same band in proportion, about another time; its vertex stage's by `work_factor`."""
    low_s, own_s, high_s = forecast.interval_s
    factor = time_s / own_s
    vertex = forecast.vertex
    if vertex is not None and vertex.time_s is not None:
        own = (vertex.time_s, vertex.low_s or 0.0, vertex.high_s or 0.0)
        its_s, its_low_s, its_high_s = (each * work_factor for each in own)
        vertex = replace(vertex, time_s=its_s, low_s=its_low_s, high_s=its_high_s)
    return replace(
        forecast, time_s=time_s, low_s=low_s * factor, high_s=high_s * factor, vertex=vertex
    )
