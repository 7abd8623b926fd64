"""Values of uniforms as GraphicsFuzz keeps them: a JSON file beside each shader.

`{"NAME": {"func": "glUniform2f", "args": [256.0, 256.0]}}`: the function that sets it in OpenGL,
and its arguments.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from shaderlab.frontend.program import Given, Value

MAX_VALUES = 4096
"""Numbers of one uniform, and uniforms of one file."""

_FUNCTION = re.compile(r"glUniform(?:Matrix)?[1-4](?:x[1-4])?(?P<kind>f|i|ui)v?")


def given(data: bytes) -> Mapping[str, Given]:
    """Values by name; what has another form is left out, so that any JSON may lie there."""
    try:
        held = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return {}
    found: dict[str, Given] = {}
    for name, entry in held.items() if isinstance(held, dict) else ():
        value = _value(entry)
        if value is not None and len(found) < MAX_VALUES:
            found[name] = Given(value)
    return found


def _value(entry: object) -> Value | None:
    if not isinstance(entry, dict):
        return None
    function, arguments = entry.get("func"), entry.get("args")
    if not isinstance(function, str) or not isinstance(arguments, list):
        return None
    match = _FUNCTION.fullmatch(function)
    if match is None or not 0 < len(arguments) <= MAX_VALUES:
        return None
    if not all(_is_number(each) for each in arguments):
        return None
    numbers = tuple(float(each) if match["kind"] == "f" else int(each) for each in arguments)
    return numbers[0] if len(numbers) == 1 else numbers


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
