"""`record`: measure shaders and keep the samples."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from pathlib import Path

from shaderlab.campaigns import lease
from shaderlab.cli import options, shaders
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import require_fragment
from shaderlab.cli.frame import drawn, frame_state, reading, take_project, vertex_path
from shaderlab.cli.terminal import one_line
from shaderlab.errors import DeviceStuck, ShaderlabError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw
from shaderlab.spirv.trace import Trace
from shaderlab.studies.other_forms import trace_other_forms
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover


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


def _counted(device: DeviceWorker, draw: Draw, form: Program) -> Future[Trace]:
    return device.trace(draw.of_program(form))


def record(arguments: argparse.Namespace) -> Answer:
    from shaderlab.samples import recording, validation
    from shaderlab.samples.contribution import check_licence
    from shaderlab.samples.store import Store
    from shaderlab.workers.device import DeviceWorker
    from shaderlab.workers.supervisor.limits import Limits

    if arguments.share_source:
        check_licence(arguments.share_source)
    frame_state(arguments)  # report wrong options before the store is made
    limit = arguments.deadline
    limits = Limits(trace=limit, profile=limit) if limit is not None else Limits()
    recorded, rejected = 0, []
    with (
        lease.hold(arguments.to, "shaderlab record"),
        Store(arguments.to) as store,
        closing(CompilerWorker(limits)) as compiler,
    ):
        info = discover().result().choose(arguments.device)
        with closing(DeviceWorker(info, limits)) as device:
            for path in arguments.files:
                try:
                    one = _of_file(arguments, path)
                    program = compiler.load(one.file, reading(one)).result()
                    if program.stage is not Stage.COMPUTE:
                        require_fragment(program)
                    if vertex_path(one) is not None:
                        raise WrongUse("a sample cannot hold a vertex shader of your own")
                    draw = drawn(one, program)
                    recording.check_inputs(draw)
                    measured = device.profile(draw, arguments.trials, arguments.draws).result()
                    traced = device.trace(draw).result()
                    other_forms = trace_other_forms(
                        program, partial(_counted, device, draw), compiler, [Form.OPTIMIZED]
                    )
                    smaller = other_forms.get(Form.OPTIMIZED)
                    shared = None
                    if arguments.share_source and program.text:
                        shared = recording.SharedText(program.text, arguments.share_source)
                    sample = recording.record(
                        draw,
                        measured,
                        info,
                        trace=traced,
                        optimized=(smaller[0].module, smaller[1]) if smaller else None,
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
        (options.INPUTS, options.FRAME, options.DEVICE),
        _options,
    ),
)
