"""The table of commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from shaderlab.cli.command import Command

_MODULES = {
    "compile": "shaders",
    "render": "shaders",
    "trace": "shaders",
    "profile": "shaders",
    "inputs": "inputs",
    "import": "importing",
    "predict": "forecasts",
    "targets": "forecasts",
    "check": "checking",
    "capture": "capturing",
    "scale": "scaling",
    "sweep": "sweeping",
    "explore": "exploring",
    "occupancy": "occupying",
    "report": "reporting",
    "evaluate": "evaluating",
    "pairs": "pairing",
    "compiled": "compiled",
    "compilers": "compilers",
    "calibrate": "calibrating",
    "record": "recording",
    "dataset": "dataset",
    "campaign": "campaigning",
    "lsp": "serving",
    "doctor": "doctor",
    "version": "version",
}


class _Commands(Mapping[str, Command]):
    """Each is imported when it is looked at: all together take longer than most take to answer."""

    def __getitem__(self, name: str) -> Command:
        module = import_module(f"shaderlab.cli.{_MODULES[name]}")
        return next(each for each in module.COMMANDS if each.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)

    def __contains__(self, name: object) -> bool:
        return name in _MODULES


COMMANDS: Mapping[str, Command] = _Commands()
"""By name, in the order `--help` lists them."""
