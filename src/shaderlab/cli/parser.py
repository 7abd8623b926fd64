"""What can be typed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shaderlab import __version__
from shaderlab.cli import calibrating, compiled, evaluating, sampling
from shaderlab.spirv.passes.registry import PASSES


class Budget(NamedTuple):
    """The most a shader may cost on a target."""

    target: str
    seconds: float


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The namespace of one call; exits with code 2 and a usage line on wrong use.

    `command` is None where only a file, or nothing, is named: the window is meant.
    """
    parser = _parser()
    words = list(argv)
    if words and not words[0].startswith("-") and words[0] not in _command_names(parser):
        if not _looks_like_a_file(words[0]):
            parser.error(f"no such command or file: {words[0]}")
        words.insert(0, _OPEN)
    arguments = parser.parse_args(words)
    if arguments.command in (None, _OPEN):
        arguments.file = getattr(arguments, "file", None)
        arguments.command = None
    return arguments


_OPEN = "open"


def _looks_like_a_file(word: str) -> bool:
    return Path(word).exists() or "." in word or "/" in word


def _command_names(parser: argparse.ArgumentParser) -> set[str]:
    (subparsers,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return set(subparsers.choices)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shaderlab",
        description="What every line of a fragment shader costs, here and on GPUs you do not own. "
        "Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"shaderlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    shader = argparse.ArgumentParser(add_help=False)
    shader.add_argument("file", type=Path, metavar="F", help="Shadertoy body, GLSL or SPIR-V file")
    output = argparse.ArgumentParser(add_help=False)
    output.add_argument("--json", action="store_true", help="machine-readable result on stdout")
    frame = argparse.ArgumentParser(add_help=False)
    frame.add_argument("--size", type=_size, default=(1024, 768), metavar="WxH", help="pixels")
    frame.add_argument("--time", type=float, default=1.0, metavar="S", help="iTime, seconds")
    frame.add_argument("--frame", type=int, default=1, metavar="N", help="iFrame")
    device = argparse.ArgumentParser(add_help=False)
    device.add_argument("--device", metavar="D", help="a name that `shaderlab doctor` lists")
    device.add_argument(
        "--deadline", type=_positive, metavar="S", help="give up after so many seconds"
    )
    target = argparse.ArgumentParser(add_help=False)
    target.add_argument(
        "--target", action="append", metavar="T", help="a name that `shaderlab targets` lists"
    )

    def add(name: str, text: str, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, parents=[*parents, output])

    opening = add(_OPEN, "Open the window.")
    opening.add_argument("file", type=Path, nargs="?", metavar="F", help="shader to open")
    compiling = add("compile", "Compile to SPIR-V.", shader)
    compiling.add_argument("-o", "--output", type=Path, metavar="F.spv", help="write the module")
    compiling.add_argument(
        "--pass",
        dest="rewrite",
        choices=PASSES,
        help="rewrite the module first: "
        + "; ".join(f"{p.name}: {p.summary}" for p in PASSES.values()),
    )
    compiling.add_argument("--disassemble", action="store_true", help="show the assembly")
    rendering = add("render", "Render one frame.", shader, frame, device)
    rendering.add_argument("-o", "--output", type=Path, required=True, metavar="F.png")
    tracing = add("trace", "Count how often every basic block runs.", shader, frame, device)
    tracing.add_argument("--lcov", type=Path, metavar="FILE", help="also write LCOV coverage")
    profiling = add("profile", "Time a shader on a device of this machine.", shader, frame, device)
    profiling.add_argument("--trials", type=_natural, default=10, metavar="N")
    profiling.add_argument("--draws", type=_natural, default=30, metavar="N", help="per trial")
    predicting = add(
        "predict", "Predict the time on GPUs of others.", shader, frame, device, target
    )
    predicting.add_argument("--method", metavar="M", help="one that `shaderlab targets` lists")
    predicting.add_argument(
        "--static", action="store_true", help="do not run it: estimate its counts from the text"
    )
    add("targets", "List the targets that can be predicted.")
    checking = add("check", "Fail where a shader is over budget.", shader, frame, device)
    checking.add_argument(
        "--budget", type=_budget, action="append", required=True, metavar="TARGET=TIME"
    )
    reporting = add(
        "report", "Everything about a shader: text, picture, window.", shader, frame, device, target
    )
    reporting.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    evaluating.add_parsers(add)
    compiled.add_parsers(add, shader, target, frame, device)
    calibrating.add_parsers(add, device, _natural)
    sampling.add_parsers(add, sampling.Shared(frame, device, _natural, _positive))
    add("doctor", "What was found on this machine, and what is missing.")
    return parser


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match or not (0 < int(match[1]) <= 16384 and 0 < int(match[2]) <= 16384):
        raise argparse.ArgumentTypeError(f"not a size such as 1024x768: {text!r}")
    return int(match[1]), int(match[2])


def _natural(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        raise argparse.ArgumentTypeError(f"not a number from 1 to 999999: {text!r}")
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"not a positive number: {text!r}")
    return value


def _budget(text: str) -> Budget:
    match = re.fullmatch(r"([\w.-]+)=(\d+(?:\.\d+)?|\.\d+)\s*(s|ms|us|µs)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"not a budget such as rtx3060=2ms: {text!r}")
    unit = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}[match[3]]
    return Budget(match[1], float(match[2]) * unit)
