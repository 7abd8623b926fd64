"""Where a name is declared, and where it is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from shaderlab.language import symbols
from shaderlab.language.builtins import builtins
from shaderlab.language.expression_types import type_of
from shaderlab.language.symbols import Symbol
from shaderlab.language.syntax import Node, Place, Syntax

_NAMES = "[(identifier) (type_identifier) (field_identifier)] @name"
NAME = re.compile(r"[A-Za-z_]\w*")


def name_at(syntax: Syntax, place: Place) -> str:
    """The name at a place or just before it; empty for anything else."""
    node = syntax.node_at(place)
    text = syntax.string(node) if node.child_count == 0 else ""
    return text if NAME.fullmatch(text) else ""


def definition(
    syntax: Syntax, place: Place, included: Mapping[str, Syntax] | None = None
) -> Symbol | None:
    """What declares the name at a place; None for built-ins and unknown names.

    `included`: by file, what the text includes; a symbol found there has its `file`.
    """
    node = syntax.node_at(place)
    name = name_at(syntax, place)
    if not name:
        return None
    if node.type == "field_identifier":
        return _member(syntax, node, place, included or {})
    for symbol in symbols.visible(syntax, place):
        if symbol.name == name and _is_declared_before(symbol, place):
            return symbol
    for file, other in (included or {}).items():
        for symbol in symbols.globals_of(other):
            if symbol.name == name:
                return replace(symbol, file=file)
    return None


def references(
    syntax: Syntax, place: Place, included: Mapping[str, Syntax] | None = None
) -> list[Place]:
    """Every place of the text that means the same as the name at `place`, in order."""
    wanted = definition(syntax, place, included)
    if wanted is None:
        return []
    return [
        at
        for node in syntax.captures(_NAMES)
        if syntax.string(node) == wanted.name
        and definition(syntax, at := syntax.place(node), included) == wanted
    ]


def uses_elsewhere(syntax: Syntax, name: str) -> list[Place]:
    """Every place of another text where the name means something outside its functions: what a
    local variable or a member of the same name is about is left out."""
    found = []
    for node in syntax.captures(_NAMES):
        if node.type == "field_identifier" or syntax.string(node) != name:
            continue
        at = syntax.place(node)
        declared = definition(syntax, at)
        if declared is None or declared in symbols.globals_of(syntax):
            found.append(at)
    return found


def is_shared(syntax: Syntax, symbol: Symbol) -> bool:
    """Whether other files may mean the same by the name: an included one declares it, or this text
    does outside its functions."""
    return bool(symbol.file) or symbol in symbols.globals_of(syntax)


def can_rename(
    syntax: Syntax,
    place: Place,
    name: str,
    included: Mapping[str, Syntax] | None = None,
    others: Mapping[str, Syntax] | None = None,
) -> str:
    """Why the name at a place cannot become `name`; empty where it can.

    `included`: as for `definition`, where names that these files declare are renamed, too.
    `others`: by file, the other texts in which the name becomes another one.
    """
    symbol = definition(syntax, place, included)
    if symbol is None:
        return "Only names that this text declares can be renamed."
    if symbol.file and symbol.kind is symbols.Kind.MEMBER:
        return f"A member is renamed in the file that declares it, {symbol.file}."
    if not NAME.fullmatch(name):
        return f"“{name}” is not a name: letters, digits and _ only, no digit first."
    if name in builtins(syntax.language).names:
        return f"“{name}” is built in."
    for place_used in references(syntax, place, included):
        if any(each.name == name for each in symbols.visible(syntax, place_used)):
            return f"“{name}” already means something here."
    for file, other in {**(included or {}), **(others or {})}.items():
        if any(each.name == name for each in symbols.globals_of(other)):
            return f"“{name}” already means something in {file}."
        for at in uses_elsewhere(other, symbol.name):
            if any(each.name == name for each in symbols.visible(other, at)):
                return f"“{name}” already means something in {file}, line {at.line}."
    return ""


def renamed(text: str, places: Iterable[Place], old: str, new: str) -> str:
    """The text with `new` in place of `old` at these places.

    Raises ValueError where the text has something else there.
    """
    lines = text.split("\n")
    for line, column in sorted(places, reverse=True):
        row, start = lines[line - 1], column - 1
        if row[start : start + len(old)] != old:
            raise ValueError(f"line {line} has no {old} at column {column}")
        lines[line - 1] = row[:start] + new + row[start + len(old) :]
    return "\n".join(lines)


def _is_declared_before(symbol: Symbol, place: Place) -> bool:
    """Whether the symbol counts at a place: what the text declares further down does not, unless it
    is its own declaration."""
    return symbol.place <= place


def _member(
    syntax: Syntax, node: Node, place: Place, included: Mapping[str, Syntax]
) -> Symbol | None:
    parent = node.parent
    name = syntax.string(node)
    if parent is None or parent.type != "field_expression":
        return _member_declared_at(syntax, node)
    operand = parent.child_by_field_name("argument")
    if operand is None:
        return None
    type_name = type_of(syntax, operand, place, builtins(syntax.language)).split("[")[0]
    for file, source in [("", syntax), *included.items()]:
        for symbol in symbols.members(source, type_name):
            if symbol.name == name:
                return replace(symbol, file=file)
    return None


def _member_declared_at(syntax: Syntax, node: Node) -> Symbol | None:
    at: Node | None = node
    while at is not None and at.type != "field_declaration_list":
        at = at.parent
    place = syntax.place(node)
    if at is None or at.parent is None:
        return None
    found = [each for each in symbols.members_of(syntax, at) if each.place == place]
    return found[0] if found else None
