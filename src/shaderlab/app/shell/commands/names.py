"""Commands about the names in the text: where they are declared and used, renaming, the outline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shaderlab.app.documents.documents import Documents
from shaderlab.app.documents.renaming import OtherFile, files_using, rename_in, take_back
from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.completing import Completing
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import Qt, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.rename_dialog import RenameDialog, Uses
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.app.widgets.waiting import apart
from shaderlab.errors import ShaderlabError
from shaderlab.language.including import included
from shaderlab.language.references import uses_elsewhere
from shaderlab.language.symbols import Kind
from shaderlab.language.syntax import Place

_MOST_PLACES = 64
"""To go back to."""


class NameCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        editor: Editor,
        assistant: Assistant,
        completing: Completing,
        documents: Documents,
        session: Session,
        notices: NotificationCentre,
    ):
        self._window, self._editor, self._assistant = window, editor, assistant
        self._documents, self._session, self._notices = documents, session, notices
        self._left: list[tuple[Path | None, int, int]] = []
        self.calls: Calls = {
            "edit.complete": completing.complete,
            "edit.parameters": completing.show_parameters,
            "edit.definition": self._go_to_definition,
            "edit.back": self._go_back,
            "edit.references": self._list_references,
            "edit.rename": self._rename,
            "edit.outline": self._list_parts,
            "edit.next_occurrence": editor.select_next_occurrence,
            "edit.lines_up": lambda: editor.move_lines(down=False),
            "edit.lines_down": lambda: editor.move_lines(down=True),
            "edit.fold": editor.toggle_fold,
            "edit.fold_all": editor.fold_all,
        }

    def _go_to_definition(self) -> None:
        symbol = self._assistant.definition()
        if symbol is None:
            name = self._assistant.name_at()
            function = self._assistant.table.functions.get(name)
            known = f"{name} is built in: {function.summary}" if function else ""
            self._notices.say("note", known or "No declared name at the caret.")
            return
        self._go(Path(symbol.file) if symbol.file else None, symbol.place)

    def _go(self, file: Path | None, place: Place) -> None:
        here = (self._documents.document.path, *self._editor.caret)
        if file is not None and not self._documents.open(file):
            return
        self._left = [*self._left[1 - _MOST_PLACES :], here]
        self._editor.go_to(*place)
        self._editor.setFocus()

    def _go_back(self) -> None:
        """To where the caret was before the last jump."""
        if not self._left:
            return
        path, line, column = self._left.pop()
        is_here = path is None or path == self._documents.document.path
        if is_here or (path is not None and self._documents.open(path)):
            self._editor.go_to(line, column)
            self._editor.setFocus()

    def _list_references(self) -> None:
        places = self._assistant.references()
        if not places:
            self._notices.say("note", "No declared name at the caret.")
            return
        lines = self._editor.text.split("\n")
        entries = [
            Entry(f"{at.line}:{at.column}", lines[at.line - 1].strip(), f"line {at.line}")
            for at in places
        ]
        entries += self._uses_elsewhere()
        self._choose(entries, f"{self._assistant.name_at()}: {len(entries)} uses")

    def _uses_elsewhere(self) -> list[Entry]:
        """Uses in the files that the text includes, and in its project's other passes where an
        included file declares the name: what a pass declares itself is its own."""
        declared, name = self._assistant.definition(), self._assistant.name_at()
        syntax = self._assistant.syntax
        if declared is None or declared.kind is Kind.MEMBER:
            return []
        if not self._assistant.is_shared:
            return []
        own = self._documents.document.path
        passes = self._session.passes.files if declared.file else ()
        others = {
            **self._assistant.included,
            **apart(lambda: included(passes, syntax.language, {})),
        }
        found = []
        for file, other in others.items():
            if own is not None and Path(file) == own:
                continue
            lines = other.text.split("\n")
            found += [
                Entry(
                    f"{at.line}:{at.column}:{file}",
                    lines[at.line - 1].strip(),
                    f"{Path(file).name}, line {at.line}",
                )
                for at in uses_elsewhere(other, name)
            ]
        return found

    def _list_parts(self) -> None:
        entries = [
            Entry(
                f"{part.symbol.place.line}:{part.symbol.place.column}",
                part.symbol.declaration or part.symbol.name,
                f"{part.symbol.kind}, line {part.first}",
            )
            for part in self._assistant.outline()
        ]
        if entries:
            self._choose(entries, "Go to a function, struct or uniform")
        else:
            self._notices.say("note", "The text declares no functions, structs or uniforms yet.")

    def _choose(self, entries: list[Entry], placeholder: str) -> None:
        palette = CommandPalette(entries, placeholder, self._window)
        palette.chosen.connect(self._on_chosen)
        palette.popup()

    def _on_chosen(self, key: str) -> None:
        line, column, *file = key.split(":", 2)
        self._go(Path(file[0]) if file else None, Place(int(line), int(column)))

    def _rename(self) -> None:
        assistant, editor = self._assistant, self._editor
        old, places = assistant.name_at(), assistant.references()
        if not places:
            self._notices.say("note", "No declared name at the caret.")
            return
        others = self._files_using(old) if assistant.is_shared else []
        caret, text = editor.caret, editor.text
        document = self._documents.document
        uses = [Uses(document.name, text, places)]
        uses += [Uses(f"{each.path}, written at once", each.text, each.places) for each in others]
        texts = {str(each.path): each.syntax for each in others}
        dialog = RenameDialog(
            old, uses, lambda name: assistant.can_rename(name, texts), self._window
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(
            lambda: (
                self._renamed(others, places, old, dialog.new_name)
                if (editor.caret, editor.text) == (caret, text)
                else None
            )
        )
        dialog.open()

    def _files_using(self, name: str) -> list[OtherFile]:
        """Files that mean the same by a name that is shared."""
        paths = self._assistant.included
        language, own = self._assistant.syntax.language, self._documents.document.path
        declared = self._assistant.definition()
        if declared is not None and declared.file:
            paths = [*paths, *self._session.passes.files]
        return apart(lambda: files_using(map(Path, paths), name, language, own))

    def _renamed(
        self, others: Sequence[OtherFile], places: Sequence[Place], old: str, new: str
    ) -> None:
        parked = self._documents.tabs.parked
        changed = [tab.document.path for tab in parked if tab.unsaved is not None]
        unsaved = {path.resolve() for path in changed if path is not None}
        for each in others:
            if each.path in unsaved:
                self._notices.say(
                    "warning", f"{each.document.name} has unsaved changes: save it, then rename"
                )
                return
        try:
            written = apart(lambda: rename_in(others, old, new))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return
        editor = self._editor
        editor.replace_at(places, old, new)
        if not written:
            return
        after, path = editor.text, self._documents.document.path
        names = ", ".join(each.document.name for each in written)

        def undo() -> None:
            try:
                apart(lambda: take_back(written))
            except ShaderlabError as error:
                self._notices.say("error", str(error))
                return
            if editor.text == after:
                editor.undo()
            elif self._documents.document.path == path:  # edited since
                editor.replace_at(uses_elsewhere(self._assistant.syntax, new), new, old)
            self._notices.say("note", f"{new} is {old} again in {names}")

        self._notices.say(
            "note", f"Renamed {old} to {new} here and in {names}", Action("Undo", undo)
        )
