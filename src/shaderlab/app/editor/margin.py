"""The margin that shows how often each line ran and what share of the time it takes.

It is filled in slices, so that a long text delays no key press.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from time import perf_counter

from shaderlab.app.editor.margin_notes import MarginNote
from shaderlab.app.editor.view import ScintillaView
from shaderlab.app.qt import QTimer

_SLICE_S = 0.005
"""How long the margin may occupy the interface's thread at a time."""


class CountMargin(ScintillaView):
    """Part of the editor, which implements how a note is written beside a line (`_write_note`), and
    how all that is written changes colour (`_ink_notes`).

    What is on screen is filled first.  Lines that came or went meanwhile end the filling, since
    the remaining notes are for other line numbers: those lines stay empty until the next notes.
    """

    def _set_up_notes(self) -> None:
        self._notes: Mapping[int, MarginNote] = {}
        self._stale = ""
        self._unplaced: Iterator[int] = iter(())
        self._placing = QTimer(self)
        self._placing.setInterval(0)
        self._placing.timeout.connect(self._place_some)
        self._hear("linesChanged", self._stop_placing)

    def set_notes(self, notes: Mapping[int, MarginNote]) -> None:
        """What the count margin shows, by line; lines not named show nothing.

        `notes` may make its values as they are asked for.
        """
        sci = self._sci
        if self._notes:
            sci.clearMarginText(-1)
        self._notes = notes
        top = sci.SendScintilla(sci.SCI_DOCLINEFROMVISIBLE, sci.firstVisibleLine()) + 1
        shown = range(top, top + sci.SendScintilla(sci.SCI_LINESONSCREEN) + 1)
        self._unplaced = chain(
            (line for line in shown if line in notes),
            (line for line in notes if line not in shown),
        )
        self._placing.start()
        self._place_some()

    def set_stale(self, why: str) -> None:
        """Dim what the margin shows, and say what it is of, where that is not the present text."""
        if why != self._stale:
            self._stale = why
            self._ink_notes()

    @property
    def stale(self) -> str:
        return self._stale

    @property
    def notes(self) -> dict[int, MarginNote]:
        return dict(self._notes)

    def note_at(self, line: int) -> MarginNote | None:
        return self._notes.get(line)

    def _place_some(self) -> None:
        sci, end = self._sci, perf_counter() + _SLICE_S
        last = sci.lines()
        for line in self._unplaced:
            if 1 <= line <= last:
                self._write_note(line, self._notes[line])
            if perf_counter() > end:
                return
        self._stop_placing()

    def _ink_notes(self) -> None:
        raise NotImplementedError

    def _write_note(self, line: int, note: MarginNote) -> None:
        raise NotImplementedError

    def _stop_placing(self) -> None:
        self._unplaced = iter(())
        self._placing.stop()
