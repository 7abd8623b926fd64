"""What the text declares, in the outline, with the chosen target's time by function."""

from __future__ import annotations

from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.outline.panel import OutlinePanel
from shaderlab.app.panels.outline.rows import outline_rows
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.when_seen import WhenSeen

_REST_MS = 250
"""The text is looked at once typing pauses for so long."""


class OutlinePresenter(QObject):
    """Reads the text only while the panel is on screen."""

    def __init__(self, session: Session, panel: OutlinePanel, editor: Editor, assistant: Assistant):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._editor, self._assistant = editor, assistant
        self._chosen: ChosenForecast | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._read)
        editor.changed.connect(self._rest.start)
        editor.shown_changed.connect(self._rest.start)
        seen = WhenSeen(panel)
        editor.cursor_moved.connect(seen(lambda line, _column: panel.follow_line(line)))
        session.program_changed.connect(self._rest.start)
        panel.shown.connect(self._read)
        panel.place_chosen.connect(self._go)

    def show_forecast(self, chosen: ChosenForecast | None) -> None:
        """Show the shares of this forecast from now on."""
        self._chosen = chosen
        self._rest.start()

    def _read(self) -> None:
        panel, assistant = self._panel, self._assistant
        if not panel.isVisible():
            return
        parts = assistant.outline() if assistant.may_look else []
        panel.show_rows(outline_rows(parts, self._shares), self._editor.caret[0])
        if not assistant.may_look:
            panel.empty.say("lines", "This text is too long for an outline")

    @property
    def _shares(self) -> dict[int, float] | None:
        """By line of the text on screen; None where the forecast is of another."""
        chosen = self._chosen
        current = self._session.progress.forecasts_are_current and self._editor.main.is_shown
        if chosen is None or not current or not chosen.forecast.lines:
            return None
        return {part.line: part.share for part in chosen.forecast.lines if not part.file}

    def _go(self, line: int, column: int) -> None:
        self._editor.go_to(line, column)
        self._editor.setFocus()
