"""What vendors' compilers report of a shader, and the targets they compile for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.forecasts import HOT_LINES
from shaderlab.cli.texts.traces import located
from shaderlab.frontend.analysers import ExternalReport
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.radv import compiled as radv
from shaderlab.gpu.radv import times

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import CompiledStats, Executable
    from shaderlab.gpu.compilers.discovery import CompiledTarget
    from shaderlab.gpu.compilers.families import Family
    from shaderlab.gpu.compilers.vendors import Vendor
    from shaderlab.gpu.radv.cost import FrameCost

_COLUMNS = (
    ("target", "target"),
    ("SIMD", "subgroup_size"),
    ("instructions", "instructions"),
    ("registers", "registers"),
    ("of", "register_limit"),
    ("spills", "spills"),
    ("scratch B", "scratch_bytes"),
    ("waves", "occupancy"),
    ("cycles", "cycles"),
    ("stalls", "stalls"),
    ("code B", "code_bytes"),
    ("chip and products", "name"),
)


def data(stats: CompiledStats, reproduce: str, isa: bool) -> dict[str, Any]:
    fields = {
        "target": stats.target,
        "name": stats.name,
        "vendor": stats.vendor.name,
        "driver": stats.driver,
        "standing": stats.vendor.standing,
        **asdict(stats.common),
        **(radv.figures(stats.chosen) if stats.vendor.slug == "amd" else {}),
        "executables": [_executable(each, stats.vendor, isa) for each in stats.executables],
        "compile_s": stats.compile_s,
        "compile_processor_s": stats.processor_s,
        "reproduce": reproduce,
    }
    return fields | ({"isa": stats.chosen.assembly} if isa else {})


def _executable(executable: Executable, vendor: Vendor, isa: bool) -> dict[str, Any]:
    fields = {
        "name": executable.name,
        "stage": executable.stage.shown,
        "subgroup_size": executable.subgroup_size,
        "statistics": {s.name: _number(s.value) for s in executable.statistics},
        "by_unit": listing_of(executable, vendor).by_unit,
    }
    return fields | ({"isa": executable.assembly} if isa else {})


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def statistics(stats: Sequence[CompiledStats]) -> list[str]:
    """A table in common terms, then each target's own; nothing for none."""
    if not stats:
        return []
    rows = []
    for one in stats:
        fields = {"target": one.target, "name": one.name, **asdict(one.common)}
        rows.append(["-" if (v := fields[key]) is None else _cell(v) for _, key in _COLUMNS])
    parts = [table([title for title, _ in _COLUMNS], rows)]
    for one in stats:
        for executable in one.executables:
            own = [f"{s.name} {_cell(s.value)}" for s in executable.statistics]
            units_of = listing_of(executable, one.vendor).by_unit
            own += [f"{unit} instructions {n}" for unit, n in units_of.items()]
            parts.append(one_line(f"{one.target}, {executable.name}: {', '.join(own)}"))
    parts += dict.fromkeys(one.vendor.standing for one in stats)
    return parts


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if value != int(value) else str(int(value))
    return str(value)


def external_data(report: ExternalReport) -> dict[str, Any]:
    return {
        "tool": report.tool,
        "target": report.target,
        "properties": dict(report.properties),
        "cycles": {path: dict(cycles) for path, cycles in report.cycles.items()},
        "bound": list(report.bound),
        "version": report.version,
        "notes": list(report.notes),
    }


def frame_data(cost: FrameCost, family: Family) -> dict[str, Any]:
    return {
        "size": list(cost.size),
        "waves": cost.waves,
        "busy_cycles": cost.busy_cycles,
        "wait_cycles": cost.wait_cycles,
        "executed": {unit.value: n for unit, n in cost.executed.items()},
        "measure": cost.measure,
        "explained": cost.explained,
        "lines_explained": cost.lines_explained,
        "basis": cost.basis,
        "times": [asdict(estimate) for estimate in times.estimates(cost, family)],
        "lines": [
            {"file": part.line.file, "line": part.line.line, "share": part.share}
            if part.line.file
            else {"line": part.line.line, "share": part.share}
            for part in cost.lines
        ],
        "blocks": [
            {
                "block": block.number,
                "executions": block.executions,
                "busy_cycles": block.busy_cycles,
                "wait_cycles": block.wait_cycles,
            }
            for block in cost.blocks
        ],
    }


