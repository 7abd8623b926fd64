"""What a target's row says, and in which colour."""

from __future__ import annotations

from shaderlab import units
from shaderlab.app.panels.targets.bars import Bar
from shaderlab.app.widgets.phrases import FORM_NAMES, SINCE_PIN, STATUS_WORDS, VS_PREVIOUS
from shaderlab.app.widgets.theme import Theme
from shaderlab.prediction.forecast import Status
from shaderlab.prediction.forecasts.time_changes import NOT_VALIDATED, Change
from shaderlab.prediction.forms import Form


def cell_texts(bar: Bar) -> tuple[str, ...]:
    """One text per column."""
    return (
        bar.vendor,
        bar.name,
        change_text(bar.since_last),
        change_text(bar.since_pinned),
        bar.time,
        bar.part,
        bar.rests_on,
        bar.band,
    )


def change_text(change: Change | None) -> str:
    """A dash where there is nothing to compare with."""
    if change is None:
        return "\u2013"
    return change.relative or "same"


def tip_of(bar: Bar, budget_s: float | None = None) -> str:
    """All of a row, for the pointer that rests on it."""
    band = f" ({bar.band})" if bar.band else ""
    lines = [f"{bar.name}: {bar.time}{band}, {bar.method}"]
    if bar.status is not Status.OK:
        lines[0] += f"; {STATUS_WORDS[bar.status]}"
    if budget_s and bar.timed:
        lines.append(budget_text(bar, budget_s))
    if bar.finer is not None:
        lines.append(refining_text(bar.finer))
    for change, since in (
        (bar.since_last, VS_PREVIOUS),
        (bar.since_pinned, SINCE_PIN),
    ):
        if change:
            known = f"80 % of such changes: {change.within}" if change.within else NOT_VALIDATED
            lines.append(f"{change.relative} ({change.absolute}) {since}; {known}")
    return "\n".join([*lines, *bar.warnings])


def budget_text(bar: Bar, budget_s: float) -> str:
    """`25 % of the 16.7 ms budget`, and where the band reaches over it."""
    text = f"{units.percent(bar.time_s / budget_s)} of the {units.seconds(budget_s)} budget"
    if bar.low_s > budget_s:
        return f"{text}: over budget"
    return f"{text}: may be over budget" if bar.high_s > budget_s else text


def budget_colour(bar: Bar, budget_s: float | None, theme: Theme) -> str:
    """Of the time: red where all of its band is over the budget, amber where some is."""
    if not budget_s or not bar.timed or bar.high_s <= budget_s:
        return theme.text
    return theme.error if bar.low_s > budget_s else theme.warning


def refining_text(finer: Form) -> str:
    return f"refining: a forecast for the {FORM_NAMES[finer]} is on its way"


def change_colour(change: Change | None, theme: Theme) -> str:
    """Green for faster, red for slower, dim for neither, and where it may be either or nobody
    knows."""
    if not change or not change.clear:
        return theme.dim
    return theme.error if change.slower else theme.good
