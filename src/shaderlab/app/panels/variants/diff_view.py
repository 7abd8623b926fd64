"""A diff as coloured text with line numbers and costs: one column of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from time import perf_counter

from shaderlab.app.editor.bindings import QColor, QFont, QFontMetrics, QFrame, Qsci
from shaderlab.app.editor.lexer import ShaderLexer
from shaderlab.app.editor.view import ScintillaView
from shaderlab.app.panels.variants.diff import DiffLine, Kind
from shaderlab.app.qt import QFontDatabase, QTimer, QWidget
from shaderlab.app.widgets.theme import Theme, blend
from shaderlab.language.syntax import Language


class _Marker(IntEnum):
    REMOVED = 1
    ADDED = 2
    GAP = 3


class _Style(IntEnum):
    """Of the margin: over the lexer's, below Scintilla's last."""

    PLAIN = 200
    SLOWER = 201
    FASTER = 202


_SPAN = {Kind.REMOVED: 8, Kind.ADDED: 9}
"""Indicators of what changed within a line."""
_MARKERS = {Kind.REMOVED: _Marker.REMOVED, Kind.ADDED: _Marker.ADDED, Kind.GAP: _Marker.GAP}


@dataclass(frozen=True)
class Note:
    """What stands beside a line."""

    cost: str = ""
    change: str = ""
    slower: bool | None = None
    """None where nobody knows how far the change may be off."""


COST_WIDTH, CHANGE_WIDTH = 8, 9
_SLICE_S = 0.005
"""How long writing beside the rows may occupy the interface's thread at a time."""


