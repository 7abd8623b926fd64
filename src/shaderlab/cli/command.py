"""What a command is: an entry of the table in `cli.commands`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shaderlab.cli.options import Parser
from shaderlab.prediction.forecast import Forecast, Status
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast


@dataclass(frozen=True)
class Answer:
    """What a command prints: `data` with --json, else `text`."""

    data: Any
    text: str
    exit_code: int = 0


def code_of(forecasts: Iterable[Forecast | FrameForecast]) -> int:
    """Exit code of an answer that forecasts are the point of: 1 where none has a time."""
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
