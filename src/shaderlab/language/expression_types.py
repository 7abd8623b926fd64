"""The type of an expression, as far as the text shows it: enough to offer members after a dot."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shaderlab.language import symbols
from shaderlab.language.builtins import Builtins
from shaderlab.language.symbols import Kind
from shaderlab.language.syntax import Node, Place, Syntax

_VECTOR = re.compile(r"(?P<kind>[biud]?vec|bool|float|half|int|uint|double|min16float)(?P<n>[234])")
_SCALARS = {"vec": "float", "ivec": "int", "uvec": "uint", "bvec": "bool", "dvec": "double"}
_MATRIX = re.compile(
    r"d?mat(?P<n>[234])(?:x(?P<rows>[234]))?|(?:float|half)(?P<r>[234])x(?P<c>[234])"
)
SWIZZLES = ("xyzw", "rgba", "stpq")


def vector_size(type_name: str) -> int:
    """Components of a vector type; 0 for other types."""
    found = _VECTOR.fullmatch(type_name)
    return int(found["n"]) if found else 0


def swizzled(type_name: str, components: str) -> str:
    """Type of a vector's swizzle; empty where it has no such components."""
    found = _VECTOR.fullmatch(type_name)
    if found is None:
        return ""
    sets = [letters[: int(found["n"])] for letters in SWIZZLES]
    if not any(set(components) <= set(letters) for letters in sets) or len(components) > 4:
        return ""
    kind = found["kind"]
    if len(components) == 1:
        return _SCALARS.get(kind, kind)
    return f"{kind}{len(components)}"


def element(type_name: str) -> str:
    """Type of what an index picks; empty where nothing is to be indexed."""
    if "[" in type_name:
        return re.sub(r"\[[^\]]*\]", "", type_name, count=1)
    if matrix := _MATRIX.fullmatch(type_name):
        if matrix["n"]:
            return f"{'d' if type_name[0] == 'd' else ''}vec{matrix['rows'] or matrix['n']}"
        return f"{type_name[:-3]}{matrix['c']}"
    return swizzled(type_name, "x")


def type_of(syntax: Syntax, node: Node, place: Place, builtins: Builtins) -> str:
    """The expression's type where `place` stands; empty where it is not known."""
    match node.type:
        case "identifier" | "type_identifier" | "field_identifier":
            return _named(syntax, syntax.string(node), place, builtins)
        case "field_expression":
            return _field(syntax, node, place, builtins)
        case "subscript_expression":
            inner = node.child_by_field_name("argument")
            return element(type_of(syntax, inner, place, builtins)) if inner is not None else ""
        case "call_expression":
            return _call(syntax, node, place, builtins)
        case "parenthesized_expression" | "assignment_expression" if node.named_child_count:
            return type_of(syntax, node.named_children[0], place, builtins)
        case "binary_expression":
            return _widest(type_of(syntax, child, place, builtins) for child in node.named_children)
        case "number_literal":
            return "float" if re.search(r"[.eEf]", syntax.string(node)) else "int"
    return ""


def member_type(syntax: Syntax, type_name: str, name: str) -> str:
    """Type of a member or swizzle; empty where there is none."""
    found = [each.type for each in symbols.members(syntax, type_name) if each.name == name]
    return found[0] if found else swizzled(type_name, name)


def _named(syntax: Syntax, name: str, place: Place, builtins: Builtins) -> str:
    for symbol in symbols.visible(syntax, place):
        if symbol.name == name:
            return symbol.type
    variable = builtins.variables.get(name)
    return variable.type if variable else ""


def _field(syntax: Syntax, node: Node, place: Place, builtins: Builtins) -> str:
    inner, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if inner is None or name is None:
        return ""
    return member_type(syntax, type_of(syntax, inner, place, builtins), syntax.string(name))


def _call(syntax: Syntax, node: Node, place: Place, builtins: Builtins) -> str:
    called = node.child_by_field_name("function")
    if called is None:
        return ""
    name = syntax.string(called)
    if name in builtins.types:
        return name
    for symbol in symbols.visible(syntax, place):
        if symbol.name == name and symbol.kind in (Kind.FUNCTION, Kind.STRUCT):
            return symbol.type
    function = builtins.functions.get(name)
    if function is None:
        return ""
    result = function.result
    if not result.startswith("gen"):
        return result
    passed = node.child_by_field_name("arguments")
    given = passed.named_children if passed is not None else []
    return _widest(type_of(syntax, each, place, builtins) for each in given)


def _widest(types: Iterable[str]) -> str:
    """The vector or matrix among operands; of scalars the first that is known."""
    known = [each for each in types if each]
    return max(
        known, key=lambda each: (bool(_MATRIX.fullmatch(each)), vector_size(each)), default=""
    )
