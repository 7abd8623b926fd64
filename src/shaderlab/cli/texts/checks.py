"""Checks in the terminal."""

from __future__ import annotations

from shaderlab import units
from shaderlab.checks.outcome import Change, Check, Outcome
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.forecasts import shown, warnings

_NOTHING = "\u2013"


def text(outcome: Outcome) -> str:
    """Files that failed, a line for each check, what changed most, and warnings."""
    several = len(outcome.files) > 1
    parts = []
    for file in outcome.failed_files:
        parts.append(one_line(f"{file.file}: {file.error}"))
        parts += [
            one_line(f"{each.file or file.file}:{each.line}: {each.severity}: {each.message}")
            for each in file.problems[:10]
        ]
    failures = ["\n".join(parts)] if parts else []
    header = ("target", "time", "band", "budget", "", "status", "method")
    if several:
        header = ("file", *header)
    if outcome.base:
        header = (*header, "change", "because of")
    rows = [_row(each, several, bool(outcome.base)) for each in outcome.checks]
    shown_rows = [table(header, rows)] if rows else []
    of_all = [(c.target, w) for c in outcome.checks for w in c.warnings]
    if several:
        of_all = [(f"{c.file} on {c.target}", w) for c in outcome.checks for w in c.warnings]
    cautions = warnings(of_all)
    said = [*failures, *shown_rows, *[cautions] * bool(cautions)]
    return "\n\n".join(said) or "no file has a budget"


def _row(check: Check, several: bool, compared: bool) -> tuple[str, ...]:
    row = (
        check.target,
        shown(check.time_s),
        _band(check.low_s, check.high_s),
        shown(check.budget_s),
        check.verdict if check.ok else check.verdict.upper(),
        check.status,
        check.method,
    )
    if several:
        row = (check.file, *row)
    return (*row, *_change(check.change)) if compared else row


def _change(change: Change | None) -> tuple[str, str]:
    if change is None:
        return _NOTHING, ""
    if change.ratio is None:
        return _NOTHING, change.note
    first = change.causes[0] if change.causes else None
    where = ""
    if first is not None:
        place = ":".join(str(p) for p in (first.pass_name, first.file, first.line) if p)
        sign = "+" if first.by_s > 0 else "\u2212"
        where = f"line {place} {sign}{units.seconds(abs(first.by_s))}"
    known = f" ({change.known})" if change.known else ""
    return f"{units.change(change.ratio, 1.0) or 'none'}{known}", where


def _band(low_s: float | None, high_s: float | None) -> str:
    if low_s is None:
        return _NOTHING
    low = units.seconds(low_s)
    return f"at least {low}" if high_s is None else f"{low} \u2013 {units.seconds(high_s)}"
