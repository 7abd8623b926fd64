"""Finding and replacing in the editor's text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from shaderlab.app.editor.view import ScintillaView

_GROUP = re.compile(r"\$(?:(\d+)|\{(\d+)\}|(&)|(\$))")
"""How other editors write what a group matched, the whole match, and a dollar sign."""


@dataclass(frozen=True)
class Search:
    """What is looked for, line by line; as Python's regular expressions where it is one."""

    pattern: str
    case: bool = False
    word: bool = False
    regex: bool = False

    @property
    def problem(self) -> str:
        """What is wrong with the regular expression; empty for none."""
        try:
            self._compiled()
        except re.error as error:
            return error.msg
        return ""

    def matches(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Occurrences that are not empty, each with the number of its line from 0; none for an
        empty or malformed pattern."""
        if not self.pattern or self.problem:
            return
        searched = self._compiled()
        for number, line in enumerate(text.split("\n")):
            for match in searched.finditer(line):
                if match.end() > match.start():
                    yield number, match

    def replacement(self, match: re.Match[str], by: str) -> str:
        """What takes an occurrence's place: in a regular expression's, `$1` is its first group.

        Raises re.error and IndexError for a group that is not there.
        """
        return match.expand(_GROUP.sub(_as_python, by)) if self.regex else by

    def replaced(self, text: str, by: str) -> tuple[str, int]:
        """The text with every occurrence replaced, and their number.  Raises as `replacement`."""
        lines, number = text.split("\n"), 0
        for row, match in reversed(list(self.matches(text))):
            line = lines[row]
            lines[row] = line[: match.start()] + self.replacement(match, by) + line[match.end() :]
            number += 1
        return "\n".join(lines), number

    def _compiled(self) -> re.Pattern[str]:
        source = self.pattern if self.regex else re.escape(self.pattern)
        flags = 0 if self.case else re.IGNORECASE
        return re.compile(rf"(?<!\w)(?:{source})(?!\w)" if self.word else source, flags)


def _as_python(match: re.Match[str]) -> str:
    digits, in_braces, _whole, dollar = match.groups()
    return "$" if dollar else rf"\g<{digits or in_braces or 0}>"


class Searching(ScintillaView):
    """Part of the editor."""

    FOUND_INDICATOR = 10
    """Number of the indicator that frames what was found."""

    def find_text(
        self, search: Search, *, forward: bool = True, from_start_of_selection: bool = False
    ) -> bool:
        """Select the next occurrence, around the end; False where there is none."""
        found = self._places(search)
        if not found:
            return False
        sci = self._sci
        here = sci.getCursorPosition()
        if sci.hasSelectedText():
            start, end = sci.getSelection()[:2], sci.getSelection()[2:]
            here = start if from_start_of_selection or not forward else end
        # (row, start, end) sorts behind (row, start), so this is the first that starts there.
        after = bisect_left(found, here)
        row, first, last = found[after % len(found) if forward else after - 1]
        sci.ensureLineVisible(row)
        sci.setSelection(row, first, row, last)
        return True

    def mark_found(self, search: Search) -> int:
        """Frame all occurrences; their number.  An empty pattern clears the frames."""
        sci = self._sci
        last = sci.lines() - 1
        sci.clearIndicatorRange(0, 0, last, sci.lineLength(last), self.FOUND_INDICATOR)
        self._found = self._places(search)
        for row, start, end in self._found:
            sci.fillIndicatorRange(row, start, row, end, self.FOUND_INDICATOR)
        return len(self._found)

    @property
    def found_number(self) -> int:
        """Which of the framed occurrences is selected, from 1; 0 where none is."""
        row, start, last_row, end = self._sci.getSelection()
        selected = (row, start, end)
        at = bisect_left(self._found, selected)
        is_one = row == last_row and self._found[at : at + 1] == [selected]
        return at + 1 if is_one else 0

    def replace_selected(self, search: Search, by: str) -> bool:
        """Replace what is selected if it is an occurrence.  Raises as `Search.replacement`."""
        selected = self._sci.getSelection()
        for row, match in search.matches(self.text):
            if selected == (row, match.start(), row, match.end()):
                self._sci.replaceSelectedText(search.replacement(match, by))
                return True
        return False

    def replace_all(self, search: Search, by: str) -> int:
        """Replace every occurrence as one step to undo; their number.

        Raises as `Search.replacement`.
        """
        if self.read_only:
            return 0
        text, number = search.replaced(self.text, by)
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

    def _places(self, search: Search) -> list[tuple[int, int, int]]:
        """Row, start and end of every occurrence, in the text's order."""
        return [(row, *match.span()) for row, match in search.matches(self.text)]
