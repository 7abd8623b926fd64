"""The shaders that come with shaderlab, described by the comments at their head."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shaderlab import locations

_FIELD = re.compile(r"^// (title|shows|order): (.+)$", re.M)


@dataclass(frozen=True)
class Example:
    """One bundled shader, a Shadertoy body."""

    title: str
    shows: str
    """What it is made of, in half a sentence."""
    path: Path


@cache
def examples() -> tuple[Example, ...]:
    """All bundled shaders, from the cheapest kind of frame to the heaviest."""
    found = []
    for path in (locations.resources() / "examples").glob("*.frag"):
        fields = dict(_FIELD.findall(path.read_text(encoding="utf-8")))
        example = Example(fields["title"], fields["shows"], path)
        found.append((int(fields["order"]), example))
    return tuple(example for _, example in sorted(found, key=lambda pair: pair[0]))
