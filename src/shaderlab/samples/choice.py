"""What of a store to give away; plain data, so that an interface can hold it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

FIGURES_LICENCE = "CC0-1.0"
"""Of the figures, unless their owner chooses another."""

LICENCES = (
    "CC0-1.0",
    "CC-BY-4.0",
    "CC-BY-SA-4.0",
    "CC-BY-NC-SA-3.0",
    "MIT",
    "BSD-3-Clause",
    "Apache-2.0",
    "MPL-2.0",
    "GPL-3.0-or-later",
    "ODbL-1.0",
)
"""SPDX identifiers to offer; any other expression may be typed."""


@dataclass(frozen=True)
class Choice:
    """Which samples, and how much of them."""

    device: str | None = None
    """Slug; None for all devices."""
    ids: Collection[str] | None = None
    """None for all samples."""
    sources: bool = True
    """Whether sources go along that were recorded to be shared."""
