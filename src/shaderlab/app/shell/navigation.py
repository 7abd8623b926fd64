"""Going to places in the text from elsewhere in the window."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.hot_lines.presenter import HotLinesPresenter
from shaderlab.app.session.session import Session
from shaderlab.frontend.program import Diagnostic


class Navigation:
    """Moves the caret, opening the included file a place is in where that is needed."""

    def __init__(
        self,
        session: Session,
        editor: Editor,
        assembly: Assembly,
        documents: Documents,
        hot_lines: HotLinesPresenter,
    ):
        self._session, self._editor, self._assembly = session, editor, assembly
        self._documents, self._hot_lines = documents, hot_lines

    def to_problem(self, diagnostic: Diagnostic) -> None:
        """Put the caret where a problem is."""
        if self._open_included(diagnostic.file):
            if diagnostic.line:
                self._editor.go_to(diagnostic.line, max(diagnostic.column, 1))
            self._editor.setFocus()

    def link(self, lines: Sequence[int]) -> None:
        """Tint these lines of the document."""
        if lines:
            self._documents.vertex.show(False)
        self._editor.link_lines(lines)

    def to_line(self, file: str, line: int, pass_name: str = "") -> None:
        """Put the caret on a line of the document, of a file it includes, or of another pass of its
        frame, and tint it.

        In a SPIR-V module, tint the blocks that were compiled from the line.
        """
        if self._documents.document.spirv:
            self._editor.link_lines(self._assembly.lines_from(file, line))
        elif self._open_pass(pass_name) and self._open_included(file):
            self._editor.go_to(line)
            self._editor.link_lines((line,))

    def to_next_hot_line(self) -> None:
        line = self._hot_lines.hot_line_after(self._editor.caret[0])
        if line:
            self.to_line("", line)
            self._editor.setFocus()

    def to_next_problem(self) -> None:
        """Around the end of the text."""
        if found := self._problems():
            here = self._editor.caret[0]
            self.to_problem(next((d for d in found if d.line > here), found[0]))

    def to_previous_problem(self) -> None:
        """Around the start of the text."""
        if found := self._problems():
            here = self._editor.caret[0]
            self.to_problem(next((d for d in reversed(found) if d.line < here), found[-1]))

    def _problems(self) -> list[Diagnostic]:
        """Of the text on screen."""
        shown = self._session.vertex.name if self._documents.vertex.is_shown else ""
        return [d for d in self._session.diagnostics if d.line and d.file == shown]

    def _open_pass(self, name: str) -> bool:
        """Whether the document is this pass now; an empty name is the document's own."""
        passes = self._session.drawing.passes
        shader = passes.shader(name) if name != passes.edited else None
        return shader is None or self._documents.open(shader)

    def _open_included(self, file: str) -> bool:
        """Whether the file is the document now; an empty name is the document's own."""
        vertex = self._documents.vertex
        is_vertex = bool(file) and vertex.has_text and file == self._session.vertex.name
        vertex.show(is_vertex)
        if is_vertex:
            return True
        folder = self._documents.document.folder
        return not file or folder is None or self._documents.open(folder / file)
