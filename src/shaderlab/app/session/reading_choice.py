"""How the document's text is read, as far as its user or its project says so."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.frontend.reading import RECOGNISED, Reading


class ReadingChoice(QObject):
    """Language, stage, entry point, macros and include folders of one document."""

    changed = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.value = RECOGNISED
        self.by_project = False
        """Whether the project chose, not the user."""

    def choose(self, reading: Reading, *, by_project: bool = False) -> None:
        """Read the text so from now on."""
        if reading != self.value:
            self.value, self.by_project = reading, by_project
            self.changed.emit()

    def leave_document(self) -> None:
        """Another document: what was said of the former one's text is none of its."""
        self.value = RECOGNISED
