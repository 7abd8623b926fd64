"""`compiled`: what RADV makes of a shader for AMD GPUs that are not here."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shaderlab.cli import printing
from shaderlab.cli.answer import Answer
from shaderlab.errors import NoVulkan, ShaderlabError
from shaderlab.workers import compiled as workers
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker

if TYPE_CHECKING:
    from shaderlab.gpu.radv.compiled import CompiledStats
    from shaderlab.gpu.radv.discovery import CompiledTarget

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
) -> None:
    """`add(name, text, *parents)` makes a sub-command."""
    compiling = add(
        "compiled", "Registers, occupancy and ISA for AMD GPUs that are not here.", shader, target
    )
    compiling.add_argument("--isa", action="store_true", help="also the assembly")


def compiled(arguments: argparse.Namespace) -> Answer:
    """Exit code 1 if no target's compiler took the shader; one that did not is told beside."""
    targets = workers.choose(workers.available().result(), arguments.target)
    with closing(CompilerWorker()) as compiler, closing(CompiledWorkers(targets)) as compilers:
        compilers.start()
        program = compiler.load(arguments.file).result()
        futures = compilers.compile(program)
        stats: list[CompiledStats] = []
        problems: dict[str, ShaderlabError] = {}
        for slug, future in futures.items():
            try:
                stats.append(future.result())
            except ShaderlabError as error:
                problems[slug] = error
    data = {
        "targets": [_data(one, arguments.file, arguments.isa) for one in stats],
        "problems": [{"target": slug, "error": str(e)} for slug, e in problems.items()],
    }
    parts = [_table(stats)] if stats else []
    parts += [f"{slug}: {error}" for slug, error in problems.items()]
    if arguments.isa:
        parts += [f"; {one.target}: {one.name}\n{one.isa}" for one in stats]
    return Answer(data, "\n\n".join(parts), 0 if stats else 1)


def target_data() -> list[dict[str, Any]]:
    """The compiled targets as entries of `targets`; none without RADV, which `doctor` tells."""
    try:
        return [_target_data(target) for target in workers.available().result()]
    except NoVulkan:
        return []


def targets_text(entries: list[dict[str, Any]]) -> str:
    return printing.table(
        ("target", "name", "kind", "methods", "clock", "driver"),
        (
            (e["target"], e["name"], e["kind"], ", ".join(e["methods"]), e["clock"], e["driver"])
            for e in entries
        ),
    )


COMMANDS: dict[str, Callable[[argparse.Namespace], Answer]] = {"compiled": compiled}


def _data(stats: CompiledStats, file: Path, isa: bool) -> dict[str, Any]:
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
        "reproduce": f"shaderlab compiled {shlex.quote(str(file))} --target {stats.target} --isa",
    }
    return data | ({"isa": stats.isa} if isa else {})


def _table(stats: list[CompiledStats]) -> str:
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
        "products": [
            {
                "name": product.name,
                "compute_units": product.compute_units,
                "boost_hz": product.boost_hz,
                "source": product.source,
            }
            for product in family.products
        ],
    }
