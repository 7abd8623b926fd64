"""What each command does: ask the workers, and shape the answer as data and as text."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from shaderlab.cli import calibrating, compiled, evaluating, printing, sampling
from shaderlab.cli.answer import Answer
from shaderlab.cli.doctor import examine
from shaderlab.cli.frame import draw_state
from shaderlab.cli.other_forms import trace_other_forms
from shaderlab.errors import InternalError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.discovery import choose
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.scene.draw import CANONICAL, Frame
from shaderlab.spirv import trace_report as report
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.spirv.trace import Trace
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits


def compile_(arguments: argparse.Namespace) -> Answer:
    program = _load(arguments.file)
    if arguments.rewrite:
        rewritten = PASSES[arguments.rewrite].apply(program.module, program.entry_point)
        program = replace(program, spirv=rewritten)
    data = {
        "ok": True,
        "dialect": program.dialect.value,
        "spirv_words": len(program.spirv) // 4,
        "diagnostics": [printing.diagnostic_data(d) for d in program.diagnostics],
    }
    lines = [printing.diagnostic_text(d) for d in program.diagnostics]
    lines.append(f"{program.name}: {data['spirv_words']} words of SPIR-V ({data['dialect']})")
    if arguments.output:
        _write(arguments.output, program.spirv)
    if arguments.disassemble:
        with closing(CompilerWorker()) as compiler:
            data["disassembly"] = compiler.disassemble(program).result()
        lines.append(data["disassembly"])
    return Answer(data, "\n".join(lines))


def render(arguments: argparse.Namespace) -> Answer:
    draw = draw_state(arguments).draw(_load(arguments.file))
    with _device(arguments) as device:
        frame = device.render(Frame((draw,))).result()
        _write(arguments.output, printing.png(frame.pixels))
        data = {
            "device": device.info.slug,
            "size": list(arguments.size),
            "seconds": printing.finite(frame.gpu_s),
        }
    return Answer(data, printing.render_text(arguments.output, data))


def trace(arguments: argparse.Namespace) -> Answer:
    program = _load(arguments.file)
    with _device(arguments) as device:
        draw = draw_state(arguments).draw(program)
        counted = device.trace(draw, slowdown=True).result()
    if arguments.lcov:
        _write(arguments.lcov, report.lcov(counted, str(arguments.file.absolute())).encode())
    return Answer(printing.trace_data(counted), _annotated(program, counted))


def profile(arguments: argparse.Namespace) -> Answer:
    draw = draw_state(arguments).draw(_load(arguments.file))
    with _device(arguments) as device:
        measured = device.profile(draw, arguments.trials, arguments.draws).result()
        kind = device.info.kind
    return Answer(printing.measurement_data(measured), printing.measurement_text(measured, kind))


def predict(arguments: argparse.Namespace) -> Answer:
    program = _load(arguments.file)
    if arguments.static:
        forecasts = _forecast_statically(program, arguments)
    else:
        forecasts = _forecast(program, arguments, arguments.target)
    return Answer(printing.forecast_data(forecasts), printing.forecast_text(forecasts))


def targets(arguments: argparse.Namespace) -> Answer:
    with closing(PredictorWorker()) as predictor:
        installed = predictor.targets().result()
        refused = predictor.problems().result()
    compile_only = compiled.target_data()
    parts = [printing.targets_text(installed)]
    if compile_only:
        parts.append(compiled.targets_text(compile_only))
    if refused:
        parts.append("\n".join(f"left out: {why}" for why in refused))
    return Answer([printing.target_data(t) for t in installed] + compile_only, "\n\n".join(parts))


def check(arguments: argparse.Namespace) -> Answer:
    program = _load(arguments.file)
    wanted = [budget.target for budget in arguments.budget]
    by_target = {f.target: f for f in _forecast(program, arguments, list(dict.fromkeys(wanted)))}
    checks = [
        printing.check_data(by_target[budget.target], budget.seconds) for budget in arguments.budget
    ]
    ok = all(c["within"] for c in checks)
    return Answer({"ok": ok, "checks": checks}, printing.checks_text(checks), 0 if ok else 1)


def report_(arguments: argparse.Namespace) -> Answer:
    folder: Path = arguments.output
    program = _load(arguments.file)
    draw = draw_state(arguments).draw(program)
    with (
        _device(arguments) as device,
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
    ):
        picture = printing.png(device.render(Frame((draw,))).result().pixels)
        counted = device.trace(draw).result()
        forms = _forms(predictor, arguments.target, None)
        siblings = trace_other_forms(draw, device, compiler, forms)
        forecasts = predictor.predict(
            program, counted, arguments.target, siblings=siblings
        ).result()
        measured = device.profile(draw).result()
        kind = device.info.kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"cannot write to {folder}: {error.strerror}") from None
    _write(folder / "picture.png", picture)
    _write(folder / "report.json", printing.report_json(counted, forecasts, measured))
    from shaderlab.app import snapshot

    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        # That platform warns of every window that it cannot pass size hints on to a window manager.
        os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    if not snapshot(folder / "window.png", arguments.file):
        raise InternalError("the window did not come to life in time for its picture")
    text = "\n\n".join(
        (
            f"{program.name} on {measured.device_name}, {draw.size[0]}x{draw.size[1]}",
            _annotated(program, counted),
            printing.forecast_text(forecasts),
            printing.measurement_text(measured, kind),
            "\n".join(f"wrote {folder / n}" for n in ("picture.png", "window.png", "report.json")),
        )
    )
    data = {
        "trace": printing.trace_data(counted),
        "predict": printing.forecast_data(forecasts),
        "profile": printing.measurement_data(measured),
    }
    return Answer(data, text)


def doctor(arguments: argparse.Namespace) -> Answer:
    findings = examine()
    return Answer(findings.data(), findings.text(), 0 if findings.ok else 1)


COMMANDS: dict[str, Callable[[argparse.Namespace], Answer]] = {
    "compile": compile_,
    "render": render,
    "trace": trace,
    "profile": profile,
    "predict": predict,
    "targets": targets,
    "check": check,
    "report": report_,
    "doctor": doctor,
    **evaluating.COMMANDS,
    **sampling.COMMANDS,
    **compiled.COMMANDS,
    **calibrating.COMMANDS,
}


def _load(path: Path) -> Program:
    with closing(CompilerWorker()) as compiler:
        return compiler.load(path).result()


@contextmanager
def _device(arguments: argparse.Namespace) -> Iterator[DeviceWorker]:
    limits = Limits(frame=60.0)
    if arguments.deadline is not None:
        limit = arguments.deadline
        limits = replace(limits, frame=limit, trace=limit, profile=limit)
    found = discover().result()
    with closing(DeviceWorker(choose(found.devices, arguments.device), limits)) as worker:
        yield worker


def _forecast(
    program: Program, arguments: argparse.Namespace, wanted: list[str] | None
) -> tuple[Forecast, ...]:
    with (
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
        _device(arguments) as device,
    ):
        predictor.start()
        draw = draw_state(arguments).draw(program)
        counted = device.trace(draw).result()
        method = getattr(arguments, "method", None)
        siblings = trace_other_forms(
            draw,
            device,
            compiler,
            _forms(predictor, wanted, method),
            needed=FORMS.get(method) if method else None,
        )
        return predictor.predict(program, counted, wanted, method, siblings).result()


def _forms(
    predictor: PredictorWorker, wanted: Sequence[str] | None, method: str | None
) -> list[Form]:
    """What besides the program as written is of use to the method on these targets."""
    installed = predictor.targets().result()
    asked = [each for each in installed if wanted is None or each.target in wanted]
    found = {form for each in asked for form in each.forms_of(method)}
    return [form for form in Form if form in found]


def _forecast_statically(program: Program, arguments: argparse.Namespace) -> tuple[Forecast, ...]:
    if draw_state(arguments) != CANONICAL:
        raise WrongUse("--static speaks about the canonical run: no --size, --time or --frame")
    with closing(PredictorWorker()) as predictor:
        return predictor.predict_static(program, arguments.target, arguments.method).result()


def _annotated(program: Program, counted: Trace) -> str:
    listing = (
        report.annotate(counted, program.text) if program.text else printing.blocks_text(counted)
    )
    notes = "".join(f"\n\nnote: {note}" for note in counted.notes)
    return listing.rstrip("\n") + notes


def has_display() -> bool:
    """Whether a window can be shown: everywhere but on a Unix without X11 and Wayland."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    )


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None
