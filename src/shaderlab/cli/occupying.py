"""`occupancy`: local sizes of a compute shader on GPUs that are not here."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from typing import Any

from shaderlab import units
from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, load_any_stage, load_draw
from shaderlab.cli.terminal import one_line, table
from shaderlab.errors import WrongUse
from shaderlab.scene.launch import shown
from shaderlab.studies.axes import parse
from shaderlab.studies.occupancy import SIZES, Occupancy, Occupied, local_sizes, occupancy
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers

_MOST_INVOCATIONS = 4096
_COLUMNS = ("target", "local size", "subgroups", "SIMD", "idle", "registers", "shared B", "spills",
            "resident")  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--family", action="append", required=True, metavar="FAM",
        help="a chip that `shaderlab targets` lists (navi23, or Radeon RX 6600)",
    )  # fmt: skip
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), metavar="VALUES",
        help="invocations of a workgroup, a list or a range (32:1024:x2)",
    )  # fmt: skip


def occupancy_(arguments: argparse.Namespace) -> Answer:
    """Exit code 1 where no local size was compiled."""
    numbers = parse(f"sizes={arguments.sizes}").numbers
    if not all(1 <= each <= _MOST_INVOCATIONS and each == int(each) for each in numbers):
        raise WrongUse(f"--sizes: whole numbers from 1 to {_MOST_INVOCATIONS:,}")
    with answering(arguments) as engine:
        program = load_any_stage(arguments, engine)
        draw = load_draw(arguments, program, engine)
    sizes, note = local_sizes(draw, map(int, numbers))
    targets = compiled.choose_among(compiled.available().result(), arguments.family)
    found: list[Occupancy] = []
    with closing(CompiledWorkers(targets)) as workers:
        workers.start()
        for target in targets:
            slug = target.family.slug
            found.append(
                occupancy(
                    draw,
                    target.family,
                    sizes,
                    note,
                    lambda given, slug=slug: workers.compile(program, (slug,), constants=given)[
                        slug
                    ].result(),
                )
            )
    return Answer(_data(found), _text(found), 0 if any(each.rows for each in found) else 1)


def _data(found: list[Occupancy]) -> dict[str, Any]:
    return {
        "families": [
            {
                "family": each.family,
                "note": each.note or None,
                "problems": dict(each.problems),
                "best": list(each.best.local) if each.best else None,
                "sizes": [asdict(row) | {"idle": row.idle} for row in each.rows],
            }
            for each in found
        ]
    }


def _text(found: list[Occupancy]) -> str:
    rows = [
        (
            row.family, shown(row.local), str(row.subgroups), str(row.subgroup or "-"),
            units.percent(row.idle), *map(_number, (row.registers, row.shared_bytes, row.spills)),
            _resident(row),
        )
        for each in found
        for row in each.rows
    ]  # fmt: skip
    parts = [table(_COLUMNS, rows)] if rows else []
    parts += [
        one_line(f"{each.family}, {size}: {why}")
        for each in found
        for size, why in each.problems.items()
    ]
    parts += dict.fromkeys(each.note for each in found if each.note)
    if rows:
        parts.append(
            "resident: subgroups that a SIMD unit holds at a time, limited by registers, shared"
            " memory and whole workgroups; more of them hide more latency, but no time follows"
            " from their number"
        )
    return "\n".join(parts)


def _resident(row: Occupied) -> str:
    if row.resident is None:
        return "-"
    return f"{row.resident:g}" + (f" of {row.most}" if row.most is not None else "")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


COMMANDS = (
    Command(
        "occupancy",
        "Compare local sizes of a compute shader on GPUs you do not have.",
        occupancy_,
        (options.SHADER, options.INPUTS, options.FRAME),
        _options,
    ),
)
