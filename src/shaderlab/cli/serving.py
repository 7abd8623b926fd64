"""`lsp`: what the window shows, in another editor."""

from __future__ import annotations

import argparse

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import note
from shaderlab.errors import MissingTool, WrongUse


def _options(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--stdio", action="store_true", help="serve over standard input and output (default)"
    )
    how.add_argument(
        "--tcp",
        type=_port,
        metavar="PORT",
        help="serve the first editor that connects to this local port (0: any free one) and sends "
        "the token that is printed, or that of SHADERLAB_LSP_TOKEN",
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, not {text!r}")
    return int(text)


def lsp(arguments: argparse.Namespace) -> Answer:
    # Reads the protocol's types, which takes longer than most commands take to answer.
    try:
        from shaderlab.lsp import serving
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        missing = MissingTool("the language server needs pygls, which is not installed here")
        raise missing.with_remedy("Install it: pip install pygls.") from None
    from shaderlab.lsp.analyst import Analyst
    from shaderlab.workers.supervisor.limits import Limits

    deadline_s = arguments.deadline
    limits = Limits() if deadline_s is None else Limits(trace=deadline_s)
    analyst = Analyst(arguments.device, limits)
    if arguments.tcp is None:
        serving.serve_stdio(analyst)
    else:
        try:
            serving.serve_tcp(analyst, arguments.tcp, note)
        except OSError as error:
            raise WrongUse(f"port {arguments.tcp}: {error.strerror}") from None
    return Answer({"ok": True}, "the editor disconnected")


COMMANDS = (
    Command(
        "lsp",
        "Serve an editor: errors, counts and times in VS Code, Neovim, Qt Creator and others.",
        lsp,
        (options.DEVICE,),
        _options,
    ),
)
