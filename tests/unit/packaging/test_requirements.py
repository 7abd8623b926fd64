"""Commands for build servers run without the window's libraries, and say so in one list."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
WINDOW = {"pyside6-essentials", "pyqt6", "pyqt6-qscintilla", "pyqtgraph", "pygls"}
"""What only the window and `shaderlab lsp` need."""
BLOCKED = ("PySide6", "PyQt6", "pyqtgraph", "pygls", "lsprotocol", "shiboken6")


def names(lines: list[str]) -> set[str]:
    found = (re.match(r"[\w.-]+", line) for line in lines if not line.startswith("#"))
    return {each[0].lower() for each in found if each}


def test_the_list_for_build_servers_is_the_project_s_less_the_window_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = (ROOT / "packaging/requirements-cli.txt").read_text("utf-8").splitlines()
    assert names(listed) == names(project["dependencies"]) - WINDOW


def test_commands_start_without_the_window_s_libraries() -> None:
    script = (
        f"import sys\nfor name in {BLOCKED}: sys.modules[name] = None\n"
        "from shaderlab.cli import main\n"
        "raise SystemExit(main(['version', '--json']) or main(['check', '--help']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
