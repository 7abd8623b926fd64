"""The tip over a name, a line's mark or its numbers."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.editor.line_marks import LineMarks
from shaderlab.app.editor.margin import CountMargin
from shaderlab.app.qt import QPoint, QRect, QtGui, QtWidgets, QWidget

_SHOWN_MS = 20_000


class Tips(CountMargin, LineMarks):
    """Part of the editor.  Lines and columns count from 1."""

    def _set_up_tips(self) -> None:
        self.about_name: Callable[[int, int], str] = lambda _line, _column: ""
        """What the tip over a name says, by its line and column."""
        self.about_line: Callable[[int], str] = lambda _line: ""
        """What the tip of a line says below its note, while the note is of the current text."""
        self._pointed_at = QPoint()
        self._hear("SCN_DWELLSTART", self._on_dwell)
        self._hear("SCN_DWELLEND", self._on_dwell_end)
        self._hear("SCN_UPDATEUI", lambda *_: self._hide_tip())

    @property
    def _text_left(self) -> int:
        """Pixels that the margins take."""
        return sum(self._sci.marginWidth(margin) for margin in range(self._sci.margins()))

    def _on_dwell(self, position: int, x: int, y: int) -> None:
        sci = self._sci
        # Over a margin there is no text position, so the line comes from the height alone.
        if position < 0:
            position = sci.SendScintilla(sci.SCI_POSITIONFROMPOINT, sci.width() // 2, y)
        line = sci.SendScintilla(sci.SCI_LINEFROMPOSITION, position) + 1
        over_text = x > self._text_left
        tip = ""
        if line in self._marks:
            tip = self._marks[line].message
        elif over_text and position >= 0:
            row, column = sci.lineIndexFromPosition(position)
            tip = self.about_name(row + 1, column + 1)
        if line in self._notes and (tip or not over_text):
            # Lines may have moved since, so that a note may be another line's.
            said = self._stale.capitalize()
            if not said:
                more = self.about_line(line)
                said = f"{self._notes[line].tip}\n\n{more}" if more else self._notes[line].tip
            tip = f"{tip}\n\n{said}" if tip else said
        viewport = self._view.findChild(QWidget, "qt_scrollarea_viewport")
        if tip and viewport is not None:
            self._pointed_at = QtGui.QCursor.pos()
            place = viewport.mapToGlobal(QPoint(x, y))
            is_name = over_text and line not in self._marks
            area = self._area(position, is_name, viewport.width())
            QtWidgets.QToolTip.showText(place, tip, viewport, area, _SHOWN_MS)

    def _area(self, position: int, is_name: bool, width: int) -> QRect:
        """Where the pointer may move without leaving what the tip is about: a name, or a line.

        In pixels of the viewport.
        """
        sci = self._sci
        top = sci.SendScintilla(sci.SCI_POINTYFROMPOSITION, 0, position)
        height = sci.textHeight(0)
        if not is_name:
            return QRect(0, top, width, height)
        ends = (sci.SCI_WORDSTARTPOSITION, sci.SCI_WORDENDPOSITION)
        start, end = (sci.SendScintilla(message, position, 1) for message in ends)
        left = sci.SendScintilla(sci.SCI_POINTXFROMPOSITION, 0, start)
        right = sci.SendScintilla(sci.SCI_POINTXFROMPOSITION, 0, end)
        return QRect(left, top, max(right - left, 1), height)

    def _on_dwell_end(self, *_where: int) -> None:
        """The pointer moved, which is left to the tip, or a key was pressed."""
        if QtGui.QCursor.pos() == self._pointed_at:
            self._hide_tip()

    def _hide_tip(self) -> None:
        """The text under it scrolled or changed, or the caret moved."""
        if QtWidgets.QToolTip.isVisible():
            QtWidgets.QToolTip.hideText()
