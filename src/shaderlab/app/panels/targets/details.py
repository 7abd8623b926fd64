"""The details of one forecast, as rich text: method, error, origin, and why the method leads."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.panels.targets.bars import short_name
from shaderlab.app.widgets.phrases import STATUS_WORDS
from shaderlab.prediction.cost import PASS, Cost
from shaderlab.prediction.forecast import COUNTS_ESTIMATED, Side, Status
from shaderlab.prediction.forms import method_name

if TYPE_CHECKING:
    from shaderlab.app.widgets.theme import Theme
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast

_SUMMED = (
    "The sum of its passes, run one after another; a GPU that overlaps them is faster. Its band is "
    "the sum of theirs, because the errors of one model go in the same direction."
)

_LEAST_SHARE = 0.005
_LEAST_APART = 0.02
"""Of a share, compared with the device at hand."""
_PASS = "render pass"


def doubt_text(forecast: Forecast) -> str:
    """How far off the time may be, as far as that was validated on shaders like this one."""
    if forecast.status is Status.NONE:
        return ""
    if forecast.status is Status.LOWER_BOUND:
        return STATUS_WORDS[forecast.status].partition(":")[0]
    if forecast.status is Status.ESTIMATE and forecast.domain is Side.INSIDE:
        # Without a trace the error is that of such estimates; else it takes the counts for true.
        return forecast.validated.text if COUNTS_ESTIMATED in forecast.method else "an estimate"
    return forecast.validated.text


def details_html(
    forecast: Forecast, info: TargetInfo | None, theme: Theme, here: Forecast | None = None
) -> str:
    """Method and validated error, the others' errors or else why the method leads, the origin.

    `here`: the forecast for the device at hand, to say what takes more of the time there.  A method
    has one error: that of shaders like this one, which the headline gives too.
    """
    v = forecast.validated
    known = [
        f"{name} {text}"
        for name, text in (
            ("mean error", v.mape is not None and units.percent(v.mape)),
            ("median error", v.median_ape is not None and units.percent(v.median_ape)),
            ("within 20 %:", v.within20 is not None and units.percent(v.within20)),
            ("rank correlation", v.spearman is not None and f"{v.spearman:.2f}"),
        )
        if text
    ]
    name = escape(info.name if info else forecast.target)
    claim = STATUS_WORDS[forecast.status]
    head = f"<b>{name}, {escape(method_name(forecast.method))}</b>{': ' * bool(claim)}"
    parts = [head + escape(claim)]
    if forecast.cost is not None:
        parts += _cost(forecast.cost, short_name(info.name if info else forecast.target))
        if here is not None and here.cost is not None and here.target != forecast.target:
            parts += _apart(forecast.cost, here.cost, here.target)
    if forecast.domain is Side.OUTSIDE:
        parts.append("<b>Outside the training data</b>")
    if known:
        shaders = "" if v.n is None else f" ({units.grouped(v.n)} shaders)"
        parts.append(escape(f"Validated: {', '.join(known)}{shaders}."))
    parts.append(_dim(v.source, theme))
    if info is not None:
        chosen = forecast.method if forecast.method in info.reasons else info.methods[0]
        reason = info.reasons.get(chosen, "")
        inside = forecast.domain is Side.INSIDE and COUNTS_ESTIMATED not in forecast.method
        tabled = inside and len(info.methods) > 1
        # Of a user's target the reason says what it was calibrated on, which nothing else does.
        argued = bool(reason) and (info.user or info.validations.get(chosen, v).mape is None)
        if argued or (reason and inside and not tabled):
            parts.append(f"<b>Why {escape(method_name(chosen))}</b> {escape(reason)}")
        if tabled:
            parts.append(_methods_table(forecast, info, theme))
    parts.append(_dim(forecast.basis, theme))
    if info is not None and (info.clock or info.driver):
        parts.append(_dim("; ".join(x for x in (info.driver, info.clock) if x), theme))
    return "".join(
        part if part.startswith("<table") else f"<p style='margin:0 0 4px 0'>{part}</p>"
        for part in parts
    )


def _cost(cost: Cost, name: str) -> list[str]:
    """What the time is made of and bound by, and what that means."""
    shares = ", ".join(
        f"{units.percent(share)} {_PASS if group == PASS else group}"
        for group, share in cost.shares
        if share >= _LEAST_SHARE
    )
    return [
        f"<b>{escape(cost.bound.capitalize())}.</b> {escape(cost.advice(name))}",
        f"Breakdown: {escape(shares)}.",
    ]


def _apart(there: Cost, here: Cost, device: str) -> list[str]:
    """What makes it slow there and not here, and the reverse."""
    points = [
        f"{_PASS if group == PASS else group} {100 * share:+.0f} points".replace("-", "\u2212")
        for group, share in there.beyond(here)
        if abs(share) >= _LEAST_APART
    ]
    if not points:
        return []
    return [f"Compared with {escape(device)}: {', '.join(points)}."]


def frame_html(frame: FrameForecast, info: TargetInfo | None, theme: Theme) -> str:
    """What each pass adds to the frame's time."""
    head = ("pass", "time", "of the frame", "between", "method")
    rows = [_row(head, f"color:{theme.dim}; ")]
    for name, each in frame.passes.items():
        time_s, draws = frame.pass_s(name), frame.draws[name]
        rows.append(
            _row(
                (
                    name if draws == 1 else f"{name}, {draws} times",
                    "unknown" if time_s is None else each.status.sign + units.seconds(time_s),
                    units.percent(time_s / frame.time_s) if time_s and frame.time_s else "\u2013",
                    _band(each, draws),
                    method_name(each.method),
                )
            )
        )
    title = f"<b>{escape(info.name if info else frame.target)}, the frame</b>"
    warnings = "".join(f"<p style='margin:0 0 2px 0'>{escape(w)}</p>" for w in frame.warnings)
    return (
        f"<p style='margin:0 0 4px 0'>{title} {_dim(_SUMMED, theme)}</p>"
        f"<table cellspacing='0' style='margin:0 0 4px 0; white-space:nowrap'>{''.join(rows)}"
        f"</table>{warnings}"
    )


