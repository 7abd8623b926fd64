"""Values that a text gives as literals or as constructors of literals."""

from __future__ import annotations

import re

from shaderlab.frontend.program import Value

COMPONENTS = {"float": 1, "int": 1, "uint": 1, "bool": 1, "vec2": 2, "vec3": 3, "vec4": 4,
              "ivec2": 2, "ivec3": 3, "ivec4": 4}  # fmt: skip
"""Of the types whose values are read, by name."""

_LARGEST = 1e30


def value(text: str, kind: str) -> Value | None:
    """The value of type `kind` (a key of `COMPONENTS`) that `text` writes out, as `0.5` or
    `vec2(1, 2)`; None where it is neither, or has too few or too many numbers."""
    count = COMPONENTS.get(kind)
    text = text.strip()
    if kind == "bool":
        return {"true": True, "1": True, "false": False, "0": False}.get(text)
    constructor = re.fullmatch(r"i?vec[234]\s*\((.*)\)", text, re.S)
    try:
        numbers = [_number(part) for part in (constructor[1] if constructor else text).split(",")]
    except ValueError:
        return None
    if len(numbers) == 1 and count:
        numbers *= count
    if len(numbers) != count or not all(abs(number) < _LARGEST for number in numbers):
        return None
    exact = [int(n) if kind[0] in "iu" else n for n in numbers]
    return exact[0] if count == 1 else tuple(exact)


def _number(text: str) -> float:
    """Raises ValueError."""
    return float(re.sub(r"(?<=[\d.])[fFuU]\s*$", "", text))
