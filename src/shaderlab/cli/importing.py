"""`import`: projects out of what other tools keep."""

from __future__ import annotations

import argparse
from pathlib import Path

from shaderlab import files
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import one_line
from shaderlab.projects import shadertoy_import


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", type=Path, metavar="FILE", help="a Shadertoy export (JSON), or a folder of passes"
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="P.toml", help="the project to write"
    )


def import_(arguments: argparse.Namespace) -> Answer:
    files.check_target(arguments.output)
    is_folder = arguments.source.is_dir()
    imported = (shadertoy_import.from_folder if is_folder else shadertoy_import.from_export)(
        arguments.source, arguments.output
    )
    data = {
        "project": str(imported.project),
        "written": [str(path) for path in imported.written],
        "notes": list(imported.notes),
    }
    lines = [f"{path}: written" for path in imported.written]
    lines += [f"note: {note}" for note in imported.notes]
    return Answer(data, "\n".join(map(one_line, lines)))


COMMANDS = (
    Command("import", "Make a project of a Shadertoy with its passes.", import_, (), _options),
)
