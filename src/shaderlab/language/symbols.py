"""What a text declares, and which of it a place sees.

Declarations are looked up from the place outwards, one scope after the other, so that a lookup in a
large text reads little of it.  Both branches of an `#if` count: which one is compiled, only the
compiler knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from shaderlab.language.syntax import Node, Place, Syntax, ancestors


class Kind(StrEnum):
    FUNCTION = "function"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    CONSTANT = "constant"
    UNIFORM = "uniform"
    INPUT = "input"
    OUTPUT = "output"
    STRUCT = "struct"
    BLOCK = "block"
    MEMBER = "member"
    MACRO = "macro"


@dataclass(frozen=True)
class Symbol:
    """A declared name."""

    name: str
    kind: Kind
    type: str
    """As written, with array sizes: `vec3`, `float[4]`; of a function what it returns; of a block
    its own name; empty for macros."""
    place: Place
    declaration: str
    """On one line, without body or initialiser (but of a constant and a macro)."""
    parameters: tuple[str, ...] = ()
    """Of functions and macros, as written."""
    file: str = ""
    """The included file that declares it; empty for the text itself."""


_SCOPES = frozenset({
    "compound_statement", "for_statement", "function_definition", "translation_unit",
})  # fmt: skip
_CONDITIONAL = frozenset({"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"})
_QUALIFIERS = {"uniform": Kind.UNIFORM, "in": Kind.INPUT, "out": Kind.OUTPUT,
               "varying": Kind.INPUT, "attribute": Kind.INPUT, "const": Kind.CONSTANT}  # fmt: skip
_BLOCKS = frozenset({"cbuffer", "tbuffer", "ConstantBuffer"})
_RESOURCE = re.compile(r"(RW)?(Texture|Buffer|StructuredBuffer|ByteAddressBuffer|Sampler)\w*\b")
_LONGEST = 160
"""Characters of a declaration that is shown."""


def visible(syntax: Syntax, place: Place) -> Iterator[Symbol]:
    """Symbols that a place sees, innermost first; a name may come again from further out."""
    here = syntax.offset(place)
    # At the end of an unfinished text the smallest node may lie outside the function it belongs to.
    for node in ancestors(
        syntax.root.descendant_for_byte_range(max(here - 1, 0), here) or syntax.root
    ):
        if node.type in _SCOPES or node.type == "ERROR":
            is_global = node.type == "translation_unit" or node.parent is None
            found = list(_declared_in(syntax, node, None if is_global else here))
            yield from reversed(found)


def globals_of(syntax: Syntax) -> list[Symbol]:
    """What the text declares outside functions, in its order."""
    return list(_declared_in(syntax, syntax.root, None))


def members(syntax: Syntax, name: str) -> list[Symbol]:
    """Members of the struct or block type of that name; empty for other types."""
    for node in syntax.captures("(field_declaration_list) @list"):
        parent = node.parent
        if parent is not None and _type_name(syntax, parent, node) == name:
            return list(members_of(syntax, node))
    return []


def _type_name(syntax: Syntax, parent: Node, fields: Node) -> str:
    """What the struct or block is called: the last name before its members."""
    names = [
        syntax.string(child)
        for child in parent.named_children
        if child.end_byte <= fields.start_byte and child.type.endswith("identifier")
    ]
    return names[-1] if names else ""


def _declared_in(syntax: Syntax, scope: Node, before: int | None) -> Iterator[Symbol]:
    """`before`: only what starts before that byte."""
    for child in children(scope):
        if before is not None and child.start_byte > before:
            return
        if child.type == "function_declarator" and scope.type == "function_definition":
            yield from _parameters(syntax, child)
        else:
            yield from declared_by(syntax, child)


def declared_by(syntax: Syntax, node: Node) -> Iterator[Symbol]:
    """What one declaration, definition or directive introduces into the scope it stands in."""
    match node.type:
        case "preproc_def" | "preproc_function_def":
            yield from _macro(syntax, node)
        case "struct_specifier":
            yield from _struct(syntax, node)
        case "function_definition":
            yield from _function(syntax, node)
        case "declaration":
            yield from _declaration(syntax, node)
        case "compound_statement" if _is_block(syntax, node):
            for child in node.named_children:
                for symbol in declared_by(syntax, child):
                    yield _as(symbol, Kind.UNIFORM)


def children(scope: Node) -> Iterator[Node]:
    """Of the scope, with those under preprocessor conditions and in unfinished parts."""
    for child in scope.named_children:
        if child.type in _CONDITIONAL or (child.type == "ERROR" and child.named_child_count):
            yield from children(child)
        else:
            yield child


def _declaration(syntax: Syntax, node: Node) -> Iterator[Symbol]:
    fields = next((c for c in node.named_children if c.type == "field_declaration_list"), None)
    if fields is not None:
        yield from _interface_block(syntax, node, fields)
        return
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return
    is_struct = type_node.type == "struct_specifier"
    if is_struct:
        yield from _struct(syntax, type_node)
    base = syntax.string((is_struct and type_node.child_by_field_name("name")) or type_node)
    kind = _kind(syntax, node, base)
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "function_declarator":
            yield from _function(syntax, node)
            continue
        name, sizes = _declared(syntax, declarator)
        if name is not None and base not in _BLOCKS:
            yield _symbol(syntax, name, kind, base + sizes, node)


def _interface_block(syntax: Syntax, node: Node, fields: Node) -> Iterator[Symbol]:
    """Of GLSL: with an instance's name its members hide behind it, without they are global."""
    block = _type_name(syntax, node, fields)
    instance = next(
        (
            c
            for c in node.named_children
            if c.start_byte >= fields.end_byte and "identifier" in c.type
        ),
        None,
    )
    if instance is not None:
        yield _symbol(syntax, instance, Kind.BLOCK, block, node)
    else:
        for symbol in members_of(syntax, fields):
            yield _as(symbol, Kind.UNIFORM)


