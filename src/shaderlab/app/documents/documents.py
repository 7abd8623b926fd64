"""The open documents: opened, shown in tabs, closed, reopened, restored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.app.documents import document, importing
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.front import FILTER, FrontDocument
from shaderlab.app.documents.journal import Draft
from shaderlab.app.documents.tabs import Tab, Tabs
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.examples import Example, examples
from shaderlab.projects.communities import PRESETS, opened_project, text_of
from shaderlab.projects.finding import fragment_beside, vertex_beside
from shaderlab.scene.draw import DrawState

NEW_TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 uv = fragCoord / iResolution.xy;
    vec3 colour = 0.5 + 0.5 * cos(iTime + uv.xyx + vec3(0.0, 2.0, 4.0));
    fragColor = vec4(colour, 1.0);
}
"""
_PROJECTS = (".toml", *PRESETS)
CAPTURE_SUFFIX = ".rdc"
CAPTURE_FILTER = f"RenderDoc captures (*{CAPTURE_SUFFIX})"
OPEN_FILTER = FILTER.replace(
    ";;All",
    ";;shaderlab projects (*.toml);;RetroArch presets (*.slangp)"
    f";;Shadertoy exports (*.json);;{CAPTURE_FILTER};;All",
).replace("*.txt)", "*.txt *.shaderlab.toml)")


_OPENING = "opening"
MOST_REOPENED = 20
"""Tabs of the last run."""
FIRST_EXAMPLE = "interference"
"""What the very first start shows: loops to count, and light enough for a software driver."""


