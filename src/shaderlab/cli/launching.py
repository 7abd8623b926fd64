"""What a command says of a compute shader: its launch, its buffers and what it left in them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.numbers import finite
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.gpu.outputs import BufferNeed, Outputs
from shaderlab.scene.draw import DrawState
from shaderlab.scene.given_buffers import buffer_named, from_files
from shaderlab.scene.launch import Launch, LaunchChoice, Sides, is_compute

_MOST = 1 << 24


def sides(text: str) -> Sides:
    """One to three whole numbers with commas or x between them; those left out are 1."""
    if not re.fullmatch(r"[1-9]\d{0,9}(?:[x,][1-9]\d{0,9}){0,2}", text):
        raise argparse.ArgumentTypeError(
            f"expected one to three whole numbers such as 64 or 8,8, not {text!r}"
        )
    numbers = [int(part) for part in re.split("[x,]", text)]
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def add_launch(parser: argparse.ArgumentParser) -> None:
    """How a compute shader is launched; `launched` collects it."""
    group = parser.add_argument_group("how a compute shader is launched")
    group.add_argument("--groups", type=sides, metavar="X[,Y[,Z]]", help="workgroups")
    group.add_argument(
        "--local",
        type=sides,
        metavar="X[,Y[,Z]]",
        help="invocations of a workgroup, where specialisation constants give them",
    )
    group.add_argument(
        "--elements",
        action="append",
        default=[],
        metavar="NAME=N",
        help="length of a buffer's array; otherwise as many as the launch reaches",
    )
    group.add_argument(
        "--buffer",
        dest="buffers",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a buffer's bytes; otherwise random numbers, the same for every run",
    )


def launched(arguments: argparse.Namespace, program: Program, state: DrawState) -> DrawState:
    """The state with the launch that was given.  Raises WrongUse."""
    named = ("groups", "local", "elements", "buffers")
    given = [name for name in named if getattr(arguments, name, None)]
    if not given:
        return state
    if not is_compute(program):
        option = "buffer" if given[0] == "buffers" else given[0]
        raise WrongUse(
            f"--{option} is for compute shaders: {program.name} is a {program.stage.shown} shader"
        )
    lengths = {}
    for text in arguments.elements:
        name, value = _assigned(text, "elements")
        if not re.fullmatch(r"[1-9]\d{0,8}", value):
            raise WrongUse(f"--elements {text}: not a whole number from 1")
        buffer_named(program, name)
        lengths[name] = int(value)
    former = state.launch  # the project's
    choice = LaunchChoice(
        arguments.groups or former.groups,
        arguments.local or former.local,
        {**former.lengths, **lengths},
    )
    state = replace(state, launch=choice)
    if arguments.buffers:
        files = {n: Path(p) for n, p in (_assigned(each, "buffer") for each in arguments.buffers)}
        bound = from_files(program, files)
        state = replace(state, inputs=replace(state.inputs, bound=bound))
    return state


def _assigned(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise WrongUse(f"--{option} {text}: not NAME=VALUE")
    return name.strip(), value.strip()


def launch_data(launch: Launch) -> dict[str, Any]:
    return {
        "groups": list(launch.groups),
        "local": list(launch.local),
        "invocations": launch.invocations,
        "default": bool(launch.why),
        "why": launch.why or None,
    }


def launch_text(launch: Launch) -> str:
    return f"{launch.text}\n{launch.why}".rstrip()


def outputs_data(outputs: Outputs) -> dict[str, Any]:
    """`minimum`, `maximum`, `mean`: null where no number is finite."""
    return {
        "image": outputs.image or None,
        "note": outputs.sentence or None,
        "buffers": [
            asdict(each)
            | {
                "minimum": finite(each.minimum),
                "maximum": finite(each.maximum),
                "mean": finite(each.mean),
                "first": [finite(number) for number in each.first],
                "histogram": list(each.histogram),
            }
            for each in outputs.buffers
        ],
    }


def outputs_text(outputs: Outputs) -> str:
    lines = [outputs.sentence] if outputs.sentence else []
    lines += [one_line(each.text) for each in outputs.buffers]
    return "\n".join(lines)


def sizes_text(needs: Sequence[BufferNeed]) -> str:
    """A table of buffers; empty without any."""
    if not needs:
        return ""
    return table(
        ("buffer", "access", "elements", "bytes each", "rule", "holds", "why"),
        (
            (
                one_line(each.name),
                each.access,
                f"{each.elements:,}",
                str(each.stride),
                each.rule or "none",
                each.holds or "random numbers",
                each.why,
            )
            for each in needs
        ),
    )


def sizes_data(sizes: Sequence[BufferNeed]) -> list[dict[str, Any]]:
    """`rule`: elements as a function of g, the invocations along x; null where they follow none."""
    return [
        {
            "name": each.name,
            "set": each.descriptor.set,
            "binding": each.descriptor.binding,
            "elements": each.elements,
            "stride": each.stride,
            "access": each.access,
            "holds": each.holds or "random numbers",
            "rule": each.rule or None,
            "why": each.why,
        }
        for each in sizes
    ]
