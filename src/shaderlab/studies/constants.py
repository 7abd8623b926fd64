"""Numbers a shader's text fixes: found by name, and replaced in place so that lines stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from shaderlab.errors import WrongUse
from shaderlab.frontend import scanner

_DEFINE = re.compile(
    r"^[ \t]*\#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+(?P<value>(?=\S)[^\n]*[^\s\\])[ \t]*$",
    re.M,
)
_START = re.compile(
    r"""(?:layout\s*\([^()]*\)\s*)?
    (?:(?:static|const|uniform|highp|mediump|lowp|override)\s+)*?
    (?:(?:const|override)\s+)
    (?:(?:static|highp|mediump|lowp)\s+)*
    (?:(?P<type>[A-Za-z_]\w*)\s+(?=[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)?=))?""",
    re.VERBOSE,
)
_DECLARATOR = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*(?::\s*(?P<type>\w+)\s*)?=(?!=)\s*(?P<value>[^;,(){}\n]+)"
)
_LITERAL = re.compile(
    r"[-+]?\s*(?:(?P<whole>\d+)(?P<u>[uU]?)|(?P<real>(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?)"
    r"(?P<suffix>[fFhH]|lf|LF)?|(?P<word>true|false))"
)
_WHOLE = re.compile(r"[-+]?\d+")
_NATURAL = re.compile(r"\d+")
_REAL_TYPES = frozenset({"float", "double", "half", "f32", "f16", "float16_t"})
_WHOLE_TYPES = frozenset({"int", "uint", "i32", "u32", "int16_t", "uint16_t"})


class Where(StrEnum):
    DEFINE = "#define"
    CONST = "const"


@dataclass(frozen=True)
class Constant:
    """A macro, or a constant with a number for a value."""

    name: str
    where: Where
    value: str
    """As it stands in the text, at its first place."""
    spans: tuple[tuple[int, int], ...]
    """Of the value, in the text: more than one where a condition chooses between definitions."""
    type: str = ""
    """As declared; empty of a macro."""

    def written(self, value: str) -> str:
        """A number in the form that the type needs.  Raises WrongUse."""
        found = _LITERAL.fullmatch(self.value)
        if found is None:
            return value  # a macro that stands for more than a number
        if bool(found["word"]) != (value in ("true", "false")):
            kind = "true or false" if found["word"] else "a number"
            raise WrongUse(f"{self.name} is {self.value}: it takes {kind}, not {value}")
        if self.type in _REAL_TYPES or found["real"]:
            return (f"{value}.0" if _WHOLE.fullmatch(value) else value) + (found["suffix"] or "")
        if self.type in _WHOLE_TYPES and not _WHOLE.fullmatch(value):
            raise WrongUse(f"{self.name} is {self.type} {self.value}: {value} is not an integer")
        return value + (found["u"] if found["u"] and _NATURAL.fullmatch(value) else "")


def constants(text: str) -> dict[str, Constant]:
    """By name, in the order of the text: macros with a value, constants that are one number.

    `text` has LF line ends.
    """
    code = scanner.blank(text)
    found: dict[str, list[Constant]] = {}
    for match in _DEFINE.finditer(code):
        value = match["value"].strip()
        start = match.start("value") + len(match["value"]) - len(match["value"].lstrip())
        _add(found, Constant(match["name"], Where.DEFINE, value, ((start, start + len(value)),)))
    for start, statement in _statements(code):
        head = _START.match(statement)
        if head is None:
            continue
        at = head.end()
        while match := _DECLARATOR.match(statement, at):
            value = match["value"].rstrip()
            if _LITERAL.fullmatch(value):
                span = start + match.start("value"), start + match.start("value") + len(value)
                type_name = match["type"] or head["type"] or ""
                _add(found, Constant(match["name"], Where.CONST, value, (span,), type_name))
            at = match.end()
            if statement[at : at + 1] != ",":
                break
            at += 1
    return {
        name: replace(several[0], spans=tuple(each.spans[0] for each in several))
        for name, several in found.items()
    }


def with_values(text: str, values: Mapping[Constant, str]) -> str:
    """The text with other numbers; every line where it was.  Raises WrongUse."""
    places = sorted(
        (span, constant.written(value)) for constant, value in values.items()
        for span in constant.spans
    )  # fmt: skip
    parts, at = [], 0
    for (start, end), new in places:
        parts += text[at:start], new
        at = end
    return "".join([*parts, text[at:]])


def mentions(text: str, name: str) -> bool:
    """Whether the code has this word, as that of a macro it does not define."""
    return re.search(rf"\b{re.escape(name)}\b", scanner.blank(text)) is not None


def _add(found: dict[str, list[Constant]], new: Constant) -> None:
    known = found.setdefault(new.name, [])
    if not known or known[0].where is new.where:
        known.append(new)


def _statements(code: str) -> list[tuple[int, str]]:
    """Where each statement that may declare constants begins, with its text; directives left out.

    A word `const` or `override` begins it, with what stands before it since the last `;` or brace.
    """
    blanked = re.sub(r"^[ \t]*\#[^\n]*", lambda m: " " * len(m.group()), code, flags=re.M)
    found: list[tuple[int, str]] = []
    last = 0
    for match in re.finditer(r"[;{}]", blanked):
        piece = blanked[last : match.start()]
        if re.search(r"\b(?:const|override)\b", piece):
            lead = len(piece) - len(piece.lstrip())
            found.append((last + lead, piece[lead:]))
        last = match.end()
    return found
