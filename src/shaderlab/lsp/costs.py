"""Counts and predicted times as code lenses, inlay hints and hovers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lsprotocol import types

from shaderlab import units
from shaderlab.language.describing import about_name
from shaderlab.language.outline import outline
from shaderlab.lsp.analysis import Analysis
from shaderlab.lsp.documents import Document
from shaderlab.prediction.catalogue.targets import TargetInfo
from shaderlab.prediction.forecast import Forecast, Side, Status
from shaderlab.prediction.forecasts.time_changes import change_of
from shaderlab.prediction.forms import method_name

PIN, UNPIN, SELECT = "shaderlab.pin", "shaderlab.unpin", "shaderlab.selectTarget"
"""Commands of the lenses; all take the document's address, the last one a target too."""

Targets = Mapping[str, TargetInfo]
"""By slug."""

_LEAST_SHARE = 0.005
"""Of the time: lines below have no hint."""
_DASH = "\u2013"
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&])")
_ENTRIES = ("transition", "main")
"""Of dialects whose stage begins in a function that the text does not have."""


def lenses(document: Document, targets: Targets) -> list[types.CodeLens]:
    """Predicted times over the function that the shader begins with."""
    known = document.shown
    where = document.places.whole_lines(line := _entry_line(document), line)

    def lens(title: str, command: str = "", *arguments: str) -> types.CodeLens:
        return types.CodeLens(where, types.Command(title, command, None, [*arguments] or None))

    state = _state(document)
    found = [lens(state)] if state else []
    if known is None or not known.forecasts:
        return found
    chosen = known.forecast(document.target)
    ordered = sorted(known.forecasts, key=lambda each: each is not chosen)
    times = [
        lens(_lens_title(document, each, targets), SELECT, document.uri, each.target)
        for each in ordered
    ]
    # Behind the first one: an editor cuts off what does not fit beside it.
    title, command = ("pin this version", PIN) if document.pinned is None else ("unpin", UNPIN)
    return [*found, times[0], lens(title, command, document.uri), *times[1:]]


def hints(document: Document, targets: Targets, first: int, last: int) -> list[types.InlayHint]:
    """The share of time behind each line from `first` to `last`; none for an edited text, whose
    lines may have moved."""
    known = document.shown
    if known is None or not document.is_followed:
        return []
    forecast = known.forecast(document.target)
    if forecast is None:
        return []
    counts, found = known.line_counts(), []
    for line, share in sorted(known.line_shares(forecast.target).items()):
        if share < _LEAST_SHARE or not first <= line <= last or line > len(document.places.lines):
            continue
        ran = _ran(counts[line], known) if line in counts else ""
        of = f"{units.percent(share)} of {_time(forecast)} predicted for "
        of += f"{_name(forecast, targets)} by {method_name(forecast.method)}"
        found.append(
            types.InlayHint(
                document.places.line_end(line),
                units.percent(share),
                tooltip=f"{of}; {ran}" if ran else of,
                padding_left=True,
            )
        )
    return found


def hover(
    document: Document, position: types.Position, targets: Targets, markdown: bool
) -> types.Hover | None:
    """What a name means, how often its line ran, and what the line costs on each target."""
    place = document.places.place(position)
    syntax = document.syntax
    about = about_name(syntax, place, document.value_of, document.included) if syntax else ""
    costs = _line_costs(document, place.line, targets, markdown)
    parts = [fenced(about) if markdown else about] * bool(about) + costs
    if not parts:
        return None
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, "\n\n".join(parts)))


