"""What can be typed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from shaderlab import __version__
from shaderlab.cli.command import Parser
from shaderlab.cli.commands import COMMANDS


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The namespace of one call; exits with code 2 and a usage line on wrong use.

    `command` is None where only a file, or nothing, is named: the window is meant.
    """
    words = list(argv)
    if sorted(words) == ["--json", "--version"]:
        words = ["version", "--json"]
    if words and not words[0].startswith("-") and words[0] not in (_OPEN, *COMMANDS):
        if not _looks_like_a_file(words[0]):
            _parser("").error(f"no such command or file: {words[0]}")
        words.insert(0, _OPEN)
    named = words[0] if words else _OPEN
    arguments = _parser(_OPEN if named == "--version" else named).parse_args(words)
    if arguments.command in (None, _OPEN):
        arguments.file = getattr(arguments, "file", None)
        arguments.command = None
    return arguments


_OPEN = "open"


def _looks_like_a_file(word: str) -> bool:
    return Path(word).exists() or "." in word or "/" in word


def _parser(command: str) -> Parser:
    """Of one command, whose options alone are imported; without its name of all."""
    parser = Parser(
        prog="shaderlab",
        description="What every line of a shader costs, here and on GPUs you do not own. "
        "Without a command the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"shaderlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    shared = Parser(add_help=False)
    shared.add_argument("--json", action="store_true", help="machine-readable result on stdout")

    def add(name: str, text: str, *parents: Parser) -> Parser:
        return commands.add_parser(name, help=text, description=text, parents=[*parents, shared])

    if command not in COMMANDS:
        opening = add(_OPEN, "Open the window.")
        opening.add_argument("file", type=Path, nargs="?", metavar="F", help="shader to open")
    for name in [command] if command in COMMANDS else [] if command == _OPEN else COMMANDS:
        known = COMMANDS[name]
        known.add_options(add(known.name, known.summary, *known.shares))
    return parser
