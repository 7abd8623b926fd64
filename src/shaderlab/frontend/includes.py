"""`#include`: expanded before glslang sees the text, and confined to the document's folder.

The folders the user names beside it (`-I`) are open to includes too.  `"…"` is looked up beside the
file it stands in first, `<…>` last.

glslang can include files itself, but it would read any file on the machine, name each by the path
it was found at, and could not be cached without knowing what it read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shaderlab import files
from shaderlab.errors import CompileFailed, WrongUse
from shaderlab.frontend import scanner, source_text
from shaderlab.frontend.dialects.flutter import RUNTIME_EFFECT
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

# Names that mean something else in `#line` directives and in glslang's messages.
_RESERVED = frozenset({DOCUMENT, PRELUDE, "stdin"})

MAX_DEPTH = 32
MAX_FILES = 1024
MAX_TOTAL_BYTES = 4 << 20

FAULT_MARK = "shaderlab_include_fault"
"""First word of the `#error` that stands where an include failed; its number indexes `faults`."""

BUILT_IN = {"<flutter/runtime_effect.glsl>": RUNTIME_EFFECT}
"""Includes that a framework brings along, where the folder has no file of that name."""

_TOP = "shaders"
_RES = "res://"
_NAMED = re.compile(r'"(?P<quoted>[^"]*)"|<(?P<angled>[^>]*)>')


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


def expand(text: str, folder: Path | None, search: Sequence[Path] = ()) -> Expansion:
    """Expand the includes of `text` (LF line ends), looked up relative to the file that contains
    them, then in `folder`, then in `search`.

    Nothing outside these is read; without any nothing is.  A name in `#line` is the path
    relative to `folder`, with `/` between its parts.  An include that cannot be followed becomes an
    `#error`, so that it fails the compile only where the preprocessor reaches it.
    """
    expander = _expander(folder, search)
    expander.files[DOCUMENT] = text
    root = "" if expander.root is None else str(expander.root)
    lines = expander.lines_of(DOCUMENT, text, root, ())
    return Expansion(
        "\n".join(lines), expander.files, tuple(expander.paths), tuple(expander.faults)
    )


def is_found(name: str, folder: Path | None, search: Sequence[Path] = ()) -> bool:
    """Whether `#include <name>` in the document would find a file."""
    try:
        _expander(folder, search).locate(f"<{name}>", "")
    except _Fault:
        return False
    return True


def _expander(folder: Path | None, search: Sequence[Path]) -> _Expander:
    root = folder.resolve() if folder else None
    project = _godot_project(root) if root else None
    return _Expander(root, tuple(each.resolve() for each in search), project)


def _godot_project(folder: Path) -> Path | None:
    """The Godot project that a folder is part of: `res://` is its folder."""
    nearest = (folder, *folder.parents)[:MAX_DEPTH]
    return next((each for each in nearest if _is_file(each / "project.godot")), None)


def _is_file(path: Path) -> bool:
    return files.looked_for(path, source_text.MAX_BYTES)


class _Fault(Exception):
    """An include that cannot be followed; the message is for the user."""


@dataclass
class _Expander:
    root: Path | None
    search: tuple[Path, ...] = ()
    project: Path | None = None
    """Folder that `res://` leads to; all of it may be included."""
    files: dict[str, str] = field(default_factory=dict)
    paths: dict[str, None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    total_bytes: int = 0
    followed: int = 0
    guards: dict[str, str] = field(default_factory=dict)
    """Macro that guards each file with `#pragma once`."""

    def lines_of(self, name: str, text: str, folder: str, stack: tuple[str, ...]) -> list[str]:
        """Expanded lines of one file.  `folder` is its folder, absolute; empty for none."""
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
        try:
            name, path, inside = self.locate(argument, folder)
        except _Fault:
            if argument in BUILT_IN:
                return [f'#line 1 "{PRELUDE}"', BUILT_IN[argument]]
            raise
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
            *self.lines_of(name, text, inside, stack),
        ]
        if guard := self.guards.get(name):
            return [f"#ifndef {guard}", f"#define {guard}", *body, "#endif"]
        return body

    def locate(self, argument: str, folder: str) -> tuple[str, Path, str]:
        """Name relative to the root, resolved path, and folder of the file an include asks for.

        Raises _Fault.
        """
        match = _NAMED.match(argument)
        wanted = (match["quoted"] or match["angled"] or "") if match else ""
        if not match or not wanted.strip():
            raise _Fault('#include needs a file name in double quotes: #include "file.glsl"')
        if "\\" in wanted:
            raise _Fault(f'"{wanted}": use / to separate the parts of a path')
        if not wanted.isprintable():
            raise _Fault("the file name contains an unprintable character")
        wanted, roots, allowed, folder = self._places(wanted, folder)
        bases = [*map(str, roots)]
        if folder:
            bases.insert(0 if match["quoted"] else len(bases), folder)
        is_outside = True
        for base in dict.fromkeys(bases):
            lexical = os.path.normpath(os.path.join(base, wanted))  # noqa: PTH118
            if os.path.isabs(wanted) or not _is_inside(lexical, allowed):  # noqa: PTH117
                continue
            try:
                path = Path(os.path.realpath(lexical, strict=True))
            except (OSError, ValueError):
                is_outside = False
                _is_file(Path(lexical))  # one that comes later would be taken
                continue
            if str(path) != lexical:
                _is_file(Path(lexical))  # a link, which may lead elsewhere later
            if _is_inside(str(path), allowed):
                return self._name(lexical), path, os.path.dirname(lexical)  # noqa: PTH120
        if is_outside:
            raise _Fault(f'"{wanted}" is not in an include folder')
        raise _Fault(f'"{wanted}" was not found')

    def _places(self, wanted: str, folder: str) -> tuple[str, list[Path], list[Path], str]:
        """The name to look up, the folders to look in, those it may lie in, and the including
        file's folder, empty where that does not count.  Raises _Fault."""
        roots = [*([] if self.root is None else [self.root]), *self.search]
        if not roots:
            raise _Fault(f'"{wanted}" cannot be looked up: save the shader to a file first')
        if wanted.startswith("/"):
            top = self._top
            roots = [*([] if top is None else [top]), *self.search]
            if not roots:
                raise _Fault(
                    f'"{wanted}" is not in an include folder, nor is there a folder "{_TOP}" above '
                    "the shader"
                )
            return wanted.lstrip("/"), roots, roots, ""
        allowed = roots if self.project is None else [*roots, self.project]
        if wanted.startswith(_RES) and self.project is not None:
            return wanted.removeprefix(_RES), [self.project], allowed, ""
        return wanted, roots, allowed, folder

    @property
    def _top(self) -> Path | None:
        """Where names that begin with / are looked up: Minecraft's packs have such a folder."""
        around = () if self.root is None else (self.root, *self.root.parents)
        return next((each for each in around if each.name == _TOP), None)

    def _name(self, path: str) -> str:
        """What `#line` calls a file."""
        name = path
        if self.root is not None:
            with suppress(ValueError):  # another drive
                name = os.path.relpath(path, self.root)
        name = name.replace(os.sep, "/")
        return f"./{name}" if name in _RESERVED else name

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


def _is_inside(path: str, roots: Sequence[Path]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


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
