"""The tables of `models/REPORT.md`: every method on every target, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shaderlab.stats import Estimate
from shaderlab.training import methods
from shaderlab.training.comparison import FLOOR_S, Row
from shaderlab.training.evaluation import Evaluation

_NONE = "-"
_LEAST_FOR_INTERVAL = 5
_WITHOUT = {methods.UNTRACED: "every block once per pixel", methods.ESTIMATED: "likely counts"}


def target_tables(rows: Sequence[Row]) -> str:
    """All tables of one target; `rows` may hold ablations beside their methods."""
    traced = sorted(
        (row for row in rows if methods.traced_name(row.method) == row.method),
        key=lambda row: row.result.median_ape.value,
    )
    parts = [_whole_table("All shaders", traced, lambda row: row.result, bands=True)]
    parts.append(
        _whole_table(
            "Shaders without undefined values", traced, lambda row: row.defined, bands=False
        )
    )
    if any(row.above_floor != row.result for row in traced):
        title = f"Shaders of {FLOOR_S * 1e6:g} µs and more"
        parts.append(_whole_table(title, traced, lambda row: row.above_floor, bands=False))
    parts.append(_decade_table("Median error by measured time", traced, "median_ape"))
    parts.append(_decade_table("Mean error by measured time", traced, "mape"))
    for ending, counts in _WITHOUT.items():
        title = f"Without the trace: {counts}"
        parts.append(_ablation_table(title, ending, rows, lambda row: row.result))
        title += ", shaders without undefined values"
        parts.append(_ablation_table(title, ending, rows, lambda row: row.defined))
    return "\n\n".join(part for part in parts if part)


def estimate(each: Estimate, digits: int = 3) -> str:
    """`0.199 [0.152, 0.262]`"""
    return f"{each.value:.{digits}f} [{each.low:.{digits}f}, {each.high:.{digits}f}]"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table, all columns but the first aligned right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def _whole_table(
    title: str, rows: Sequence[Row], part: Callable[[Row], Evaluation | None], *, bands: bool
) -> str:
    body = []
    for row in rows:
        result = part(row)
        if result is None:
            continue
        missing = f" of {row.shaders}" if bands and result.n != row.shaders else ""
        line = [
            _name(row),
            f"{result.n}{missing}",
            estimate(result.mape),
            estimate(result.median_ape),
            estimate(result.within20),
            estimate(result.spearman),
        ]
        if bands:
            line.append(_NONE if row.coverage is None else f"{row.coverage:.2f}")
        body.append(line)
    head = ["method", "n", "MAPE", "median APE", "within 20 %", "Spearman"]
    return f"**{title}**\n\n" + table([*head, "in band"] if bands else head, body)


def _decade_table(title: str, rows: Sequence[Row], metric: str) -> str:
    decades = sorted({decade for row in rows for decade in row.by_decade})
    most = {
        decade: max(row.by_decade[decade].n for row in rows if decade in row.by_decade)
        for decade in decades
    }
    head = ["method", *(f"{_decade(decade)} (n {most[decade]})" for decade in decades)]
    body = [
        [_name(row), *(_cell(row.by_decade.get(decade), metric) for decade in decades)]
        for row in rows
    ]
    return f"**{title}**\n\n" + table(head, body)


def _cell(result: Evaluation | None, metric: str) -> str:
    if result is None:
        return _NONE
    found: Estimate = getattr(result, metric)
    # Resampling few shaders says nothing about others.
    return estimate(found, 2) if result.n >= _LEAST_FOR_INTERVAL else f"{found.value:.2f}"


def _decade(exponent: int) -> str:
    """`10-100 µs` of -5."""
    unit, factor = next(
        (unit, factor) for unit, factor in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9))
        if exponent >= factor or unit == "ns"
    )  # fmt: skip
    low = 10 ** (exponent - factor)
    return f"{low:g}-{low * 10:g} {unit}"


def _ablation_table(
    title: str, ending: str, rows: Sequence[Row], part: Callable[[Row], Evaluation]
) -> str:
    by_name: Mapping[str, Row] = {row.method: row for row in rows}
    body = []
    for name, without in by_name.items():
        traced = by_name.get(methods.traced_name(name))
        if name.endswith(ending) and traced is not None:
            line = [traced.method]
            for metric in ("mape", "median_ape", "within20", "spearman"):
                line.append(f"{getattr(part(traced), metric).value:.3f}")
                line.append(estimate(getattr(part(without), metric)))
            body.append(line)
    if not body:
        return ""
    head = ["method"]
    for metric in ("MAPE", "median APE", "within 20 %", "Spearman"):
        head += [metric, "without"]
    return f"**{title}**\n\n" + table(head, body)


def _name(row: Row) -> str:
    return f"**{row.method}**" if row.default else row.method
