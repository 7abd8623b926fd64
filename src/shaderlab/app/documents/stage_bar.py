"""Tabs over the editor: the document's text and that of its vertex stage."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QtWidgets


class StageBar(QtWidgets.QTabBar):
    """Hidden while there is one text only."""

    def __init__(self, editor: Editor, documents: Documents):
        super().__init__()
        self._documents = documents
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setAccessibleName("Text of the fragment or of the vertex stage")
        self.addTab("")
        self.addTab("")
        self.setTabToolTip(0, "The fragment stage")
        self.setTabToolTip(1, "The vertex stage: its counts stand beside its own lines")
        self.currentChanged.connect(lambda index: documents.vertex.show(index == 1))
        for changed in (
            documents.changed, documents.vertex.changed, editor.shown_changed,
            editor.modified_changed,
        ):  # fmt: skip
            changed.connect(self._refresh)
        self._refresh()

    def switch(self) -> None:
        """Show the other text."""
        self.setCurrentIndex(1 - self.currentIndex())

    def _refresh(self) -> None:
        documents, vertex = self._documents, self._documents.vertex
        self.setVisible(vertex.has_text)
        if vertex.document is not None:
            shown = (documents.document, documents.text.buffer.modified), (
                vertex.document, vertex.modified,
            )  # fmt: skip
            for index, (each, modified) in enumerate(shown):
                text = f"{each.name} \u2022" if modified else each.name
                self.setTabText(index, text.replace("&", "&&"))
        self.setCurrentIndex(int(vertex.is_shown))
