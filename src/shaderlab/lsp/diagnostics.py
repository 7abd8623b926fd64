"""The compiler's messages as the editor shows them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.language.syntax import Place
from shaderlab.lsp.documents import Document, address

SOURCE = "shaderlab"
OUTSIDE = (
    "This file is outside the workspace: files that it includes, and a project file beside it, are "
    "not read"
)
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def shown(document: Document) -> list[types.Diagnostic]:
    """Of the document's latest analysis.  What an included file is to blame for stands at the line
    that includes it, with a link to the place."""
    if document.refusal:
        return [_shown(document, Diagnostic(0, 0, Severity.WARNING, document.refusal))]
    latest = document.latest
    found = [_shown(document, each) for each in latest.diagnostics] if latest else []
    if document.is_outside:
        found.append(_shown(document, Diagnostic(0, 0, Severity.NOTE, OUTSIDE)))
    return found


def _shown(document: Document, found: Diagnostic) -> types.Diagnostic:
    related = None
    message = found.message
    if found.file:
        message = f"{found.file}, line {found.line}: {message}"
        if (there := _included(document, found)) is not None:
            related = [types.DiagnosticRelatedInformation(there, found.message)]
        found = replace(found, line=_including_line(document, found.file), column=0)
    return types.Diagnostic(
        document.places.word(Place(max(found.line, 1), max(found.column, 1))),
        message,
        _SEVERITIES[found.severity],
        source=SOURCE,
        related_information=related,
    )


def _including_line(document: Document, file: str) -> int:
    """The line with the `#include` of a file, else of one with its name; 1 where none is."""
    name = re.escape(Path(file).name)
    pattern = re.compile(rf'\s*#\s*include\s+["<][^">]*{name}[">]')
    lines = enumerate(document.places.lines, 1)
    return next((number for number, line in lines if pattern.match(line)), 1)


def _included(document: Document, found: Diagnostic) -> types.Location | None:
    if document.path is None:
        return None
    path = (document.path.parent / found.file).resolve()
    if not path.is_file():
        return None
    start = types.Position(max(found.line, 1) - 1, max(found.column, 1) - 1)
    return types.Location(address(str(path)), types.Range(start, start))
