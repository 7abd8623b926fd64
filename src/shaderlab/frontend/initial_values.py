"""Initial values of uniforms: `uniform float gain = 0.75;`, and HLSL's globals likewise.

OpenGL (GLSL 4.60, section 4.3.5) and Direct3D's effects give such values to an input that nobody
sets.  glslang drops them, so the same expressions are compiled once more as variables of the
shader's own, where it folds them to constants.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from shaderlab.errors import ShaderlabError
from shaderlab.frontend import scanner
from shaderlab.frontend.program import Given
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.type_reading import Types
from shaderlab.spirv.value_types import Array, Component, Numeric, Struct, ValueType

if TYPE_CHECKING:
    from shaderlab.frontend.dialects.family import Attempt
    from shaderlab.frontend.toolchain.interface import Rules

IGNORED = "Ignoring initializer for uniform"
"""glslang's warning."""
_PARAMETER = re.compile(
    r'^[ \t]*#[ \t]*pragma[ \t]+parameter[ \t]+(\w+)[ \t]+"([^"\n]*)"((?:[ \t]+[-+.\w]+)*)', re.M
)
_PROBE = "shaderlab_initial_"
_MOST_NUMBERS = 65_536
_MAY_BE_GLSL = re.compile(r"(?:uniform|extern)\b[^;{}]*?(?:=|/[*/])")
"""Of a text with its comments."""
_GLSL = re.compile(
    r"\b(?:uniform|extern)\s+(?:(?:lowp|mediump|highp)\s+)?(?P<type>\w+)(?P<sides>\s*(?:\[[^\]]*\]\s*)*)\s*"
    r"(?=\w)(?P<names>[^;{}]*=)"
)
_HLSL = re.compile(
    r"(?:^|(?<=[;}]))[ \t]*(?:(?:uniform|extern|shared|volatile|row_major|column_major)\s+)*"
    r"(?P<type>(?!(?:static|const|groupshared|typedef|struct|cbuffer|tbuffer|return|sampler\w*|"
    r"texture\w*|Texture\w*|Sampler\w*|technique\w*|pass)\b)[A-Za-z_]\w*)(?P<sides>\s+)"
    r"(?=\w)(?P<names>[^;{}()]*=)",
    re.M,
)


@dataclass(frozen=True)
class _Declared:
    """One name with its value, as the text writes them."""

    name: str
    type: str
    sides: str
    """Brackets of an array."""
    value: str
    end: int
    """Place behind the declaration."""


def initial_values(attempt: Attempt) -> Mapping[str, Given]:
    """Values by the input's name (`light.power` of a struct); none of expressions that are not
    constant.  `attempt`: one that has compiled."""
    is_hlsl = attempt.rules.is_hlsl
    if not is_hlsl and not _MAY_BE_GLSL.search(attempt.source):
        return {}
    code = scanner.blank(attempt.source)
    declared = tuple(_declared(code, attempt.source, _HLSL if is_hlsl else _GLSL))
    if not declared:
        return {}
    try:
        head = attempt.source[: declared[-1].end]
        return _values(_Probed(head, attempt.rules, attempt, declared))
    except ShaderlabError:
        return {}


@dataclass(frozen=True)
class _Probed:
    """What the values follow from: the text up to the last of them.  Most edits are behind it."""

    head: str
    rules: Rules
    attempt: Attempt = field(compare=False)
    declared: tuple[_Declared, ...] = field(compare=False)


@lru_cache(maxsize=8)
def _values(probed: _Probed) -> Mapping[str, Given]:
    """Raises ShaderlabError."""
    attempt, declared = probed.attempt, probed.declared
    is_hlsl = attempt.rules.is_hlsl
    source, at = "", 0
    for number, each in enumerate(declared):
        probe = f"{each.type} {_PROBE}{number}{each.sides} = {each.value};"
        source += attempt.source[at : each.end] + (" static " if is_hlsl else " ") + probe
        at = each.end
    # As it is written: inlining would leave nothing of variables that are not read.
    rules = replace(attempt.rules, is_legalized=False)
    made = replace(attempt, source=source + attempt.source[at:], rules=rules).compiled()
    found = _stored(Module.parse(made.spirv)) if made.spirv else {}
    values: dict[str, Given] = {}
    for number, each in enumerate(declared):
        kind, numbers = found.get(number, (None, ()))
        if kind is not None:
            values |= {
                path: Given(tuple(part) if len(part) > 1 else part[0])
                for path, part in _leaves(each.name, kind, list(numbers)).items()
            }
    return values


