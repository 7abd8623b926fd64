"""The command line: the window's capabilities from a terminal.

Exit codes: 0 success, 1 the shader or a check failed, 2 wrong usage, or an answer that could not be
written.
"""

from __future__ import annotations

import argparse
import errno
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shaderlab.cli import terminal
from shaderlab.cli.commands import COMMANDS
from shaderlab.cli.parser import parse
from shaderlab.cli.texts import diagnostics as texts
from shaderlab.errors import CompileFailed, NoDisplay, OutOfMemory, ShaderlabError, WrongUse

_READ = ("file", "source", "vertex", "project", "budgets", "baseline", "corpus", "programs")
_WRITTEN = ("output", "lcov", "markdown", "sarif", "junit", "bundle")
"""Options of commands that name files."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the window where none is named; returns the exit code."""
    terminal.prepare()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
    except SystemExit as ended:  # the parser's: help, the version, or wrong use
        code = ended.code if isinstance(ended.code, int) else 2
    return code if terminal.flushed() else 2


def _run(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    if arguments.command is None:
        if not terminal.has_display():
            return _fail(NoDisplay("no display: neither DISPLAY nor WAYLAND_DISPLAY is set"), False)
        from shaderlab.app import main as open_window

        return open_window(arguments.file)
    try:
        _check_outputs(arguments)
        answer = COMMANDS[arguments.command].run(arguments)
    except ShaderlabError as error:
        return _fail(error, arguments.json)
    except OSError as error:  # what the system refuses, wherever: no space in /tmp, no folder here
        where = f"{error.filename}: " if error.filename else ""
        why = "; `ulimit -f` limits the size of files" if error.errno == errno.EFBIG else ""
        return _fail(WrongUse(f"{where}{error.strerror or error}{why}"), arguments.json)
    except MemoryError:
        return _fail(OutOfMemory("no memory was left"), arguments.json)
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        why = "the system starts no more threads: `ulimit -v` or `ulimit -u` allows too few"
        return _fail(OutOfMemory(why), arguments.json)
    except KeyboardInterrupt:
        return 130
    arrived = terminal.put(_encoded(answer.data) if arguments.json else answer.text)
    return answer.exit_code if arrived else 2


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise WrongUse if an input file would be overwritten.

    Only a merge may: it writes the union of what it has read.
    """
    given = [getattr(arguments, name, None) for name in _READ]
    read = [Path(each) for each in (*given, *getattr(arguments, "words", ())) if each is not None]
    for name in _WRITTEN:
        path = getattr(arguments, name, None)
        if path is not None and any(_is_same(path, each) for each in read):
            raise WrongUse(f"{path} is also an input and would be overwritten: name another file")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _fail(error: ShaderlabError, as_json: bool) -> int:
    diagnostics = error.diagnostics if isinstance(error, CompileFailed) else ()
    if as_json:
        data: dict[str, Any] = {"ok": False, "error": str(error)}
        if isinstance(error, CompileFailed):
            data["spirv_words"] = 0
        if error.remedy:
            data["remedy"] = error.remedy
        data["diagnostics"] = [texts.data(d) for d in diagnostics]
        return error.exit_code if terminal.put(_encoded(data)) else 2
    for line in [texts.text(d) for d in diagnostics] or [terminal.one_line(error)]:
        terminal.note(line)
    if error.remedy:
        terminal.note(error.remedy)
    return error.exit_code


def _encoded(data: Any) -> str:
    return json.dumps(data, indent=2, allow_nan=False)