def _struct(syntax: Syntax, node: Node) -> Iterator[Symbol]:
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("body") is not None:
        yield _symbol(syntax, name, Kind.STRUCT, syntax.string(name), node)


def members_of(syntax: Syntax, fields: Node) -> Iterator[Symbol]:
    """Members that a `field_declaration_list` declares."""
    for field in children(fields):
        type_node = field.child_by_field_name("type")
        if field.type != "field_declaration" or type_node is None:
            continue
        for declarator in field.children_by_field_name("declarator"):
            name, sizes = _declared(syntax, declarator)
            if name is not None:
                yield _symbol(syntax, name, Kind.MEMBER, syntax.string(type_node) + sizes, field)


def _function(syntax: Syntax, node: Node) -> Iterator[Symbol]:
    """A long text has hundreds; those that an edit did not touch are not parsed again."""
    text = node.type, syntax.source[node.start_byte : node.end_byte]
    row, column = node.start_point
    here = text, row, column
    found = syntax.kept(here)
    if not isinstance(found, _KnownFunction):
        known = syntax.kept(text)
        if isinstance(known, _KnownFunction) and known.column == column:
            found = known.moved_to(row)
        else:
            found = _KnownFunction(row, column, _read_function(syntax, node))
    syntax.keep(text, found)
    syntax.keep(here, found)
    if found.symbol is not None:
        yield found.symbol


@dataclass(frozen=True)
class _KnownFunction:
    row: int
    """Of the text, from 0, where the function starts; with its column in bytes."""
    column: int
    symbol: Symbol | None

    def moved_to(self, row: int) -> _KnownFunction:
        if row == self.row or self.symbol is None:
            return self
        line, column = self.symbol.place
        place = Place(line + row - self.row, column)
        return _KnownFunction(row, self.column, replace(self.symbol, place=place))


def _read_function(syntax: Syntax, node: Node) -> Symbol | None:
    declarator = node.child_by_field_name("declarator")
    if declarator is None or declarator.type != "function_declarator":
        return None
    name = declarator.child_by_field_name("declarator")
    returned = node.child_by_field_name("type")
    if name is None or returned is None:
        return None
    parameters = [
        _one_line(syntax.string(child))
        for child in _parameter_nodes(declarator)
        if syntax.string(child) != "void"
    ]
    result, called = syntax.string(returned), syntax.string(name)
    return Symbol(
        called,
        Kind.FUNCTION,
        result,
        syntax.place(name),
        f"{result} {called}({', '.join(parameters)})",
        tuple(parameters),
    )


def _parameters(syntax: Syntax, declarator: Node) -> Iterator[Symbol]:
    for node in _parameter_nodes(declarator):
        type_node = node.child_by_field_name("type")
        inner = node.child_by_field_name("declarator")
        if type_node is not None and inner is not None:
            name, sizes = _declared(syntax, inner)
            if name is not None:
                yield _symbol(syntax, name, Kind.PARAMETER, syntax.string(type_node) + sizes, node)


def _parameter_nodes(declarator: Node) -> list[Node]:
    listed = declarator.child_by_field_name("parameters")
    nodes = listed.named_children if listed is not None else []
    return [node for node in nodes if node.type == "parameter_declaration"]


def _macro(syntax: Syntax, node: Node) -> Iterator[Symbol]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    listed = node.child_by_field_name("parameters")
    parameters = [syntax.string(c) for c in listed.named_children] if listed is not None else []
    yield Symbol(
        syntax.string(name),
        Kind.MACRO,
        "",
        syntax.place(name),
        _one_line(syntax.string(node)),
        tuple(parameters),
    )


def _declared(syntax: Syntax, declarator: Node) -> tuple[Node | None, str]:
    """The node of the name, and the sizes of an array."""
    sizes = ""
    at: Node | None = declarator
    while at is not None and not at.type.endswith("identifier"):
        if at.type == "array_declarator":
            size = at.child_by_field_name("size")
            sizes = f"[{syntax.string(size) if size is not None else ''}]{sizes}"
        at = at.child_by_field_name("declarator")
    return (None if at is None or at.is_missing else at), sizes


def _kind(syntax: Syntax, node: Node, base: str) -> Kind:
    type_node = node.child_by_field_name("type")
    end = type_node.start_byte if type_node is not None else node.start_byte
    words = syntax.source[node.start_byte : end].decode().split()
    for word in words:
        if word in _QUALIFIERS:
            return _QUALIFIERS[word]
    return Kind.UNIFORM if _RESOURCE.match(base) else Kind.VARIABLE


def _is_block(syntax: Syntax, node: Node) -> bool:
    """Whether braces outside a function are those of HLSL's `cbuffer`."""
    before = node.prev_named_sibling
    type_node = before.child_by_field_name("type") if before is not None else None
    return type_node is not None and syntax.string(type_node) in _BLOCKS


def _symbol(syntax: Syntax, name: Node, kind: Kind, type: str, node: Node) -> Symbol:
    text = syntax.string(node)
    if kind is not Kind.CONSTANT:
        text = text.split("=")[0]
    if kind in (Kind.STRUCT, Kind.BLOCK):
        text = text.split("{")[0]
    return Symbol(syntax.string(name), kind, type, syntax.place(name), _one_line(text).rstrip(" ;"))


def _as(symbol: Symbol, kind: Kind) -> Symbol:
    return Symbol(symbol.name, kind, symbol.type, symbol.place, symbol.declaration)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
