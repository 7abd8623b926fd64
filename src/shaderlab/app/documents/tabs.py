"""The open documents: one in front, which the session works on, the others as they were left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.versions import Version


class Tab:
    """One open document; while it is in front, `Documents` knows better than the fields here."""

    def __init__(self, buffer: Buffer, document: Document | None = None):
        self.buffer = buffer
        self.document = document or Document("untitled")
        self.project: Path | None = None
        """Of its project's file."""
        self.draft: Draft | None = None
        """What it was drawn with, where that is not what its project's file has."""
        self.unsaved: Draft | None = None
        """What of it must not be lost."""
        self.versions: Sequence[Version] = ()
        self.baseline = 0

    @property
    def key(self) -> str:
        """What it is reopened by: a path, or `example:<name>`; empty for what has no file."""
        opened = self.document
        if opened.example:
            return f"example:{opened.example}"
        return str(opened.path or "")


class Tabs(QObject):
    """In the order of the tab bar."""

    changed = Signal()
    """Other tabs, another order, or another one in front."""

    def __init__(self, first: Tab, parent: QObject):
        super().__init__(parent)
        self.front = first
        self.all: list[Tab] = [first]

    @property
    def parked(self) -> tuple[Tab, ...]:
        return tuple(tab for tab in self.all if tab is not self.front)

    def add(self, tab: Tab, *, in_front: bool = True) -> None:
        """Put it behind the one in front."""
        self.all.insert(self.all.index(self.front) + 1, tab)
        if in_front:
            self.front = tab
        self.changed.emit()

    def remove(self, tab: Tab) -> None:
        """One that is not in front."""
        self.all.remove(tab)
        self.changed.emit()

    def move(self, start: int, end: int) -> None:
        self.all.insert(end, self.all.pop(start))
        self.changed.emit()

    def arrange(self, keys: Sequence[str]) -> None:
        """Have the order of these keys; others stay behind them."""
        place = {key: at for at, key in enumerate(keys)}
        self.all.sort(key=lambda tab: place.get(tab.key, len(place)))
        self.changed.emit()

    def beside(self, step: int) -> Tab:
        """The tab so many places after the one in front, around the end."""
        return self.all[(self.all.index(self.front) + step) % len(self.all)]

    def of(self, path: Path) -> Tab | None:
        """A tab that is not in front with this file."""
        wanted = path.absolute()
        return next(
            (tab for tab in self.parked if wanted in (tab.document.path, tab.project)), None
        )
