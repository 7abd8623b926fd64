"""The parts of a text: its functions, structs and blocks with the lines they take."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.language.symbols import Kind, Symbol, children, declared_by
from shaderlab.language.syntax import Syntax

_PARTS = frozenset({Kind.FUNCTION, Kind.STRUCT, Kind.BLOCK, Kind.UNIFORM})


@dataclass(frozen=True)
class Part:
    symbol: Symbol
    first: int
    """Line, from 1."""
    last: int
    has_body: bool


def outline(syntax: Syntax) -> list[Part]:
    """Functions, structs, blocks and uniforms in the order of the text."""
    parts = []
    for node in children(syntax.root):
        for symbol in declared_by(syntax, node):
            if symbol.kind in _PARTS:
                first, last = syntax.place(node).line, syntax.end(node).line
                parts.append(Part(symbol, first, last, node.type == "function_definition"))
    return parts


def function_around(parts: list[Part], line: int) -> Part | None:
    """The function whose body a line belongs to."""
    for part in parts:
        if part.has_body and part.first <= line <= part.last:
            return part
    return None