def fenced(text: str) -> str:
    """A block of code, whatever the text has in it."""
    longest = max((len(each) for each in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}glsl\n{text}\n{fence}"


def escaped(text: str) -> str:
    """Text of others as Markdown that says just that."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _line_costs(document: Document, line: int, targets: Targets, markdown: bool) -> list[str]:
    known = document.shown
    if known is None or not document.is_followed:
        return []
    parts = []
    counts = known.line_counts()
    if line in counts:
        parts.append(f"Line {line} {_ran(counts[line], known)}.")
    chosen = known.forecast(document.target)
    rows = [
        (each, share)
        for each in sorted(known.forecasts, key=lambda each: each is not chosen)
        if (share := known.line_shares(each.target).get(line, 0.0)) > 0
    ]
    if rows:
        parts.append(_table(rows, targets, markdown))
        doubts = dict.fromkeys(warning for each, _ in rows for warning in each.warnings)
        parts += [escaped(each) if markdown else each for each in doubts]
    if (rows or line in counts) and known.problem:
        parts.append(escaped(known.problem) if markdown else known.problem)
    return parts


def _table(rows: list[tuple[Forecast, float]], targets: Targets, markdown: bool) -> str:
    cells = [("target", "this line", "share", "whole shader", "band", "method", "error")]
    for forecast, share in rows:
        seconds = forecast.time_s
        cells.append(
            (
                _name(forecast, targets),
                _DASH if seconds is None else units.seconds(share * seconds),
                units.percent(share),
                _time(forecast),
                _band(forecast),
                method_name(forecast.method),
                forecast.validated.text,
            )
        )
    if not markdown:
        return "\n".join("  ".join(row) for row in cells)
    # A number stays with its unit.
    kept = [(row[0], *(cell.replace(" ", "\u00a0") for cell in row[1:])) for row in cells]
    lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in kept]
    lines.insert(1, "|---|--:|--:|--:|---|---|---|")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _lens_title(document: Document, forecast: Forecast, targets: Targets) -> str:
    title = f"{_name(forecast, targets)} {_time(forecast)}"
    base = document.base
    if base is None or forecast.time_s is None:
        return title
    then_s = base.times.get(forecast.comparable)
    info = targets.get(forecast.target)
    sure = forecast.status is Status.OK and forecast.domain is Side.INSIDE
    band = info.changes.get(forecast.method) if info and sure else None
    change = change_of(forecast.time_s, then_s, band)
    if change is None:
        return title
    since = "since pin" if document.pinned is not None else "since save"
    if not change:
        return f"{title} (no change {since})"
    return f"{title} ({change.relative} {since}, {change.known})"


def _state(document: Document) -> str:
    """What holds the times back, of what version or launch they are; empty for a frame's."""
    latest, shown = document.latest, document.shown
    if document.refusal:
        return "too long to be compiled"
    fails = latest is not None and latest.of == document.text and latest.program is None
    if fails:
        return (
            "does not compile; times of the last version that did:" if shown else "does not compile"
        )
    if shown is None:
        is_known = latest is not None and latest.finished and latest.of == document.text
        return latest.problem if latest is not None and is_known else "counting\u2026"
    if not document.is_followed:
        return "counting\u2026 times of the previous version:"
    return _estimate(shown) or _launched(shown)


def _launched(known: Analysis) -> str:
    """What the times of a compute shader are of."""
    return known.draw.launch.text if known.draw is not None and known.draw.is_compute else ""


def _estimate(known: Analysis) -> str:
    return f"estimated: {known.problem}" if known.problem and known.trace is None else ""


def _entry_line(document: Document) -> int:
    """Line of the function that the stage begins with; 1 where it cannot be found."""
    syntax = document.syntax
    parts = [p for p in outline(syntax) if p.has_body] if syntax else []
    program = document.shown.program if document.shown else None
    names = dict.fromkeys(("mainImage", program.entry_point if program else "main", *_ENTRIES))
    for name in names:
        for part in parts:
            if part.symbol.name == name:
                return part.first
    return 1


def _name(forecast: Forecast, targets: Targets) -> str:
    info = targets.get(forecast.target)
    return info.name if info else forecast.target


def _time(forecast: Forecast) -> str:
    seconds = forecast.least_s
    if seconds is None:
        return "no time"
    return forecast.status.sign + units.seconds(seconds)


def _band(forecast: Forecast) -> str:
    if forecast.low_s is None or forecast.high_s is None:
        return "no upper bound" if forecast.low_s is not None else _DASH
    return f"{units.seconds(forecast.low_s)} {_DASH} {units.seconds(forecast.high_s)}"


def _ran(count: int, known: Analysis) -> str:
    if not count:
        return "never ran"
    each = count / known.runs
    often = "once" if each == 1 else f"{each:.3g} times"
    return f"ran {units.count(count)} times: {often} per {known.per}"
