"""Several texts in one editor: each keeps its undo steps, its caret and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from shaderlab.app.editor.bindings import Qsci
from shaderlab.app.editor.view import ScintillaView
from shaderlab.app.qt import Signal


class Buffer:
    """One of the texts, on screen or not."""

    def __init__(self, editor: BufferedText, *, is_new: bool = True):
        self._editor = editor
        self.document: Qsci.QsciDocument | None = None
        """While another is shown."""
        self.is_new = is_new
        """Whether it was never shown: Scintilla keeps lexer and indentation with each text."""
        self.place, self.top = (0, 0), 0
        self.beside_lines: object = None
        """What stands beside its lines, while it is on screen in another view."""
        self._text, self._modified = "", False

    @property
    def is_shown(self) -> bool:
        return self._editor.shown is self

    @property
    def text(self) -> str:
        return self._editor.text if self.is_shown else self._text

    @property
    def modified(self) -> bool:
        return self._editor.modified if self.is_shown else self._modified

    def set_text(self, text: str, *, editable: bool = True, keep_view: bool = False) -> None:
        """See `BufferedText.set_text`."""
        with self._brought_up():
            self._editor.set_text(text, editable=editable, keep_view=keep_view)

    def change_text(self, text: str, *, keep_view: bool = False) -> None:
        """See `BufferedText.change_text`."""
        with self._brought_up():
            self._editor.change_text(text, keep_view=keep_view)

    def set_unmodified(self) -> None:
        with self._brought_up():
            self._editor.set_unmodified()

    def leave(self, document: Qsci.QsciDocument | None, place: tuple[int, int], top: int) -> None:
        """Another text is about to be shown: keep what may be asked of this one meanwhile.

        `document`: None where another view still has it.
        """
        self._text, self._modified = self._editor.text, self._editor.modified
        self.document, self.place, self.top = document, place, top

    @contextmanager
    def _brought_up(self) -> Iterator[None]:
        """Within it is the editor's text; nothing is painted meanwhile."""
        former = self._editor.shown
        self._editor.exchange(self)
        try:
            yield
        finally:
            self._editor.exchange(former)


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the start are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


