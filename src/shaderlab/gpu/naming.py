"""Short names of devices (`rtx3060`), as the command line, data and targets use them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOISE = {
    "nvidia", "geforce", "amd", "ati", "radeon", "intel", "mesa", "graphics", "gpu", "series",
    "corporation", "inc", "ltd", "tm", "r", "c", "opensource", "dri", "apu", "null", "hardware",
    "adapter", "design", "with",
}  # fmt: skip
_LAPTOP = {"laptop", "mobile", "max-q", "notebook"}


def slug(name: str) -> str:
    """Short name from a driver's device name; never empty, `[a-z0-9-]` only.

    Vendors, marks and the chip's code name in parentheses go, so that one model has one name under
    every driver; where nothing else is left (`AMD Radeon Graphics (RADV RENOIR)`) the code name is
    it.
    """
    lowered = name.lower()
    for software in ("llvmpipe", "swiftshader"):
        if software in lowered:
            return software
    marks = re.sub(r"\((?:r|tm|c)\)", " ", lowered)
    tokens = _tokens(re.sub(r"\([^)]*\)", " ", marks))
    if not any(t not in _LAPTOP for t in tokens):
        codes = re.findall(r"\(([^)]*)\)", marks)
        tokens = [t for t in _tokens(codes[0].split(",")[0]) if t != "radv"] if codes else tokens
    tokens = [t for t in tokens if t != "radv"] or tokens
    model = "".join(t for t in tokens if t not in _LAPTOP)
    laptop = any(t in _LAPTOP for t in tokens)
    return (model or "device") + ("-laptop" if laptop else "")


def distinct(slugs: Iterable[str]) -> list[str]:
    """The slugs in order, a repeated one marked `-2`, `-3`, … so that all differ."""
    given: list[str] = []
    for base in slugs:
        candidate, number = base, 1
        while candidate in given:
            number += 1
            candidate = f"{base}-{number}"
        given.append(candidate)
    return given


def _tokens(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text)
    return [w for w in words if w not in _NOISE]
