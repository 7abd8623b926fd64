"""What a data set is like, as a rich text with the published set beside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shaderlab import units
from shaderlab.app.widgets.theme import Theme
from shaderlab.samples.statistics import FEW, MOST_TOKENS, PUBLISHED, DeviceStatistics, Spread

_NONE = "\u2013"


def html(found: DeviceStatistics, theme: Theme) -> str:
    """Tests passed, classes of instructions, times and their scatter."""
    parts = [
        _table(("rows that pass", ""), [(s.name, f"{s.rows:,}") for s in found.steps], theme),
        _classes(found, theme),
        _percentiles(found, theme),
    ]
    if found.sparse:
        names = ", ".join(_decade(each) for each in found.sparse)
        parts.append(
            f"<p style='color:{theme.warning}'>{escape(names)}: fewer than {FEW} samples, too "
            "few to judge or calibrate times of that length.</p>"
        )
    parts.append(
        f"<p style='color:{theme.dim}'>Published: ShaderPerFormer, on an RTX 3060 unless "
        "stated. Tokens are those of its vocabulary, estimated from the counts of instructions: "
        f"samples hold no modules. {units.percent(found.tokens_within)} have at most "
        f"{MOST_TOKENS:,} (published: {units.percent(PUBLISHED['tokens']['within'])}).</p>"
    )
    return "".join(parts)


def summary(found: Sequence[DeviceStatistics]) -> str:
    """`2,362 samples on one device`"""
    rows = sum(each.steps[0].rows for each in found)
    devices = "one device" if len(found) == 1 else f"{len(found)} devices"
    return f"{rows:,} samples on {devices}"


def _classes(found: DeviceStatistics, theme: Theme) -> str:
    published = PUBLISHED["static_shares"]
    rows = [
        (
            name,
            units.percent(found.executed_shares[name]) if found.executed_shares else _NONE,
            units.percent(share),
            units.percent(published[name]),
        )
        for name, share in found.static_shares.items()
    ]
    return _table(("instructions", "executed", "in the modules", "published"), rows, theme)


def _percentiles(found: DeviceStatistics, theme: Theme) -> str:
    times = PUBLISHED["time_s"]
    tokens = PUBLISHED["tokens"]
    scatter = PUBLISHED["cv_median"]
    asked = (25, 50, 75, 85, 95)

    def row(name: str, spread: Spread, shown) -> tuple[str, ...]:
        return name, *(
            shown(spread.percentiles[each]) if spread.percentiles else _NONE for each in asked
        )

    published = (units.seconds(times[str(p)]) if str(p) in times else _NONE for p in asked)
    low, high = min(scatter.values()), max(scatter.values())
    rows = [
        row("time", found.time_s, units.seconds),
        ("published", *published),
        row("scatter of trials (CV)", found.cv, units.percent),
        (
            "published, by GPU",
            _NONE,
            f"{units.percent(low)} to {units.percent(high)}",
            *[_NONE] * 3,
        ),
        row("instructions in a module", found.instructions, units.count),
        row("tokens, estimated", found.tokens, "{:,.0f}".format),
        ("published", *(f"{tokens[str(p)]:,}" if str(p) in tokens else _NONE for p in asked)),
    ]
    return _table(("percentile", *(f"{each} %" for each in asked)), rows, theme)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], theme: Theme) -> str:
    lines = [_row(head, f"color:{theme.dim}; "), *(_row(each) for each in rows)]
    return f"<table cellspacing='0' style='margin-bottom:10px'>{''.join(lines)}</table>"


def _row(cells: Sequence[str], style: str = "") -> str:
    first, *rest = cells
    found = [f"<td style='{style}padding-right:18px'>{escape(first)}</td>"]
    found += [f"<td align='right' style='{style}padding-right:18px'>{escape(c)}</td>" for c in rest]
    return f"<tr>{''.join(found)}</tr>"


def _decade(exponent: int) -> str:
    return f"{units.seconds(10.0**exponent)} to {units.seconds(10.0 ** (exponent + 1))}"
