"""What the compilers of other vendors report of a shader, and which of them are here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shaderlab.cli.terminal import one_line, table

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import Executable, VendorStats
    from shaderlab.gpu.compilers.discovery import VendorTarget

_COLUMNS = (
    ("target", "target"),
    ("SIMD", "subgroup_size"),
    ("instructions", "instructions"),
    ("registers", "registers"),
    ("spills", "spills"),
    ("scratch B", "scratch_bytes"),
    ("waves", "occupancy"),
    ("cycles", "cycles"),
    ("code B", "code_bytes"),
    ("chip and products", "name"),
)


def data(stats: VendorStats, reproduce: str, isa: bool) -> dict[str, Any]:
    fields = {
        "target": stats.target,
        "name": stats.name,
        "vendor": stats.vendor.name,
        "driver": stats.driver,
        "standing": stats.vendor.standing,
        **asdict(stats.common),
        "executables": [_executable(each, isa) for each in stats.executables],
        "compile_s": stats.compile_s,
        "compile_processor_s": stats.processor_s,
        "reproduce": reproduce,
    }
    return fields | ({"isa": stats.chosen.assembly} if isa else {})


def _executable(executable: Executable, isa: bool) -> dict[str, Any]:
    fields = {
        "name": executable.name,
        "subgroup_size": executable.subgroup_size,
        "statistics": {s.name: _number(s.value) for s in executable.statistics},
    }
    return fields | ({"isa": executable.assembly} if isa else {})


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def statistics(stats: Sequence[VendorStats]) -> list[str]:
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
            own = ", ".join(f"{s.name} {_cell(s.value)}" for s in executable.statistics)
            parts.append(one_line(f"{one.target}, {executable.name}: {own}"))
    parts += dict.fromkeys(one.vendor.standing for one in stats)
    return parts


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if value != int(value) else str(int(value))
    return str(value)


def assembly(stats: VendorStats) -> str:
    """The driver's text, of each executable."""
    return "\n\n".join(
        f"; {stats.target}: {stats.name}, {each.name}\n{each.assembly or '; none reported'}"
        for each in stats.executables
    )


def target_data(target: VendorTarget) -> dict[str, Any]:
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
        "samples": 0,
        "validated": None,
        "name": family.name,
        "chip": family.chip,
        "architecture": family.architecture,
        "driver": target.driver,
        "device": target.device,
        "products": [
            {
                "name": product.name,
                "units": product.units,
                "clock_hz": product.clock_hz,
                "bandwidth_bps": product.bandwidth_bps,
                "note": product.note,
                "confirmed_by": {
                    what: [page.url for page in pages] for what, pages in product.confirmed.items()
                },
            }
            for product in family.products
        ],
    }


def targets_text(entries: Sequence[dict[str, Any]]) -> str:
    return table(
        ("target", "kind", "vendor", "chip and products", "driver"),
        [(e["target"], e["kind"], e["vendor"], e["name"], e["driver"]) for e in entries],
    )
