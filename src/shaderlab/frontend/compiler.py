"""Text or file -> `Program`: the steps of the front end in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.errors import CompileFailed
from shaderlab.frontend import binary, diagnostics, dialects, includes, scanner, source_text
from shaderlab.frontend.program import Diagnostic, Dialect, Program, Severity
from shaderlab.frontend.toolchain.choice import toolchain


def load_program(path: Path) -> Program:
    """The shader in a file, of any dialect; SPIR-V is recognised by its first word.

    Raises WrongUse (unreadable), CompileFailed, InvalidModule, MissingTool, ShaderTimeout.
    """
    data = files.read_bytes(path, binary.MAX_BYTES)
    if binary.is_spirv(data):
        return binary.load(data, path.name)
    if len(data) > source_text.MAX_BYTES:
        raise source_text.failure(
            path.name,
            f"{len(data):,} bytes of source, the limit is {source_text.MAX_BYTES:,}",
        )
    return compile_text(source_text.decode(data, path.name), path.name, path.parent)


def compile_text(text: str, name: str, folder: Path | None) -> Program:
    """Compile a Shadertoy body or complete GLSL to unoptimised SPIR-V with line information.

    `name` is for display; `#include "…"` is looked up in `folder`, and nowhere without one.  A
    body that fails under `#version 310 es` but compiles under `#version 450` becomes a program of
    that dialect, with a note that says so.
    Raises CompileFailed with every diagnostic, MissingTool, and ShaderTimeout if glslang hangs.
    """
    source_text.check(text, name)
    expansion = includes.expand(source_text.unify_line_ends(text), folder)
    if not scanner.blank(expansion.text).strip():
        raise source_text.failure(name, f"nothing to compile; start with {diagnostics.MAIN_IMAGE}")
    dialect = dialects.detect(expansion.text)
    outcome = _compile(expansion, dialect)
    notes: tuple[Diagnostic, ...] = ()
    if outcome.failed and dialect is Dialect.SHADERTOY_ES310:
        other = _compile(expansion, Dialect.SHADERTOY_450)
        if not other.failed:
            notes = (_compiled_as_450(outcome.errors[0]),)
        if not other.failed or len(other.errors) < len(outcome.errors):
            outcome = other
    if outcome.failed:
        raise _failure(name, outcome)
    return Program(
        name,
        outcome.dialect,
        text,
        outcome.spirv,
        "main",
        (*notes, *outcome.diagnostics),
        expansion.paths,
    )


@dataclass(frozen=True)
class _Outcome:
    """What became of one attempt to compile."""

    dialect: Dialect
    spirv: bytes
    """Empty when it failed."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        return not self.spirv

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


def _compile(expansion: includes.Expansion, dialect: Dialect) -> _Outcome:
    """Compile as one dialect, with cube samplers where two-dimensional ones do not fit."""
    channels = frozenset() if dialect is Dialect.GLSL else dialects.channels(expansion.text)
    outcome = _attempt(expansion, dialect, channels, frozenset())
    if outcome.failed and channels:
        for cubes in dialects.cube_guesses(expansion.text, channels):
            guess = _attempt(expansion, dialect, channels, cubes)
            if len(guess.errors) < len(outcome.errors):
                outcome = guess
            if not guess.failed:
                break
    return outcome


def _attempt(
    expansion: includes.Expansion,
    dialect: Dialect,
    channels: frozenset[int],
    cubes: frozenset[int],
) -> _Outcome:
    # Without comments, so that editing one changes neither the module nor anything cached by it.
    text = scanner.without_comments(expansion.text)
    source = dialects.assemble(text, dialect, channels, cubes)
    made = toolchain().compile(source)
    found = diagnostics.parse(made.log, expansion)
    if not made.spirv and not any(d.severity is Severity.ERROR for d in found):
        found = (*found, Diagnostic(0, 0, Severity.ERROR, made.fault))
    return _Outcome(dialect, made.spirv, found)


def _compiled_as_450(error: Diagnostic) -> Diagnostic:
    return Diagnostic(
        error.line,
        error.column,
        Severity.NOTE,
        f"compiled as #version 450, because #version 310 es fails: {error.message}",
        error.file,
    )


def _failure(name: str, outcome: _Outcome) -> CompileFailed:
    first, *others = outcome.errors
    place = ":".join(
        part
        for part in (first.file or name, str(first.line or ""), str(first.column or ""))
        if part
    )
    more = f" (and {len(others)} more)" if others else ""
    return CompileFailed(f"{place}: {first.message}{more}", outcome.diagnostics)