class DiffView(ScintillaView):
    """Read-only."""

    def __init__(self, theme: Theme, parent: QWidget | None = None):
        super().__init__(parent)
        self._lines: Sequence[DiffLine] = ()
        self._notes: Sequence[Note] = ()
        self._digits = 3
        self._unwritten: Iterator[int] = iter(())
        self._writing = QTimer(self)
        self._writing.setInterval(0)
        self._writing.timeout.connect(self._write_some)
        sci = self._sci
        sci.setFrameShape(QFrame.Shape.NoFrame)
        sci.setUtf8(True)
        family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._font = QFont(family, 10)
        self._font.setStyleHint(QFont.StyleHint.Monospace)
        self._lexer = ShaderLexer(sci)
        self._lexer.setFoldPreprocessor(False)
        sci.setLexer(self._lexer)
        sci.setMarginType(0, Qsci.QsciScintilla.MarginType.TextMargin)
        for margin in (1, 2):
            sci.setMarginWidth(margin, 0)
        sci.setTabWidth(4)
        sci.setScrollWidth(1)
        sci.setScrollWidthTracking(True)
        sci.setCaretWidth(0)
        sci.setReadOnly(True)
        sci.SCN_UPDATEUI.connect(self._on_update)
        for marker in _Marker:
            sci.markerDefine(Qsci.QsciScintilla.MarkerSymbol.Background, marker)
        for indicator in _SPAN.values():
            shape = Qsci.QsciScintilla.IndicatorStyle.StraightBoxIndicator
            sci.indicatorDefine(shape, indicator)
            sci.setIndicatorDrawUnder(True, indicator)
        self.set_theme(theme)

    def show_lines(self, lines: Sequence[DiffLine], notes: Sequence[Note]) -> None:
        """Replace all of it, scrolled as before; a note for every line."""
        sci, top = self._sci, self.first_line
        self._lines, self._notes = tuple(lines), tuple(notes)
        sci.setReadOnly(False)
        sci.setText("\n".join(each.text for each in lines))
        sci.setReadOnly(True)
        last = max((max(each.old, each.new) for each in lines), default=0)
        self._digits = max(len(str(last)), 2)
        sci.markerDeleteAll()
        self.first_line = top
        self._write_rows()

    @property
    def lines(self) -> Sequence[DiffLine]:
        return self._lines

    @property
    def is_writing(self) -> bool:
        """Whether something is still to be written beside the lines."""
        return self._writing.isActive()

    @property
    def notes(self) -> Sequence[Note]:
        """One for each of `lines`."""
        return self._notes

    def read_as(self, language: Language) -> None:
        self._lexer.read_as(language)
        self.set_theme(self._theme)

    @property
    def first_line(self) -> int:
        """First visible row, from 0."""
        return self._sci.firstVisibleLine()

    @first_line.setter
    def first_line(self, row: int) -> None:
        if row != self.first_line:
            self._sci.setFirstVisibleLine(row)

    def reveal(self, row: int) -> None:
        """Have a row in the upper third."""
        shown = self._sci.SendScintilla(self._sci.SCI_LINESONSCREEN)
        self.first_line = max(row - shown // 3, 0)
        self._sci.setCursorPosition(row, 0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        sci, colour = self._sci, QColor
        self._lexer.use(theme, self._font)
        sci.setPaper(colour(theme.base))
        sci.setSelectionBackgroundColor(colour(theme.selection))
        sci.resetSelectionForegroundColor()
        sci.setMarginsBackgroundColor(colour(theme.window))
        sci.setMarginsForegroundColor(colour(theme.dim))
        for marker, paper in (
            (_Marker.REMOVED, blend(theme.error, theme.base, 0.82)),
            (_Marker.ADDED, blend(theme.good, theme.base, 0.82)),
            (_Marker.GAP, theme.window),
        ):
            sci.setMarkerBackgroundColor(colour(paper), marker)
        for kind, ink in ((Kind.REMOVED, theme.error), (Kind.ADDED, theme.good)):
            sci.setIndicatorForegroundColor(colour(ink), _SPAN[kind])
            # Only then: a colour brings its own alpha.
            sci.SendScintilla(sci.SCI_INDICSETALPHA, _SPAN[kind], 70)
            sci.SendScintilla(sci.SCI_INDICSETOUTLINEALPHA, _SPAN[kind], 110)
        for style, ink in (
            (_Style.PLAIN, theme.dim), (_Style.SLOWER, theme.error), (_Style.FASTER, theme.good),
        ):  # fmt: skip
            made = Qsci.QsciStyle(
                style, f"margin {style}", colour(ink), colour(theme.window), self._font
            )
            sci.setMarginText(0, "", made)
        sci.clearMarginText(0)
        self._write_rows()

    def _write_rows(self) -> None:
        """Mark the rows and write what stands beside them: those on screen first, the others in
        slices, so that a long text holds up nothing."""
        sci, digits = self._sci, self._digits
        self._with_cost = any(each.cost for each in self._notes)
        self._with_change = any(each.change for each in self._notes)
        beside = COST_WIDTH * self._with_cost + (CHANGE_WIDTH + 1) * self._with_change
        digit = QFontMetrics(self._font).horizontalAdvance("0")
        sci.setMarginWidth(0, digit * (2 * digits + 5 + beside))
        top, count = self.first_line, len(self._lines)
        shown = range(top, min(top + sci.SendScintilla(sci.SCI_LINESONSCREEN) + 1, count))
        rest = (row for row in range(count) if row not in shown)
        self._unwritten = chain(shown, rest)
        self._writing.start()
        self._write_some()

    def _write_some(self) -> None:
        end = perf_counter() + _SLICE_S
        for row in self._unwritten:
            self._write_row(row)
            if perf_counter() > end:
                return
        self._writing.stop()

    def _write_row(self, row: int) -> None:
        sci, digits = self._sci, self._digits
        line, note = self._lines[row], self._notes[row]
        sci.markerDelete(row)
        if line.kind in _MARKERS:
            sci.markerAdd(row, _MARKERS[line.kind])
        for start, end in line.spans:
            sci.fillIndicatorRange(row, start, row, end, _SPAN[line.kind])
        numbers = f" {line.old or '':>{digits}} {line.new or '':>{digits}} {line.kind.value:1}"
        pieces = [(numbers, _Style.PLAIN)]
        if self._with_cost:
            pieces.append((f"{note.cost:>{COST_WIDTH}}", _Style.PLAIN))
        if self._with_change:
            styles_of = {None: _Style.PLAIN, True: _Style.SLOWER, False: _Style.FASTER}
            style = styles_of[note.slower]
            pieces.append((f" {note.change:>{CHANGE_WIDTH}}", style))
        text, styles = b"", b""
        for piece, style in pieces:
            encoded = piece.encode()
            text += encoded
            styles += bytes([style]) * len(encoded)
        sci.SendScintilla(sci.SCI_MARGINSETTEXT, row, text)
        sci.SendScintilla(sci.SCI_MARGINSETSTYLES, row, styles)

    def _on_update(self, what: int) -> None:
        if what & self._sci.SC_UPDATE_V_SCROLL:
            self.scrolled.emit()
