"""The command line of design §3: the window's capabilities from a terminal.

Exit codes: 0 fine, 1 the check or the shader failed, 2 wrong use.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from shaderlab.cli import commands, printing
from shaderlab.cli.parser import parse
from shaderlab.errors import CompileFailed, NoDisplay, ShaderlabError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the window where none is named; returns the exit code."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s: %(message)s")
    arguments = parse(sys.argv[1:] if argv is None else argv)
    if arguments.command is None:
        if not commands.has_display():
            return _fail(NoDisplay("no display: neither DISPLAY nor WAYLAND_DISPLAY is set"), False)
        from shaderlab.app import main as open_window

        return open_window(arguments.file)
    try:
        answer = commands.COMMANDS[arguments.command](arguments)
    except ShaderlabError as error:
        return _fail(error, arguments.json)
    except KeyboardInterrupt:
        return 130
    _put(_encoded(answer.data) if arguments.json else answer.text)
    return answer.exit_code


def _fail(error: ShaderlabError, as_json: bool) -> int:
    diagnostics = error.diagnostics if isinstance(error, CompileFailed) else ()
    if as_json:
        data = {"ok": False, "error": str(error)}
        if isinstance(error, CompileFailed):
            data["spirv_words"] = 0
        data["diagnostics"] = [printing.diagnostic_data(d) for d in diagnostics]
        _put(_encoded(data))
    else:
        for line in [printing.diagnostic_text(d) for d in diagnostics] or [str(error)]:
            print(line, file=sys.stderr)
        if error.remedy:
            print(error.remedy, file=sys.stderr)
    return error.exit_code


def _encoded(data: Any) -> str:
    return json.dumps(data, indent=2, allow_nan=False)


def _put(text: str) -> None:
    try:
        print(text.removesuffix("\n"), flush=True)
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - the interpreter closes it at exit
