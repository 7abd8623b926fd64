"""The shaders a calibration times: ours, each in several sizes, and the examples.

A file under `resources/calibration` says in `#define N 24  // also 4, 300` how often its loop runs
and with which other numbers it is also timed.  `order.json` lists all variants so that any first
part of the list says most about a GPU (`models.recipes.calibration_order`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from shaderlab import locations
from shaderlab.frontend.examples import examples

ORDER = "order.json"
_ROUNDS = re.compile(r"^#define N (\d+)(?:  // also ([\d, ]+))?$", re.M)


@dataclass(frozen=True)
class CalibrationShader:
    """One shader, a Shadertoy body."""

    name: str
    """`waves-60`: the file and its N; an example has its own name."""
    text: str


def in_order(limit: int | None = None) -> tuple[CalibrationShader, ...]:
    """The most informative first; at most `limit`."""
    known = {each.name: each for each in every()}
    path = locations.resources() / "calibration" / ORDER
    names = json.loads(path.read_text(encoding="utf-8"))
    return tuple(known[name] for name in names[:limit])


@cache
def every() -> tuple[CalibrationShader, ...]:
    """All variants and examples, by name."""
    found = [
        CalibrationShader(each.path.stem, each.path.read_text(encoding="utf-8"))
        for each in examples()
    ]
    for path in (locations.resources() / "calibration").glob("*.frag"):
        found += variants(path.stem, path.read_text(encoding="utf-8"))
    return tuple(sorted(found, key=lambda each: each.name))


@cache
def reading_textures() -> tuple[CalibrationShader, ...]:
    """All variants of the shaders that read textures, by name; each says in a line such as
    `// iChannel0: noise, mipmap, repeat` what it is given."""
    found: list[CalibrationShader] = []
    for path in (locations.resources() / "calibration" / "textures").glob("*.frag"):
        found += variants(path.stem, path.read_text(encoding="utf-8"))
    return tuple(sorted(found, key=lambda each: each.name))


def variants(name: str, text: str) -> tuple[CalibrationShader, ...]:
    """The shader with each of its numbers of rounds; itself where it names none."""
    rounds = _ROUNDS.search(text)
    if rounds is None:
        return (CalibrationShader(name, text),)
    numbers = [rounds[1], *(rounds[2] or "").replace(",", " ").split()]
    return tuple(
        CalibrationShader(
            f"{name}-{n}", text[: rounds.start()] + f"#define N {n}" + text[rounds.end() :]
        )
        for n in numbers
    )
