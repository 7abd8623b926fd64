"""The call a place stands in: whose parameters to show, and which of them is next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shaderlab.language import symbols
from shaderlab.language.builtins import builtins
from shaderlab.language.completion import word_before
from shaderlab.language.symbols import Kind
from shaderlab.language.syntax import Place, Syntax

_OPEN, _CLOSE = "([{", ")]}"
_FAR = 4000
"""Characters looked back for the call's bracket."""


@dataclass(frozen=True)
class Signature:
    forms: tuple[str, ...]
    """Declarations of what is called, the user's own first."""
    argument: int
    """Number of the argument under way, from 0."""
    summary: str = ""


def signature(
    syntax: Syntax, place: Place, included: Mapping[str, Syntax] | None = None
) -> Signature | None:
    """Of the innermost call whose brackets are open at a place; None outside of calls."""
    at = syntax.offset(place)
    before = syntax.source[max(at - _FAR, 0) : at].decode(errors="ignore")
    bracket, argument = _open_call(before)
    if bracket < 0:
        return None
    name = word_before(before[:bracket].rstrip())
    if not name:
        return None
    own = [each for each in symbols.visible(syntax, place) if each.name == name]
    own += [
        s
        for other in (included or {}).values()
        for s in symbols.globals_of(other)
        if s.name == name
    ]
    forms = tuple(
        dict.fromkeys(each.declaration for each in own if each.kind in (Kind.FUNCTION, Kind.MACRO))
    )
    if forms:
        return Signature(forms, argument)
    table = builtins(syntax.language)
    is_method = before[: bracket - len(name)].rstrip().endswith(".")
    function = (table.methods if is_method else table.functions).get(name)
    return Signature(function.forms, argument, function.summary) if function else None


def parameter_range(form: str, argument: int) -> tuple[int, int]:
    """Characters of a declaration that are its parameter of this number; (0, 0) past the last."""
    start = form.find("(") + 1
    depth, number, begin = 0, 0, start
    for at in range(start, len(form)):
        letter = form[at]
        if letter in _OPEN:
            depth += 1
        elif (letter == "," or letter == ")") and depth == 0:
            if number == argument:
                return begin, at
            number, begin = number + 1, at + 2
            if letter == ")":
                break
        elif letter in _CLOSE:
            depth -= 1
    return 0, 0


def _open_call(before: str) -> tuple[int, int]:
    """Index of the bracket that is open at the end of the text, and commas behind it; -1, 0."""
    depth, commas = 0, 0
    for at in range(len(before) - 1, -1, -1):
        letter = before[at]
        if letter in _CLOSE:
            depth += 1
        elif letter in _OPEN:
            if depth == 0:
                return (at, commas) if letter == "(" else (-1, 0)
            depth -= 1
        elif letter == "," and depth == 0:
            commas += 1
        elif letter in ";" and depth == 0:
            return -1, 0
    return -1, 0
