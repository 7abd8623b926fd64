"""What the editor adds to typing: closing brackets, several carets, lines moved, names replaced."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.editor.view import ScintillaView
from shaderlab.app.editor.whole_lines import indentation_after, is_header
from shaderlab.app.qt import QObject, QPoint
from shaderlab.language.syntax import Place

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_LOOKED_AT = 8
"""Lines above a new one that its depth follows from."""


class TypingAids(ScintillaView):
    """Part of the editor.  Lines and columns count from 1."""

    def _set_up_typing(self) -> None:
        self._watchers: list[QObject] = []
        self._hear("SCN_CHARADDED", self._on_character)
        self._hear("textChanged", self.changed.emit)
        self._hear("SCN_UPDATEUI", self._on_update)

    def watch_keys(self, watcher: QObject) -> None:
        """Have an event filter see the keys, clicks and changes of focus of the text."""
        self._watchers.append(watcher)
        self._view.installEventFilter(watcher)

    @property
    def line_before_caret(self) -> str:
        line, column = self._sci.getCursorPosition()
        return self._sci.text(line)[:column]

    def caret_on_screen(self, characters: int = 0) -> QPoint:
        """The screen's point under the caret, or so many characters further on its line."""
        sci = self._sci
        line, column = sci.getCursorPosition()
        position = sci.positionFromLineIndex(line, max(column + characters, 0))
        x = sci.SendScintilla(sci.SCI_POINTXFROMPOSITION, 0, position)
        y = sci.SendScintilla(sci.SCI_POINTYFROMPOSITION, 0, position)
        return self._view.mapToGlobal(QPoint(x, y + self.line_height))

    @property
    def line_height(self) -> int:
        """Pixels."""
        return self._sci.textHeight(0)

    def replace_before_caret(self, characters: int, text: str) -> None:
        """Replace so many characters before each caret, as one step to undo.

        Every caret gets it that has the same characters before it as the main one.
        """
        sci = self._sci
        line, column = sci.getCursorPosition()
        sci.beginUndoAction()
        sci.setSelection(line, max(column - characters, 0), line, column)
        sci.replaceSelectedText(text)
        sci.endUndoAction()

    def replace_at(self, places: Sequence[Place], old: str, new: str) -> None:
        """Replace a name where it stands, as one step to undo; the caret stays at its use."""
        sci = self._sci
        line, column = sci.getCursorPosition()
        here = [at.column - 1 for at in places if at.line == line + 1 and at.column <= column + 1]
        if here:
            behind = max(here)
            shift = (len(new) - len(old)) * (len(here) - 1)
            column = behind + shift + min(column - behind, len(new))
        sci.beginUndoAction()
        for at in sorted(places, reverse=True):
            start = at.column - 1
            sci.setSelection(at.line - 1, start, at.line - 1, start + len(old))
            sci.replaceSelectedText(new)
        sci.endUndoAction()
        sci.setCursorPosition(line, column)

    def select_next_occurrence(self) -> None:
        """Select the word at the caret; then, with each call, one more place that has it."""
        sci = self._sci
        sci.SendScintilla(sci.SCI_TARGETWHOLEDOCUMENT)
        sci.SendScintilla(sci.SCI_SETSEARCHFLAGS, sci.SCFIND_MATCHCASE)
        sci.SendScintilla(sci.SCI_MULTIPLESELECTADDNEXT)

    @property
    def carets(self) -> int:
        """How many carets there are."""
        return self._sci.SendScintilla(self._sci.SCI_GETSELECTIONS)

    def move_lines(self, down: bool) -> None:
        """Move the lines of the selection, else the caret's, by one."""
        sci = self._sci
        if not sci.isReadOnly():
            message = sci.SCI_MOVESELECTEDLINESDOWN if down else sci.SCI_MOVESELECTEDLINESUP
            sci.SendScintilla(message)

    def fold_all(self) -> None:
        """Fold every function, or unfold all where one is folded."""
        self._sci.foldAll(False)

    def toggle_fold(self) -> None:
        """Fold or unfold the innermost block around the caret."""
        sci = self._sci
        line = sci.getCursorPosition()[0]
        if not sci.SendScintilla(sci.SCI_GETFOLDLEVEL, line) & sci.SC_FOLDLEVELHEADERFLAG:
            line = sci.SendScintilla(sci.SCI_GETFOLDPARENT, line)
        if line >= 0:
            sci.foldLine(line)

    def is_folded(self, line: int) -> bool:
        """Whether the block that a line opens is folded."""
        return not self._sci.SendScintilla(self._sci.SCI_GETFOLDEXPANDED, line - 1)

    @property
    def first_visible_line(self) -> int:
        sci = self._sci
        return sci.SendScintilla(sci.SCI_DOCLINEFROMVISIBLE, sci.firstVisibleLine()) + 1

    def _on_update(self, what: int) -> None:
        if what & self._sci.SC_UPDATE_V_SCROLL:
            self.scrolled.emit()

    def _on_character(self, code: int) -> None:
        character = chr(code)
        if self.carets == 1:
            self._indent(character)
            self._close_bracket(character)
        self.character_typed.emit(character)

    def _indent(self, character: str) -> None:
        """A new line as deep as its block; a brace that begins a line as deep as what it is of."""
        sci = self._sci
        line, column = sci.getCursorPosition()
        above = [sci.text(each) for each in range(max(line - _LOOKED_AT, 0), line)]
        if character == "\n" and above:
            depth, rest = indentation_after(above, sci.tabWidth()), sci.text(line)[column:]
            if rest.lstrip().startswith("}"):
                outer = max(depth - sci.tabWidth(), 0)
                if above[-1].rstrip().endswith("{"):
                    sci.insert("\n")
                    sci.setIndentation(line + 1, outer)
                else:
                    depth = outer
            sci.setIndentation(line, depth)
            sci.setCursorPosition(line, len(sci.text(line)) - len(sci.text(line).lstrip(" \t")))
        elif character in "{}" and sci.text(line)[:column].strip() == character:
            at = sci.positionFromLineIndex(line, column - 1)
            if character == "}":
                opening = sci.SendScintilla(sci.SCI_BRACEMATCH, at, 0)
                of = sci.lineIndexFromPosition(opening)[0] if opening >= 0 else line
            else:
                of = line - 1 if above and is_header(above[-1]) else line
            if of != line:
                sci.setIndentation(line, sci.indentation(of))

    def _close_bracket(self, character: str) -> None:
        """Close a bracket that was opened before a blank; type over the one put there."""
        sci = self._sci
        line, column = sci.getCursorPosition()
        after = sci.text(line)[column : column + 1]
        if character in _PAIRS and (not after.strip() or after in ")]};,"):
            sci.insert(_PAIRS[character])
        elif character in _PAIRS.values() and after == character:
            opening = next(each for each, closing in _PAIRS.items() if closing == character)
            text = sci.text(line)
            if text.count(character) > text.count(opening):
                sci.setSelection(line, column, line, column + 1)
                sci.replaceSelectedText("")