def _band(forecast: Forecast, draws: int) -> str:
    if forecast.low_s is None or forecast.high_s is None:
        return "\u2013"
    low, high = (units.seconds(end * draws) for end in (forecast.low_s, forecast.high_s))
    return f"{low} \u2013 {high}"


def _dim(text: str, theme: Theme) -> str:
    return f"<span style='color:{theme.dim}'>{escape(text)}</span>"


def _methods_table(forecast: Forecast, info: TargetInfo, theme: Theme) -> str:
    """Every method of the target with its error on shaders like the forecast's, as far as that was
    separated; the default first."""
    stated = {forecast.method: forecast.validated}
    kind = next((each for each in info.by_kind if stated.items() <= each.items()), None)
    errors = {**info.validations, **(kind or dict(*info.by_kind[:1])), **stated}
    head = ("method", "mean error", "median error", "within 20 %", "shaders")
    table = [_row(head, f"color:{theme.dim}; ")]
    for method in info.methods:
        v = errors.get(method)
        if v is None:
            continue
        cells = (
            method_name(method),
            _known(v.mape),
            _known(v.median_ape),
            _known(v.within20),
            "\u2013" if v.n is None else units.grouped(v.n),
        )
        table.append(_row(cells))
    return f"<table cellspacing='0' style='margin:0 0 4px 0'>{''.join(table)}</table>"


def _row(cells: Sequence[str], style: str = "") -> str:
    apart = [f"<td style='{style}padding-right:14px'>{escape(cell)}</td>" for cell in cells]
    return f"<tr>{''.join(apart)}</tr>"


def _known(fraction: float | None) -> str:
    return "unknown" if fraction is None else units.percent(fraction)
