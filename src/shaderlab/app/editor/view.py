"""The widget that shows the text, and the text itself: what all parts of the editor work on."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.editor.bindings import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QMouseEvent,
    QResizeEvent,
    Qsci,
    check_versions,
    widget_of,
)
from shaderlab.app.editor.limits import oversize, unshowable
from shaderlab.app.qt import QtWidgets, QWidget, Signal


class _Scintilla(Qsci.QsciScintilla):
    """Hands files dropped on the text to the window instead of pasting their names."""

    def __init__(
        self,
        dropped: Callable[[list[str]], None],
        refused: Callable[[str], None],
        entered: Callable[[_Scintilla], None],
        resized: Callable[[], None],
    ):
        """`entered`: called before it gets the focus or a click."""
        super().__init__()
        self._dropped, self._refused, self._entered = dropped, refused, entered
        self._resized = resized

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        if e is not None:
            super().resizeEvent(e)
        self._resized()

    def focusInEvent(self, e: QFocusEvent) -> None:
        self._entered(self)
        if e is not None:
            super().focusInEvent(e)

    def mousePressEvent(self, e: QMouseEvent) -> None:
        self._entered(self)
        if e is not None:
            super().mousePressEvent(e)

    def canInsertFromMimeData(self, source) -> bool:
        """Whether something may be pasted or dropped: not what would take seconds to lay out."""
        if not super().canInsertFromMimeData(source):
            return False
        # Converting ten megabytes to a Python text would already block the window for too long.
        size = source.data("text/plain").size()
        if reason := oversize(size) or unshowable(source.text()):
            self._refused(f"Not pasted: {reason}")
        return not reason

    def dragEnterEvent(self, e: QDragEnterEvent | None) -> None:
        if e is None:
            return
        if _files(e):
            e.acceptProposedAction()
        else:
            super().dragEnterEvent(e)

    def dragMoveEvent(self, e: QDragMoveEvent | None) -> None:
        if e is None:
            return
        if _files(e):
            e.acceptProposedAction()
        else:
            super().dragMoveEvent(e)

    def dropEvent(self, e: QDropEvent | None) -> None:
        if e is None:
            return
        if files := _files(e):
            e.acceptProposedAction()
            self._dropped(files)
        else:
            super().dropEvent(e)


def _files(event: QDropEvent) -> list[str]:
    """Paths of the files being dragged; empty for anything else."""
    data = event.mimeData()
    return [url.toLocalFile() for url in data.urls()] if data is not None else []


class ScintillaView(QWidget):
    """A text in QScintilla, behind a PySide6 widget."""

    files_dropped = Signal(list)
    refused = Signal(str)
    """Why something was not pasted."""
    character_typed = Signal(str)
    """A key put this character into the text."""
    scrolled = Signal()
    """Other lines are visible than before."""
    changed = Signal()
    """The text is another, whoever changed it."""

    def __init__(self, parent: QWidget | None = None):
        """Raises BindingsDiffer where the Qt bindings do not fit together."""
        check_versions()
        super().__init__(parent)
        self._heard: list[tuple[str, Callable[..., object]]] = []
        self._sci, self._view = self._make_view()
        layout = QtWidgets.QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._view)
        self.setFocusProxy(self._view)
        self._text: str | None = None
        """What `text` gives, until the next change."""
        self._hear("textChanged", self._forget_text)

    def _make_view(self) -> tuple[_Scintilla, QWidget]:
        """Another one: as Scintilla, and as PySide6 knows it."""
        sci = _Scintilla(
            self.files_dropped.emit, self.refused.emit, self._on_entered, self._on_resized
        )
        return sci, widget_of(sci)

    def _on_entered(self, sci: _Scintilla) -> None:
        """This view gets the keyboard."""

    def _on_resized(self) -> None:
        """A view has another size."""

    def _hear(self, signal: str, slot: Callable[..., object]) -> None:
        """Have this signal of Scintilla's call `slot`, from the view in use only."""
        self._heard.append((signal, slot))
        self._listen(self._sci, signal, slot)

    def _listen(self, sci: _Scintilla, signal: str, slot: Callable[..., object]) -> None:
        def call(*said: object) -> None:
            if sci is self._sci:
                slot(*said)

        getattr(sci, signal).connect(call)

    def add_beside(self, strip: QWidget) -> None:
        """Put this at the right of the scroll bar."""
        layout = self.layout()
        assert layout is not None
        layout.addWidget(strip)

    @property
    def text(self) -> str:
        """The text with `\\n` line ends; read from Scintilla once per change."""
        if self._text is None:
            self._text = self._sci.text().replace("\r\n", "\n").replace("\r", "\n")
        return self._text

    @property
    def read_only(self) -> bool:
        return self._sci.isReadOnly()

    def _forget_text(self) -> None:
        self._text = None
