"""The editor: QScintilla behind a widget of our own."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from shaderlab.app.editor import bindings
from shaderlab.app.editor.bindings import QColor, QFont, QFontMetrics, QFrame, Qsci
from shaderlab.app.editor.lexer import ShaderLexer
from shaderlab.app.editor.margin_notes import (
    COUNT_CHARACTERS,
    SHARE_CHARACTERS,
    MarginNote,
    margin_text,
)
from shaderlab.app.editor.search import Searching
from shaderlab.app.editor.split import SplitText, in_each_view
from shaderlab.app.editor.tips import Tips
from shaderlab.app.editor.typing_aids import TypingAids
from shaderlab.app.qt import (
    QFontDatabase,
    QKeySequence,
    Qt,
    QtCore,
    QtGui,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.theme import Theme, blend
from shaderlab.app.widgets.veil import OPACITY
from shaderlab.language.syntax import Language


class Margin(IntEnum):
    NUMBERS = 0
    MARKS = 1
    COUNTS = 2
    FOLDS = 3


FONT_POINTS = 11.0
FOUND_ALPHA = 60
"""Of 255: how much of the colour of a match is laid over the paper."""
_LEAST_COLUMNS = 24
"""Of text in a view; a narrower one leaves the counts to the tips, so that the code can be read."""
_MARGIN_STYLES = 200
"""Numbers from here on: over the lexer's, below Scintilla's last, which is 255.  Numbers that
QScintilla gives out itself are gone after a few changes of the theme."""


class Editor(SplitText, Tips, Searching, TypingAids):
    """A text editor for shaders.  Lines count from 1.

    It may be split into two views: everything here works on the one that had the keyboard last.
    """

    modified_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None):
        super().__init__(parent)
        self._counts_shown = self._shares_shown = True
        self._theme, self._tab_width, self._language = theme, 4, Language.GLSL
        self._wrapped, self._released = False, frozenset[int]()
        self._make_fonts(default_family(), FONT_POINTS)
        self._set_up()
        self._set_up_buffers()
        self._set_up_panes()
        self._set_up_marks()
        self._set_up_notes()
        self._set_up_typing()
        self._set_up_tips()
        self._begin_text()
        self._hear("cursorPositionChanged", self._on_cursor)
        self._hear("modificationChanged", self.modified_changed.emit)
        self._hear("linesChanged", self._fit_numbers)
        self._hear("SCN_ZOOM", self._fit_margins)

    def _set_up(self) -> None:
        """The view in use, before it has a text."""
        sci = self._sci
        sci.setFrameShape(QFrame.Shape.NoFrame)
        sci.setUtf8(True)
        sci.setEolMode(Qsci.QsciScintilla.EolMode.EolUnix)
        self._lexer = ShaderLexer(sci)
        sci.setAutoIndent(False)  # QScintilla's indents after `if (a) break;`
        sci.setBackspaceUnindents(True)
        sci.setIndentationGuides(True)
        sci.setFolding(Qsci.QsciScintilla.FoldStyle.PlainFoldStyle, Margin.FOLDS)
        sci.setBraceMatching(Qsci.QsciScintilla.BraceMatch.SloppyBraceMatch)
        sci.setCaretLineVisible(True)
        sci.setCaretWidth(2)
        sci.setScrollWidth(1)
        sci.setScrollWidthTracking(True)
        sci.SendScintilla(sci.SCI_SETMULTIPLESELECTION, 1)
        sci.SendScintilla(sci.SCI_SETADDITIONALSELECTIONTYPING, 1)
        sci.SendScintilla(sci.SCI_SETENDATLASTLINE, 1)
        sci.SendScintilla(sci.SCI_SETEXTRAASCENT, 1)
        sci.SendScintilla(sci.SCI_SETEXTRADESCENT, 0)
        sci.SendScintilla(sci.SCI_SETMOUSEDWELLTIME, 350)
        sci.SendScintilla(sci.SCI_SETMARGINLEFT, 0, 8)
        kinds = Qsci.QsciScintilla.MarginType
        sci.setMarginType(Margin.NUMBERS, kinds.NumberMargin)
        sci.setMarginType(Margin.MARKS, kinds.SymbolMargin)
        sci.setMarginType(Margin.COUNTS, kinds.TextMarginRightJustified)
        for margin in (Margin.NUMBERS, Margin.MARKS, Margin.COUNTS):
            sci.setMarginSensitivity(margin, False)
        shape = Qsci.QsciScintilla.IndicatorStyle
        sci.indicatorDefine(shape.StraightBoxIndicator, self.FOUND_INDICATOR)
        sci.setIndicatorDrawUnder(True, self.FOUND_INDICATOR)
        self._define_marks(Margin.MARKS)

    def _begin_text(self) -> None:
        sci = self._sci
        sci.setLexer(self._lexer)
        self.set_tab_width(self._tab_width)
        sci.setIndentationsUseTabs(False)
        self._paint_anew()  # a lexer brings its own colours

    def _begin_view(self) -> None:
        """A new view, that has the text of another: look like that one."""
        sci = self._sci
        if self._language is not Language.GLSL:
            self._lexer.read_as(self._language)
        sci.setLexer(self._lexer)
        self.set_tab_width(self._tab_width)
        self.set_wrap(self._wrapped)
        self._paint_anew()
        self._release(self._released)
        self._fit_margins()

    def _clear_lines(self) -> None:
        self.clear_marks()
        self.set_notes({})
        self.link_lines(())

    def _lines_kept(self) -> object:
        return self._notes, self._marks, self._dimmed

    def _take_lines(self, kept: object) -> None:
        self._stop_placing()
        self._notes, self._marks, self._dimmed = kept or ({}, {}, ())  # type: ignore[misc]

    # -- looks ------------------------------------------------------------------------------

    def _make_fonts(self, family: str, points: float) -> None:
        self._font = QFont(family)
        self._font.setPointSizeF(points)
        self._font.setStyleHint(QFont.StyleHint.Monospace)
        self._small = QFont(self._font)
        self._small.setPointSizeF(max(points - 1.5, 1.0))

    def set_font(self, family: str, points: float) -> None:
        """Show the text in this font; an empty `family` is the system's fixed one."""
        family = family or default_family()
        if (family, points) != (self._font.family(), self._font.pointSizeF()):
            self._make_fonts(family, points)
            self._paint_anew()
            self._fit_margins()

    @in_each_view
    def set_tab_width(self, columns: int) -> None:
        self._tab_width = columns
        self._sci.setIndentationWidth(columns)
        self._sci.setTabWidth(columns)

    def set_theme(self, theme: Theme) -> None:
        if theme != self._theme:
            self._theme = theme
            self._paint_anew()

    def _paint_anew(self) -> None:
        self._paint_view(self._theme)
        self._show_notes_anew()

    @in_each_view
    def _paint_view(self, theme: Theme) -> None:
        sci, lexer, colour = self._sci, self._lexer, QColor
        lexer.use(theme, self._font)
        sci.setPaper(colour(theme.base))
        sci.setColor(colour(theme.text))
        sci.setCaretForegroundColor(colour(theme.text))
        sci.setCaretLineBackgroundColor(colour(theme.current_line))
        sci.setSelectionBackgroundColor(colour(theme.selection))
        sci.resetSelectionForegroundColor()
        sci.setMarginsBackgroundColor(colour(theme.window))
        sci.setMarginsForegroundColor(colour(theme.dim))
        sci.setMarginsFont(self._font)
        sci.setMarginBackgroundColor(Margin.MARKS, colour(theme.window))
        sci.setFoldMarginColors(colour(theme.window), colour(theme.window))
        for number in range(sci.SC_MARKNUM_FOLDEREND, sci.SC_MARKNUM_FOLDEROPEN + 1):
            # QScintilla's own methods do not colour the fold marks, which stay black and white.
            sci.SendScintilla(sci.SCI_MARKERSETFORE, number, colour(theme.window))
            sci.SendScintilla(sci.SCI_MARKERSETBACK, number, colour(theme.dim))
        sci.setIndentationGuidesForegroundColor(colour(theme.line))
        sci.setIndentationGuidesBackgroundColor(colour(theme.base))
        sci.setMatchedBraceBackgroundColor(colour(theme.selection))
        sci.setMatchedBraceForegroundColor(colour(theme.text))
        sci.setUnmatchedBraceBackgroundColor(colour(theme.base))
        sci.setUnmatchedBraceForegroundColor(colour(theme.error))
        self._colour_marks(theme)
        # The text over it stays in its own colour, so the box is but a tint of it and an outline.
        sci.setIndicatorForegroundColor(colour(theme.found), self.FOUND_INDICATOR)
        sci.SendScintilla(sci.SCI_INDICSETALPHA, self.FOUND_INDICATOR, FOUND_ALPHA)
        sci.SendScintilla(sci.SCI_INDICSETOUTLINEALPHA, self.FOUND_INDICATOR, 200)
        for number, (ink, paper) in enumerate(self._note_colours, _MARGIN_STYLES):
            name = f"margin {number}"
            style = Qsci.QsciStyle(number, name, colour(ink), colour(paper), self._small)
            sci.setMarginText(0, "", style)  # nothing else has the editor take it in
        sci.clearMarginText(0)

    @property
    def _note_colours(self) -> list[tuple[str, str]]:
        """Ink and paper of a plain note, and of each step of heat."""
        theme = self._theme
        found = [(theme.dim, theme.window), *((theme.text, paper) for paper in theme.heat)]
        if not self._stale:
            return found
        return [(blend(theme.dim, theme.window, OPACITY), theme.window)] * len(found)

    @in_each_view
    def _ink_notes(self) -> None:
        sci = self._sci
        for number, (ink, paper) in enumerate(self._note_colours, _MARGIN_STYLES):
            sci.SendScintilla(sci.SCI_STYLESETFORE, number, QColor(ink))
            sci.SendScintilla(sci.SCI_STYLESETBACK, number, QColor(paper))

    @property
    def text_font(self) -> QtGui.QFont:
        """The text's, as large as it is shown."""
        font = QtGui.QFont(self._font.family())
        font.setStyleHint(QtGui.QFont.StyleHint.Monospace)
        font.setPointSizeF(max(self._font.pointSizeF() + self.zoom, 1.0))
        return font

    @property
    def header_place(self) -> tuple[int, int, int, int]:
        """x, y, width, height in pixels of the first line of text, right of the margins."""
        sci = self._sci
        left = self._text_left
        view = sci.viewport()
        width = view.width() if view is not None else sci.width()
        corner = self._view.mapTo(self, QtCore.QPoint(left, 0))
        return corner.x(), corner.y(), max(width - left, 0), self.line_height + 2

    @in_each_view
    def set_zoom(self, points: int) -> None:
        self._sci.zoomTo(points)

    @in_each_view
    def set_wrap(self, wrap: bool) -> None:
        self._wrapped = wrap
        mode = Qsci.QsciScintilla.WrapMode
        self._sci.setWrapMode(mode.WrapWord if wrap else mode.WrapNone)

    def show_counts(self, shown: bool) -> None:
        self._counts_shown = shown
        self._show_notes_anew()

    def show_shares(self, shown: bool) -> None:
        self._shares_shown = shown
        self._show_notes_anew()

    @property
    def _scale(self) -> float:
        """Scintilla keeps margins in pixels, so they are scaled with the zoom here."""
        return (self._font.pointSizeF() + self.zoom) / self._font.pointSizeF()

    @property
    def _digit(self) -> float:
        """Pixels across."""
        return QFontMetrics(self._font).horizontalAdvance("0") * self._scale

    def _show_notes_anew(self) -> None:
        self.set_notes(self._notes)
        self._fit_margins()

    def _write_note(self, line: int, note: MarginNote) -> None:
        # Not by QsciStyledText: each keeps some hundred bytes for good.
        sci, text, styles = self._sci, b"", b""
        for piece, heat in margin_text(note, self._counts_shown, self._shares_shown):
            encoded = piece.encode()
            style = _MARGIN_STYLES if heat is None else _MARGIN_STYLES + 1 + heat
            text += encoded
            styles += bytes([style]) * len(encoded)
        if text:
            sci.SendScintilla(sci.SCI_MARGINSETTEXT, line - 1, text)
            sci.SendScintilla(sci.SCI_MARGINSETSTYLES, line - 1, styles)

    @in_each_view
    def _fit_margins(self) -> None:
        scale, digit = self._scale, self._digit
        for narrow in (Margin.MARKS, Margin.FOLDS):
            self._sci.setMarginWidth(narrow, round(16 * max(scale, 0.7)))
        # The margin is always as wide as the widest numbers, so that the text never jumps.
        characters = COUNT_CHARACTERS * self._counts_shown + SHARE_CHARACTERS * self._shares_shown
        small = digit * self._small.pointSizeF() / self._font.pointSizeF()
        width = round(small * characters) + 6 if characters else 0
        self._fit_numbers()
        self._sci.setMarginWidth(Margin.COUNTS, 0)
        rest = self._view.width() - self._text_left - width
        if rest >= _LEAST_COLUMNS * digit:
            self._sci.setMarginWidth(Margin.COUNTS, width)

    def _on_resized(self) -> None:
        if self.panes:
            self._fit_margins()

    @in_each_view
    def _fit_numbers(self) -> None:
        digits = max(len(str(self._sci.lines())), 3)
        self._sci.setMarginWidth(Margin.NUMBERS, round(self._digit * (digits + 1)) + 4)

    def read_as(self, language: Language) -> None:
        """Colour the words of this language."""
        self._language = language
        self._read_lexer(language)
        self._paint_anew()

    @in_each_view
    def _read_lexer(self, language: Language) -> None:
        self._lexer.read_as(language)

    def release_keys(self, sequences: Iterable[QKeySequence]) -> None:
        """Leave these keys to the window's commands instead of Scintilla's own bindings."""
        self._released = frozenset(_combined(keys) for keys in sequences if keys.count() == 1)
        self._release(self._released)

    @in_each_view
    def _release(self, wanted: frozenset[int]) -> None:
        for command in self._sci.standardCommands().commands():
            if command.key() in wanted:
                command.setKey(0)
            if command.alternateKey() in wanted:
                command.setAlternateKey(0)

    # -- events -----------------------------------------------------------------------------

    def _on_cursor(self, line: int, column: int) -> None:
        self._scroll_back(line, column)
        self.cursor_moved.emit(line + 1, column + 1)

    def _scroll_back(self, line: int, column: int) -> None:
        """Show the starts of the lines again once the caret can be seen beside them.

        Not under the mouse: what one clicks stays where it is.
        """
        sci = self._sci
        scrolled = sci.SendScintilla(sci.SCI_GETXOFFSET)
        if scrolled <= 0 or QtWidgets.QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return
        place = sci.positionFromLineIndex(line, column)
        at = sci.SendScintilla(sci.SCI_POINTXFROMPOSITION, 0, place) + scrolled
        if at < sci.width() - 4 * round(self._digit):
            sci.SendScintilla(sci.SCI_SETXOFFSET, 0)


def default_family() -> str:
    """The system's font of fixed width."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()


def _combined(keys: QKeySequence) -> int:
    """Key and modifiers of a sequence of one key, as the number Scintilla knows them by."""
    return bindings.QKeySequence(keys.toString())[0].toCombined()
