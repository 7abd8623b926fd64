"""Machine code to read and search: coloured, with the blocks of the chosen source line marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shaderlab.app.qt import QColor, QFont, QFontDatabase, Qt, QtGui, QtWidgets, Signal
from shaderlab.app.widgets.isa_text import IsaLine
from shaderlab.app.widgets.theme import Theme
from shaderlab.gpu.compilers.syntax import Unit


class _Highlighter(QtGui.QSyntaxHighlighter):
    def __init__(self, document: QtGui.QTextDocument, theme: Theme):
        super().__init__(document)
        self.theme = theme
        self.lines: tuple[IsaLine, ...] = ()

    def highlightBlock(self, text: str) -> None:
        theme, number = self.theme, self.currentBlock().blockNumber()
        if number >= len(self.lines):
            return
        line = self.lines[number]
        if line.label:
            label, mark, _ = text.partition(";")
            self.setFormat(0, len(label), _format(theme.text, bold=True))
            if mark:
                self.setFormat(len(label), len(text) - len(label), _format(theme.text))
            return
        if line.unit is None:
            return
        colours = {
            Unit.ARITHMETIC: theme.builtin,
            Unit.SPECIAL: theme.builtin,
            Unit.SCALAR: theme.type,
            Unit.BRANCH: theme.keyword,
            Unit.MEMORY: theme.number,
            Unit.WAIT: theme.comment,
        }
        self.setFormat(0, line.start, _format(theme.dim))
        self.setFormat(line.start, line.end - line.start, _format(colours[line.unit]))


class IsaView(QtWidgets.QPlainTextEdit):
    """Read-only.  Searching wraps around; a click on a block emits which it is."""

    block_chosen = Signal(int)
    """Number of the machine block the user put the caret in."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.setAccessibleName("Assembly")
        self._theme = theme
        self._lines: tuple[IsaLine, ...] = ()
        self._linked: frozenset[int] = frozenset()
        self._pattern = ""
        self._found: list[QtGui.QTextCursor] = []
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(QtWidgets.QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self._highlighter = _Highlighter(self.document(), theme)
        self.cursorPositionChanged.connect(self._on_caret)

    @property
    def lines(self) -> tuple[IsaLine, ...]:
        return self._lines

    @property
    def linked(self) -> frozenset[int]:
        """Numbers of the blocks marked as the source line's."""
        return self._linked

    @property
    def found(self) -> int:
        """How often the search pattern occurs."""
        return len(self._found)

    def show_lines(self, lines: Sequence[IsaLine]) -> None:
        """Replace the text, keeping the place where it was scrolled to."""
        if tuple(lines) == self._lines:
            return
        place = self.verticalScrollBar().value()
        self._lines = self._highlighter.lines = tuple(lines)
        self.setPlainText("\n".join(line.text for line in self._lines))
        self.verticalScrollBar().setValue(place)
        self.search(self._pattern)

    def link(self, numbers: Iterable[int], *, reveal: bool = True) -> None:
        """Mark these blocks, and bring the first into view."""
        linked = frozenset(numbers)
        if linked == self._linked:
            return
        self._linked = linked
        self._mark()
        first = next((n for n, line in enumerate(self._lines) if line.block in linked), None)
        if reveal and first is not None:
            self.verticalScrollBar().setValue(max(first - 1, 0))

    def search(self, pattern: str) -> None:
        """Mark all occurrences, upper and lower case alike."""
        self._pattern = pattern
        self._found = []
        cursor = QtGui.QTextCursor(self.document())
        while pattern and not (cursor := self.document().find(pattern, cursor)).isNull():
            self._found.append(cursor)
        self._mark()

    def reveal_found(self) -> None:
        """Go to the first occurrence not before the caret's, while the pattern is typed."""
        start = self.textCursor().selectionStart()
        if self._found:
            hit = next((c for c in self._found if c.selectionStart() >= start), self._found[0])
            self.setTextCursor(hit)
            self.centerCursor()

    def find_next(self, *, forward: bool = True) -> None:
        """Go to the next occurrence from the caret on, around the end."""
        if not self._found:
            return
        here = self.textCursor().position()
        if forward:
            hit = next((c for c in self._found if c.selectionStart() >= here), self._found[0])
        else:
            hit = next(
                (c for c in reversed(self._found) if c.selectionEnd() < here), self._found[-1]
            )
        self.setTextCursor(hit)
        self.centerCursor()

    def set_theme(self, theme: Theme) -> None:
        self._theme = self._highlighter.theme = theme
        self._highlighter.rehighlight()
        self._mark()

    def _mark(self) -> None:
        marks = []
        for number, line in enumerate(self._lines):
            if line.block in self._linked:
                marks.append(self._whole_line(number, self._theme.linked_line))
            if line.label:
                marks.append(self._whole_line(number, self._theme.heat[line.heat]))
        for cursor in self._found:
            mark = QtWidgets.QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format.setBackground(QColor(self._theme.selection))
            marks.append(mark)
        self.setExtraSelections(marks)

    def _whole_line(self, number: int, colour: str) -> QtWidgets.QTextEdit.ExtraSelection:
        mark = QtWidgets.QTextEdit.ExtraSelection()
        mark.cursor = QtGui.QTextCursor(self.document().findBlockByNumber(number))
        mark.format.setBackground(QColor(colour))
        mark.format.setProperty(QtGui.QTextFormat.Property.FullWidthSelection, True)
        return mark

    def _on_caret(self) -> None:
        number = self.textCursor().blockNumber()
        if self.hasFocus() and number < len(self._lines):
            self.block_chosen.emit(self._lines[number].block)


def _format(colour: str, *, bold: bool = False) -> QtGui.QTextCharFormat:
    made = QtGui.QTextCharFormat()
    made.setForeground(QColor(colour))
    if bold:
        made.setFontWeight(QFont.Weight.DemiBold)
    return made