def parameters(text: str) -> Mapping[str, Given]:
    """RetroArch's settings: `#pragma parameter NAME "label" default minimum maximum step`."""
    if "parameter" not in text:
        return {}
    found = {}
    for name, label, numbers in _PARAMETER.findall(scanner.blank(text, strings=False)):
        values = [_number(part) for part in numbers.split()]
        value, least, most, step = (*values, None, None, None, None)[:4]
        found[name] = Given(value, least, most, step, label.strip()[:200])
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text.rstrip("fF"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _declared(code: str, text: str, pattern: re.Pattern[str]) -> Iterator[_Declared]:
    for match in pattern.finditer(code):
        if _depth(code, match.start()):
            continue
        end = _until(code, match.start("names"), ";")
        place = match.start("names")
        while place < end:
            stop = min(_until(code, place, ","), end)
            head, equals, _ = code[place:stop].partition("=")
            name = re.match(r"\s*(\w+)\s*((?:\[[^\]]*\]\s*)*)", head)
            if equals and name:
                value = text[place + len(head) + 1 : stop].strip()
                sides = match["sides"].strip() + name[2].strip()
                yield _Declared(name[1], match["type"], sides, value, end + 1)
            place = stop + 1


def _depth(code: str, place: int) -> int:
    """Braces that are open there."""
    return code.count("{", 0, place) - code.count("}", 0, place)


def _until(code: str, place: int, mark: str) -> int:
    """The next such mark outside of brackets; the text's end where there is none."""
    depth = 0
    for at in range(place, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
        elif code[at] == mark and depth <= 0:
            return at
    return len(code)


def _stored(module: Module) -> dict[int, tuple[ValueType, tuple[float, ...]]]:
    """Type and numbers of each variable of ours, by its number."""
    types = Types(module)
    ours = {
        id: int(name.removeprefix(_PROBE))
        for id, name in module.names.items()
        if name.startswith(_PROBE) and name.removeprefix(_PROBE).isdigit()
    }
    first: dict[int, int] = {}
    for index in module.indices(Op.Store):
        pointer, value = module.instruction_words(index)[1:3]
        if pointer in ours:
            first.setdefault(pointer, value)
    for index in module.indices(Op.Variable):
        words = module.instruction_words(index)
        if words[2] in ours and len(words) > 4:
            first[words[2]] = words[4]
    found = {}
    for pointer, value in first.items():
        kind = types.read(module.definition(module.definition(value).words[1]).words[1])
        numbers = tuple(_numbers(module, value, kind))
        if len(numbers) == _count(kind):
            found[ours[pointer]] = kind, numbers
    return found


def _numbers(module: Module, id: int, kind: ValueType) -> Iterator[float]:
    """Of a constant; fewer than its type has where it is none."""
    its = module.definition(id)
    if its.opcode == Op.ConstantComposite:
        parts: list[ValueType] = [kind] * (len(its.words) - 3)
        if isinstance(kind, Struct):
            parts = [member.type for member in kind.members]
        elif isinstance(kind, Array):
            parts = [kind.element] * kind.length
        for part, of in zip(its.words[3:], parts, strict=False):
            yield from _numbers(module, part, of)
    elif its.opcode == Op.ConstantNull:
        yield from (0.0,) * min(_count(kind), _MOST_NUMBERS)
    elif its.opcode in (Op.ConstantTrue, Op.ConstantFalse):
        yield float(its.opcode == Op.ConstantTrue)
    elif its.opcode == Op.Constant and isinstance(kind, Numeric):
        data = struct.pack(f"<{len(its.words) - 3}I", *its.words[3:])
        codes = {Component.FLOAT: "fd", Component.INT: "iq", Component.UINT: "IQ"}
        (number,) = struct.unpack(f"<{codes[kind.component][len(data) > 4]}", data)
        yield float(number)


def _count(kind: ValueType) -> int:
    if isinstance(kind, Array):
        return kind.length * _count(kind.element)
    if isinstance(kind, Struct):
        return sum(_count(member.type) for member in kind.members)
    return kind.count if isinstance(kind, Numeric) else 0


def _leaves(path: str, kind: ValueType, numbers: list[float]) -> dict[str, list[float]]:
    """The numbers of each value that is no struct, by its path; they are used up from the front."""
    found: dict[str, list[float]] = {}
    if isinstance(kind, Struct):
        for member in kind.members:
            found |= _leaves(f"{path}.{member.name}", member.type, numbers)
    elif isinstance(kind, Array):
        for _ in range(kind.length):
            for inner, part in _leaves(path, kind.element, numbers).items():
                found.setdefault(inner, []).extend(part)
    else:
        count = _count(kind)
        found[path] = numbers[:count]
        del numbers[:count]
    return found
