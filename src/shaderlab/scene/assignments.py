"""`NAME=VALUE` as people write it, for the inputs that a program has."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from shaderlab.errors import WrongUse
from shaderlab.scene.inputs import Numbers
from shaderlab.scene.packing import RUN_TIME_ELEMENTS, numbers_of
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.scene.textures import Texture
from shaderlab.spirv.value_types import Component, Numeric

_LISTED = 12
"""Names of inputs that a message lists."""
_LONGEST = 1 << 20
_COLOUR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_CONSTRUCTOR = re.compile(r"[a-z]\w*\s*\(([^()]*)\)")
_WORDS = {"true": 1.0, "false": 0.0}
_PART = re.compile(r"(.*?)(?:\[(\d{1,7})\])?(?:\.([xyzw]|[rgba]|[stpq]))?")


def assigned(
    listed: Sequence[ShaderInput], name: str, text: str, values: Mapping[str, Numbers]
) -> tuple[str, Numbers]:
    """The full name of the input meant and its value.

    `name`: of an input, of an element of an array (`weights[3]`), of a component (`tint.x`); of
    nested names the last parts, where only one input ends so.  `values`: given so far, by full
    name; elements and components leave the rest of it.  Raises WrongUse, which names the type and
    the inputs there are.
    """
    numeric = [each for each in listed if each.numeric is not None and each.value is not None]
    row = named(numeric, name)
    if row is not None:
        return row.name, _parsed(row.name, row.type, row.numeric, _count(row), text)
    part = _PART.fullmatch(name)
    base, element, component = part.groups() if part else (name, None, None)
    row = named(numeric, base)
    if row is None or (element is None and component is None):
        raise _unknown(name, numeric, "value")
    kind = row.numeric
    assert kind is not None
    first, count = _span(row, kind, name, element, component)
    one = Numeric(kind.component, kind.bits) if count == 1 else kind
    new = _parsed(name, one.glsl, one, count, text)
    before = values.get(row.name, row.value)
    assert isinstance(before, tuple)
    whole = before + (0.0,) * (_count(row) - len(before))
    return row.name, whole[:first] + new + whole[first + count :]


def texture_named(listed: Sequence[ShaderInput], name: str) -> str:
    """The full name of the texture meant, with the element where one is.  Raises WrongUse."""
    textures = [each for each in listed if isinstance(each.value, Texture)]
    row = named(textures, name)
    if row is not None:
        return row.name
    element = re.fullmatch(r"(.*)\[(\d{1,7})\]", name)
    row = named(textures, element[1]) if element else None
    if row is None or element is None:
        raise _unknown(name, textures, "texture")
    length = row.lengths[0] if row.lengths else 0
    if length and int(element[2]) >= length:
        raise WrongUse(f"{row.name} has {length} elements: there is no {name}")
    return f"{row.name}[{int(element[2])}]"


def named(listed: Sequence[ShaderInput], name: str) -> ShaderInput | None:
    """The input of that name, or the only one whose name ends with it.

    Raises WrongUse where several do.
    """
    for each in listed:
        if each.name == name:
            return each
    ending = [each for each in listed if each.name.endswith(f".{name}")]
    if len(ending) > 1:
        names = ", ".join(each.name for each in ending[:_LISTED])
        raise WrongUse(f"{name} may be any of {names}: write one of these in full")
    return ending[0] if ending else None


def _count(row: ShaderInput) -> int:
    assert row.numeric is not None
    return numbers_of(row.numeric, row.lengths)


def _span(
    row: ShaderInput, kind: Numeric, name: str, element: str | None, component: str | None
) -> tuple[int, int]:
    """First number and how many of them an element or component takes."""
    first, count = 0, _count(row)
    if element is not None:
        if row.lengths:
            length = row.lengths[0] or RUN_TIME_ELEMENTS
        else:
            length = kind.columns if kind.columns > 1 else kind.rows
        if length < 2 or int(element) >= length:
            raise WrongUse(f"{row.name} is {_a(row.type)}: there is no {name}")
        count //= length
        first = int(element) * count
    if component is not None:
        at = next(s.index(component) for s in ("xyzw", "rgba", "stpq") if component in s)
        if at >= kind.rows or kind.rows < 2 or count != kind.rows:
            raise WrongUse(f"{row.name} is {_a(row.type)}: there is no {name}")
        first, count = first + at, 1
    return first, count


def _parsed(name: str, type_name: str, kind: Numeric | None, count: int, text: str) -> Numbers:
    assert kind is not None
    if len(text) > _LONGEST:
        raise WrongUse(f"the value for {name} has more than {_LONGEST:,} characters")
    text = text.strip()
    if text.startswith("#"):
        return _colour(name, type_name, kind, count, text)
    inner = _CONSTRUCTOR.fullmatch(text)
    words = [word for word in re.split(r"[\s,;]+", inner[1] if inner else text) if word]
    numbers = tuple(_number(name, type_name, kind, word) for word in words)
    if len(numbers) != count:
        raise WrongUse(f"{name} is {_a(type_name)} and takes {_numbers(count)}, not {len(numbers)}")
    return numbers


def _number(name: str, type_name: str, kind: Numeric, word: str) -> float:
    if word in _WORDS:
        return _WORDS[word]
    wrong = WrongUse(f'{name} is {_a(type_name)}; "{word[:40]}" is not {_expected(kind)}')
    try:
        number: float = int(word, 0) if kind.component is not Component.FLOAT else float(word)
    except ValueError:
        try:
            number = float(word)
        except ValueError:
            raise wrong from None
        if not number.is_integer():
            raise wrong from None
    if not math.isfinite(number):
        raise wrong
    if kind.component is Component.FLOAT:
        return float(number)
    low, high = {
        Component.BOOL: (0, 1),
        Component.UINT: (0, 2**kind.bits - 1),
        Component.INT: (-(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1),
    }[kind.component]
    if not low <= number <= high:
        raise wrong
    return float(number)


def _colour(name: str, type_name: str, kind: Numeric, count: int, text: str) -> Numbers:
    match = _COLOUR.fullmatch(text)
    if match is None:
        raise WrongUse(f'"{text[:40]}" is not a colour such as #ff8800, for {name}')
    digits = match[1] if len(match[1]) > 3 else "".join(2 * digit for digit in match[1])
    parts = tuple(int(digits[n : n + 2], 16) / 255.0 for n in range(0, len(digits), 2))
    if kind.component is not Component.FLOAT or count not in (3, 4):
        raise WrongUse(f"{name} is {_a(type_name)}; a colour needs a vec3 or a vec4")
    return (*parts, 1.0)[:count]


def _expected(kind: Numeric) -> str:
    return {
        Component.FLOAT: "a finite number",
        Component.INT: f"a whole number of {kind.bits} bits",
        Component.UINT: f"a whole number of {kind.bits} bits from 0 on",
        Component.BOOL: "true or false",
    }[kind.component]


def _a(type_name: str) -> str:
    return f"{'an' if type_name[0] in 'aeiou' and type_name[:2] != 'uv' else 'a'} {type_name}"


def _numbers(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"


def _unknown(name: str, listed: Sequence[ShaderInput], what: str) -> WrongUse:
    if not listed:
        return WrongUse(f"there is no {what} {name[:80]}: the shader has no such inputs")
    shown = ", ".join(f"{each.name} ({each.type})" for each in listed[:_LISTED])
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return WrongUse(f"there is no input {name[:80]} that takes a {what}; there are {shown}{more}")
