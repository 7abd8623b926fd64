"""Finding and replacing in the editor's text."""

from __future__ import annotations

import re

from shaderlab.app.editor.view import ScintillaView


def expression(pattern: str, *, case: bool, word: bool, regex: bool) -> re.Pattern | None:
    """A search as Python's expression; None for an empty or malformed pattern."""
    if not pattern:
        return None
    source = pattern if regex else re.escape(pattern)
    try:
        return re.compile(rf"\b(?:{source})\b" if word else source, 0 if case else re.IGNORECASE)
    except re.error:
        return None


class Searching(ScintillaView):
    """Part of the editor."""

    FOUND_INDICATOR = 10
    """Number of the indicator that frames what was found."""

    def find_text(
        self,
        pattern: str,
        *,
        forward: bool = True,
        case: bool = False,
        word: bool = False,
        regex: bool = False,
        from_start_of_selection: bool = False,
    ) -> bool:
        """Select the next occurrence, around the end; False where there is none."""
        if not pattern:
            return False
        sci = self._sci
        line, column = sci.getCursorPosition()
        if sci.hasSelectedText() and (from_start_of_selection or not forward):
            line, column = sci.getSelection()[:2]
        return sci.findFirst(
            pattern, regex, case, word, True, forward, line, column, True, False, False
        )

    def mark_found(self, pattern: str, *, case: bool, word: bool, regex: bool) -> int:
        """Frame all occurrences; their number.  An empty pattern clears the frames."""
        sci = self._sci
        last = sci.lines() - 1
        sci.clearIndicatorRange(0, 0, last, sci.lineLength(last), self.FOUND_INDICATOR)
        self._found: list[tuple[int, int]] = []
        searched = expression(pattern, case=case, word=word, regex=regex)
        if searched is None:
            return 0
        for number, text in enumerate(self.text.split("\n")):
            for match in searched.finditer(text):
                if match.end() > match.start():
                    sci.fillIndicatorRange(
                        number, match.start(), number, match.end(), self.FOUND_INDICATOR
                    )
                    self._found.append((number, match.start()))
        return len(self._found)

    @property
    def found_number(self) -> int:
        """Which of the framed occurrences is selected, from 1; 0 where none is."""
        selected = self._sci.getSelection()[:2]
        return self._found.index(selected) + 1 if selected in self._found else 0

    def replace_all(self, pattern: str, by: str, *, case: bool, word: bool, regex: bool) -> int:
        """Replace every occurrence as one step to undo; their number."""
        searched = expression(pattern, case=case, word=word, regex=regex)
        if searched is None or self.read_only:
            return 0
        try:
            text, number = searched.subn(by if regex else lambda _match: by, self.text)
        except (re.error, IndexError):
            return 0
        if number:
            sci = self._sci
            place, top = sci.getCursorPosition(), sci.firstVisibleLine()
            sci.beginUndoAction()
            sci.selectAll()
            sci.replaceSelectedText(text)
            sci.endUndoAction()
            sci.setCursorPosition(*place)
            sci.setFirstVisibleLine(top)
        return number
