"""A text's syntax tree, by tree-sitter's grammars of GLSL and HLSL.

This is the one module that imports tree-sitter.  Places are lines and columns from 1, in
characters; a tree has bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import tree_sitter_glsl
import tree_sitter_hlsl
from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Point, Query, QueryCursor, Tree

__all__ = ["Language", "Node", "Place", "Syntax"]


class Language(StrEnum):
    GLSL = "glsl"
    HLSL = "hlsl"


class Place(NamedTuple):
    line: int
    column: int


class Syntax:
    """A text and its tree, which may have errors: the rest of it is right nevertheless."""

    def __init__(self, text: str, language: Language, before: Syntax | None = None):
        """`before`: the tree of an earlier text, whose unchanged parts are taken over."""
        self.text = text
        self.language = language
        self.source = text.encode()
        parser = Parser(_grammar(language))
        old = None
        if before is not None and before.language is language:
            old = _edited(before, self.source)
        self._tree: Tree = parser.parse(self.source, old) if old else parser.parse(self.source)
        self._kept: dict[object, object] = {}
        self._earlier: dict[object, object] = {}
        if before is not None and before.language is language:
            self._earlier = before._kept or before._earlier

    def edited(self, text: str) -> Syntax:
        """The syntax of the text after an edit; much faster than anew."""
        return self if text == self.text else Syntax(text, self.language, self)

    def kept(self, key: object) -> object | None:
        """What `keep` stored under that key, for this text or the one before the edit."""
        return self._kept.get(key) or self._earlier.get(key)

    def keep(self, key: object, found: object) -> None:
        """Remember what was found out about a part of the text, for later texts too.

        The key must hold everything the value depends on, so that edits elsewhere keep it valid.
        """
        self._kept[key] = found

    @property
    def root(self) -> Node:
        return self._tree.root_node

    def string(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def place(self, node: Node) -> Place:
        """Where the node starts."""
        return self._place(node.start_byte, node.start_point)

    def end(self, node: Node) -> Place:
        """The place behind the node's last character."""
        return self._place(node.end_byte, node.end_point)

    def offset(self, place: Place) -> int:
        """Byte at a place; the nearest within the text for one outside."""
        if place.line < 1:
            return 0
        lines = self.source.split(b"\n", place.line)
        if place.line > len(lines):
            return len(self.source)
        start = sum(map(len, lines[: place.line - 1])) + place.line - 1
        return start + len(lines[place.line - 1].decode()[: max(place.column - 1, 0)].encode())

    def node_at(self, place: Place) -> Node:
        """The smallest node that contains the character at a place, else that just before it."""
        here = self.offset(place)
        node = self.root.descendant_for_byte_range(here, here + 1)
        if (node is None or not _is_word(node)) and here > 0:
            before = self.root.descendant_for_byte_range(here - 1, here)
            if before is not None and (node is None or _is_word(before)):
                node = before
        return node or self.root

    def captures(self, query: str) -> list[Node]:
        """Nodes that a tree-sitter query captures, in the order of the text."""
        found = QueryCursor(_query(self.language, query)).captures(self.root)
        return sorted((node for nodes in found.values() for node in nodes), key=_start)

    def _place(self, byte: int, point: Point) -> Place:
        line = self.source[byte - point.column : byte]
        return Place(point.row + 1, len(line.decode(errors="ignore")) + 1)


def ancestors(node: Node) -> Iterator[Node]:
    """The node, its parent and so on up to the root."""
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent


def _start(node: Node) -> int:
    return node.start_byte


def _is_word(node: Node) -> bool:
    return node.type.endswith("identifier") or node.type in ("primitive_type", "number_literal")


_CAPSULE = b"tree_sitter.Language"
"""The capsule's name; it must outlive the capsule."""


@cache
def _grammar(language: Language) -> Grammar:
    module = tree_sitter_glsl if language is Language.GLSL else tree_sitter_hlsl
    # The grammars' bindings give an address; tree-sitter takes one in a capsule alone from now on.
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return Grammar(new(module.language(), _CAPSULE, None))


@cache
def _query(language: Language, query: str) -> Query:
    return Query(_grammar(language), query)


def _edited(before: Syntax, source: bytes) -> Tree:
    """The earlier tree, with the changed bytes marked for the parser."""
    old = before.source
    start = _common(old, source)
    shortest = min(len(old), len(source)) - start
    tail = _common(old[::-1][:shortest], source[::-1][:shortest])
    tree = before._tree.copy()
    old_end, new_end = len(old) - tail, len(source) - tail
    tree.edit(
        start, old_end, new_end, _point(old, start), _point(old, old_end), _point(source, new_end)
    )
    return tree


def _common(a: bytes, b: bytes) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(source: bytes, byte: int) -> Point:
    return Point(source.count(b"\n", 0, byte), byte - (source.rfind(b"\n", 0, byte) + 1))
