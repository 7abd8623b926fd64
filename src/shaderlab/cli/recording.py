"""`record`: measure shaders and keep the samples."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from shaderlab.campaigns import lease
from shaderlab.cli import options, shaders
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load
from shaderlab.cli.frame import (
    drawn,
    frame_state,
    opened_project,
    take_project,
    vertex_path,
)
from shaderlab.cli.terminal import one_line
from shaderlab.engine import questions
from shaderlab.errors import DeviceStuck, ShaderlabError, UnsupportedShader, WrongUse
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Frame

_FORMS = frozenset({Form.OPTIMIZED})


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="F")
    options.add_source(parser)
    parser.add_argument("--to", type=Path, required=True, metavar="STORE")
    shaders.profile_options(parser)
    parser.add_argument(
        "--share-source", metavar="LICENCE", help="include the source, under this SPDX licence"
    )


def _of_file(arguments: argparse.Namespace, path: Path) -> argparse.Namespace:
    """The options for one of the files, which may be a project.  Raises WrongUse."""
    one = argparse.Namespace(**vars(arguments))
    one.file = path
    take_project(one)
    return one


def record(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import recording, validation
    from shaderlab.samples.contribution import check_licence
    from shaderlab.samples.store import Store

    if arguments.share_source:
        check_licence(arguments.share_source)
    frame_state(arguments)  # report wrong options before the store is made
    recorded, rejected = 0, []
    with (
        lease.hold(arguments.to, "shaderlab record"),
        Store(arguments.to) as store,
        answering(arguments) as engine,
    ):
        device = device_of(engine)
        info = device.info
        for path in arguments.files:
            try:
                one = _of_file(arguments, path)
                project = opened_project(one)
                if project is not None and project.rule is not None:
                    count = len(project.passes) + 1
                    raise UnsupportedShader(f"it describes {count} passes; a sample is of one")
                program = load(one, engine)
                if vertex_path(one) is not None:
                    raise WrongUse("a sample cannot hold a vertex shader of your own")
                draw = drawn(one, program)
                recording.check_inputs(draw)
                measured = device.profile(draw, arguments.trials, arguments.draws).result()
                frame = Frame.of(draw)
                name = frame.passes[0].name
                traced = engine.answer(questions.trace, info, frame, name)
                smaller = engine.answer(questions.other_forms, frame, name, _FORMS, None)
                optimized = smaller.get(Form.OPTIMIZED)
                shared = None
                if arguments.share_source and program.text:
                    shared = recording.SharedText(program.text, arguments.share_source)
                sample = recording.record(
                    draw,
                    measured,
                    info,
                    trace=traced,
                    optimized=(optimized[0].module, optimized[1]) if optimized else None,
                    shared=shared,
                )
                validation.check(sample)
                store.keep(sample, program.name, time.time())
            except (WrongUse, DeviceStuck):
                raise
            except ShaderlabError as error:
                rejected.append({"file": str(path), "reason": str(error)})
            else:
                recorded += 1
    lines = [f"{recorded} recorded in {one_line(arguments.to)}"]
    lines += [one_line(f"{r['file']}: {r['reason']}") for r in rejected]
    return Answer(
        {"recorded": recorded, "rejected": rejected}, "\n".join(lines), 1 if rejected else 0
    )


COMMANDS = (
    Command(
        "record",
        "Measure shaders and keep the samples.",
        record,
        (options.INPUTS, options.FRAME, options.DEVICE, options.CACHE),
        _options,
    ),
)
