"""Which parts of a GLSL text are code; comments, strings and preprocessor directives found.

Not a preprocessor: no macro is expanded and no condition evaluated.  All texts here have LF line
ends (`source_text.unify_line_ends`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# A comment, a string (one line; GLSL has them in directives only), or a spliced line end.  A line
# comment continues over a spliced line end, as in C++.
_TOKEN = re.compile(
    r"""
    (?P<block> /\* (?: .*? \*/ | .* ) )
  | (?P<line> // (?: \\\n | [^\n] )* )
  | (?P<string> " (?: \\[^\n] | [^"\\\n] )* "? )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENS = {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}
_INK = re.compile(r"[^\n]")
_DIRECTIVE = re.compile(r"^[ \t\v\f]*\#[ \t\v\f]*(?P<name>[A-Za-z]+)(?P<rest>[^\n]*)", re.M)


@lru_cache(maxsize=4)  # a compile asks three times about one text
def blank(text: str, *, strings: bool = True) -> str:
    """`text` with every character of comments (and strings) a space; line ends stay in place."""

    def erase(match: re.Match[str]) -> str:
        if match.lastgroup == "string" and not strings:
            return match.group()
        return _INK.sub(" ", match.group())

    return _TOKEN.sub(erase, text)


def without_comments(text: str) -> str:
    """The text with spaces for comments: the same to a compiler, whatever the comments say.

    Code keeps its lines and columns.  Kept are a comment that is never closed (an error) and one
    that carries a directive over a line end (which spaces would not).
    """
    directive_lines: set[int] = set()

    def erase(match: re.Match[str]) -> str:
        comment = match.group()
        if match.lastgroup == "string":
            return comment
        if match.lastgroup == "line":
            return " " + " \n" * comment.count("\n")
        if match.lastgroup == "block":
            line_start = text.rfind("\n", 0, match.start()) + 1
            in_directive = line_start in directive_lines
            if not in_directive and text.find("#", line_start, match.start()) >= 0:
                before = blank(text[line_start : match.start()], strings=False)
                if in_directive := _DIRECTIVE.match(before) is not None:
                    directive_lines.add(line_start)
            if not _closed(comment) or ("\n" in comment and in_directive):
                return comment
        return _INK.sub(" ", comment)

    return _TOKEN.sub(erase, text)


def ends_in_comment(text: str) -> bool:
    """Whether the text ends inside a block comment."""
    last = None
    for match in _TOKEN.finditer(text):
        last = match
    return last is not None and last.lastgroup == "block" and not _closed(last.group())


@dataclass(frozen=True)
class Directive:
    """A preprocessor directive, e.g. `#include "x"`: name `include`, argument `"x"`."""

    line: int
    """Index of its line, from 0."""
    name: str
    argument: str
    """The rest of its line, comments blanked, stripped; spliced lines are not joined."""


def directives(text: str) -> list[Directive]:
    """Every directive outside comments, in order."""
    code = blank(text, strings=False)
    found: list[Directive] = []
    line, counted = 0, 0
    for match in _DIRECTIVE.finditer(code):
        line += code.count("\n", counted, match.start())
        counted = match.start()
        if code.endswith("\\\n", 0, match.start()):
            continue  # the line before continues here, as in a macro's body
        found.append(Directive(line, match.group("name"), match.group("rest").strip()))
    return found


def conditional_balance(text: str) -> bool:
    """Whether every `#if` of the text has its `#endif` in it, and the other way round."""
    depth = 0
    for directive in directives(text):
        depth += _OPENS.get(directive.name, 0)
        if depth < 0:
            return False
    return depth == 0


def depth_at(text: str, offset: int) -> int:
    """Number of `#if` blocks around the character at `offset`."""
    depth = 0
    for directive in directives(text[:offset]):
        depth += _OPENS.get(directive.name, 0)
    return max(0, depth)


def _closed(block_comment: str) -> bool:
    return len(block_comment) >= 4 and block_comment.endswith("*/")
