"""Opening, saving and watching the edited file; nothing typed is ever lost without asking."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from shaderlab.app.documents import document
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft
from shaderlab.app.documents.project_file import ProjectFile
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QFileSystemWatcher, QObject, QTimer, QtWidgets, QWidget, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.app.widgets.waiting import apart
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.examples import Example, examples
from shaderlab.projects import reading as projects
from shaderlab.projects import shadertoy_export, shadertoy_import
from shaderlab.projects.project import SUFFIX

T = TypeVar("T")

NEW_TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;
    vec3 colour = 0.5 + 0.5 * cos(iTime + uv.xyx + vec3(0.0, 2.0, 4.0));
    fragColor = vec4(colour, 1.0);
}
"""
FILTER = (
    "Shaders (*.frag *.glsl *.fs *.fsh *.hlsl *.fx *.slang *.wgsl *.isf *.shader *.spv *.txt);;"
    "SPIR-V modules (*.spv);;All files (*)"
)
OPEN_FILTER = FILTER.replace(
    ";;All", ";;shaderlab projects (*.toml);;Shadertoy exports (*.json);;All"
).replace("*.txt)", "*.txt *.shaderlab.toml)")
PROJECT_FILTER = "shaderlab projects (*.shaderlab.toml)"


FIRST_EXAMPLE = "interference"
"""What the very first start shows: loops to count, and light enough for a software driver."""


