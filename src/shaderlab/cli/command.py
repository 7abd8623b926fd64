"""What a command is: an entry of the table in `cli.commands`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from shaderlab.cli import terminal

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast


class Parser(argparse.ArgumentParser):
    """Its messages repeat what was typed, so they go through the terminal too."""

    def error(self, message: str) -> NoReturn:
        super().error(terminal.one_line(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        if file is not sys.stdout:
            terminal.note(message)
        elif not terminal.put(message):
            raise SystemExit(2)


@dataclass(frozen=True)
class Answer:
    """What a command prints: `data` with --json, else `text`."""

    data: Any
    text: str
    exit_code: int = 0


def code_of(forecasts: Iterable[Forecast | FrameForecast]) -> int:
    """Exit code of an answer that forecasts are the point of: 1 where none has a time."""
    from shaderlab.prediction.forecast import Status  # reads numpy, which `version` does not need

    return 1 if all(each.status is Status.NONE for each in forecasts) else 0


def _none(_: argparse.ArgumentParser) -> None: ...


@dataclass(frozen=True)
class Command:
    """A word, what it means and what it does."""

    name: str
    summary: str
    """For `--help`, a sentence."""
    run: Callable[[argparse.Namespace], Answer]
    """Raises ShaderlabError."""
    shares: tuple[Parser, ...] = ()
    """Options it has in common with others (`cli.options`)."""
    add_options: Callable[[argparse.ArgumentParser], None] = _none
    """Adds its own."""
