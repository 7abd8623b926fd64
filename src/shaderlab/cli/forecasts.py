"""`predict`, `targets`: times on GPUs this machine does not have."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace

from shaderlab.cli import compiled, host_times, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, load_frame, pace_here
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import compiled as compiled_texts
from shaderlab.cli.texts import forecasts as texts
from shaderlab.cli.texts import passes as pass_texts
from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.engine.questions import Asked, Uncounted
from shaderlab.errors import WrongUse
from shaderlab.prediction.catalogue import listed
from shaderlab.prediction.forecast import Measured, Status
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.predictor import PredictorWorker


def _predict_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", metavar="M", help="one that `shaderlab targets` lists")
    parser.add_argument(
        "--static", action="store_true", help="do not run it: estimate its counts from the source"
    )
    parser.add_argument(
        "--details", action="store_true", help="what each time is made of and what bounds it"
    )
    parser.add_argument(
        "--measured", type=options.positive, metavar="S",
        help="seconds that this frame takes on the device, as `profile` prints: where that is far "
        "from the forecast for the device, the others are marked",
    )  # fmt: skip
    host_times.add_option(parser)


def predict(arguments: argparse.Namespace) -> Answer:
    asked = Asked(arguments.target and tuple(arguments.target), arguments.method)
    with answering(arguments) as engine:
        if not arguments.static:  # while the shader is compiled
            engine.ask(questions.device)
            engine.ask(questions.forms, asked)
        return _predict(arguments, engine, asked)


def _predict(arguments: argparse.Namespace, engine: Engine, asked: Asked) -> Answer:
    frame = load_frame(arguments, engine)
    draw = frame.shown
    names = [each.name for each in frame.passes]
    if len(names) > 1:
        return _predict_frame(frame, arguments, asked, engine)
    if arguments.static and draw != Draw(draw.program) and not draw.is_compute:
        raise WrongUse(
            "--static predicts the canonical run: no --size, --time or --frame, no inputs and no "
            "vertex shader"
        )
    reason, name = None, names[0]
    if arguments.static:
        about = draw.program, asked, "", draw.counted_size, draw.dispatch
        forecasts = engine.answer(questions.static, *about)
    else:
        counted = engine.answer(questions.counts, frame, name)
        if isinstance(counted, Uncounted):
            reason = None if counted.unfinished else counted.reason
        elif arguments.measured:
            witness = Measured(counted.device, arguments.measured, pace_here(engine))
            asked = replace(asked, measured=witness)
        forecasts = engine.answer(questions.forecasts, frame, name, asked)
    none = any(each.status is Status.NONE for each in forecasts)
    data = texts.data(forecasts) | {"reason": reason, "program": draw.program.digest}
    shown = texts.text(forecasts, draw.program.text)
    if arguments.details:
        shown += f"\n\n{texts.details(forecasts)}"
    if arguments.host:
        found = host_times.by_host(draw, arguments, engine)
        data["by_host"] = host_times.data(found)
        shown += f"\n\n{host_times.text(found)}"
    return Answer(data, shown, 1 if none else 0)


def _predict_frame(
    frame: Frame, arguments: argparse.Namespace, asked: Asked, engine: Engine
) -> Answer:
    if arguments.static or arguments.measured or arguments.host:
        raise WrongUse("--static, --measured and --host are for one shader: name a pass's own file")
    found = engine.answer(questions.total, frame, asked)
    none = any(each.status is Status.NONE for each in found)
    return Answer(
        pass_texts.forecast_data(found), pass_texts.forecast_text(found), 1 if none else 0
    )


def _targets_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--all", action="store_true", help="products that nobody measured, by a law, as well"
    )
    parser.add_argument(
        "--add",
        action="append",
        default=[],
        metavar="T",
        help="list this product, and predict it wherever no target is named; the window lists it",
    )
    parser.add_argument(
        "--drop", action="append", default=[], metavar="T", help="no longer list this product"
    )  # fmt: skip


def targets(arguments: argparse.Namespace) -> Answer:
    with closing(PredictorWorker()) as predictor:
        if arguments.add or arguments.drop:
            _list_products(predictor, arguments.add, arguments.drop)
        installed = predictor.targets(["all"] if arguments.all else None).result()
        refused = predictor.problems().result()
    compile_only = compiled.target_data()
    parts = [texts.targets_text(installed)]
    if compile_only:
        parts.append(compiled_texts.targets_text(compile_only))
    if refused:
        parts.append("\n".join(f"not loaded: {one_line(why)}" for why in refused))
    entries = [texts.target_data(t) for t in installed] + compile_only
    return Answer(entries, "\n\n".join(parts))


def _list_products(predictor: PredictorWorker, added: list[str], dropped: list[str]) -> None:
    """Raises UnknownTarget, WrongUse for what is no product or was not listed."""
    before = set(listed.read(listed.folder()))
    if strange := sorted(set(dropped) - before):
        raise WrongUse(f"{strange[0]} is not listed by --add")
    if added:
        for each in predictor.targets(added).result():
            if not each.on_request:
                raise WrongUse(f"{each.target} is installed and always listed")
    listed.write((before | set(added)) - set(dropped))


COMMANDS = (
    Command(
        "predict",
        "Predict the time on GPUs that are not here.",
        predict,
        options.FORECAST,
        _predict_options,
    ),
    Command("targets", "List the targets that can be predicted.", targets, (), _targets_options),
)
