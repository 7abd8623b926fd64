"""The function that the first visible line belongs to, kept in sight above it."""

from __future__ import annotations

from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QEvent, Qt, QTimer, QtWidgets
from shaderlab.language.outline import Part, function_around

_REST_MS = 250
"""Without a key press, before the text's functions are looked for again."""


class StickyHeader(QtWidgets.QLabel):
    """Over the top of the editor; a click goes to the function."""

    def __init__(self, editor: Editor, assistant: Assistant):
        super().__init__(editor)
        self._editor, self._assistant = editor, assistant
        self._parts: list[Part] = []
        self._line = 0
        self.setProperty("role", "sticky")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._read)
        editor.scrolled.connect(self.follow)
        editor.changed.connect(self._rest.start)
        editor.installEventFilter(self)
        self.hide()

    @property
    def line(self) -> int:
        """First line of the function shown; 0 where none is."""
        return self._line

    def follow(self) -> None:
        """Show the function of the first visible line, if its own first line is out of sight."""
        top = self._editor.first_visible_line
        part = function_around(self._parts, top)
        self._line = part.first if part is not None and part.first < top else 0
        self.setVisible(bool(self._line))
        if part is not None and self._line:
            self.setText(part.symbol.declaration)
            self.setFont(self._editor.text_font)
            self.setGeometry(*self._editor.header_place)

    def _read(self) -> None:
        self._parts = self._assistant.outline() if self._assistant.may_look else []
        self.follow()

    def mousePressEvent(self, event) -> None:
        if self._line:
            self._editor.go_to(self._line)
            self._editor.setFocus()
        event.accept()

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.follow()
        return super().eventFilter(watched, event)
