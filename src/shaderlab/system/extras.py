"""Libraries that shaderlab takes only where they are asked for."""

from __future__ import annotations

import sys


def remedy(extra: str) -> str:
    """How to get those of an extra of pyproject.toml."""
    if getattr(sys, "frozen", False):
        return (
            "This portable bundle cannot be extended: install shaderlab with pipx or pip, as "
            f"'shaderlab[{extra}]'."
        )
    return f"Install it: pip install 'shaderlab[{extra}]'."
