"""Unsaved text of this run kept safe, and that of earlier runs offered to the user."""

from __future__ import annotations

import time

from shaderlab.app.documents.documents import Documents
from shaderlab.app.documents.journal import Draft
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QWidget, Signal
from shaderlab.app.shell.recovery import Kept, Recovery
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.app.widgets.waiting import apart

_FORGET = "forget"
_NAMED = 3
"""Texts that a notice names."""
_DETAILS = "details: Help, Copy diagnostics"


class RecoveryPresenter(QObject):
    """Connects the editor to what is kept between runs."""

    details_wanted = Signal()
    """The user asks for the diagnostics."""

    def __init__(
        self,
        recovery: Recovery,
        editor: Editor,
        documents: Documents,
        notices: NotificationCentre,
        window: QWidget,
    ):
        super().__init__(window)
        self._recovery, self._editor, self._documents = recovery, editor, documents
        self._notices, self._window = notices, window
        self._journal = recovery.begin_journal(self._unsaved, self)
        if self._journal is not None:
            editor.text_edited.connect(self._journal.edited)
            editor.modified_changed.connect(self._on_modified)
            documents.kept_changed.connect(self._journal.edited)
            recovery.writer.failed.connect(self._on_failed)

    def say_what_was_left(self) -> None:
        """Offer unsaved texts of earlier runs, and say that the last one crashed, if it did."""
        recovery, say = self._recovery, self._notices.say
        if self._journal is None:
            say("warning", f"Unsaved changes are not backed up: {recovery.problem}")
        ended = "crashed" if recovery.crashed else "did not exit properly"
        if recovery.kept:
            first = recovery.kept[0]
            texts = [each.document.name for each in (first.draft, *first.draft.others)]
            more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
            names = f"{', '.join(texts[:_NAMED])}{more} ({_when(first.draft)})"
            if len(recovery.kept) == 1:
                text, action = names, Action("Restore", lambda: self.restore(first))
            else:
                text = f"{names}, and those of other runs"
                action = Action("Show them", self.choose)
            crash = f"shaderlab {ended} last time ({_DETAILS}). " if recovery.crashed else ""
            say("warning", f"{crash}Unsaved changes were recovered: {text}", action)
        elif recovery.unclean:
            action = Action("Copy details", self.details_wanted.emit)
            say("warning", f"shaderlab {ended} last time: preview paused", action)

    def choose(self) -> None:
        """Let the user choose among the kept texts."""
        kept = self._recovery.kept
        if not kept:
            self._notices.say("note", "There are no unsaved texts from earlier runs")
            return
        entries = [
            Entry(str(index), each.draft.document.name, _when(each.draft))
            for index, each in enumerate(kept)
        ]
        entries.append(Entry(_FORGET, "Delete all of these", "this cannot be undone"))
        palette = CommandPalette(entries, "Restore an unsaved text", self._window)
        palette.chosen.connect(self._chosen)
        palette.popup()

    def restore(self, kept: Kept) -> None:
        """Show a kept text as unsaved changes; it is kept by this run from then on."""
        if not self._documents.restore(kept.draft):
            return
        if self._journal is not None:
            self._journal.write_now()
            if not apart(self._recovery.writer.flush):
                return  # a slow disk: better twice than not at all
        self._recovery.forget(kept)

    def _chosen(self, key: str) -> None:
        if key == _FORGET:
            for kept in tuple(self._recovery.kept):
                self._recovery.forget(kept)
        else:
            self.restore(self._recovery.kept[int(key)])

    def _unsaved(self) -> Draft | None:
        return self._documents.unsaved

    def _on_modified(self, modified: bool) -> None:
        if not modified and self._journal is not None:
            self._journal.write_now()

    def _on_failed(self, path: str, reason: str) -> None:
        if self._recovery.writes_journal(path):
            self._notices.say("warning", f"Unsaved changes are not backed up: {reason}")


def _when(draft: Draft) -> str:
    """`23:12`, with the date if that is another day."""
    at, now = time.localtime(draft.at), time.localtime()
    clock = time.strftime("%H:%M", at)
    return clock if at[:3] == now[:3] else f"{time.strftime('%Y-%m-%d', at)} {clock}"
