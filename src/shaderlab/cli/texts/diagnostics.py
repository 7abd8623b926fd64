"""What the compiler says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shaderlab.cli.terminal import one_line

if TYPE_CHECKING:
    from shaderlab.frontend.program import Diagnostic


def data(diagnostic: Diagnostic) -> dict[str, Any]:
    fields = {
        "line": diagnostic.line,
        "column": diagnostic.column,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
    }
    return fields | ({"file": diagnostic.file} if diagnostic.file else {})


def text(diagnostic: Diagnostic) -> str:
    place = [p for p in (diagnostic.file, diagnostic.line, diagnostic.column) if p]
    prefix = ":".join(map(str, place)) + ": " if place else ""
    return one_line(f"{prefix}{diagnostic.severity.value}: {diagnostic.message}")
