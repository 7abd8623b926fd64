"""Forecasts compared with budgets and with those of the base; which lines a difference is of."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from shaderlab.checks.budgets import Limit
from shaderlab.checks.outcome import (
    FREE,
    OVER,
    SLOWER,
    UNKNOWN,
    WITHIN,
    Cause,
    Change,
    Check,
    CheckedFile,
    LineTime,
    TargetTime,
)
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.forecast import Side, Status
from shaderlab.prediction.forms import method_name

Bands = Mapping[tuple[str, str], ChangeBand]
"""By target and method."""

_MOST_CAUSES = 5
_LEAST_S = 1e-12
"""No time of a shader: a baseline may say so, and its ratio would be beyond numbers."""
_LEAST_SHARE = 0.002
"""Of the time: a smaller difference of a line is not named."""


def checks_of(
    now: CheckedFile,
    limits: Mapping[str, Limit],
    base: CheckedFile | None,
    *,
    compared: bool,
    bands: Bands,
) -> tuple[Check, ...]:
    """A check for each target that has a time or a limit.

    `base`: the same file there; None where it is new.  `compared`: whether there is a base at all.
    """
    times = {each.target: each for each in now.times}
    return tuple(
        _check(now.file, times[target], limit, base, compared, bands)
        for target, limit in limits.items()
        if target in times
    )


def _check(
    file: str,
    now: TargetTime,
    limit: Limit,
    base: CheckedFile | None,
    compared: bool,
    bands: Bands,
) -> Check:
    within = kept(now.time_s, now.low_s, limit.seconds)
    change = _change(now, limit, base, bands) if compared else None
    must_grow_less = change is not None and change.limit is not None
    grown = change.within if change is not None and must_grow_less else True
    verdict = _verdict(within if limit.seconds is not None else True, grown)
    if verdict == WITHIN and limit.seconds is None and not must_grow_less:
        verdict = FREE
    return Check(
        file,
        now.target,
        limit.seconds,
        now.time_s,
        now.low_s,
        now.high_s,
        now.status,
        now.domain,
        now.method,
        within,
        verdict,
        verdict in (WITHIN, FREE),
        now.warnings,
        change,
    )


def kept(time_s: float | None, low_s: float | None, budget_s: float | None) -> bool | None:
    """Whether a forecast keeps a budget: its time decides, band and warnings qualify it.

    Of a lower bound only that it is over can be known, of a forecast without a time nothing.
    """
    if budget_s is None:
        return None
    if time_s is not None:
        return time_s <= budget_s
    return False if low_s is not None and low_s > budget_s else None


def _verdict(within: bool | None, grown: bool | None) -> str:
    if within is False:
        return OVER
    if grown is False:
        return SLOWER
    return WITHIN if within and grown else UNKNOWN


def _change(now: TargetTime, limit: Limit, base: CheckedFile | None, bands: Bands) -> Change:
    if base is None:
        return Change(None, note="new: the base has no such file")
    if base.error:
        return Change(None, note=f"the base has no time: {base.error}")
    then = next((each for each in base.times if each.target == now.target), None)
    if then is None:
        return Change(None, note="the base has no time on this target")
    if now.time_s is None or then.time_s is None or then.time_s < _LEAST_S:
        side = "the base" if now.time_s is not None else "this version"
        return Change(None, limit=limit.increase, note=f"{side} has no time to compare")
    if now.comparable != then.comparable:
        before, after = method_name(then.method), method_name(now.method)
        note = f"predicted in another way: {before} before, {after} now"
        return Change(None, limit=limit.increase, note=note)
    ratio = now.time_s / then.time_s
    sure = all(each.status == Status.OK and each.domain == Side.INSIDE for each in (now, then))
    band = bands.get((now.target, now.method)) if sure else None
    low, high = map(math.exp, band.ends(math.log(ratio))) if band and ratio > 0 else (None, None)
    unchanged = now.lines == then.lines and ratio == 1
    within = None if limit.increase is None else ratio - 1 <= limit.increase
    causes = () if unchanged else causes_of(now.lines, then.lines, now.time_s)
    return Change(then.time_s, ratio, low, high, limit.increase, within, causes)


def causes_of(
    now: Sequence[LineTime], then: Sequence[LineTime], whole_s: float
) -> tuple[Cause, ...]:
    """Lines that take another time, the largest difference first.

    Lines belong together by their text and order; where some were replaced, as many old ones as new
    ones are taken for edited, in order.
    """
    found = []
    texts_now, texts_then = _by_text(now), _by_text(then)
    for part in texts_now.keys() | texts_then.keys():
        found += _paired(texts_now.get(part, []), texts_then.get(part, []))
    least = _LEAST_SHARE * whole_s
    notable = [each for each in found if abs(each.by_s) > least]
    notable.sort(key=lambda each: (-abs(each.by_s), each.pass_name, each.file, each.line))
    return tuple(notable[:_MOST_CAUSES])


def _by_text(lines: Sequence[LineTime]) -> dict[tuple[str, str], list[LineTime]]:
    """By pass and file, in the order of the text."""
    found = defaultdict(list)
    for each in sorted(lines, key=lambda each: each.line):
        found[each.pass_name, each.file].append(each)
    return found


def _paired(now: list[LineTime], then: list[LineTime]) -> list[Cause]:
    matcher = SequenceMatcher(
        None, [each.text for each in then], [each.text for each in now], autojunk=False
    )
    found = []
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        both = min(a_end - a, b_end - b)
        found += [_cause(now[b + n], then[a + n].time_s) for n in range(both)]
        found += [_cause(each, 0.0) for each in now[b + both : b_end]]
        found += [_gone(each) for each in then[a + both : a_end]]
    return found


def _cause(now: LineTime, then_s: float) -> Cause:
    return Cause(now.line, now.text, now.time_s, then_s, now.file, now.pass_name)


def _gone(then: LineTime) -> Cause:
    return Cause(then.line, then.text, 0.0, then.time_s, then.file, then.pass_name)
