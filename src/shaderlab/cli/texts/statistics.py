"""What a data set is like, with the published set beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.samples.statistics import FEW, MOST_TOKENS, PUBLISHED, DeviceStatistics, Spread

_BAR = 40
"""Characters of the longest bar."""


def data(devices: Sequence[DeviceStatistics]) -> dict[str, Any]:
    return {
        "statistics": [
            {
                "device": each.device,
                "steps": [asdict(step) for step in each.steps],
                "static_shares": dict(each.static_shares),
                "executed_shares": dict(each.executed_shares),
                "instructions": _spread(each.instructions),
                "tokens": _spread(each.tokens) | {"within": each.tokens_within},
                "time_s": _spread(each.time_s),
                "ln_time": {"mean": each.ln_mean, "deviation": each.ln_deviation},
                "decades": {f"1e{exponent}": count for exponent, count in each.decades.items()},
                "sparse_decades": [f"1e{exponent}" for exponent in each.sparse],
                "cv": _spread(each.cv),
            }
            for each in devices
        ],
        "published": PUBLISHED,
    }


def _spread(spread: Spread) -> dict[str, Any]:
    return {"n": spread.n, "percentiles": {str(p): v for p, v in spread.percentiles.items()}}


def text(found: DeviceStatistics) -> str:
    """Of one device."""
    published: Mapping[str, float] = PUBLISHED["static_shares"]
    lines = [
        one_line(found.device),
        "rows: " + ", ".join(f"{step.rows} {step.name}" for step in found.steps),
        "",
        table(
            ("instructions", "in the modules", "executed", "published, in the modules"),
            [
                (
                    name,
                    units.percent(share),
                    units.percent(found.executed_shares.get(name, 0.0)),
                    units.percent(published[name]),
                )
                for name, share in found.static_shares.items()
            ],
        ),
        "",
        *_decades(found),
        "",
        _times(found),
        _scatter(found),
        _percentiles("instructions in a module", found.instructions, units.count),
        _tokens(found),
    ]
    return "\n".join(line for line in lines if line is not None)


def _decades(found: DeviceStatistics) -> list[str]:
    most = max(found.decades.values())
    lines = []
    for exponent, count in found.decades.items():
        bar = "#" * round(_BAR * count / most)
        name = f"{units.seconds(10.0**exponent)} to {units.seconds(10.0 ** (exponent + 1))}"
        few = "  few" if exponent in found.sparse else ""
        lines.append(f"{name:>22} {count:>6} {bar}{few}")
    if found.sparse:
        lines.append(f"few: under {FEW} rows, too few to judge or fit times of that length")
    return lines


def _times(found: DeviceStatistics) -> str:
    own, theirs = PUBLISHED["ln_time"], PUBLISHED["time_s"]
    there = ", ".join(f"{p} % {units.seconds(value)}" for p, value in theirs.items())
    return (
        f"{_percentiles('time', found.time_s, units.seconds)}; ln mean {found.ln_mean:.3f}, "
        f"deviation {found.ln_deviation:.3f}\n"
        f"  published, RTX 3060: {there}; ln mean {own['mean']:.3f}, deviation "
        f"{own['deviation']:.3f}"
    )


def _scatter(found: DeviceStatistics) -> str:
    published = ", ".join(
        f"{name} {units.percent(value)}" for name, value in PUBLISHED["cv_median"].items()
    )
    return (
        f"{_percentiles('scatter of trials (CV)', found.cv, units.percent)}\n"
        f"  published medians: {published}"
    )


def _tokens(found: DeviceStatistics) -> str:
    """Estimated, as samples hold no modules."""
    own = PUBLISHED["tokens"]
    there = ", ".join(f"{p} % {n:,}" for p, n in own.items() if p != "within")
    return (
        f"{_percentiles('tokens (estimated)', found.tokens, '{:,.0f}'.format)}; "
        f"{units.percent(found.tokens_within)} have at most {MOST_TOKENS:,}\n"
        f"  published: {there}; {units.percent(own['within'])}"
    )


def _percentiles(name: str, spread: Spread, shown: Any) -> str:
    listed = ", ".join(f"{p} % {shown(value)}" for p, value in spread.percentiles.items())
    return f"{name}: {listed or 'none'}"
