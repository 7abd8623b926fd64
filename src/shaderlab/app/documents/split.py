"""The two views of a split editor: their captions, and which document is in front."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.settings import Settings

_BESIDE, _BELOW = "beside", "below"


class SplitView(QObject):
    """The document of the view that has the keyboard is the one in front."""

    def __init__(self, editor: Editor, documents: Documents):
        super().__init__(editor)
        self._editor, self._documents = editor, documents
        # Not during the click that changes the view: opening a project's file waits for a disk.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(documents.follow_view)
        editor.shown_changed.connect(self._later.start)
        for changed in (
            editor.panes_changed, editor.modified_changed, documents.changed,
            documents.tabs.changed, documents.vertex.changed,
        ):  # fmt: skip
            changed.connect(self._name)

    def beside(self) -> None:
        """Show two views side by side, or one again if they are."""
        self._split(stacked=False)

    def below(self) -> None:
        """Show two views, one above the other, or one again if they are."""
        self._split(stacked=True)

    def _split(self, *, stacked: bool) -> None:
        if self._editor.is_split and self._editor.is_stacked is stacked:
            self._editor.close_split()
        else:
            self._editor.split(stacked=stacked)

    def remember(self, settings: Settings) -> None:
        """Write into the settings how the editor is split, and what the other view shows."""
        editor = self._editor
        settings.split = ""
        if not editor.is_split:
            return
        settings.split = _BELOW if editor.is_stacked else _BESIDE
        first, second = editor.panes
        settings.split_first = editor.used is first
        other = editor.shown_in(second if settings.split_first else first)
        tabs = self._documents.tabs.parked
        settings.split_file = next((tab.key for tab in tabs if tab.buffer is other), "")
        settings.split_percent = editor.first_percent

    def restore(self, settings: Settings) -> None:
        """Split the editor as it was at the end of the last run, once its documents are open."""
        editor = self._editor
        if settings.split not in (_BESIDE, _BELOW) or editor.is_split:
            return
        editor.split(stacked=settings.split == _BELOW)
        if not settings.split_first:
            editor.next_pane()
        tabs = self._documents.tabs.parked
        for tab in tabs:
            if tab.key and tab.key == settings.split_file:
                editor.show_buffer(tab.buffer)
        editor.next_pane()
        editor.first_percent = settings.split_percent

    def _name(self) -> None:
        if self._editor.is_split:
            self._editor.name_panes(self._name_of)

    def _name_of(self, buffer: Buffer) -> str:
        documents = self._documents
        vertex = documents.vertex.file
        if vertex is not None and buffer is vertex.buffer:
            name = vertex.document.name
        elif buffer is documents.text.buffer:
            name = documents.document.name
        else:
            found = (tab.document.name for tab in documents.tabs.parked if tab.buffer is buffer)
            name = next(found, "")
        return f"{name} \u2022" if buffer.modified else name
