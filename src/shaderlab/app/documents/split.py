"""The two views of a split editor: their captions, and which document is in front."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QTimer


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
