"""`version`: what is inside this installation, to be pasted into a report."""

from __future__ import annotations

import argparse
import hashlib
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from shaderlab import __version__, locations
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import table
from shaderlab.frontend.toolchain import choice
from shaderlab.gpu import drivers

_READ_AT_ONCE = 1 << 20


def kind() -> str:
    """How it was installed."""
    if getattr(sys, "frozen", False):
        return "bundle"
    return "checkout" if locations.models().parent != _package() else "wheel"


def data() -> dict[str, Any]:
    """Starts no child: drivers are listed by their manifests, without loading them."""
    return {
        "version": __version__,
        "kind": kind(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "folder": str(_package()),
        "libraries": _libraries(),
        "compilers": choice.chosen().versions(),
        "models": _models(),
        "drivers": [str(each) for each in drivers.manifests()],
    }


def _package() -> Path:
    return Path(__file__).resolve().parent.parent


def _libraries() -> dict[str, str]:
    """Installed versions of what shaderlab depends on; empty for what is not there."""
    found = {}
    try:
        required = requires("shaderlab") or []
    except PackageNotFoundError:  # run from its source alone
        required = []
    for requirement in required:
        if "extra ==" in requirement:
            continue
        name = next(word for word in _words(requirement))
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def _words(requirement: str) -> list[str]:
    for sign in "=<>!~;[ ":
        requirement = requirement.replace(sign, " ")
    return requirement.split()


def _models() -> dict[str, Any]:
    """How many bundles there are, and one hash over all their files: equal where models are."""
    folder = locations.models()
    digest = hashlib.sha256()
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                   if path.is_file() and path.suffix in (".json", ".safetensors"))  # fmt: skip
    for name in names:
        digest.update(f"{name}\0".encode())
        with (folder / name).open("rb") as file:
            while part := file.read(_READ_AT_ONCE):
                digest.update(part)
    return {
        "bundles": sum(name.endswith("/card.json") for name in names),
        "sha256": digest.hexdigest(),
    }


def _answer(_: argparse.Namespace) -> Answer:
    found = data()
    text = "\n\n".join(
        [
            f"shaderlab {found['version']} ({found['kind']} in {found['folder']}), "
            f"Python {found['python']}, {found['system']}",
            table(
                ("library", "version"), [(n, v or "missing") for n, v in found["libraries"].items()]
            ),
            table(("compiler", "version"), found["compilers"].items()),
            f"{found['models']['bundles']} models, SHA-256 {found['models']['sha256']}",
            table(("Vulkan drivers",), [(each,) for each in found["drivers"]] or [("none",)]),
        ]
    )
    return Answer(found, text)


COMMANDS = (
    Command(
        "version",
        "List what this installation contains: libraries, compilers, models, drivers.",
        _answer,
    ),
)
