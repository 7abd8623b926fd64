"""Optional dependencies: the extras of pyproject.toml."""

from __future__ import annotations

import sys


def remedy(extra: str) -> str:
    """How to install an extra."""
    if getattr(sys, "frozen", False):
        return (
            "This portable bundle cannot be extended: install shaderlab with pipx or pip, as "
            f"'shaderlab[{extra}]'."
        )
    return f"Install it: pip install 'shaderlab[{extra}]'."
