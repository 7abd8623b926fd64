"""`#include "…"`: expanded before glslang sees the text, and confined to the document's folder.

glslang can include files itself, but it would read any file on the machine, name each by the path
it was found at, and could not be cached without knowing what it read.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

from shaderlab import files
from shaderlab.errors import CompileFailed, WrongUse
from shaderlab.frontend import scanner, source_text
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

# Names that mean something else in `#line` directives and in glslang's messages.
_RESERVED = frozenset({DOCUMENT, PRELUDE, "stdin"})

MAX_DEPTH = 32
MAX_FILES = 1024
MAX_TOTAL_BYTES = 4 << 20

FAULT_MARK = "shaderlab_include_fault"
"""First word of the `#error` that stands where an include failed; its number indexes `faults`."""

_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True)
class Expansion:
    """A text with its includes in place, line numbers kept by `#line` directives."""

    text: str
    files: dict[str, str]
    """Text of every file by the name its `#line` directives use; the document among them."""
    paths: tuple[str, ...]
    """Absolute path of every file read, in the order of first use."""
    faults: tuple[str, ...]
    """Messages of the includes that failed.  Each matters only if its `#error` is reached."""


def expand(text: str, folder: Path | None) -> Expansion:
    """Expand the includes of `text` (LF line ends), looked up relative to the file that contains
    them.

    Nothing outside `folder` is read; without a folder nothing is.  A name in `#line` is the path
    relative to `folder`, with `/` between its parts.  An include that cannot be followed becomes an
    `#error`, so that it fails the compile only where the preprocessor reaches it.
    """
    expander = _Expander(folder.resolve() if folder else None)
    expander.files[DOCUMENT] = text
    lines = expander.lines_of(DOCUMENT, text, "", ())
    return Expansion(
        "\n".join(lines), expander.files, tuple(expander.paths), tuple(expander.faults)
    )


class _Fault(Exception):
    """An include that cannot be followed; the message is for the user."""


@dataclass
class _Expander:
    root: Path | None
    files: dict[str, str] = field(default_factory=dict)
    paths: dict[str, None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    total_bytes: int = 0
    followed: int = 0
    guards: dict[str, str] = field(default_factory=dict)
    """Macro that guards each file with `#pragma once`."""

    def lines_of(self, name: str, text: str, folder: str, stack: tuple[str, ...]) -> list[str]:
        """Expanded lines of one file.  `folder` is its folder relative to the root."""
        lines = text.split("\n")
        result: list[str] = []
        copied = 0
        for directive in scanner.directives(text):
            if _is_once(directive) or directive.name == "line":
                # glslang does not know `#pragma once`; the guard around the file does its work.
                # A `#line` of the user's would hide where a line really stands.
                result += lines[copied : directive.line]
                result.append("")
                copied = directive.line + 1
            elif directive.name == "include":
                result += lines[copied : directive.line]
                before, _, after = lines[directive.line].partition("#")
                if "*/" in before:
                    result.append(before)
                try:
                    result += self._included(directive.argument, folder, (*stack, name))
                except _Fault as fault:
                    result.append(f'#line {directive.line + 1} "{name}"')
                    result.append(f"#error {FAULT_MARK} {len(self.faults)}")
                    self.faults.append(str(fault))
                if "/*" in after and scanner.ends_in_comment("#" + after):
                    result += [f'#line {directive.line + 1} "{name}"', "/*"]
                else:
                    result.append(f'#line {directive.line + 2} "{name}"')
                copied = directive.line + 1
        return result + lines[copied:]

    def _included(self, argument: str, folder: str, stack: tuple[str, ...]) -> list[str]:
        name, path = self._locate(argument, folder)
        if name in stack:
            if name in self.guards or _guards_itself(self.files[name]):
                return []  # what a preprocessor would find there is skipped
            chain = " -> ".join(_shown(part) for part in (*stack[stack.index(name) :], name))
            raise _Fault(f"include cycle: {chain}")
        if len(stack) > MAX_DEPTH:
            raise _Fault(f"includes are nested more than {MAX_DEPTH} deep")
        self.followed += 1
        if self.followed > MAX_FILES:
            raise _Fault(f"more than {MAX_FILES} includes")
        text = self._read(name, path)
        body = [
            f'#line 1 "{name}"',
            *self.lines_of(name, text, posixpath.dirname(name), stack),
        ]
        if guard := self.guards.get(name):
            return [f"#ifndef {guard}", f"#define {guard}", *body, "#endif"]
        return body

    def _locate(self, argument: str, folder: str) -> tuple[str, Path]:
        """Name relative to the root and resolved path of the file an `#include` asks for."""
        quoted = _QUOTED.match(argument)
        if quoted is None or not quoted.group(1).strip():
            raise _Fault('#include needs a file name in double quotes: #include "file.glsl"')
        wanted = quoted.group(1)
        if "\\" in wanted:
            raise _Fault(f'"{wanted}": use / to separate the parts of a path')
        if not wanted.isprintable():
            raise _Fault("the file name contains an unprintable character")
        if self.root is None:
            raise _Fault(f'"{wanted}" cannot be looked up: save the shader to a file first')
        name = posixpath.normpath(posixpath.join(folder, wanted))
        outside = _Fault(f'"{wanted}" is outside the folder of the shader')
        if posixpath.isabs(wanted) or name.split("/")[0] == "..":
            raise outside
        try:
            path = Path(os.path.realpath(self.root / name, strict=True))
        except (OSError, ValueError):
            raise _Fault(f'"{wanted}" was not found') from None
        if not path.is_relative_to(self.root):
            raise outside
        return (f"./{name}" if name in _RESERVED else name), path

    def _read(self, name: str, path: Path) -> str:
        text = self.files.get(name)
        if text is None:
            try:
                data = files.read_bytes(path, source_text.MAX_BYTES)
                text = source_text.unify_line_ends(source_text.decode(data, name))
                source_text.check(text, name)
            except (WrongUse, CompileFailed) as error:
                raise _Fault(str(error)) from None
            if scanner.ends_in_comment(text):
                raise _Fault(f'"{name}" ends inside a comment')
            if not scanner.conditional_balance(text):
                raise _Fault(f'"{name}" has an #if without an #endif, or an #endif without an #if')
            self.files[name] = text
            self.paths[str(path)] = None
            if any(map(_is_once, scanner.directives(text))):
                self.guards[name] = f"SHADERLAB_ONCE_{len(self.guards)}"
        self.total_bytes += len(text)
        if self.total_bytes > MAX_TOTAL_BYTES:
            raise _Fault(f"the includes add up to more than {MAX_TOTAL_BYTES >> 20} MB")
        return text


def _is_once(directive: scanner.Directive) -> bool:
    return directive.name == "pragma" and directive.argument.split()[:1] == ["once"]


def _guards_itself(text: str) -> bool:
    """Whether all of the text is inside `#ifndef NAME`, `#define NAME` … `#endif`."""
    found = scanner.directives(text)
    if len(found) < 3 or [found[0].name, found[1].name, found[-1].name] != [
        "ifndef", "define", "endif",
    ]:  # fmt: skip
        return False
    lines = scanner.blank(text).split("\n")
    outside = [*lines[: found[0].line], *lines[found[-1].line + 1 :]]
    inside = "\n".join(lines[found[0].line + 1 : found[-1].line])
    return (
        found[0].argument.split()[:1] == found[1].argument.split()[:1]
        and not any(line.strip() for line in outside)
        and scanner.conditional_balance(inside)
    )


def _shown(name: str) -> str:
    return "this file" if name == DOCUMENT else f'"{name}"'
