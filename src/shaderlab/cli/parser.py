"""What can be typed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from shaderlab import __version__
from shaderlab.cli.commands import COMMANDS
from shaderlab.cli.options import JSON, Parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The namespace of one call; exits with code 2 and a usage line on wrong use.

    `command` is None where only a file, or nothing, is named: the window is meant.
    """
    parser = _parser()
    words = list(argv)
    if sorted(words) == ["--json", "--version"]:
        words = ["version", "--json"]
    if words and not words[0].startswith("-") and words[0] not in (_OPEN, *COMMANDS):
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


def _parser() -> Parser:
    parser = Parser(
        prog="shaderlab",
        description="What every line of a shader costs, here and on GPUs you do not own. "
        "Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"shaderlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, text: str, *parents: Parser) -> Parser:
        shares = [*parents, JSON]
        return commands.add_parser(name, help=text, description=text, parents=shares)

    opening = add(_OPEN, "Open the window.")
    opening.add_argument("file", type=Path, nargs="?", metavar="F", help="shader to open")
    for command in COMMANDS.values():
        command.add_options(add(command.name, command.summary, *command.shares))
    return parser
