"""`compiled`: what RADV makes of a shader for AMD GPUs that are not here, and its cost there."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli import printing
from shaderlab.cli.answer import Answer
from shaderlab.cli.frame import draw_state
from shaderlab.errors import NoVulkan, ShaderlabError
from shaderlab.frontend import analysers
from shaderlab.frontend.analysers import ExternalReport
from shaderlab.gpu.discovery import choose
from shaderlab.gpu.radv import times
from shaderlab.workers import compiled as workers
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.external import analyse
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
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


def add_parsers(
    add: Callable[..., argparse.ArgumentParser],
    shader: argparse.ArgumentParser,
    target: argparse.ArgumentParser,
    frame: argparse.ArgumentParser,
    device: argparse.ArgumentParser,
) -> None:
    """`add(name, text, *parents)` makes a sub-command; the others are what commands share."""
    compiling = add(
        "compiled",
        "Registers, occupancy and ISA for AMD GPUs that are not here.",
        *(shader, target, frame, device),
    )
    compiling.add_argument("--isa", action="store_true", help="also the assembly")
    compiling.add_argument(
        "--counts",
        action="store_true",
        help="count a frame on this machine's device and tell its cost on each target",
    )
    for name, vendor in (("malioc", "Arm's Mali Offline Compiler"), ("rga", "Radeon GPU Analyzer")):
        compiling.add_argument(
            f"--{name}",
            default="",
            metavar="PATH",
            help=f"{vendor}, if it is not on PATH; optional, not part of shaderlab, and its "
            "output was read by its documentation, not tried with the program",
        )
    compiling.add_argument(
        "--malioc-core", default="", metavar="CORE", help="GPU for malioc, e.g. Mali-G710"
    )


def compiled(arguments: argparse.Namespace) -> Answer:
    """Exit code 1 if no target's compiler took the shader; one that did not is told beside."""
    targets = workers.choose(workers.available().result(), arguments.target)
    with closing(CompilerWorker()) as compiler, closing(CompiledWorkers(targets)) as compilers:
        compilers.start()
        program = compiler.load(arguments.file).result()
        if arguments.counts:
            frame = _count(arguments, program, compiler, compilers)
            stats, problems, costs = frame.stats, frame.problems, frame.costs
        else:
            stats, problems, costs = {}, {}, {}
            for slug, future in compilers.compile(program).items():
                try:
                    stats[slug] = future.result()
                except ShaderlabError as error:
                    problems[slug] = error
    configured = {name: getattr(arguments, name) for name in analysers.NAMES}
    external = analyse(program, stats, configured, arguments.malioc_core)
    families = {target.family.slug: target.family for target in targets}
    entries = []
    for slug, one in stats.items():
        entry = _data(one, _reproduce(one.target, arguments), arguments.isa)
        if slug in costs:
            entry["frame"] = _frame_data(costs[slug], families[slug])
        entries.append(entry)
    data = {
        "targets": entries,
        "problems": [{"target": slug, "error": str(e)} for slug, e in problems.items()],
        "external": [_external_data(report) for report in external.reports],
        "external_problems": list(external.problems),
    }
    parts = [_table(stats.values())] if stats else []
    parts += [f"{slug}: {error}" for slug, error in problems.items()]
    if costs:
        parts += _frame_text(costs, families)
    parts += [report.summary for report in external.reports]
    parts += external.problems
    if arguments.isa:
        parts += [_assembly(one, costs.get(slug)) for slug, one in stats.items()]
    return Answer(data, "\n\n".join(parts), 0 if stats else 1)


def _external_data(report: ExternalReport) -> dict[str, Any]:
    return {
        "tool": report.tool,
        "target": report.target,
        "properties": dict(report.properties),
        "cycles": {path: dict(cycles) for path, cycles in report.cycles.items()},
        "bound": list(report.bound),
        "version": report.version,
        "notes": list(report.notes),
    }


def _count(
    arguments: argparse.Namespace,
    program: Program,
    compiler: CompilerWorker,
    compilers: CompiledWorkers,
) -> CompiledFrame:
    draw = draw_state(arguments).draw(program)
    limits = Limits() if arguments.deadline is None else Limits(trace=arguments.deadline)
    info = choose(discover().result().devices, arguments.device)
    with (
        closing(DeviceWorker(info, limits)) as device,
        closing(FrameCosts(compiler, device, compilers)) as joined,
    ):
        return joined.cost(draw).result()


def target_data() -> list[dict[str, Any]]:
    """The compiled targets as entries of `targets`; none without RADV, which `doctor` tells."""
    try:
        return [_target_data(target) for target in workers.available().result()]
    except NoVulkan:
        return []


def targets_text(entries: list[dict[str, Any]]) -> str:
    return printing.table(
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


COMMANDS: dict[str, Callable[[argparse.Namespace], Answer]] = {"compiled": compiled}


def _reproduce(slug: str, arguments: argparse.Namespace) -> str:
    """The command that tells the same of one target again, with its code."""
    words = ["shaderlab", "compiled", str(arguments.file), "--target", slug, "--isa"]
    if arguments.counts:
        width, height = arguments.size
        words += ["--counts", "--size", f"{width}x{height}", "--time", repr(arguments.time)]
        words += ["--frame", str(arguments.frame)]
        words += ["--device", arguments.device] if arguments.device else []
        words += ["--deadline", repr(arguments.deadline)] if arguments.deadline else []
    return shlex.join(words)


def _data(stats: CompiledStats, reproduce: str, isa: bool) -> dict[str, Any]:
    data = {
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
    return data | ({"isa": stats.isa} if isa else {})


def _frame_data(cost: FrameCost, family: Family) -> dict[str, Any]:
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


def _frame_text(costs: dict[str, FrameCost], families: dict[str, Family]) -> list[str]:
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
    parts = [printing.table(header, rows)]
    parts += list(dict.fromkeys(f"{slug}: {cost.basis}" for slug, cost in costs.items()))
    slug, cost = next(iter(costs.items()))
    if cost.lines:
        lines = printing.table(
            ("share", "line"),
            (
                (
                    units.percent(part.share),
                    f"{part.line.file}:{part.line.line}" if part.line.file else str(part.line.line),
                )
                for part in cost.lines[: printing.HOT_LINES]
            ),
        )
        parts.append(f"hottest lines on {slug}\n{lines}")
    return parts


def _assembly(stats: CompiledStats, cost: FrameCost | None) -> str:
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


def _table(stats: Iterable[CompiledStats]) -> str:
    return printing.table(
        [title for title, _ in _COLUMNS],
        [
            ["-" if (v := getattr(one, field)) is None else str(v) for _, field in _COLUMNS]
            for one in stats
        ],
    )


def _target_data(target: CompiledTarget) -> dict[str, Any]:
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
