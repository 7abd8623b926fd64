"""The details of one forecast, as rich text: method, error, origin, and why the method leads."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.widgets.phrases import grouped, method_name

if TYPE_CHECKING:
    from shaderlab.app.widgets.theme import Theme
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast, Validation


def error_text(validated: Validation) -> str:
    """`typically 10 % off`, or what is known instead of the median error."""
    if validated.median_ape is not None:
        return f"typically {units.percent(validated.median_ape)} off"
    if validated.mape is not None:
        return f"{units.percent(validated.mape)} off on average"
    return "error unknown"


def details_html(forecast: Forecast, info: TargetInfo | None, theme: Theme) -> str:
    """Method and validated error, why the method leads, the others' errors, the origin."""
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
    parts = [f"<b>{name}, {escape(method_name(forecast.method))}</b>"]
    if known:
        shaders = "" if v.n is None else f" ({grouped(v.n)} shaders)"
        parts.append(escape(f"Validated: {', '.join(known)}{shaders}."))
    parts.append(_dim(v.source, theme))
    if info is not None:
        chosen = forecast.method if forecast.method in info.reasons else info.methods[0]
        if reason := info.reasons.get(chosen):
            parts.append(f"<b>Why {escape(method_name(chosen))}</b> {escape(reason)}")
        if len(info.methods) > 1:
            parts.append(_methods_table(info, theme))
    parts.append(_dim(forecast.basis, theme))
    if info is not None and (info.clock or info.driver):
        parts.append(_dim("; ".join(x for x in (info.driver, info.clock) if x), theme))
    return "".join(
        part if part.startswith("<table") else f"<p style='margin:0 0 4px 0'>{part}</p>"
        for part in parts
    )


def _dim(text: str, theme: Theme) -> str:
    return f"<span style='color:{theme.dim}'>{escape(text)}</span>"


def _methods_table(info: TargetInfo, theme: Theme) -> str:
    """Every method of the target with its error; the default first."""
    head = ("method", "mean error", "median error", "within 20 %", "shaders")
    table = [_row(head, f"color:{theme.dim}; ")]
    for method in info.methods:
        v = info.validations.get(method)
        if v is None:
            continue
        cells = (
            method_name(method),
            _known(v.mape),
            _known(v.median_ape),
            _known(v.within20),
            "\u2013" if v.n is None else grouped(v.n),
        )
        table.append(_row(cells))
    return f"<table cellspacing='0' style='margin:0 0 4px 0'>{''.join(table)}</table>"


def _row(cells: Sequence[str], style: str = "") -> str:
    apart = [f"<td style='{style}padding-right:14px'>{escape(cell)}</td>" for cell in cells]
    return f"<tr>{''.join(apart)}</tr>"


def _known(fraction: float | None) -> str:
    return "unknown" if fraction is None else units.percent(fraction)
