"""The keyboard's way around the window: text, problems, each panel in front, and back."""

from __future__ import annotations

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.qt import QObject, QPoint, Qt
from shaderlab.app.shell.dock import Dock
from shaderlab.app.shell.layout import Layout


class FocusRing(QObject):
    """Moves the keyboard from one part of the window to the next."""

    def __init__(self, editor: Editor, problems: Problems, layout: Layout, parent: QObject):
        super().__init__(parent)
        self._editor, self._problems, self._layout = editor, problems, layout
        for dock in layout.docks.values():
            dock.left.connect(self.enter_text)

    def enter_text(self) -> None:
        self._editor.window().activateWindow()
        self._editor.setFocus()

    def next(self) -> None:
        """To the next part, after the last one to the text."""
        self._enter(1)

    def previous(self) -> None:
        self._enter(-1)

    def _enter(self, step: int) -> None:
        docks = self._docks()
        ring = [self.enter_text, *(dock.enter for dock in docks)]
        here = next((n for n, dock in enumerate(docks, 1) if dock.has_focus), 0)
        if self._problems.is_open:
            ring.append(lambda: self._problems.list.setFocus(Qt.FocusReason.ShortcutFocusReason))
            here = len(ring) - 1 if self._problems.list.hasFocus() else here
        ring[(here + step) % len(ring)]()

    def _docks(self) -> list[Dock]:
        """Those in front, from left to right, then from top to bottom."""

        def place(dock: Dock) -> tuple[bool, int, int]:
            corner = dock.mapToGlobal(QPoint(0, 0))
            return dock.isFloating(), corner.x(), corner.y()

        return sorted((d for d in self._layout.docks.values() if d.in_front), key=place)
