"""A report for people: GitHub's Markdown, where text of others can only be read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from shaderlab import units
from shaderlab.checks.outcome import FREE, WITHIN, Cause, Change, Check, CheckedFile, Outcome

_NONE = "\u2013"
_MOST_ROWS = 500
"""A job's summary on GitHub holds a megabyte."""
_MOST_DETAILS = 100


def report(outcome: Outcome) -> str:
    """Verdict, a table of all checks, then files that failed and the lines behind each change."""
    failed = [each for each in outcome.checks if not each.ok]
    parts = [f"## Shader costs: {_headline(outcome, failed)}"]
    if outcome.base:
        parts.append(f"Compared with {_code(outcome.base)}.")
    if outcome.failed_files:
        parts.append("### Without a time\n\n" + "\n".join(map(_failure, outcome.failed_files)))
    if outcome.checks:
        parts.append(_table(outcome.checks, compared=bool(outcome.base)))
    details = [each for each in outcome.checks if each.change and each.change.causes]
    if details:
        parts.append("### Lines behind the changes\n\n" + _details(details))
    warnings = _warnings(outcome.checks)
    if warnings:
        parts.append("### Warnings\n\n" + warnings)
    parts.append(
        "Times are predictions; each has the band it was validated with. "
        "`shaderlab targets` lists methods and errors."
    )
    return "\n\n".join(parts) + "\n"


def _headline(outcome: Outcome, failed: Sequence[Check]) -> str:
    if outcome.ok:
        return "all within budget"
    counts = [(len(failed), "check"), (len(outcome.failed_files), "file")]
    named = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n]
    return " and ".join(named) + " failed"


def _failure(file: CheckedFile) -> str:
    lines = [f"- {_code(file.file)}: {_text(file.error)}"]
    for each in file.problems[:10]:
        place = ":".join(str(p) for p in (each.file, each.line, each.column) if p)
        lines.append(f"  - {_text(place)} {_text(each.severity)}: {_text(each.message)}")
    return "\n".join(lines)


def _table(checks: Sequence[Check], *, compared: bool) -> str:
    header = ["", "file", "target", "time", "80 % band", "budget"]
    header += ["change", "80 % band of the change"] if compared else []
    rows = [header, ["---"] * len(header)]
    order = sorted(checks, key=lambda each: each.ok)
    rows += [_row(each, compared=compared) for each in order[:_MOST_ROWS]]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    left = len(checks) - _MOST_ROWS
    return table if left <= 0 else f"{table}\n\n{left} more are in the JSON."


def _row(check: Check, *, compared: bool) -> list[str]:
    mark = "" if check.verdict == FREE else "ok" if check.verdict == WITHIN else check.verdict
    row = [
        f"**{mark}**" if not check.ok else mark,
        _code(check.file),
        _text(check.target),
        _seconds(check.time_s),
        _band(check.low_s, check.high_s),
        _seconds(check.budget_s),
    ]
    return row + ([_changed(check.change), _change_band(check.change)] if compared else [])


def _seconds(value: float | None) -> str:
    return _NONE if value is None else units.seconds(value)


def _band(low_s: float | None, high_s: float | None) -> str:
    if low_s is None:
        return _NONE
    low = units.seconds(low_s)
    return f"at least {low}" if high_s is None else f"{low} \u2013 {units.seconds(high_s)}"


def _changed(change: Change | None) -> str:
    if change is None or change.ratio is None:
        return _text(change.note) if change and change.note else _NONE
    shown = units.change(change.ratio, 1.0) or "none"
    return shown if change.limit is None else f"{shown} (at most {units.percent(change.limit)})"


def _change_band(change: Change | None) -> str:
    return (change and change.known) or _NONE


def _details(checks: Sequence[Check]) -> str:
    order = sorted(checks, key=lambda each: each.ok)
    parts = []
    for each in order[:_MOST_DETAILS]:
        change = each.change
        assert change is not None
        rows = ["| line | now | before | |", "| --- | --- | --- | --- |"]
        rows += [_cause(cause) for cause in change.causes]
        parts.append(
            f"{_code(each.file)} on {_text(each.target)}: {_changed(change)}\n\n" + "\n".join(rows)
        )
    return "\n\n".join(parts)


def _cause(cause: Cause) -> str:
    place = ":".join(str(each) for each in (cause.pass_name, cause.file, cause.line) if each)
    now = _seconds(cause.now_s) if cause.now_s else "gone"
    then = _seconds(cause.then_s) if cause.then_s else "new"
    return f"| {_text(place)} | {now} | {then} | {_code(cause.text)} |"


def _warnings(checks: Iterable[Check]) -> str:
    where: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in checks:
        for warning in each.warnings:
            where[warning][each.file].append(each.target)
    lines = []
    for warning, by_file in list(where.items())[:_MOST_DETAILS]:
        files = "; ".join(f"{_code(f)} ({_text(', '.join(t))})" for f, t in by_file.items())
        lines.append(f"- {_text(warning)} {files}")
    return "\n".join(lines)


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&@$^=-])")


def _text(text: str) -> str:
    """Text of others in a cell or line: no markup, no mention, no HTML."""
    return _SPECIAL.sub(lambda m: f"&#{ord(m[0])};", _visible(text))


def _code(text: str) -> str:
    """As code.  HTML rather than backticks, which a cell's `|` would end."""
    return f"<code>{_text(text)}</code>" if text.strip() else ""


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:300])
