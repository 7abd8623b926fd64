"""`compiled`: what vendors' compilers make of a shader for GPUs that are not here."""

from __future__ import annotations

import argparse
import shlex
from concurrent.futures import Future
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load_any_stage, load_draw, require_fragment
from shaderlab.cli.frame import take_project
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import compiled as texts
from shaderlab.engine.crew import Engine
from shaderlab.errors import NoVulkan, ShaderlabError, UnknownTarget
from shaderlab.frontend import analysers
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.workers import compiled as workers
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.external import analyse
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts

if TYPE_CHECKING:
    from shaderlab.scene.draw import Draw

_T = TypeVar("_T")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--isa", action="store_true", help="also the assembly")
    parser.add_argument(
        "--counts",
        action="store_true",
        help="count a frame, or a dispatch, on this machine's device and show its cost on each "
        "target",
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
    take_project(arguments)
    targets, lacking = _targets(arguments.target)
    with answering(arguments) as engine, closing(CompiledWorkers(targets)) as compilers:
        compilers.start()
        program = load_any_stage(arguments, engine)
        draw = None
        if program.stage is not Stage.VERTEX:
            draw = load_draw(arguments, program, engine)
        if arguments.counts and draw is None:
            require_fragment(program)
        if arguments.counts and draw is not None:
            frame = _count(draw, engine, compilers)
            stats, problems, costs = frame.stats, frame.problems, frame.costs
            uncounted = frame.uncounted
        else:
            requests = compilers.compile(
                program,
                vertex=draw.vertex if draw else None,
                constants=draw.launch_constants if draw and draw.is_compute else None,
            )
            (stats, problems), costs, uncounted = _results(requests), {}, {}
    problems = {**lacking, **{slug: str(error) for slug, error in problems.items()}}
    configured = {name: getattr(arguments, name) for name in analysers.NAMES}
    of_amd = [slug for slug, one in stats.items() if one.vendor.slug == "amd"]
    external = analyse(program, of_amd, configured, arguments.malioc_core)
    families = {target.family.slug: target.family for target in targets}
    entries = []
    for slug, one in stats.items():
        entry = texts.data(one, _reproduce(one.target, arguments), arguments.isa)
        if slug in costs:
            entry["frame"] = texts.frame_data(costs[slug], families[slug])
        if slug in uncounted:
            entry["uncounted"] = uncounted[slug]
        entries.append(entry)
    data = {
        "targets": entries,
        "problems": [{"target": slug, "error": why} for slug, why in problems.items()],
        "external": [texts.external_data(report) for report in external.reports],
        "external_problems": list(external.problems),
    }
    parts = texts.statistics(list(stats.values()))
    parts += [f"{slug}: {one_line(why)}" for slug, why in problems.items()]
    if costs:
        parts += texts.frame_text(costs, families)
    parts += [f"{slug}: not counted: {one_line(why)}" for slug, why in uncounted.items()]
    parts += [report.summary for report in external.reports]
    parts += map(one_line, external.problems)
    if arguments.isa:
        parts += [texts.assembly(one, costs.get(slug)) for slug, one in stats.items()]
    return Answer(data, "\n\n".join(parts), 0 if stats else 1)


def _targets(wanted: list[str] | None) -> tuple[tuple[CompiledTarget, ...], dict[str, str]]:
    """Those named, and why others of them are not here; without a wish all of AMD.

    Raises UnknownTarget, also where none of them is here; NoVulkan without any compiler.
    """
    if wanted is None:
        return workers.amd().result(), {}
    targets, lacking = workers.choose_available(workers.available().result(), wanted)
    if not targets:
        by_reason: dict[str, list[str]] = {}
        for slug, why in lacking.items():
            by_reason.setdefault(why, []).append(slug)
        raise UnknownTarget("; ".join(f"{', '.join(s)}: {why}" for why, s in by_reason.items()))
    return targets, lacking


def _results(futures: dict[str, Future[_T]]) -> tuple[dict[str, _T], dict[str, ShaderlabError]]:
    """What each came to."""
    results: dict[str, _T] = {}
    problems: dict[str, ShaderlabError] = {}
    for slug, future in futures.items():
        try:
            results[slug] = future.result()
        except ShaderlabError as error:
            problems[slug] = error
    return results, problems


def _count(draw: Draw, engine: Engine, compilers: CompiledWorkers) -> CompiledFrame:
    with closing(FrameCosts(engine.crew.compiler, device_of(engine), compilers)) as joined:
        return joined.cost(draw).result()


def target_data() -> list[dict[str, Any]]:
    """The compiled targets as entries of `targets`; none without compilers, which `doctor`
    reports."""
    try:
        return [texts.target_data(target) for target in workers.available().result().targets]
    except NoVulkan:
        return []


def _reproduce(slug: str, arguments: argparse.Namespace) -> str:
    """The command that shows one target's figures again, with its code."""
    words = ["shaderlab", "compiled", str(arguments.file), "--target", slug, "--isa"]
    if arguments.counts:
        words += ["--counts", *_frame_words(arguments)]
        words += ["--device", arguments.device] if arguments.device else []
        words += ["--deadline", repr(arguments.deadline)] if arguments.deadline else []
    return shlex.join(words)


def _frame_words(arguments: argparse.Namespace) -> list[str]:
    given = getattr(arguments, "given", ()) if arguments.project else ("size", "time", "frame")
    width, height = arguments.size
    shown = {"size": f"{width}x{height}", "time": repr(arguments.time)}
    shown["frame"] = str(arguments.frame)
    words = [word for name in shown if name in given for word in (f"--{name}", shown[name])]
    words += ["--project", str(arguments.project)] if arguments.project else []
    words += ["--geometry", arguments.geometry] if arguments.geometry else []
    words += ["--vertex", str(arguments.vertex)] if arguments.vertex else []
    words += ["--vertices", str(arguments.vertices)] if arguments.vertices else []
    for name in ("groups", "local"):
        if (sides := getattr(arguments, name)) is not None:
            words += [f"--{name}", ",".join(map(str, sides))]
    words += [word for each in arguments.elements for word in ("--elements", each)]
    words += [word for each in arguments.buffers for word in ("--buffer", each)]
    for option, pairs in (("--set", arguments.values), ("--texture", arguments.textures)):
        for name, value in pairs:
            words += [option, f"{name}={value}"]
    return words


COMMANDS = (
    Command(
        "compiled",
        "Registers, occupancy and ISA for GPUs you do not have.",
        compiled,
        (options.SHADER, options.INPUTS, options.TARGET, options.FRAME, options.DEVICE),
        _options,
    ),
)
