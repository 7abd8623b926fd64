"""Options that several commands have in common, and the kinds of values options take."""

from __future__ import annotations

import argparse
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from shaderlab.checks import durations
from shaderlab.cli.command import Parser
from shaderlab.cli.launching import add_launch
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import Language, Reading, macro
from shaderlab.frontend.stage import Stage
from shaderlab.scene.geometry import Body
from shaderlab.scene.textures import Pattern


class Given(argparse.Action):
    """Stores a value, and that it was given: a project's would hold otherwise."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        del parser, option_string
        setattr(namespace, self.dest, values)
        namespace.given = (*getattr(namespace, "given", ()), self.dest)


class Budget(NamedTuple):
    """The most a shader may cost on a target."""

    target: str
    seconds: float


def size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match or not (0 < int(match[1]) <= 16384 and 0 < int(match[2]) <= 16384):
        raise argparse.ArgumentTypeError(f"expected a size such as 1024x768, not {text!r}")
    return int(match[1]), int(match[2])


def natural(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 999999, not {text!r}")
    return int(text)


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a positive number, not {text!r}")
    return value


def budget(text: str) -> Budget:
    target, equals, time = text.partition("=")
    try:
        if not equals or not re.fullmatch(r"[\w.-]+", target):
            raise WrongUse("no target")
        return Budget(target, durations.seconds(time))
    except WrongUse:
        raise argparse.ArgumentTypeError(
            f"expected a budget such as rtx3060=2ms, not {text!r}"
        ) from None


def duration(text: str) -> float:
    """Seconds, not none, of `16.6ms`."""
    try:
        seconds = durations.seconds(text)
    except WrongUse as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not seconds:
        raise argparse.ArgumentTypeError(f"expected a time such as 16.6ms, not {text!r}")
    return seconds


def increase(text: str) -> float:
    try:
        return durations.increase(text)
    except WrongUse as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def define(text: str) -> tuple[str, str]:
    """A macro as `-D` takes it."""
    try:
        return macro(text)
    except WrongUse as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return path


def add_source(parser: argparse.ArgumentParser) -> None:
    """How the text of a shader is read; `reading` collects it."""
    group = parser.add_argument_group("how the text is read")
    group.add_argument(
        "--language",
        type=Language,
        choices=list(Language),
        metavar="L",
        help=f"if it is not recognised: {', '.join(Language)}",
    )
    group.add_argument(
        "--stage",
        type=Stage,
        choices=list(Stage),
        metavar="S",
        help=f"if it is not a fragment shader: {', '.join(Stage)}",
    )
    group.add_argument(
        "--entry", default="", metavar="NAME", help="entry point, in HLSL, Slang, WGSL and SPIR-V"
    )
    group.add_argument(
        "-D",
        dest="defines",
        type=define,
        action="append",
        default=[],
        metavar="NAME[=V]",
        help="define a macro",
    )
    group.add_argument(
        "-I",
        dest="search",
        type=folder,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder to include from, besides the shader's own",
    )


def reading(arguments: argparse.Namespace) -> Reading:
    """What the options of `add_source` say."""
    return Reading(
        arguments.language,
        arguments.stage,
        arguments.entry,
        tuple(arguments.defines),
        tuple(each.absolute() for each in arguments.search),
    )


def assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """What a shader is given; `cli.frame` collects it."""
    group = parser.add_argument_group("what it is given")
    group.add_argument(
        "--set",
        dest="values",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value of an input that `shaderlab inputs` lists: 0.5, 1,2,3, true, #ff8800",
    )
    group.add_argument(
        "--texture",
        dest="textures",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=FILE",
        help=f"an image file, or {', '.join(Pattern)}",
    )
    group.add_argument(
        "--geometry", metavar="G", help=f"{', '.join(Body)}, or a glTF file; fullscreen"
    )
    group.add_argument(
        "--vertex", type=Path, metavar="F", help="a vertex shader; the geometry's, passed on"
    )
    group.add_argument(
        "--vertices",
        type=natural,
        metavar="N",
        help="how many a vertex shader makes that reads no attributes; 3",
    )
    group.add_argument(
        "--project", type=Path, metavar="P.toml", help="what a project file gives, where not here"
    )
    add_launch(parser)


def _shared() -> Parser:
    return Parser(add_help=False)


SHADER, FRAME, DEVICE, TARGET, INPUTS, CACHE = (_shared() for _ in range(6))
SHADER.add_argument("file", type=Path, metavar="F", help="shader: source text or SPIR-V")
add_source(SHADER)
add_inputs(INPUTS)
_frame_option = partial(FRAME.add_argument, action=Given)
_frame_option("--size", type=size, default=(1024, 768), metavar="WxH", help="pixels")
_frame_option("--time", type=float, default=1.0, metavar="S", help="iTime, seconds")
_frame_option("--frame", type=int, default=1, metavar="N", help="iFrame")
DEVICE.add_argument("--device", metavar="D", help="a name that `shaderlab doctor` lists")
DEVICE.add_argument("--deadline", type=positive, metavar="S", help="give up after so many seconds")
_target_option = partial(TARGET.add_argument, dest="target", action="append")
_target_option(
    "--target", metavar="T", help="a name that `shaderlab targets --all` lists, or all of them: all"
)
_target_option("--vendor", type="vendor={}".format, metavar="V", help="all of a vendor")
_target_option("--since", type="since={}".format, metavar="YEAR", help="all that came out since")
CACHE.add_argument(
    "--no-cache", action="store_true",
    help="compile and count everything again, also what took too long before; store nothing",
)  # fmt: skip

FORECAST = (SHADER, INPUTS, FRAME, DEVICE, TARGET, CACHE)
"""What every command takes that forecasts a shader."""