class Documents(QObject):
    """The one document of the window."""

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
        self.document = Document("untitled")
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self.project = ProjectFile(session.drawing, session.reading, notices.say, self)
        self.waiting = False
        """For a disk: the window must not be closed over it."""
        self._touched: set[str] = set()
        # Editors write in several steps; look once they are done.
        self._settle = QTimer(self, singleShot=True, interval=120)
        self._settle.timeout.connect(self._look_at_changes)

    # -- opening ----------------------------------------------------------------------------

    def new(self) -> None:
        if self.may_leave():
            self._show(Document("untitled"), NEW_TEXT)

    def open_example(self, example: Example) -> None:
        if self.may_leave():
            self._show(
                Document(example.title, example=example.path.stem),
                example.path.read_text(encoding="utf-8"),
            )

    def open_dialog(self) -> None:
        start = str(self.document.folder or Path.home())
        name, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._window, "Open a shader", start, OPEN_FILTER
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> bool:
        """Open a shader, a project's shader or a Shadertoy export.

        On any fault it is said and what was there stays.
        """
        kind = path.suffix.lower()
        if kind == ".json":
            return self._import(path)
        return self._open(path, project=path if kind == ".toml" else None)

    def _open(self, path: Path, project: Path | None) -> bool:
        def read() -> tuple[Document, str]:
            return document.read(path if project is None else projects.read(project).shader)

        try:
            opened, text = self._apart(read)
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return False
        if not self.may_leave():
            return False
        self._settings.add_recent(path.absolute())
        self._show(opened, text, project.absolute() if project is not None else None)
        return True

    def _import(self, path: Path) -> bool:
        """Ask where the project is to be, write it there and open it."""
        try:
            self._apart(lambda: shadertoy_export.read(path))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return False
        start = str(path.with_name(path.stem + SUFFIX))
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self._window, "Write the imported project", start, PROJECT_FILTER
        )
        if not name:
            return False
        target = Path(name)
        if target.suffix.lower() != ".toml":
            target = target.with_name(target.name + SUFFIX)
        try:
            imported = self._apart(lambda: shadertoy_import.from_export(path, target))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return False
        for note in imported.notes:
            self._notices.say("note", note)
        return self._open(target, project=target)

    def open_last(self) -> None:
        """What was open at the end of the last run, else the first example."""
        last = self._settings.last_file
        known = {example.path.stem: example for example in examples()}
        if last.startswith("example:") and last.removeprefix("example:") in known:
            self.open_example(known[last.removeprefix("example:")])
        elif not (last and Path(last).is_file() and self.open(Path(last))):
            self.open_example(known[FIRST_EXAMPLE])

    def restore(self, draft: Draft) -> bool:
        """Bring back a text that was never saved: as unsaved changes, to be kept or undone."""
        if not self.may_leave():
            return False
        base, kept, path = "", draft.document, draft.document.path
        if path is not None:
            with contextlib.suppress(ShaderlabError):
                on_disk, base = self._apart(lambda: document.read(path))
                if on_disk.digest == kept.digest:
                    kept = replace(kept, line_ends=on_disk.line_ends)
        self._show(kept, base)
        self._editor.change_text(draft.text)
        return True

    def _show(self, opened: Document, text: str, project: Path | None = None) -> None:
        self.document = opened
        self._editor.set_text(text, editable=not opened.spirv)
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
        self._watch()
        self.changed.emit()

    # -- saving -----------------------------------------------------------------------------

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
        start = self.document.path or Path.home() / f"{_file_name(self.document.name)}.frag"
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self._window, "Save the shader", str(start), FILTER
        )
        if not name:
            return False
        path = Path(name)
        return self._write(replace(self.document, name=path.name, path=path, example=""), path)

    def _write(self, target: Document, path: Path) -> bool:
        if path == self.document.path and not self._may_overwrite(path):
            return False
        self._unwatch()
        try:
            text = self._editor.text
            target = self._apart(lambda: document.write(target, text, path))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return False
        finally:
            self._watch()
        self.document = target
        self._editor.set_unmodified()
        self._settings.add_recent(path.absolute())
        self._settings.last_file = str(path.absolute())
        self._session.rename(target.name, target.folder)
        self.project.save(path, self._apart)
        self._watch()
        self.changed.emit()
        return True

    def _may_overwrite(self, path: Path) -> bool:
        """Ask where the file is no longer what was read or written here."""
        try:
            digest = document.digest_of(self._apart(lambda: document.read_bytes(path)))
        except ShaderlabError:
            return True  # gone or unreadable: there is nothing to lose
        if digest == self.document.digest:
            return True
        buttons = QtWidgets.QMessageBox.StandardButton
        answer = QtWidgets.QMessageBox.question(
            self._window,
            "Changed on disk",
            f"{path.name} was changed outside shaderlab since it was opened. Overwrite it?",
            buttons.Save | buttons.Cancel,
            buttons.Cancel,
        )
        return answer == buttons.Save

    def may_leave(self) -> bool:
        """Ask about unsaved changes; False when the user would rather stay."""
        if not self._editor.modified and not self.project.is_modified:
            return True
        buttons = QtWidgets.QMessageBox.StandardButton
        answer = QtWidgets.QMessageBox.question(
            self._window,
            "Unsaved changes",
            f"{self.document.name} has unsaved changes."
            if self._editor.modified
            else f"Inputs set for {self.document.name} are not saved.",
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard

    def _apart(self, work: Callable[[], T]) -> T:
        before, self.waiting = self.waiting, True  # a timer may wait for a disk meanwhile, too
        try:
            return apart(work)
        finally:
            self.waiting = before

    # -- changes made elsewhere -------------------------------------------------------------

    def reload(self) -> None:
        """Read the file again; asks first where that would lose changes."""
        path = self.document.path
        if path is None:
            self._notices.say(
                "note", "This shader has not been saved yet, so there is nothing to reload"
            )
        elif not self._editor.modified or self._agreed_to_lose_changes():
            if self.document.spirv:
                self._session.release_module(path, self.document.digest)
            self._read_again(path)

    def watch_read(self) -> None:
        """Compile again when a file that is read with the document changes."""
        self._watch()

    def _agreed_to_lose_changes(self) -> bool:
        buttons = QtWidgets.QMessageBox.StandardButton
        answer = QtWidgets.QMessageBox.question(
            self._window,
            "Reload",
            f"Reload {self.document.name} from disk and lose the changes made here?",
            buttons.Discard | buttons.Cancel,
            buttons.Cancel,
        )
        return answer == buttons.Discard

    def _read_again(self, path: Path) -> None:
        try:
            opened, text = self._apart(lambda: document.read(path))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return
        self.document = opened
        if opened.spirv:
            self._session.open_module(path, opened.digest)
        else:
            self._editor.set_text(text, keep_view=True)
            self._session.edit(text)
        self.changed.emit()

    def _read_if_open(self, path: Path) -> None:
        if self.document.path == path:
            self._read_again(path)

    def _watch(self) -> None:
        own = [str(self.document.path)] if self.document.path else []
        wanted = {*own, *self._session.files_read}
        watched = set(self._watcher.files())
        if gone := watched - wanted:
            self._watcher.removePaths(sorted(gone))
        if missing := [p for p in sorted(wanted - watched) if Path(p).is_file()]:
            self._watcher.addPaths(missing)

    def _unwatch(self) -> None:
        if files := self._watcher.files():
            self._watcher.removePaths(files)
        self._touched.clear()

    def _on_file_changed(self, path: str) -> None:
        self._touched.add(path)
        self._settle.start()

    def _look_at_changes(self) -> None:
        touched, self._touched = self._touched, set()
        self._watch()  # a file that was replaced is no longer watched
        path = self.document.path
        if touched - {str(path)}:
            self._session.compile_again()
        if path is not None and str(path) in touched:
            self._own_file_changed(path)

    def _own_file_changed(self, path: Path) -> None:
        name = self.document.name
        if not path.is_file():
            self._notices.say("warning", f"{name} was deleted on disk; its text is kept here")
            return
        try:
            opened, text = self._apart(lambda: document.read(path))
        except ShaderlabError as error:
            self._notices.say("warning", f"{error}; the text here is kept")
            return
        if not opened.spirv and text == self._editor.text:
            self.document = opened
            self._editor.set_unmodified()
        elif not self._editor.modified:
            self._read_again(path)
            self._notices.say("note", f"{name} changed on disk and was reloaded")
        else:
            self._notices.say(
                "warning",
                f"{name} changed on disk, and has unsaved changes here",
                Action("Reload", lambda: self._read_if_open(path)),
            )


def _file_name(title: str) -> str:
    kept = "".join(c if c.isalnum() else "_" for c in title.lower())
    return kept.strip("_") or "shader"
