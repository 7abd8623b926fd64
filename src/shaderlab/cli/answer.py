"""What a command answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What a command prints: `data` with --json, else `text`."""

    data: Any
    text: str
    exit_code: int = 0
