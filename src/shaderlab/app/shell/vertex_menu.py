"""What feeds the fragment stage: the geometry as it is, or a vertex shader of the user's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shaderlab.app.documents.documents import Documents
from shaderlab.app.qt import QActionGroup, QObject, QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.frontend.program import Dialect
from shaderlab.projects.finding import vertex_beside

_BOTH_STAGES = frozenset({Dialect.LIBRETRO, Dialect.HLSL, Dialect.SLANG, Dialect.WGSL})
"""Dialects whose texts may have both stages."""


class VertexMenu(QObject):
    """A menu for the menu bar, filled when it is about to be shown."""

    def __init__(self, session: Session, documents: Documents, window: QWidget):
        super().__init__(window)
        self._session, self._documents = session, documents
        self.menu = QtWidgets.QMenu("&Vertex stage", window)
        self.menu.aboutToShow.connect(self._fill)
        self._fill()  # so that menu bars know that it has entries

    def _fill(self) -> None:
        menu, documents, vertex = self.menu, self._documents, self._session.vertex
        menu.clear()
        group = QActionGroup(menu)
        self._add(group, "From the geometry", not vertex.is_own, lambda: documents.use_vertex(None))
        program = self._session.program
        if vertex.in_document or (program is not None and program.dialect in _BOTH_STAGES):
            self._add(group, "In this text", vertex.in_document, documents.use_vertex_here)
        for path in self._files():
            is_used = path == documents.vertex.path
            self._add(group, path.name, is_used, lambda path=path: documents.use_vertex(path))
        menu.addSeparator()
        menu.addAction("&Other file…").triggered.connect(documents.open_vertex_dialog)

    def _files(self) -> list[Path]:
        """The one in use, and the one that goes with the document by its name."""
        own, used = self._documents.document.path, self._documents.vertex.path
        beside = vertex_beside(own) if own is not None else None
        return list(dict.fromkeys(each for each in (used, beside) if each is not None))

    def _add(
        self, group: QActionGroup, text: str, checked: bool, call: Callable[[], object]
    ) -> None:
        entry = group.addAction(text.replace("&", "&&"))
        entry.setCheckable(True)
        entry.setChecked(checked)
        entry.triggered.connect(lambda _=False: call())
        self.menu.addAction(entry)