class Documents(FrontDocument):
    """The document in front and the tabs behind it."""

    def __init__(
        self,
        editor: Editor,
        session: Session,
        settings: Settings,
        notices: NotificationCentre,
        window: QWidget,
    ):
        super().__init__(editor, session, settings, notices, window)
        self.tabs = Tabs(Tab(editor.main), self)
        self.changed.connect(self._on_changed)
        self.tabs.changed.connect(self._on_tabs)
        self.tabs.changed.connect(self.kept_changed)

    @property
    def unsaved(self) -> Draft | None:
        """What of all documents must not be lost; None while there is nothing."""
        drafts = [tab.unsaved for tab in self.tabs.parked if tab.unsaved is not None]
        if self.is_unsaved:
            drafts.append(self.draft)
        if not drafts:
            return None
        return replace(drafts[-1], others=tuple(drafts[:-1]))

    # -- opening ------------------------------------------------------------------------------

    def new(self) -> None:
        if self._make_room():
            self._show(Document("untitled"), NEW_TEXT)
            self._editor.setFocus()  # a panel that had it would get what is typed next

    def open_example(self, example: Example) -> None:
        if self._make_room():
            self._show(
                Document(example.title, example=example.path.stem),
                example.path.read_text(encoding="utf-8"),
            )
            self._editor.setFocus()

    def open_dialog(self) -> None:
        start = str(self._start_folder)
        name, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._window, "Open a shader", start, OPEN_FILTER
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> bool:
        """Open a shader, a project's shader, a Shadertoy export or a capture.

        On any fault it is said and what was there stays.
        """
        kind = path.suffix.lower()
        if kind == CAPTURE_SUFFIX:
            self._settings.add_recent(path.absolute())
            self._session.capture.open(path.absolute())
            return True
        if kind == ".json":
            return self._import(path)
        return self._open(path, project=path if kind in _PROJECTS else None)

    def _open(self, path: Path, project: Path | None) -> bool:
        def read() -> tuple[Document, str]:
            return document.read(path if project is None else text_of(opened_project(project)))

        try:
            opened, text = self._apart(read)
        except ShaderlabError as error:
            self._notices.say("error", str(error), about=_OPENING)
            return False
        if opened.path is not None and (tab := self.tabs.of(opened.path)) is not None:
            self.show_tab(tab)
            self._editor.setFocus()
            return True
        is_front = opened.path is not None and opened.path == self.document.path
        if not (self.may_leave() if is_front else self._make_room()):
            return False
        self._settings.add_recent(path.absolute())
        self._show(opened, text, project.absolute() if project is not None else None)
        self._editor.setFocus()
        return True

    def _import(self, path: Path) -> bool:
        """Write the export as a project where the user says, and open that."""
        target = importing.imported(path, self._window, self._notices, self._apart)
        return target is not None and self._open(target, project=target)

    def open_capture_dialog(self) -> None:
        start = str(self._start_folder)
        name, _ = QtWidgets.QFileDialog.getOpenFileName(
            self._window, "Open a capture", start, f"{CAPTURE_FILTER};;All files (*)"
        )
        if name:
            self._settings.add_recent(Path(name))
            self._session.capture.open(Path(name))

    def open_draw(self, path: Path, state: DrawState) -> bool:
        """Open the file of a captured draw's shader, to be drawn as it was captured.

        What was changed in the shader of another draw is saved first, without a question.
        """
        is_draw = self._session.capture.chosen is not None
        if is_draw and self.modified and not self.save():
            return False
        if not is_draw or path != self.document.path:
            last = self._settings.last_file
            try:
                opened, text = self._apart(lambda: document.read(path))
            except ShaderlabError as error:
                self._notices.say("error", str(error))
                return False
            if not self._make_room():
                return False
            self._show(opened, text)
            self._settings.last_file = last
        self._session.drawing.take(state)
        return True

    def open_last(self) -> None:
        """What was open at the end of the last run, else the first example."""
        last = self._settings.last_file
        order = tuple(self._settings.open_files)
        known = {example.path.stem: example for example in examples()}
        if last.startswith("example:") and last.removeprefix("example:") in known:
            self.open_example(known[last.removeprefix("example:")])
        elif not (last and Path(last).is_file() and self.open(Path(last))):
            self.open_example(known[FIRST_EXAMPLE])
        if self._settings.open_in_tabs:
            for key in order[:MOST_REOPENED]:
                if key and key != self.tabs.front.key:
                    self._add_parked(key)
            self.tabs.arrange(order)

    def restore(self, draft: Draft) -> bool:
        """Bring back a text that was never saved: as unsaved changes, to be kept or undone."""
        for other in draft.others:
            self.restore(other)
        path = draft.document.path
        if path is not None and (tab := self.tabs.of(path)) is not None and tab.unsaved is None:
            self.show_tab(tab)
        is_here = path is not None and path == self.document.path and not self.is_unsaved
        if not is_here and not self._make_room():
            return False
        opened, base = self.text.restored(draft.document)
        self._show(opened, base)
        if draft.text != base:
            self.text.buffer.change_text(draft.text)
        if draft.problem:
            self._notices.say("warning", f"The inputs were not restored: {draft.problem}")
        self.take(draft)
        self._editor.setFocus()
        return True

    def _show(self, opened: Document, text: str, project: Path | None = None) -> None:
        self._notices.settle(_OPENING)
        self.vertex.close()
        self.text.show(opened, text)
        self.tabs.front.document, self.tabs.front.project = opened, project
        self.begin(opened, text, project)
        self.tabs.changed.emit()
        self.changed.emit()
        if opened.path is not None and not self._session.vertex.is_own:
            self._offer_neighbour(opened.path)

    def _offer_neighbour(self, path: Path) -> None:
        """Say which file beside it is likely to be its other stage, and offer it."""
        vertex = self._apart(lambda: vertex_beside(path))
        fragment = self._apart(lambda: fragment_beside(path)) if vertex is None else None

        def with_fragment() -> None:
            assert fragment is not None
            if self.open(fragment):
                self.use_vertex(path)

        if vertex is not None:
            use = Action("Use it", lambda: self.use_vertex(vertex))
            self._notices.say("note", f"{vertex.name} may be its vertex stage", use)
        elif fragment is not None:
            use = Action(f"Open {fragment.name}", with_fragment)
            text = f"{path.name} is a vertex shader: it is drawn with a fragment shader"
            self._notices.say("note", text, use)

    # -- tabs ---------------------------------------------------------------------------------

    def show_tab(self, tab: Tab) -> None:
        """Bring an open document to the front, as it was left."""
        if tab is self.tabs.front:
            return
        self._park()
        self._bring_up(tab)

    def follow_view(self) -> None:
        """Bring the document that the view in use shows to the front."""
        shown = self._editor.shown
        for tab in self.tabs.parked:
            if tab.buffer is shown:
                self.show_tab(tab)

    def edited(self, *, later: bool) -> None:
        self.follow_view()  # a key may arrive before the change of view was handled
        super().edited(later=later)

    def close_tab(self, tab: Tab) -> bool:
        """Close a document, after asking about unsaved changes; False where it stays."""
        if tab is not self.tabs.front and tab.unsaved is None:
            self.tabs.remove(tab)
            self._editor.withdraw(tab.buffer)
            return True
        self.show_tab(tab)
        if not self.may_leave():
            return False
        if len(self.tabs.all) == 1:
            self._show(Document("untitled"), NEW_TEXT)
        else:
            at = self.tabs.all.index(tab)
            self._bring_up(self.tabs.all[at - 1 if at else 1])
            self.tabs.remove(tab)
            self._editor.withdraw(tab.buffer)
        return True

    def may_close(self) -> bool:
        """Ask about the unsaved changes of all documents; False when the user would rather stay."""
        for tab in tuple(self.tabs.all):
            if tab is self.tabs.front or tab.unsaved is not None:
                self.show_tab(tab)
                if not self.may_leave():
                    return False
        return True

    def _make_room(self) -> bool:
        """Have a place for another document; False where the user would rather stay.

        With tabs, one with nothing of the user's is reused, and so is one of a captured draw, whose
        text is kept in its file.  Without, the document in front is left.
        """
        if not self._settings.open_in_tabs:
            return self.may_leave()
        is_draw = self._session.capture.chosen is not None
        is_empty = self.document.path is None or is_draw
        if is_empty and not self.is_unsaved:
            return True
        self._park()
        tab = Tab(Buffer(self._editor))
        self.vertex.close()
        self._put_in_front(tab)
        self.tabs.add(tab)
        return True

    def _park(self) -> None:
        """Keep what the document in front is drawn with: another is about to take its place."""
        tab, versions = self.tabs.front, self._session.versions
        tab.document, tab.project = self.document, self.project.path
        is_unsaved = self.is_unsaved
        draft = None if self.document.spirv else self.draft
        tab.unsaved = draft if is_unsaved else None
        tab.draft = draft if is_unsaved or self.document.path is None else None
        tab.versions = versions.all
        tab.baseline = versions.baseline.number if versions.baseline is not None else 0

    def _bring_up(self, tab: Tab) -> None:
        """Show a parked tab."""
        self.vertex.close()
        self._put_in_front(tab)
        self.tabs.front = tab
        self.begin(tab.document, tab.buffer.text, tab.project)
        if tab.draft is not None:
            self.take(tab.draft)
        self._session.edited = tab.buffer.modified
        self._session.versions.restore(tab.versions, tab.baseline)
        tab.versions = ()
        self.tabs.changed.emit()
        self.changed.emit()
        self.text.look_if_changed()

    def _put_in_front(self, tab: Tab) -> None:
        self._editor.main = self.text.buffer = tab.buffer
        self.text.document = tab.document
        self._editor.show_buffer(tab.buffer)

    def _add_parked(self, key: str) -> None:
        """Open a file of the last run behind the one in front; what is gone is left out."""
        known = {f"example:{each.path.stem}": each for each in examples()}
        if key in known:
            example = known[key]
            opened = Document(example.title, example=example.path.stem)
            text = example.path.read_text(encoding="utf-8")
            project = None
        else:
            path = Path(key)
            project = path if path.suffix.lower() in _PROJECTS else None
            try:
                opened, text = self._apart(
                    lambda: document.read(path if not project else text_of(opened_project(project)))
                )
            except ShaderlabError:
                return
        tab = Tab(Buffer(self._editor), opened)
        tab.project = project
        tab.buffer.set_text(text, editable=not opened.spirv)
        self.tabs.add(tab, in_front=False)

    def _on_changed(self) -> None:
        """The document in front is another, or lies elsewhere."""
        self.tabs.front.document, self.tabs.front.project = self.document, self.project.path
        self._on_tabs()

    def _on_tabs(self) -> None:
        keys = [tab.key for tab in self.tabs.all if tab.key]
        self._settings.open_files = keys[:MOST_REOPENED]
