"""`compiled`: what RADV makes of a shader for AMD GPUs that are not here, and its cost there."""

from __future__ import annotations

import argparse
import shlex
from contextlib import closing
from typing import TYPE_CHECKING, Any

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.frame import draw_state
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import compiled as texts
from shaderlab.errors import NoVulkan, ShaderlabError
from shaderlab.frontend import analysers
from shaderlab.gpu.discovery import choose
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


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--isa", action="store_true", help="also the assembly")
    parser.add_argument(
        "--counts",
        action="store_true",
        help="count a frame on this machine's device and show its cost on each target",
    )
    for name, vendor in (("malioc", "Arm's Mali Offline Compiler"), ("rga", "Radeon GPU Analyzer")):
        parser.add_argument(
            f"--{name}",
            default="",
            metavar="PATH",
            help=f"{vendor}, if it is not on PATH; optional, not part of shaderlab, and its output "
            "is parsed as documented; not tested with the program",
        )
    parser.add_argument(
        "--malioc-core", default="", metavar="CORE", help="GPU for malioc, e.g. Mali-G710"
    )


def compiled(arguments: argparse.Namespace) -> Answer:
    """Exit code 1 if no target's compiler accepted the shader; those that did not are reported."""
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
        entry = texts.data(one, _reproduce(one.target, arguments), arguments.isa)
        if slug in costs:
            entry["frame"] = texts.frame_data(costs[slug], families[slug])
        entries.append(entry)
    data = {
        "targets": entries,
        "problems": [{"target": slug, "error": str(e)} for slug, e in problems.items()],
        "external": [texts.external_data(report) for report in external.reports],
        "external_problems": list(external.problems),
    }
    parts = [texts.statistics(stats.values())] if stats else []
    parts += [f"{slug}: {one_line(error)}" for slug, error in problems.items()]
    if costs:
        parts += texts.frame_text(costs, families)
    parts += [report.summary for report in external.reports]
    parts += map(one_line, external.problems)
    if arguments.isa:
        parts += [texts.assembly(one, costs.get(slug)) for slug, one in stats.items()]
    return Answer(data, "\n\n".join(parts), 0 if stats else 1)


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
    """The compiled targets as entries of `targets`; none without RADV, which `doctor` reports."""
    try:
        return [texts.target_data(target) for target in workers.available().result()]
    except NoVulkan:
        return []


def _reproduce(slug: str, arguments: argparse.Namespace) -> str:
    """The command that shows one target's figures again, with its code."""
    words = ["shaderlab", "compiled", str(arguments.file), "--target", slug, "--isa"]
    if arguments.counts:
        width, height = arguments.size
        words += ["--counts", "--size", f"{width}x{height}", "--time", repr(arguments.time)]
        words += ["--frame", str(arguments.frame)]
        words += ["--device", arguments.device] if arguments.device else []
        words += ["--deadline", repr(arguments.deadline)] if arguments.deadline else []
    return shlex.join(words)


COMMANDS = (
    Command(
        "compiled",
        "Registers, occupancy and ISA for AMD GPUs you do not have.",
        compiled,
        (options.SHADER, options.TARGET, options.FRAME, options.DEVICE),
        _options,
    ),
)
