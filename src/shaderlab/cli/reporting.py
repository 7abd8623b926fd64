"""`report`: everything about a shader, in a folder."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path

from shaderlab import files
from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command, code_of
from shaderlab.cli.devices import load, load_draw, open_device
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import forecasts as forecast_texts
from shaderlab.cli.texts import measurements, pictures, traces
from shaderlab.errors import InternalError
from shaderlab.scene.defaults import assumptions, subgroup_sentence
from shaderlab.scene.draw import Frame
from shaderlab.studies.forecasting import count_vertices, forms
from shaderlab.studies.other_forms import trace_other_forms
from shaderlab.studies.pace import measured_by, pace_of
from shaderlab.system.scratch import TemporaryFolder
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.predictor import PredictorWorker


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")


def report(arguments: argparse.Namespace) -> Answer:
    with files.new_folder(arguments.output):
        files.make_folder(arguments.output)  # whether it can be written to
        return _report(arguments, arguments.output)


def _report(arguments: argparse.Namespace, folder: Path) -> Answer:
    program = load(arguments)
    draw = load_draw(arguments, program)
    with (
        open_device(arguments) as device,
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
    ):
        picture = pictures.png(device.render(Frame.of(draw)).result().pixels, program.y_up)
        counted = device.trace(draw).result()
        frame = Frame.of(draw)
        vertices = count_vertices(device, frame, frame.passes[0].name)
        other_forms = trace_other_forms(
            program,
            lambda form: device.trace(draw.of_program(form)),
            compiler,
            forms(predictor, arguments.target, None),
        )
        measured = device.profile(draw).result()
        kind = device.info.kind
        assumed = assumptions(draw)
        forecasts = predictor.predict(
            draw,
            counted,
            arguments.target,
            other_forms=other_forms,
            assumed=assumed,
            measured=measured_by(
                measured, device.info, pace_of(device.info, device, compiler, predictor)
            ),
            vertex=vertices,
        ).result()
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


def has_display() -> bool:
    """Whether a window can be shown: everywhere but on a Unix without X11 and Wayland."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    )


COMMANDS = (
    Command(
        "report",
        "Everything about a shader: text, picture, window.",
        report,
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE, options.TARGET),
        _options,
    ),
)
