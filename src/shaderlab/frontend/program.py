"""`Program`: a shader that compiled.  The unit everything downstream takes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property

from shaderlab.spirv import fingerprint, reflection
from shaderlab.spirv.module import Module

_SENT = ("digest", "fingerprint", "interface")
"""Cached properties that are small but slow to compute: they are pickled too."""


class Dialect(StrEnum):
    """How the text was read."""

    SHADERTOY_ES310 = "shadertoy"
    """A `mainImage` body under the paper's `#version 310 es` prelude."""
    SHADERTOY_450 = "shadertoy-450"
    """A `mainImage` body that only compiles as `#version 450`."""
    GLSL = "glsl"
    """Complete GLSL with its own `main`."""
    SPIRV = "spirv"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Diagnostic:
    """One message about the user's text.

    `line` and `column` count from 1 in the user's own file; 0 means the whole file.  `file` is
    empty for the document itself, else the included file's path from the document's folder.
    """

    line: int
    column: int
    severity: Severity
    message: str
    file: str = ""


@dataclass(frozen=True)
class Program:
    """A fragment shader as glslang's unoptimised SPIR-V with line information, and its origin."""

    name: str
    """Display name (a file name without folders, or an example's title)."""
    dialect: Dialect
    text: str
    """The user's text; empty for a SPIR-V file."""
    spirv: bytes
    """Little-endian SPIR-V, validated: exactly what `compile -o` writes and `trace` reports on."""
    entry_point: str
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and notes of the compile that succeeded."""
    includes: tuple[str, ...] = ()
    """Absolute paths of the files the text included, so that an editor can watch them."""

    def __getstate__(self) -> dict[str, object]:
        """The fields, and digest and fingerprint where known; the module is parsed again."""
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return state | {name: self.__dict__[name] for name in _SENT if name in self.__dict__}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the SPIR-V, hex: the key caches and samples use."""
        return hashlib.sha256(self.spirv).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, hex, of the code that runs: the same after a change of names or comments."""
        return fingerprint.fingerprint(self.module)

    def identified(self) -> Program:
        """Itself, with digest, fingerprint and interface computed: its receiver need not parse it.

        Parsing a large module would block the window, and fragment its memory.
        """
        _ = self.digest, self.fingerprint, self.interface
        return self

    @cached_property
    def interface(self) -> reflection.Interface:
        """What its entry point asks of the pipeline.  Raises InvalidModule."""
        return reflection.reflect(self.module, self.module.fragment_entry_point(self.entry_point))

    def bound_as(self, other: Program) -> Program:
        """Itself, with inputs that have the names and types of `other`'s.

        For a program made of `other` that reads the same bytes and names nothing in them.
        """
        made = replace(self)
        made.__dict__["interface"] = other.interface
        return made

    @cached_property
    def module(self) -> Module:
        """The parsed module (`InvalidModule` never raised here: the words were validated)."""
        return Module.parse(self.spirv)
