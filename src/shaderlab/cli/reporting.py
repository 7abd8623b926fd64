"""`report`: everything about a shader, in a folder."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from shaderlab import files
from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command, code_of
from shaderlab.cli.devices import answering, device_of, load, load_draw, pace_here
from shaderlab.cli.frame import opened_project
from shaderlab.cli.terminal import has_display, one_line
from shaderlab.cli.texts import forecasts as forecast_texts
from shaderlab.cli.texts import measurements, pictures, traces
from shaderlab.engine import questions
from shaderlab.engine.questions import Asked
from shaderlab.errors import InternalError, WrongUse
from shaderlab.scene.defaults import assumptions, subgroup_sentence
from shaderlab.scene.draw import Frame
from shaderlab.studies.pace import measured_by
from shaderlab.system.scratch import TemporaryFolder


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")


def report(arguments: argparse.Namespace) -> Answer:
    with files.new_folder(arguments.output):
        files.make_folder(arguments.output)  # whether it can be written to
        return _report(arguments, arguments.output)


def _report(arguments: argparse.Namespace, folder: Path) -> Answer:
    with answering(arguments) as engine:
        program = load(arguments, engine)
        project = opened_project(arguments)
        if project is not None and project.rule is not None:
            raise WrongUse(
                f"{arguments.project.name} is a frame of {len(project.passes) + 1} passes, and a "
                "report covers one draw: predict, trace and profile cover all of them"
            )
        draw = load_draw(arguments, program, engine)
        device, frame = device_of(engine), Frame.of(draw)
        at = device.info, frame, frame.passes[0].name
        picture = pictures.png(device.render(frame).result().pixels, program.y_up)
        counted = engine.answer(questions.trace, *at)
        vertices = engine.answer(questions.vertices, *at)
        measured = device.profile(draw).result()
        kind = device.info.kind
        assumed = assumptions(draw)
        witness = measured_by(measured, device.info, pace_here(engine))
        asked = Asked(arguments.target and tuple(arguments.target), measured=witness)
        forecasts = engine.answer(questions.forecasts, frame, frame.passes[0].name, asked)
    stage = traces.VertexStage(draw.vertex, vertices) if draw.vertex else None
    data = {
        "trace": traces.data(counted, (*assumed, *subgroup_sentence(program, counted.subgroup)))
        | {"vertex": stage.data if stage else None},
        "predict": forecast_texts.data(forecasts),
        "profile": measurements.data(measured, kind),
    }
    from shaderlab.app import snapshot

    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        # That platform warns of every window that it cannot pass size hints on to a window manager.
        os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    with TemporaryFolder() as scratch:
        window = Path(scratch) / "window.png"
        if not snapshot(window, arguments.file):
            raise InternalError("the window did not finish loading in time for the screenshot")
        written = {
            "picture.png": picture,
            "window.png": window.read_bytes(),
            "report.json": json.dumps(data, indent=2, allow_nan=False).encode(),
        }
    files.save_all({folder / name: contents for name, contents in written.items()})
    text = "\n\n".join(
        (
            one_line(program.name) + f" on {measured.device_name}, {draw.size[0]}x{draw.size[1]}",
            traces.annotated(program, counted, assumed),
            *([stage.text] if stage else []),
            forecast_texts.text(forecasts, program.text),
            measurements.text(measured, kind),
            "\n".join(one_line(f"wrote {folder / name}") for name in written),
        )
    )
    return Answer(data, text, code_of(forecasts))


COMMANDS = (
    Command(
        "report",
        "Everything about a shader: text, picture, window.",
        report,
        options.FORECAST,
        _options,
    ),
)
