"""What could be typed at a place: names in sight, members after a dot, built-ins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from shaderlab.language import symbols
from shaderlab.language.builtins import Builtins, builtins
from shaderlab.language.expression_types import SWIZZLES, swizzled, type_of, vector_size
from shaderlab.language.symbols import Symbol
from shaderlab.language.syntax import Language, Node, Place, Syntax, ancestors

_WORD = re.compile(r"[A-Za-z_]\w*$")
_NO_CODE = frozenset({"comment", "string_literal", "system_lib_string", "string_content"})


@dataclass(frozen=True)
class Completion:
    name: str
    kind: str
    """A `symbols.Kind`, or `built-in`, `type`, `keyword`, `swizzle`."""
    detail: str
    """Type or declaration."""
    summary: str = ""


def word_before(text: str) -> str:
    """The name under way at the end of a line's beginning."""
    found = _WORD.search(text)
    return found[0] if found else ""


def completions(
    syntax: Syntax, place: Place, included: Mapping[str, Syntax] | None = None
) -> list[Completion]:
    """What fits the word that ends at `place`, best first; empty in comments and numbers.

    `included`: by file, what the text includes.
    """
    table = builtins(syntax.language)
    at = syntax.offset(place)
    line = syntax.source[syntax.source.rfind(b"\n", 0, at) + 1 : at].decode(errors="ignore")
    word = word_before(line)
    node = syntax.root.descendant_for_byte_range(max(at - 1, 0), at)
    if node is not None and any(each.type in _NO_CODE for each in ancestors(node)):
        return []
    start = len(line) - len(word)
    if start and line[start - 1].isdigit():
        return []
    behind = line[:start].rstrip()
    if behind.endswith("."):
        dot = at - len(word.encode()) - (len(line[:start].encode()) - len(behind.encode())) - 1
        found = _after_dot(syntax, dot, place, table)
    else:
        found = _names(syntax, place, included or {})
    return _matching(found, word)


def _names(syntax: Syntax, place: Place, included: Mapping[str, Syntax]) -> list[Completion]:
    found: dict[str, Completion] = {}
    declared = list(symbols.visible(syntax, place))
    declared += [each for other in included.values() for each in symbols.globals_of(other)]
    for symbol in declared:
        found.setdefault(symbol.name, _of_symbol(symbol))
    for each in _built_in(syntax.language):
        found.setdefault(each.name, each)
    return list(found.values())


@cache
def _built_in(language: Language) -> tuple[Completion, ...]:
    """What needs no declaration: the same for every text of a language."""
    table = builtins(language)
    return (
        *(Completion(v.name, "built-in", v.type, v.summary) for v in table.variables.values()),
        *(Completion(f.name, "built-in", f.forms[0], f.summary) for f in table.functions.values()),
        *(Completion(name, "type", "") for name in sorted(table.types)),
        *(Completion(name, "keyword", "") for name in sorted(table.keywords)),
    )


def _after_dot(syntax: Syntax, dot: int, place: Place, table: Builtins) -> list[Completion]:
    operand = _operand(syntax, dot)
    if operand is None:
        return []
    type_name = type_of(syntax, operand, place, table)
    found = [_of_symbol(each) for each in symbols.members(syntax, type_name)]
    size = vector_size(type_name)
    for letters in SWIZZLES[:2] if size else ():
        for count in range(1, size + 1):
            name = letters[:count]
            found.append(Completion(name, "swizzle", swizzled(type_name, name)))
        found += [
            Completion(each, "swizzle", swizzled(type_name, each)) for each in letters[1:size]
        ]
    if "[" in type_name and syntax.language == "glsl":
        found.append(Completion("length()", "built-in", "int", "Number of elements."))
    if type_name.split("<")[0].lstrip("RW") in _OBJECTS:
        found += [
            Completion(each.name, "built-in", each.forms[0], each.summary)
            for each in table.methods.values()
        ]
    return found


_OBJECTS = frozenset({
    "Texture1D", "Texture2D", "Texture3D", "TextureCube", "Texture2DArray", "Texture2DMS",
    "TextureCubeArray", "Buffer", "StructuredBuffer", "ByteAddressBuffer",
})  # fmt: skip
_OPERANDS = frozenset({
    "identifier", "field_expression", "call_expression", "subscript_expression",
    "parenthesized_expression", "field_identifier", "type_identifier",
})  # fmt: skip


def _operand(syntax: Syntax, dot: int) -> Node | None:
    """The expression that ends before the dot: the largest one that does."""
    node = syntax.root.descendant_for_byte_range(dot - 1, dot)
    found = None
    for each in ancestors(node) if node is not None else ():
        if each.end_byte > dot:
            break
        if each.type in _OPERANDS:
            found = each
    return found


def _of_symbol(symbol: Symbol) -> Completion:
    return Completion(symbol.name, symbol.kind, symbol.type or symbol.declaration)


def _matching(found: list[Completion], word: str) -> list[Completion]:
    """Those that start with the word, then those that contain its letters in their order."""
    lowered = word.lower()
    starts, contain = [], []
    for each in found:
        name = each.name.lower()
        if each.name == word:
            continue
        if name.startswith(lowered):
            starts.append(each)
        elif len(word) > 1 and _in_order(lowered, name):
            contain.append(each)
    return starts + contain


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return name[:1] == letters[:1] and all(letter in rest for letter in letters)
