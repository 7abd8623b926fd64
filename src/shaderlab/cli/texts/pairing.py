"""How well one device's times follow from another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.numbers import finite

if TYPE_CHECKING:
    from shaderlab.stats import Estimate
    from shaderlab.training.pairs import Line, Ranked, Study

_SHOWN = (0.05, 0.10, 0.20, 0.50)
_LISTED = 10


def text(study: Study, ranked: Sequence[Ranked] | None, times: Mapping[str, float]) -> str:
    pair = study.pair
    header = (
        "method", "mean error of folds", "median", *(f"in {w:.0%}" for w in _SHOWN), "rank",
        "features", "",
    )  # fmt: skip
    lines = [
        f"{pair.host} to {pair.target}: {len(pair.ids)} shaders, ten folds, weights "
        f"{study.weights.value}",
        "",
        table(header, [_row(line) for line in study.lines if line.result is not None]),
        "",
        *(one_line(f"{line.method}: {line.refused}") for line in study.lines if line.refused),
        "Brackets hold 95 % intervals. A regression beats the competitors where its mean and its "
        "median error are lower than both of theirs by more than chance.",
    ]
    if study.best is not None:
        lines.append(f"Best of these: {study.best}.")
    if ranked is not None:
        lines += ["", *_ranking(ranked)]
    if times:
        lines += ["", f"{len(times)} shaders timed on {pair.host} alone, by {study.best}:"]
        shown = list(times.items())[:_LISTED]
        lines += [one_line(f"  {id}  {units.seconds(seconds)}") for id, seconds in shown]
        if len(times) > _LISTED:
            lines.append(f"  and {len(times) - _LISTED} more; --json has all")
    return "\n".join(lines)


def _row(line: Line) -> tuple[str, ...]:
    result, inliers = line.result, line.inliers or {}
    assert result is not None
    mark = "beats the competitors" if line.beats else ""
    if line.shaders != "ten folds":
        mark = f"{line.shaders}, n {result.n}; needs no host"
    return (
        line.method,
        f"{units.percent(line.fold_error)} {_interval(result.mape)}",
        f"{units.percent(result.median_ape.value)} {_interval(result.median_ape)}",
        *(units.percent(inliers[within].value) for within in _SHOWN),
        f"{result.spearman.value:.3f}",
        "" if finite(line.features) is None else f"{line.features:.0f}",
        mark,
    )


def _interval(each: Estimate) -> str:
    return f"[{units.percent(each.low)} to {units.percent(each.high)}]"


def _ranking(ranked: Sequence[Ranked]) -> list[str]:
    from shaderlab.prediction.catalogue.pair_tables import CAVEAT
    from shaderlab.training.pairs import RANKED

    rows = [
        (each.feature, f"{each.p_value:.1e}", f"{each.coefficient_s * 1e3:+.3g} ms")
        for each in ranked[: 2 * _LISTED]
    ]
    return [f"Features of {RANKED} ({CAVEAT})", table(("feature", "p", "per deviation"), rows)]
