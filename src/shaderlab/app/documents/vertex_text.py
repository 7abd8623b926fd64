"""The vertex stage of the user's own: a second text beside the document, or a part of it."""

from __future__ import annotations

from pathlib import Path

from shaderlab.app.documents import document, questions
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.text_file import Apart, TextFile
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QtWidgets, QWidget, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.errors import ShaderlabError

_FILTER = "Vertex shaders (*.vert *.vs *.vsh *.glsl *.hlsl *.slang *.wgsl *.spv);;All files (*)"


class VertexText(QObject):
    """Opens, shows, saves and closes it."""

    changed = Signal()
    """Another vertex stage, or none."""

    def __init__(
        self,
        editor: Editor,
        session: Session,
        notices: NotificationCentre,
        apart: Apart,
        window: QWidget,
    ):
        super().__init__(window)
        self._editor, self._session = editor, session
        self._notices, self._apart, self._window = notices, apart, window
        self.file: TextFile | None = None
        """None where the geometry is passed on, or the stage is in the document's own text."""

    @property
    def document(self) -> Document | None:
        return self.file.document if self.file is not None else None

    @property
    def path(self) -> Path | None:
        return self.file.document.path if self.file is not None else None

    @property
    def modified(self) -> bool:
        return self.file is not None and self.file.buffer.modified

    @property
    def has_text(self) -> bool:
        """Whether there is a text of its own, that can be edited."""
        return self.file is not None and not self.file.document.spirv

    @property
    def is_shown(self) -> bool:
        """Whether its text is the one in the editor."""
        return self.file is not None and self.file.buffer.is_shown

    def open(self, path: Path) -> bool:
        """Draw with the vertex shader in this file; on any fault it is said and nothing changes."""
        try:
            opened, text = self._apart(lambda: document.read(path))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return False
        self.take(opened, text)
        return True

    def take(self, opened: Document, text: str) -> TextFile:
        """Draw with the vertex shader in this text."""
        self._leave()
        buffer = Buffer(self._editor)
        self.file = made = TextFile(buffer, self._notices, self._apart, self._window)
        made.show(opened, text)
        made.reread.connect(lambda: self._on_reread(made))
        module = opened.path if opened.spirv else None
        self._session.vertex.open(text, opened.name, opened.folder, module=module)
        self.changed.emit()
        return made

    def restore(self, kept: Document, text: str) -> None:
        """Bring back a text that was not saved, as unsaved changes."""
        if self.file is None or self.file.document.path != kept.path:
            self.take(kept, "")
        if self.file is not None:
            self.file.buffer.change_text(text)
            self._session.edit_vertex(text)

    def use_document(self, text: str, opened: Document) -> None:
        """Draw with the vertex stage that is in the document itself."""
        self._leave()
        self._session.vertex.open(text, opened.name, opened.folder, in_document=True)
        self.changed.emit()

    def close(self) -> None:
        """Draw what the geometry gives."""
        if self.file is None and not self._session.vertex.is_own:
            return
        self._leave()
        self._session.vertex.close()
        self.changed.emit()

    def show(self, shown: bool) -> None:
        """Bring its text, or the document's, into the editor."""
        if shown and self.file is not None and self.has_text:
            self._editor.show_buffer(self.file.buffer)
        else:
            self._editor.show_buffer(self._editor.main)

    def ask_file(self, folder: Path | None) -> Path | None:
        """Which file the user chooses; None where that was given up."""
        start = str(self.path or folder or Path.home())
        name, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._window, "Open a vertex shader", start, _FILTER
        )
        return Path(name) if name else None

    def may_leave(self) -> bool:
        """Ask about its unsaved changes; False when the user would rather keep it."""
        if self.file is None or not self.modified:
            return True
        name = self.file.document.name
        return questions.may_leave(self._window, f"{name} has unsaved changes.", self.save)

    def save(self) -> bool:
        """Write it in place, if there is something to write."""
        file = self.file
        if file is None or file.document.path is None or not file.buffer.modified:
            return True
        return file.write(file.document, file.document.path)

    def _leave(self) -> None:
        self._editor.show_buffer(self._editor.main)
        if self.file is not None:
            self._editor.withdraw(self.file.buffer)
            self.file.deleteLater()
            self.file = None

    def _on_reread(self, file: TextFile) -> None:
        if file is self.file:
            self._session.edit_vertex(file.buffer.text)
