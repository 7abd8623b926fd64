"""Texts the editor refuses, because laying them out would block the window."""

from __future__ import annotations

MOST_BYTES = 4_000_000
LONGEST_LINE = 20_000
"""Characters.  An editor lays a line out as one: a million characters take it half a second."""


def oversize(size: int) -> str:
    """Why the editor does not take a text of so many bytes; empty if it may."""
    return f"{size:,} bytes are more than a shader's {MOST_BYTES:,}" if size > MOST_BYTES else ""


def unshowable(text: str) -> str:
    """Why the editor does not take the text; empty if it does."""
    if len(text) > MOST_BYTES:
        return f"{len(text):,} characters are more than a shader's {MOST_BYTES:,}"
    if len(text) > LONGEST_LINE:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > LONGEST_LINE:
                return (
                    f"line {number} has {len(line):,} characters, more than the "
                    f"{LONGEST_LINE:,} that can be shown"
                )
    return ""
