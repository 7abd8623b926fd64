"""`sweep`: a shader at several values of its constants and inputs."""

from __future__ import annotations

import argparse
from pathlib import Path

from shaderlab.captures import opening
from shaderlab.captures.shader_texts import Origin
from shaderlab.cli import capturing, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, load_frame
from shaderlab.cli.frame import opened_project, reading
from shaderlab.cli.terminal import note, one_line
from shaderlab.cli.texts import sweeping as texts
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import RECOGNISED
from shaderlab.studies.axes import Axis, combinations, parse
from shaderlab.studies.sweep import Effort, Point, Sweep
from shaderlab.studies.swept_capture import CapturePlan, sweep_capture
from shaderlab.studies.swept_frame import Plan, sweep_frame
from shaderlab.studies.swept_texts import SweptText
from shaderlab.workers.captured_frames import stage_of
from shaderlab.workers.captured_texts import editable, folder_of


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "axes", nargs="+", metavar="NAME=VALUES",
        help="a #define, constant, specialisation constant or input of the shader, with a list "
        "(8,16,32) or a range (10:50:10, 8:128:x2)",
    )  # fmt: skip
    parser.add_argument(
        "--pass", dest="varied", default="", metavar="NAME",
        help="in a project with several passes, the pass to vary (default: the last); times and "
        "pictures are of the whole frame",
    )  # fmt: skip
    parser.add_argument(
        "--draw", type=options.natural, metavar="EVENT",
        help="in a capture (.rdc), the draw whose shader to vary; draws that share it vary too",
    )  # fmt: skip
    parser.add_argument(
        "--measure", action="store_true", help="also time every variant on this machine"
    )
    parser.add_argument(
        "--anchor", action="store_true",
        help="time only the reference, and scale this device's predicted curve to pass through it",
    )  # fmt: skip
    parser.add_argument(
        "--reference", metavar="V,…",
        help="values whose picture the others are compared with, one per name (default: the first)",
    )  # fmt: skip
    parser.add_argument("--trials", type=options.natural, default=5, metavar="N")
    parser.add_argument("--draws", type=options.natural, default=10, metavar="N", help="per trial")


def sweep_(arguments: argparse.Namespace) -> Answer:
    axes = tuple(parse(text) for text in arguments.axes)
    combinations(axes)  # report too many before anything is compiled
    if arguments.measure and arguments.anchor:
        raise WrongUse("give --measure or --anchor, not both")
    chosen = arguments.reference
    reference = tuple(each.strip() for each in chosen.split(",")) if chosen else None
    is_capture = arguments.file.suffix == capturing.SUFFIX
    found = (_of_capture if is_capture else _of_shader)(arguments, axes, reference)
    failed = any(point.failure for point in found.points)
    return Answer(texts.data(found), texts.text(found), 1 if failed else 0)


def _of_shader(
    arguments: argparse.Namespace, axes: tuple[Axis, ...], reference: tuple[str, ...] | None
) -> Sweep:
    if arguments.draw is not None:
        raise WrongUse("--draw is for a capture: name a .rdc file")
    measured = arguments.measure or arguments.anchor
    with answering(arguments) as engine:
        plan = Plan(
            load_frame(arguments, engine),
            axes,
            _folder(arguments),
            reading(arguments),
            tuple(arguments.target) if arguments.target else None,
            Effort(arguments.trials, arguments.draws) if measured else None,
            reference,
            anchor_only=arguments.anchor,
            varied=arguments.varied,
            project=opened_project(arguments),
        )
        return sweep_frame(plan, engine, _report)


def _of_capture(
    arguments: argparse.Namespace, axes: tuple[Axis, ...], reference: tuple[str, ...] | None
) -> Sweep:
    if arguments.draw is None:
        raise WrongUse(
            "--draw EVENT is needed to say whose shader to vary; `shaderlab capture` lists draws"
        )
    if arguments.measure or arguments.anchor or arguments.varied:
        raise WrongUse("--measure, --anchor and --pass are for shaders and projects")
    frame = opening.opened(arguments.file)
    draw = next((each for each in frame.draws if each.event == arguments.draw), None)
    if draw is None or draw.shader is None:
        raise WrongUse(f"{arguments.file.name} has no draw {arguments.draw} with a shader")
    with capturing.analyser(arguments) as (analyser, compiler, device):
        folder = folder_of(opening.cache_folder(arguments.file).name)
        shader = editable(compiler, draw.shader, folder, stage_of(draw))
        if shader.origin is Origin.ASSEMBLY:
            raise WrongUse(
                f"the shader of draw {draw.event} has no source: is spirv-cross missing?"
            )
        note(one_line(f"{shader.path}: {shader.origin}; edits to it are used"))
        present = compiler.load(shader.path, RECOGNISED).result()
        text = SweptText.of(present, folder, RECOGNISED)
        plan = CapturePlan(frame.draws, draw.event, text, shader.base, axes, reference)
        return sweep_capture(plan, analyser, compiler, device, _report)


def _folder(arguments: argparse.Namespace) -> Path:
    """Where the text that varies includes from."""
    project = opened_project(arguments)
    own = (p.shader for p in (project.passes if project else ()) if p.name == arguments.varied)
    return next(own, arguments.file).parent


def _report(done: int, total: int, point: Point) -> None:
    note(one_line(f"{done}/{total} {', '.join(point.values)}"))


COMMANDS = (
    Command(
        "sweep",
        "Predict and compare a shader at several values of its constants and inputs.",
        sweep_,
        options.FORECAST,
        _options,
    ),
)
