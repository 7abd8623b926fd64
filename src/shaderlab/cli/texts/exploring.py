"""A shader on every product, or on chips of a family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.forecasts import shown
from shaderlab.studies.explore import (
    RATES_HZ,
    OnProduct,
    Placed,
    Space,
    verdict,
    weakest,
    within,
)

_NONE = "\u2013"


def data(spaces: Sequence[Space], problems: Mapping[str, str], budget_s: float) -> dict[str, Any]:
    everyone = _products(spaces)
    return {
        "budget_s": budget_s,
        "families": [_space(space) for space in spaces],
        "weakest": _placed(weakest(everyone, budget_s)),
        "weakest_surely": _placed(weakest(everyone, budget_s, surely=True)),
        "problems": [{"family": slug, "reason": why} for slug, why in problems.items()],
    }


def _products(spaces: Sequence[Space]) -> list[Placed]:
    return [each for space in spaces for each in space.products]


def _space(space: Space) -> dict[str, Any]:
    return {
        "family": space.family.slug,
        "chip": space.family.chip,
        "busy_cycles": space.busy_cycles,
        "explained": space.explained,
        "floor_s": space.floor_s,
        "units": list(space.units),
        "clocks_hz": list(space.clocks_hz),
        "time_s": [[each.time_s for each in row] for row in space.estimates],
        "low_s": [[each.low_s for each in row] for row in space.estimates],
        "high_s": [[each.high_s for each in row] for row in space.estimates],
        "least_clock_hz": {str(rate): list(line) for rate, line in space.lines.items()},
        "products": [_placed(each) for each in space.products],
        "basis": space.estimates[0][0].basis,
    }


def _placed(each: Placed | None) -> dict[str, Any] | None:
    if each is None:
        return None
    return {
        "family": each.family,
        "units": each.product.units,
        "clock_hz": each.product.clock_hz,
        **asdict(each.estimate),
    }


def text(spaces: Sequence[Space], problems: Mapping[str, str], budget_s: float) -> str:
    parts = [_family(space) for space in spaces]
    parts += [one_line(f"{slug}: {why}") for slug, why in problems.items()]
    if spaces:
        parts.append(verdict(_products(spaces), budget_s))
    return "\n\n".join(parts)


def held_data(products: Sequence[OnProduct], budget_s: float) -> dict[str, Any]:
    return {
        "products": [_held(each, budget_s) for each in products],
        "weakest": _slug(weakest(products, budget_s)),
        "weakest_surely": _slug(weakest(products, budget_s, surely=True)),
    }


def _slug(each: OnProduct | None) -> str | None:
    return each and each.info.target


def _held(each: OnProduct, budget_s: float) -> dict[str, Any]:
    f = each.forecast
    return {
        "target": each.info.target,
        "name": each.info.name,
        "vendor": each.info.vendor,
        "year": each.info.year,
        "rests_on": each.info.evidence,
        "time_s": f.time_s,
        "low_s": f.low_s,
        "high_s": f.high_s,
        "status": f.status,
        "within": within(each, budget_s),
    }


def held_text(products: Sequence[OnProduct], budget_s: float) -> str:
    """All of them, slowest first, and the weakest that holds the budget."""
    rows = [
        (
            each.info.name,
            each.info.vendor,
            str(each.info.year),
            each.forecast.status.sign + shown(each.forecast.least_s),
            shown(each.forecast.low_s),
            shown(each.forecast.high_s),
            each.info.evidence,
            within(each, budget_s),
        )
        for each in products
    ]
    header = ("product", "vendor", "year", "time", "from", "to", "rests on", "within")
    return f"{table(header, rows)}\n\n{verdict(products, budget_s)}"


def _family(space: Space) -> str:
    header = ("compute units", *(f"{clock / 1e6:.0f} MHz" for clock in space.clocks_hz))
    rows = [
        (str(n), *(units.seconds(each.time_s) for each in row))
        for n, row in zip(space.units, space.estimates, strict=True)
    ]
    lines = [f"{space.family.name}", table(header, rows)]
    for rate in RATES_HZ:
        cells = [
            f"{n} CU {_NONE if clock is None else f'{clock / 1e6:.0f} MHz'}"
            for n, clock in zip(space.units, space.lines[rate], strict=True)
        ]
        lines.append(f"{rate} Hz from: {', '.join(cells)}")
    lines.append(
        f"{units.seconds(space.floor_s)} of it is the pass, on every chip; by "
        f"{space.estimates[0][0].basis}"
    )
    products = [
        (
            each.product.name,
            str(each.product.units),
            f"{(each.product.clock_hz or 0) / 1e6:.0f} MHz",
            units.seconds(each.estimate.time_s),
            f"{units.seconds(each.estimate.low_s)} to {units.seconds(each.estimate.high_s)}",
        )
        for each in space.products
    ]
    if products:
        lines += ["", table(("product", "units", "boost", "time", "band"), products)]
    return "\n".join(lines)
