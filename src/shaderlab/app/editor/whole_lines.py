"""Going to, selecting and commenting out whole lines of the editor's text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shaderlab.app.editor.view import ScintillaView


def comment_toggled(lines: Sequence[str]) -> list[str]:
    """The lines commented out, or uncommented where all that are not blank were comments."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return list(lines)
    if all(line.lstrip().startswith("//") for line in filled):
        return [re.sub(r"^(\s*)// ?", r"\1", line) for line in lines]
    indent = min(len(line) - len(line.lstrip()) for line in filled)
    return [f"{line[:indent]}// {line[indent:]}" if line.strip() else line for line in lines]


_HEADER = re.compile(r"\s*(?:\}\s*)?(?:(?:else\s+)?(?:if|for|while)\b.*\)|else)")
"""Of a statement whose body is the next line."""


def indentation_after(lines: Sequence[str], step: int) -> int:
    """Columns that a line below these begins with; `step` is one level."""
    last = len(lines) - 1
    code = _code(lines[last])
    if code.endswith(("{", "(", "[")) or is_header(lines[last]):
        return _indentation(lines[last], step) + step
    if code.endswith((";", "}")):
        while last > 0 and is_header(lines[last - 1]):
            last -= 1
    return _indentation(lines[last], step)


def is_header(line: str) -> bool:
    """Whether the line ends with `if (…)`, `else` or the like, its body to come."""
    code = _code(line)
    return bool(_HEADER.fullmatch(code)) and code.count("(") == code.count(")")


def _code(line: str) -> str:
    return line.partition("//")[0].rstrip()


def _indentation(line: str, step: int) -> int:
    line = line.rstrip("\r\n").expandtabs(step)
    return len(line) - len(line.lstrip())


class LineEditing(ScintillaView):
    """Part of the editor.  Lines count from 1."""

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the caret there, in the middle of the view where it was out of sight."""
        line = min(max(line, 1), self._sci.lines())
        self._sci.setCursorPosition(line - 1, max(column, 1) - 1)
        self.reveal(line)

    def select_lines(self, first: int, last: int) -> None:
        """Select whole lines."""
        last = min(last, self._sci.lines())
        self._sci.setSelection(first - 1, 0, last - 1, self._sci.lineLength(last - 1))
        self.reveal(first)

    def reveal(self, line: int) -> None:
        sci = self._sci
        top, shown = sci.firstVisibleLine(), sci.SendScintilla(sci.SCI_LINESONSCREEN)
        if not top + 1 < line < top + shown:
            sci.setFirstVisibleLine(max(0, line - 1 - shown // 3))

    @property
    def lines_on_screen(self) -> int:
        return self._sci.SendScintilla(self._sci.SCI_LINESONSCREEN)

    def centre(self, line: int) -> None:
        """Scroll the line to the middle of the view; the caret stays."""
        sci = self._sci
        visible = sci.SendScintilla(sci.SCI_VISIBLEFROMDOCLINE, line - 1)
        sci.setFirstVisibleLine(max(0, visible - self.lines_on_screen // 2))

    def toggle_comment(self) -> None:
        """Comment out the lines of the selection, or bring them back, as one step to undo."""
        sci = self._sci
        if sci.isReadOnly():
            return
        if sci.hasSelectedText():
            first, _, last, end = sci.getSelection()
            last -= last > first and end == 0
        else:
            first = last = sci.getCursorPosition()[0]
        lines = [sci.text(i).rstrip("\n") for i in range(first, last + 1)]
        changed = comment_toggled(lines)
        if changed == lines:
            return
        sci.beginUndoAction()
        for number, (old, new) in enumerate(zip(lines, changed, strict=True), first):
            if old != new:
                sci.setSelection(number, 0, number, len(old))
                sci.replaceSelectedText(new)
        sci.endUndoAction()
        if first == last:
            sci.setCursorPosition(first, len(changed[0]))
        else:
            sci.setSelection(first, 0, last, len(changed[-1]))
