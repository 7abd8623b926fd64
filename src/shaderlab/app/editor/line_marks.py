"""Marks on lines of the editor's text: problems, and lines that belong to what was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

from shaderlab.app.editor.bindings import QColor, Qsci
from shaderlab.app.editor.problem_marks import Mark, marks_by_line, underlined
from shaderlab.app.editor.whole_lines import LineEditing
from shaderlab.app.widgets.theme import Theme


class _Marker(IntEnum):
    WARNING = 1
    ERROR = 2
    LINKED = 3


class _Indicator(IntEnum):
    ERROR = 8
    WARNING = 9


_DIMMED = 11
"""Indicator of lines that never ran."""


class LineMarks(LineEditing):
    """Part of the editor.  Lines count from 1."""

    def _set_up_marks(self) -> None:
        self._marks: dict[int, Mark] = {}
        self._dimmed: tuple[tuple[int, int], ...] = ()

    def _define_marks(self, margin: int) -> None:
        """How the view in use paints them; `margin`: number of the one that shows them."""
        sci, symbol = self._sci, Qsci.QsciScintilla.MarkerSymbol
        sci.markerDefine(symbol.Circle, _Marker.ERROR)
        sci.markerDefine(symbol.Circle, _Marker.WARNING)
        sci.markerDefine(symbol.Background, _Marker.LINKED)
        sci.setMarginMarkerMask(margin, 1 << _Marker.ERROR | 1 << _Marker.WARNING)
        for indicator in _Indicator:
            sci.indicatorDefine(
                Qsci.QsciScintilla.IndicatorStyle.SquigglePixmapIndicator, indicator
            )
        style = Qsci.QsciScintilla.IndicatorStyle.TextColorIndicator
        sci.indicatorDefine(style, _DIMMED)

    def dim_lines(self, stretches: Sequence[tuple[int, int]]) -> None:
        """Write these lines, first and last of each stretch, in the colour of secondary text, and
        no others."""
        sci = self._sci
        last = sci.lines() - 1
        sci.clearIndicatorRange(0, 0, last, sci.lineLength(last), _DIMMED)
        for first, final in stretches:
            end = min(final, sci.lines()) - 1
            if first - 1 <= end:
                sci.fillIndicatorRange(first - 1, 0, end, sci.lineLength(end), _DIMMED)
        self._dimmed = tuple(stretches)

    @property
    def dimmed_lines(self) -> tuple[tuple[int, int], ...]:
        """As they were given last."""
        return self._dimmed

    def _colour_marks(self, theme: Theme) -> None:
        sci = self._sci
        for marker, indicator, colour in (
            (_Marker.ERROR, _Indicator.ERROR, theme.error),
            (_Marker.WARNING, _Indicator.WARNING, theme.warning),
        ):
            sci.setMarkerBackgroundColor(QColor(colour), marker)
            sci.setMarkerForegroundColor(QColor(colour), marker)
            sci.setIndicatorForegroundColor(QColor(colour), indicator)
        sci.setMarkerBackgroundColor(QColor(theme.linked_line), _Marker.LINKED)
        sci.setIndicatorForegroundColor(QColor(theme.dim), _DIMMED)

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Show problems in the margin and under the text, in place of those shown so far."""
        self.clear_marks()
        sci = self._sci
        marks = list(marks)
        for mark in sorted(marks, key=lambda m: m.error):  # an error's squiggle goes on top
            line = min(max(mark.line, 1), sci.lines())
            start, end = underlined(sci.text(line - 1).rstrip("\n"), mark)
            if end > start:
                kind = _Indicator.ERROR if mark.error else _Indicator.WARNING
                sci.fillIndicatorRange(line - 1, start, line - 1, end, kind)
            sci.markerAdd(line - 1, _Marker.ERROR if mark.error else _Marker.WARNING)
        self._marks = marks_by_line(marks)

    def clear_marks(self) -> None:
        sci = self._sci
        last = sci.lines() - 1
        for indicator in (_Indicator.ERROR, _Indicator.WARNING):
            sci.clearIndicatorRange(0, 0, last, sci.lineLength(last), indicator)
        sci.markerDeleteAll(_Marker.ERROR)
        sci.markerDeleteAll(_Marker.WARNING)
        self._marks = {}

    @property
    def marked_lines(self) -> dict[int, Mark]:
        """The problems shown, by line."""
        return dict(self._marks)

    def link_lines(self, lines: Sequence[int]) -> None:
        """Tint these lines and bring the first into view."""
        sci = self._sci
        sci.markerDeleteAll(_Marker.LINKED)
        for line in lines:
            if 1 <= line <= sci.lines():
                sci.markerAdd(line - 1, _Marker.LINKED)
        if lines:
            self.reveal(min(lines))

    @property
    def linked_lines(self) -> list[int]:
        sci, lines, line = self._sci, [], -1
        while (line := sci.markerFindNext(line + 1, 1 << _Marker.LINKED)) >= 0:
            lines.append(line + 1)
        return lines