class BufferedText(ScintillaView):
    """Part of the editor, which implements how a text shown for the first time is set up
    (`_begin_text`), how what is shown beside lines is removed (`_clear_lines`), kept and
    restored (`_lines_kept`, `_take_lines`), which other view shows a text (`_view_with`), and how
    wide line numbers are (`_fit_numbers`)."""

    text_edited = Signal()
    """The user changed the text (not `set_text`)."""
    shown_changed = Signal()
    """Another text is on screen."""

    def _set_up_buffers(self) -> None:
        self._quiet = False
        self.main = self.shown = Buffer(self, is_new=False)
        self._hear("textChanged", self._on_text_changed)

    def show_buffer(self, buffer: Buffer) -> None:
        """Have this text on screen from now on."""
        if buffer is not self.shown:
            self.exchange(buffer)
            self.changed.emit()
            self.shown_changed.emit()

    def exchange(self, buffer: Buffer) -> None:
        """Have this text in the editor, without saying so."""
        if buffer is self.shown:
            return
        sci = self._sci
        self._leave_shown(stays=self._view_with(self.shown) is not None)
        self.shown = buffer
        other = self._view_with(buffer)
        sci.setDocument((other.document() if other else buffer.document) or Qsci.QsciDocument())
        buffer.document = None  # the editor has it now, and frees it
        self._forget_text()
        if buffer.is_new:
            buffer.is_new = False
            self._begin_text()
        self._take_lines(buffer.beside_lines)
        sci.setCursorPosition(*buffer.place)
        sci.setFirstVisibleLine(buffer.top)
        self._fit_numbers()

    def _leave_shown(self, *, stays: bool) -> None:
        """Another text, or another view, is about to be worked on.

        `stays`: whether this one stays on screen.
        """
        sci, left = self._sci, self.shown
        document = None if stays else sci.document()
        left.leave(document, sci.getCursorPosition(), sci.firstVisibleLine())
        left.beside_lines = self._lines_kept() if stays else None
        if not stays:
            self._clear_lines()

    # -- the text on screen -----------------------------------------------------------------

    def set_text(self, text: str, *, editable: bool = True, keep_view: bool = False) -> None:
        """Another text, unmodified, nothing to undo; with `keep_view` scrolled as before."""
        sci = self._sci
        place = sci.getCursorPosition()
        top = sci.firstVisibleLine()
        self._quiet = True
        sci.setReadOnly(False)
        self._clear_lines()
        sci.setText(text)
        sci.setIndentationsUseTabs(bool(re.search(r"^\t", text, re.MULTILINE)))
        sci.SendScintilla(sci.SCI_EMPTYUNDOBUFFER)
        sci.setModified(False)
        sci.setReadOnly(not editable)
        self._quiet = False
        if keep_view:
            sci.setCursorPosition(*place)
            sci.setFirstVisibleLine(top)
        else:
            sci.setCursorPosition(0, 0)
            sci.SendScintilla(sci.SCI_SETSCROLLWIDTH, 1)
        self._fit_numbers()

    def change_text(self, text: str, *, keep_view: bool = False) -> None:
        """Have this text as one edit that can be undone; with `keep_view` scrolled as before.

        Only the lines between the first and the last difference are replaced.
        """
        sci = self._sci
        place, top = (sci.getCursorPosition(), sci.firstVisibleLine()) if keep_view else ((0, 0), 0)
        old, new = self.text.split("\n"), text.split("\n")
        first = _common(old, new)
        last = _common(old[first:][::-1], new[first:][::-1])
        if first < max(len(old), len(new)) and old != new:
            self._replace_lines(first, len(old) - last, new[first : len(new) - last])
        sci.setCursorPosition(min(place[0], sci.lines() - 1), place[1])
        sci.setFirstVisibleLine(top)

    def _replace_lines(self, first: int, end: int, lines: list[str]) -> None:
        """Put `lines` in the place of those from `first` to before `end`, from 0."""
        sci = self._sci
        text = "".join(f"{line}\n" for line in lines)
        if end < sci.lines():
            sci.setSelection(first, 0, end, 0)
        elif first:  # no line follows: the break before them goes instead of that behind
            last = sci.lines() - 1
            kept = len(sci.text(first - 1).rstrip("\n"))
            sci.setSelection(first - 1, kept, last, len(sci.text(last)))
            text = "".join(f"\n{line}" for line in lines)
        else:
            sci.selectAll()
            text = "\n".join(lines)
        sci.replaceSelectedText(text)

    def place_caret(self, line: int, column: int) -> None:
        """Put the caret there without scrolling further than needed; both count from 1."""
        self._sci.setCursorPosition(line - 1, column - 1)

    @property
    def selected_lines(self) -> tuple[int, int]:
        """First and last line of the selection, else the caret's, from 1."""
        if not self._sci.hasSelectedText():
            return self.caret[0], self.caret[0]
        first, _, last, end = self._sci.getSelection()
        return first + 1, max(last + (end > 0), first + 1)

    @property
    def modified(self) -> bool:
        return self._sci.isModified()

    def set_unmodified(self) -> None:
        self._sci.setModified(False)

    def undo(self) -> None:
        self._sci.undo()

    def redo(self) -> None:
        self._sci.redo()

    def paste(self) -> None:
        self._sci.paste()

    @property
    def can_undo(self) -> bool:
        return self._sci.isUndoAvailable()

    @property
    def can_redo(self) -> bool:
        return self._sci.isRedoAvailable()

    def type(self, text: str) -> None:
        """As if typed at the caret, in place of the selection."""
        self._sci.replaceSelectedText(text) if self._sci.hasSelectedText() else self._insert(text)

    def _insert(self, text: str) -> None:
        self._sci.insert(text)
        line, column = self._sci.getCursorPosition()
        lines = text.split("\n")
        column = len(lines[-1]) + (column if len(lines) == 1 else 0)
        self._sci.setCursorPosition(line + len(lines) - 1, column)

    @property
    def caret(self) -> tuple[int, int]:
        line, column = self._sci.getCursorPosition()
        return line + 1, column + 1

    @property
    def selected_text(self) -> str:
        return self._sci.selectedText()

    @property
    def line_count(self) -> int:
        return self._sci.lines()

    def _on_text_changed(self) -> None:
        if not self._quiet:
            self.text_edited.emit()

    def _begin_text(self) -> None:
        raise NotImplementedError

    def _clear_lines(self) -> None:
        raise NotImplementedError

    def _lines_kept(self) -> object:
        raise NotImplementedError

    def _take_lines(self, kept: object) -> None:
        raise NotImplementedError

    def _view_with(self, buffer: Buffer) -> Qsci.QsciScintilla | None:
        raise NotImplementedError

    def _fit_numbers(self) -> None:
        raise NotImplementedError
