"""RenderDoc where the user has it: which Python can import its module."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from shaderlab.errors import MissingTool
from shaderlab.system import process_group

INSTALL = "apt-get install renderdoc python3-renderdoc"
_TIMEOUT_S = 20.0
_ASK = "import renderdoc, sys; sys.stdout.write('renderdoc ' + renderdoc.GetVersionString())"
_NAMES = ("python3", "python", *(f"python3.{minor}" for minor in range(14, 8, -1)))


def find() -> tuple[Path, str]:
    """A Python that has RenderDoc's module, and RenderDoc's version.

    Raises MissingTool.
    """
    for path in _candidates():
        version = _version(path)
        if version:
            return path, version
    raise MissingTool(
        "no Python here can import RenderDoc's module, which reads captures; install it with: "
        + INSTALL
    )


def _candidates() -> list[Path]:
    """Pythons outside virtual environments first, whose modules distributions install."""
    folders = ["/usr/bin", "/usr/local/bin", *os.environ.get("PATH", "").split(os.pathsep)]
    found = [shutil.which(name, path=folder) for folder in folders if folder for name in _NAMES]
    own = None if getattr(sys, "frozen", False) else sys.executable  # a bundle is not a Python
    return [Path(each) for each in dict.fromkeys(filter(None, [*found, own]))]


@cache
def _version(python: Path) -> str:
    """RenderDoc's version as this Python finds it; empty where it does not."""
    quiet = subprocess.DEVNULL
    command = (str(python), "-I", "-B", "-c", _ASK)  # as the reader is run
    try:
        with process_group.started(
            command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, env=clean_environment()
        ) as program:
            output, _ = program.communicate(timeout=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(rb"renderdoc ([\w.]{1,20})", output)
    return match[1].decode() if match else ""


def clean_environment() -> dict[str, str]:
    """This process's, without what points a Python at our own modules."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_PRELOAD")
    }
