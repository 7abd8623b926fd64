"""What RADV's compiler reports of a shader, and the targets it compiles for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.terminal import table
from shaderlab.cli.texts.forecasts import HOT_LINES
from shaderlab.frontend.analysers import ExternalReport
from shaderlab.gpu.radv import times

if TYPE_CHECKING:
    from shaderlab.gpu.radv.compiled import CompiledStats
    from shaderlab.gpu.radv.cost import FrameCost
    from shaderlab.gpu.radv.discovery import CompiledTarget
    from shaderlab.gpu.radv.families import Family

_COLUMNS = (
    ("target", "target"),
    ("VGPRs", "vgprs"),
    ("SGPRs", "sgprs"),
    ("spills", "spills"),
    ("scratch B", "scratch_bytes"),
    ("waves/SIMD", "occupancy"),
    ("instructions", "instructions"),
    ("branches", "branches"),
    ("latency", "latency"),
    ("inv. throughput", "inverse_throughput"),
    ("code B", "code_bytes"),
    ("chip and products", "name"),
)


def data(stats: CompiledStats, reproduce: str, isa: bool) -> dict[str, Any]:
    fields = {
        "target": stats.target,
        "name": stats.name,
        "driver": stats.driver,
        "subgroup_size": stats.subgroup_size,
        "vgprs": stats.vgprs,
        "sgprs": stats.sgprs,
        "spills": stats.spills,
        "spilled_vgprs": stats.spilled_vgprs,
        "spilled_sgprs": stats.spilled_sgprs,
        "scratch_bytes": stats.scratch_bytes,
        "lds_bytes": stats.lds_bytes,
        "occupancy": stats.occupancy,
        "instructions": stats.instructions,
        "copies": stats.copies,
        "branches": stats.branches,
        "latency": stats.latency,
        "inverse_throughput": stats.inverse_throughput,
        "vmem_clauses": stats.vmem_clauses,
        "smem_clauses": stats.smem_clauses,
        "code_bytes": stats.code_bytes,
        "compile_s": stats.compile_s,
        "reproduce": reproduce,
    }
    return fields | ({"isa": stats.isa} if isa else {})


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
        (
            slug,
            estimate.product,
            estimate.clock,
            units.seconds(estimate.time_s),
            units.seconds(estimate.low_s),
            units.seconds(estimate.high_s),
            str(estimate.samples),
            units.count(cost.busy_cycles),
            units.percent(cost.explained),
        )
        for slug, cost in costs.items()
        for estimate in times.estimates(cost, families[slug])
    ]
    header = ("target", "product", "clock", "time", "from", "to", "samples", "cycles", "counted")
    parts = [table(header, rows)]
    parts += list(dict.fromkeys(f"{slug}: {cost.basis}" for slug, cost in costs.items()))
    slug, cost = next(iter(costs.items()))
    if cost.lines:
        lines = table(
            ("share", "line"),
            (
                (
                    units.percent(part.share),
                    f"{part.line.file}:{part.line.line}" if part.line.file else str(part.line.line),
                )
                for part in cost.lines[:HOT_LINES]
            ),
        )
        parts.append(f"hottest lines on {slug}\n{lines}")
    return parts


def assembly(stats: CompiledStats, cost: FrameCost | None) -> str:
    """The driver's text; with counts, each label tells how often it ran and its share."""
    lines = [f"; {stats.target}: {stats.name}"]
    by_label = {f"BB{b.number}:": b for b in cost.blocks} if cost else {}
    for line in stats.isa.splitlines():
        block = by_label.get(line.strip())
        if block is not None and cost is not None:
            share = block.busy_cycles / cost.busy_cycles if cost.busy_cycles else 0.0
            ran = units.count(round(block.executions))
            line = f"{line} ; {ran} waves, {units.percent(share)} of the frame's cycles"
        lines.append(line)
    return "\n".join(lines)


def statistics(stats: Iterable[CompiledStats]) -> str:
    return table(
        [title for title, _ in _COLUMNS],
        [
            ["-" if (v := getattr(one, field)) is None else str(v) for _, field in _COLUMNS]
            for one in stats
        ],
    )


def target_data(target: CompiledTarget) -> dict[str, Any]:
    family = target.family
    return {
        "target": family.slug,
        "vendor": "AMD",
        "kind": "compiled",
        "methods": ["statistics"],
        "clock": f"boost {family.largest.boost_hz / 1e6:.0f} MHz ({family.largest.name})",
        "driver": target.driver,
        "samples": 0,
        "validated": None,
        "name": family.name,
        "chip": family.chip,
        "products": [
            {
                "name": product.name,
                "compute_units": product.compute_units,
                "boost_hz": product.boost_hz,
                "source": product.source,
                "confirmed_by": {
                    what: [page.url for page in pages] for what, pages in product.confirmed.items()
                },
            }
            for product in family.products
        ],
    }


def targets_text(entries: list[dict[str, Any]]) -> str:
    return table(
        ("target", "kind", "chip", "products: compute units, boost clock", "driver"),
        (
            (e["target"], e["kind"], e["chip"], _products(e["products"]), e["driver"])
            for e in entries
        ),
    )


def _products(products: list[dict[str, Any]]) -> str:
    return "; ".join(
        f"{p['name'].replace('Radeon RX', 'RX')}: {p['compute_units']}, "
        f"{p['boost_hz'] / 1e6:.0f} MHz"
        for p in products
    )
