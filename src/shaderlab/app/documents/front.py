"""The document in front: edited, saved and watched; nothing typed is ever lost without asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from shaderlab.app.documents import questions
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.file_watch import FileWatch
from shaderlab.app.documents.journal import Draft
from shaderlab.app.documents.project_file import ProjectFile
from shaderlab.app.documents.text_file import TextFile
from shaderlab.app.documents.vertex_text import VertexText
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QtWidgets, QWidget, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.app.widgets.waiting import apart

T = TypeVar("T")

FILTER = (
    "Shaders (*.frag *.comp *.glsl"
    " *.fs *.fsh *.hlsl *.fx *.slang *.wgsl *.isf *.gdshader *.shader *.spv *.txt);;"
    "SPIR-V modules (*.spv);;All files (*)"
)


class FrontDocument(QObject):
    """With its vertex stage, and what is kept beside them."""

    kept_changed = Signal()
    """What is kept beside the text is another, or was saved."""
    changed = Signal()
    """Another document, or another name or place of the same."""

    def __init__(
        self,
        editor: Editor,
        session: Session,
        settings: Settings,
        notices: NotificationCentre,
        window: QWidget,
    ):
        super().__init__(window)
        self._editor, self._session, self._settings = editor, session, settings
        self._notices, self._window = notices, window
        self.text = TextFile(editor.main, notices, self._apart, window)
        self.text.reread.connect(self._on_reread)
        self.vertex = VertexText(editor, session, notices, self._apart, window)
        self._files = FileWatch(self)
        self._files.changed.connect(self._look_at_changes)
        self.project = ProjectFile(
            session.drawing, session.reading, self._vertex_path, notices, self
        )
        for its in (
            session.drawing.changed, session.drawing.settled, session.reading.changed,
            self.vertex.changed,
        ):  # fmt: skip
            its.connect(self.kept_changed)
        self.waiting = False
        """For a disk: the window must not be closed over it."""

    @property
    def document(self) -> Document:
        return self.text.document

    @property
    def _start_folder(self) -> Path:
        """Where a file is looked for, or written, first."""
        here = Path.cwd()
        elsewhere = Path.home() if here == Path(here.anchor) else here
        return self.document.folder or elsewhere

    @property
    def modified(self) -> bool:
        """Whether a text has unsaved changes."""
        return self.text.buffer.modified or self.vertex.modified

    @property
    def is_unsaved(self) -> bool:
        """Whether something of the document in front would be lost."""
        return not self.document.spirv and (self.modified or self.project.is_modified)

    @property
    def draft(self) -> Draft:
        """The document in front as it stands."""
        opened, vertex = self.document, self.vertex
        project = self.project.alone(opened.path or Path(opened.name))
        draft = Draft(opened, self.text.buffer.text, project=project)
        if vertex.file is None or not vertex.modified:
            return draft
        return replace(draft, vertex=(vertex.file.document, vertex.file.buffer.text))

    def _vertex_path(self) -> Path | None:
        in_document = self._session.vertex.in_document
        return self.document.path if in_document else self.vertex.path

    def edited(self, *, later: bool) -> None:
        """The text in the editor changed: compile it, or have it compiled `later`."""
        if self.vertex.is_shown:
            if not later:
                self._session.edit_vertex(self._editor.text)
        elif later:
            self._session.edit_without_compiling(self._editor.text)
        else:
            self._session.edit(self._editor.text)
            self._follow_passes()

    def _follow_passes(self) -> None:
        """Draw the passes that the text describes as it stands."""
        path = self.document.path
        if path is not None and self.project.follow(path, self._editor.text):
            found = self.project.opened
            if found is None:
                self._session.leave_project()
            else:
                self._session.use_project(*found, path.resolve())

    def bring_back(self, text: str) -> bool:
        """Have a former text of the document again, as one edit that can be undone; whether that
        changed anything."""
        if self.document.spirv or text == self.text.buffer.text:
            return False
        self.vertex.show(False)
        self.text.buffer.change_text(text, keep_view=True)
        return True

    def compile(self) -> None:
        """Compile both texts as they stand."""
        self._session.edit(self.text.buffer.text)
        if self.vertex.has_text and self.vertex.file is not None:
            self._session.edit_vertex(self.vertex.file.buffer.text)

    def begin(self, opened: Document, text: str, project: Path | None) -> None:
        """Have the session work on this document."""
        self._settings.last_file = (
            f"example:{opened.example}" if opened.example else str(project or opened.path or "")
        )
        if opened.spirv and opened.path is not None:
            self._session.open_module(opened.path, opened.digest)
        else:
            self._session.open_text(text, opened.name, opened.folder)
        self.project.open(opened.path, self._apart, project)
        if opened.path is not None and (found := self.project.opened) is not None:
            self._session.use_project(*found, opened.path.resolve())
        self.take_vertex(self.project.vertex)
        self.project.settle()
        self._watch()

    def take(self, draft: Draft) -> None:
        """Draw with what a draft was drawn with."""
        if draft.project is not None:
            self.project.take(draft.project)
            self.take_vertex(draft.project.vertex)
        if draft.vertex is not None:
            self.vertex.restore(*draft.vertex)

    # -- the vertex stage ---------------------------------------------------------------------

    def use_vertex(self, path: Path | None) -> None:
        """Draw with the vertex shader in this file, which may be the document's own; None: draw
        what the geometry gives."""
        self.take_vertex(path)
        self._watch()

    def use_vertex_here(self) -> None:
        """Draw with the vertex stage in the document's own text."""
        self.vertex.use_document(self.text.buffer.text, self.document)

    def open_vertex_dialog(self) -> None:
        if (path := self.vertex.ask_file(self.document.folder)) is not None:
            self.use_vertex(path)

    def take_vertex(self, path: Path | None) -> None:
        if not self.vertex.may_leave():
            return
        own = self.document.path
        if path is None:
            self.vertex.close()
        elif own is not None and path.resolve() == own.resolve():
            self.use_vertex_here()
        else:
            self.vertex.open(path)

    # -- saving -------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save in place, or ask where; False when it was not saved."""
        if self.document.spirv:  # of a module only what it is drawn with can be another
            if self.document.path is not None:
                self.project.save(self.document.path, self._apart)
            return not self.project.is_modified
        if self.document.path is None:
            return self.save_as()
        return self._write(self.document, self.document.path)

    def save_as(self) -> bool:
        if self.document.spirv:
            return False
        start = self.document.path or self._start_folder / f"{_file_name(self.document.name)}.frag"
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self._window, "Save the shader", str(start), FILTER
        )
        if not name:
            return False
        path = Path(name)
        return self._write(replace(self.document, name=path.name, path=path, example=""), path)

    def _write(self, target: Document, path: Path) -> bool:
        self._files.stop()
        try:
            if not (self.text.write(target, path) and self.vertex.save()):
                return False
        finally:
            self._watch()
        if self._session.capture.chosen is None:  # a draw's shader is found in its capture
            self._settings.add_recent(path.absolute())
            self._settings.last_file = str(path.absolute())
        self._session.rename(target.name, target.folder)
        self.project.save(path, self._apart)
        self._watch()
        self.changed.emit()
        return True

    def may_leave(self) -> bool:
        """Ask about unsaved changes; False when the user would rather stay."""
        if not self.modified and not self.project.is_modified:
            return True
        name = self.document.name
        if self.modified:
            return questions.may_leave(self._window, f"{name} has unsaved changes.", self.save)
        return questions.may_leave(self._window, f"Inputs set for {name} are not saved.", self.save)

    def _apart(self, work: Callable[[], T]) -> T:
        before, self.waiting = self.waiting, True  # a timer may wait for a disk meanwhile, too
        try:
            return apart(work)
        finally:
            self.waiting = before

    # -- changes made elsewhere ---------------------------------------------------------------

    def reload(self) -> None:
        """Read the file of the text on screen again; asks first where that would lose changes."""
        file = self.vertex.file if self.vertex.is_shown and self.vertex.file else self.text
        path = file.document.path
        if path is None:
            self._notices.say(
                "note", "This shader has not been saved yet, so there is nothing to reload"
            )
        elif not file.buffer.modified or questions.may_reload(self._window, file.document.name):
            if file.document.spirv:
                self._session.release_module(path, file.document.digest)
            file.read_again(path)

    def watch_read(self) -> None:
        """Compile again when a file that is read with the document changes."""
        self._watch()

    def _on_reread(self) -> None:
        """The document's file was read again."""
        opened = self.document
        if opened.spirv and opened.path is not None:
            self._session.open_module(opened.path, opened.digest)
        else:
            self._session.edit(self.text.buffer.text)
        self.changed.emit()

    def _watch(self) -> None:
        own = (self.document.path, self.vertex.path, self.project.path)
        self._files.watch([*(str(each) for each in own if each), *self._session.files_read])

    def _look_at_changes(self, touched: set[str]) -> None:
        self._watch()  # a file that was replaced is no longer watched
        own, vertex, project = (
            str(each) if each is not None else ""
            for each in (self.document.path, self.vertex.path, self.project.path)
        )
        if touched - {own, vertex, project}:
            self._session.compile_again()
        if project in touched:
            self._project_changed()
        if vertex in touched and self.vertex.file is not None:
            self.vertex.file.look_at_change()
        if own in touched:
            self.text.look_at_change()

    def _project_changed(self) -> None:
        """Take what the project's file has now, unless something chosen here would be lost."""
        shader = self.document.path
        if shader is None or not self.project.has_changed(self._apart):
            return
        name = self.project.path.name if self.project.path else ""
        if self.project.is_modified:
            self._notices.say(
                "warning",
                f"{name} changed on disk, and what was set here is not saved",
                Action("Reload", lambda: self._reload_project(shader)),
            )
        else:
            self._reload_project(shader)
            self._notices.say("note", f"{name} changed on disk and was reloaded")

    def _reload_project(self, shader: Path) -> None:
        if self.document.path != shader:
            return
        self.project.open(shader, self._apart, self.project.path)
        if (found := self.project.opened) is not None:
            self._session.use_project(*found, shader.resolve())
        if self.project.vertex != self._vertex_path():
            self.take_vertex(self.project.vertex)
        self.project.settle()


def _file_name(title: str) -> str:
    kept = "".join(c if c.isalnum() else "_" for c in title.lower())
    return kept.strip("_") or "shader"
