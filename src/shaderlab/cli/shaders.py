"""`compile`, `render`, `trace`, `profile`: one shader on this machine."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from shaderlab import files
from shaderlab.cli import launching, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load_any_stage, load_frame
from shaderlab.cli.frame import vertex_path
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import diagnostics, measurements, passes, pictures, traces
from shaderlab.cli.texts.numbers import finite
from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.outputs import Outputs
from shaderlab.scene.defaults import assumptions, subgroup_sentence
from shaderlab.scene.draw import Frame
from shaderlab.spirv import trace_report as report
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.workers.device import DeviceWorker

MOST_FRAMES_BEFORE = 600
"""Frames drawn before the one wanted, where passes read pictures of the frame before."""


def _compile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar="F.spv", help="write the module")
    parser.add_argument(
        "--pass",
        dest="rewrite",
        choices=PASSES,
        help="apply a pass first: " + "; ".join(f"{p.name}: {p.summary}" for p in PASSES.values()),
    )
    parser.add_argument("--disassemble", action="store_true", help="show the assembly")


def compile_(arguments: argparse.Namespace) -> Answer:
    if arguments.output:
        files.check_target(arguments.output)
    with answering(arguments) as engine:
        program = load_any_stage(arguments, engine)
        return _compiled(arguments, program, engine)


def _compiled(arguments: argparse.Namespace, program: Program, engine: Engine) -> Answer:
    if arguments.rewrite:
        rewritten = PASSES[arguments.rewrite].apply(program.module, program.entry_point)
        program = replace(program, spirv=rewritten)
    data = {
        "ok": True,
        "dialect": program.dialect.value,
        "stage": program.stage.value,
        "entry_point": program.entry_point,
        "spirv_words": len(program.spirv) // 4,
        "diagnostics": [diagnostics.data(d) for d in program.diagnostics],
    }
    lines = [diagnostics.text(d) for d in program.diagnostics]
    words, shown = data["spirv_words"], program.dialect.shown
    lines.append(f"{one_line(program.name)}: {words} SPIR-V words ({shown})")
    if arguments.output:
        files.save(arguments.output, program.spirv)
    if arguments.disassemble:
        data["disassembly"] = engine.crew.compiler.disassemble(program).result()
        lines.append(data["disassembly"])
    return Answer(data, "\n".join(lines))


def _render_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, metavar="F.png", help="the picture; a compute shader has one"
        " if it writes an image",
    )  # fmt: skip


def render(arguments: argparse.Namespace) -> Answer:
    if arguments.output:
        files.check_target(arguments.output)
    with answering(arguments) as engine:
        frame = load_frame(arguments, engine)
        if frame.shown.is_compute:
            return _dispatched(arguments, frame, device_of(engine))
        if not arguments.output:
            raise WrongUse("render needs -o F.png, the file to write")
        device = device_of(engine)
        if frame.reads_pictures:
            number = frame.shown.inputs.uniforms.frame
            for back in range(min(number, MOST_FRAMES_BEFORE), 0, -1):
                device.render(frame.earlier(back)).result()
        rendered = device.render(frame).result()
        files.save(arguments.output, pictures.png(rendered.pixels, frame.shown.program.y_up))
        data = {
            "device": device.info.slug,
            "size": list(frame.shown.size),
            "seconds": finite(rendered.gpu_s),
        }
    return Answer(data, pictures.text(arguments.output, data))


def _dispatched(arguments: argparse.Namespace, frame: Frame, device: DeviceWorker) -> Answer:
    """Of a compute shader: its image, where it writes one, and what it left in its buffers."""
    rendered = device.render(frame).result()
    outputs = rendered.outputs or Outputs()
    is_written = bool(outputs.image and arguments.output)
    if is_written:
        files.save(arguments.output, pictures.png(rendered.pixels, frame.shown.program.y_up))
    data = {
        "device": device.info.slug,
        "size": list(frame.shown.size),
        "seconds": finite(rendered.gpu_s),
        "picture": str(arguments.output) if is_written else None,
        "launch": launching.launch_data(frame.shown.launch),
        "outputs": launching.outputs_data(outputs),
    }
    lines = [launching.launch_text(frame.shown.launch)]
    if is_written:
        lines.append(pictures.text(arguments.output, data))
    elif arguments.output:
        lines.append(f"{one_line(arguments.output)} was not written: there is no picture.")
    return Answer(data, "\n".join([*lines, launching.outputs_text(outputs)]).rstrip())


def _trace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lcov", type=Path, metavar="FILE", help="also write LCOV coverage")


def trace(arguments: argparse.Namespace) -> Answer:
    if arguments.lcov:
        files.check_target(arguments.lcov)
    with answering(arguments) as engine:
        frame = load_frame(arguments, engine)
        info = engine.answer(questions.device)
        shown, is_one = frame.shown, len(frame.passes) == 1
        counting = questions.timed_trace if is_one else questions.trace
        counts = {each.name: engine.answer(counting, info, frame, each.name)
                  for each in frame.passes}  # fmt: skip
        stages = {
            each.name: traces.VertexStage(
                each.draw.vertex, engine.answer(questions.vertices, info, frame, each.name)
            )
            for each in frame.passes
            if each.draw.vertex is not None
        }
    assumed = {
        each.name: (
            *filter(None, [each.draw.program.left_out]),
            *assumptions(each.draw),
            *subgroup_sentence(each.draw.program, counts[each.name].subgroup),
        )
        for each in frame.passes
    }
    stage = stages.get(frame.passes[-1].name)
    if arguments.lcov:
        names = {each.name: each.draw.program.name for each in frame.passes}
        names[frame.passes[-1].name] = str(arguments.file.absolute())
        listing = "".join(report.lcov(counts[name], names[name]) for name in names)
        if stage is not None and stage.counted is not None:
            listing += report.lcov(stage.counted, str(vertex_path(arguments)))
        files.save(arguments.lcov, listing.encode(errors="surrogateescape"))
    if is_one:
        (counted,), (taken,) = counts.values(), assumed.values()
        data, text = traces.data(counted, taken), traces.annotated(shown.program, counted, taken)
    else:
        data = passes.trace_data(counts, assumed, stages)
        text = passes.trace_text(frame, counts, assumed)
    data["vertex"] = stage.data if stage else None
    return Answer(data, f"{text}\n\n{stage.text}" if stage else text)


def profile_options(parser: argparse.ArgumentParser) -> None:
    """How many trials, of how many draws."""
    parser.add_argument(
        "--trials",
        type=options.natural,
        default=10,
        metavar="N",
        help="at most; a GPU takes no more, but three, once the mean is known to 0.5 %% with 95 %% "
        "confidence",
    )
    parser.add_argument("--draws", type=options.natural, default=30, metavar="N", help="per trial")


def profile(arguments: argparse.Namespace) -> Answer:
    effort = arguments.trials, arguments.draws
    with answering(arguments) as engine:
        frame = load_frame(arguments, engine)
        device = device_of(engine)
        kind = device.info.kind
        if len(frame.passes) == 1:
            measured = device.profile(frame.shown, *effort).result()
            return Answer(measurements.data(measured, kind), measurements.text(measured, kind))
        apart = {
            each.name: device.profile_pass(frame, each.name, *effort).result()
            for each in frame.passes
        }
        together = device.profile_frame(frame, *effort).result()
    draws = frame.draws_per_frame
    return Answer(
        passes.profile_data(apart, together, draws, kind),
        passes.profile_text(apart, together, draws, kind),
    )


_SOURCE = (options.SHADER, options.INPUTS)
_SHARES = (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE)

COMMANDS = (
    Command("compile", "Compile to SPIR-V.", compile_, _SOURCE, _compile_options),
    Command("render", "Render one frame.", render, _SHARES, _render_options),
    Command(
        "trace",
        "Count how often every basic block runs.",
        trace,
        (*_SHARES, options.CACHE),
        _trace_options,
    ),
    Command(
        "profile", "Time a shader on a device of this machine.", profile, _SHARES, profile_options
    ),
)
