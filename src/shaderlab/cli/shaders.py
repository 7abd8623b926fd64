"""`compile`, `render`, `trace`, `profile`: one shader on this machine."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from shaderlab import files
from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import load, load_any_stage, open_device
from shaderlab.cli.frame import draw_state
from shaderlab.cli.texts import diagnostics, measurements, pictures, traces
from shaderlab.cli.texts.numbers import finite
from shaderlab.scene.defaults import assumptions
from shaderlab.scene.draw import Frame
from shaderlab.spirv import trace_report as report
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.workers.compiler import CompilerWorker


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
    program = load_any_stage(arguments)
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
    lines.append(f"{program.name}: {data['spirv_words']} words of SPIR-V ({program.dialect.shown})")
    if arguments.output:
        files.save(arguments.output, program.spirv)
    if arguments.disassemble:
        with closing(CompilerWorker()) as compiler:
            data["disassembly"] = compiler.disassemble(program).result()
        lines.append(data["disassembly"])
    return Answer(data, "\n".join(lines))


def _render_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="F.png")


def render(arguments: argparse.Namespace) -> Answer:
    files.check_target(arguments.output)
    program = load(arguments)
    draw = draw_state(arguments, program).draw(program)
    with open_device(arguments) as device:
        frame = device.render(Frame.of(draw)).result()
        files.save(arguments.output, pictures.png(frame.pixels))
        data = {
            "device": device.info.slug,
            "size": list(draw.size),
            "seconds": finite(frame.gpu_s),
        }
    return Answer(data, pictures.text(arguments.output, data))


def _trace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lcov", type=Path, metavar="FILE", help="also write LCOV coverage")


def trace(arguments: argparse.Namespace) -> Answer:
    if arguments.lcov:
        files.check_target(arguments.lcov)
    program = load(arguments)
    with open_device(arguments) as device:
        draw = draw_state(arguments, program).draw(program)
        counted = device.trace(draw, slowdown=True).result()
    assumed = assumptions(draw)
    if arguments.lcov:
        listing = report.lcov(counted, str(arguments.file.absolute()))
        files.save(arguments.lcov, listing.encode(errors="surrogateescape"))
    return Answer(traces.data(counted, assumed), traces.annotated(program, counted, assumed))


def profile_options(parser: argparse.ArgumentParser) -> None:
    """How many trials, of how many draws."""
    parser.add_argument("--trials", type=options.natural, default=10, metavar="N")
    parser.add_argument("--draws", type=options.natural, default=30, metavar="N", help="per trial")


def profile(arguments: argparse.Namespace) -> Answer:
    program = load(arguments)
    draw = draw_state(arguments, program).draw(program)
    with open_device(arguments) as device:
        measured = device.profile(draw, arguments.trials, arguments.draws).result()
        kind = device.info.kind
    return Answer(measurements.data(measured, kind), measurements.text(measured, kind))


_SOURCE = (options.SHADER, options.INPUTS)
_SHARES = (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE)

COMMANDS = (
    Command("compile", "Compile to SPIR-V.", compile_, _SOURCE, _compile_options),
    Command("render", "Render one frame.", render, _SHARES, _render_options),
    Command("trace", "Count how often every basic block runs.", trace, _SHARES, _trace_options),
    Command(
        "profile", "Time a shader on a device of this machine.", profile, _SHARES, profile_options
    ),
)