def frame_text(costs: dict[str, FrameCost], families: dict[str, Family]) -> list[str]:
    rows = [
        (slug, "-", "-", "-", "-", "-", "-", units.count(cost.busy_cycles), cost.measure)
        for slug, cost in costs.items()
        if not times.estimates(cost, families[slug])
    ]
    rows += [
        (
            slug,
            estimate.product,
            estimate.clock,
            units.seconds(estimate.time_s),
            units.seconds(estimate.low_s),
            units.seconds(estimate.high_s),
            str(estimate.samples),
            units.count(cost.busy_cycles),
            f"{cost.measure}, {units.percent(cost.explained)} counted",
        )
        for slug, cost in costs.items()
        for estimate in times.estimates(cost, families[slug])
    ]
    header = ("target", "product", "clock", "time", "from", "to", "samples", "work", "in")
    parts = [table(header, rows)]
    parts += list(dict.fromkeys(f"{slug}: {cost.basis}" for slug, cost in costs.items()))
    slug, cost = next(iter(costs.items()))
    if cost.lines:
        lines = table(
            ("share", "line"),
            (
                (
                    units.percent(part.share),
                    located(part.line.file, part.line.line),
                )
                for part in cost.lines[:HOT_LINES]
            ),
        )
        parts.append(f"hottest lines on {slug}\n{lines}")
    return parts


def assembly(stats: CompiledStats, cost: FrameCost | None) -> str:
    """The driver's text of each executable; with counts, each label shows how often it ran and its
    share."""
    lines: list[str] = []
    by_label = {f"BB{b.number}:": b for b in cost.blocks} if cost else {}
    for executable in stats.executables:
        lines.append(f"; {stats.target}: {stats.name}, {executable.name}")
        counted = executable is stats.chosen and cost is not None
        text = executable.assembly.splitlines() or ["; none reported"]
        if counted and stats.vendor.slug != "amd":  # whose text has no label for each block
            text = [
                line
                for block in listing_of(executable, stats.vendor).blocks
                for line in (f"BB{block.number}:", *(f"\t{i.text}" for i in block.instructions))
            ]
        for line in text:
            block = by_label.get(line.strip()) if counted else None
            if block is not None and cost is not None:
                share = block.busy_cycles / cost.busy_cycles if cost.busy_cycles else 0.0
                ran = units.count(round(block.executions))
                line = f"{line} ; {ran} waves, {units.percent(share)} of all {cost.measure}"
            lines.append(line)
    return "\n".join(lines)


def target_data(target: CompiledTarget) -> dict[str, Any]:
    """An entry of `targets`, and of `compilers status`."""
    family = target.family
    clocks = [
        f"{product.clock_hz / 1e6:.0f} MHz ({product.name})"
        for product in family.products
        if product.clock_hz is not None
    ]
    return {
        "target": family.slug,
        "vendor": family.vendor.name,
        "kind": "compiled",
        "methods": ["statistics"],
        "clock": clocks[0] if clocks else "unknown",
        "driver": target.driver,
        "device": target.device,
        "samples": 0,
        "validated": None,
        "name": family.name,
        "chip": family.chip,
        "architecture": family.architecture,
        "standing": family.vendor.standing,
        "products": [
            {
                "name": product.name,
                "units": product.units,
                "clock_hz": product.clock_hz,
                "bandwidth_bps": product.bandwidth_bps,
                "source": product.source,
                "confirmed_by": {
                    what: [page.url for page in pages] for what, pages in product.confirmed.items()
                },
            }
            for product in family.products
        ],
    }


def targets_text(entries: Sequence[dict[str, Any]]) -> str:
    return table(
        ("target", "vendor", "chip", "products: units, clock, memory bandwidth", "driver"),
        [
            (
                e["target"],
                e["vendor"],
                e["chip"],
                "; ".join(map(_product, e["products"])),
                e["driver"],
            )
            for e in entries
        ],
    )


def _product(product: dict[str, Any]) -> str:
    known = [str(product["units"])] if product["units"] else []
    known += [f"{product['clock_hz'] / 1e6:.0f} MHz"] if product["clock_hz"] else []
    known += [f"{product['bandwidth_bps'] / 1e9:.0f} GB/s"] if product["bandwidth_bps"] else []
    name = product["name"].replace("Radeon RX", "RX")
    return f"{name}: {', '.join(known)}" if known else name
