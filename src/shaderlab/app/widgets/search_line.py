"""A search field above a list."""

from __future__ import annotations

from shaderlab.app.qt import Qt, QtWidgets, Signal

_KEY = Qt.Key
_MOVES = (_KEY.Key_Up, _KEY.Key_Down, _KEY.Key_PageUp, _KEY.Key_PageDown)


class SearchLine(QtWidgets.QLineEdit):
    """The arrow keys move in the list while one types.  Return is `entered` and nothing else: a
    dialog's default button never has it."""

    entered = Signal()

    def __init__(self, placeholder: str, name: str, found: QtWidgets.QAbstractItemView):
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self._found = found

    def keyPressEvent(self, event) -> None:
        if event.key() in _MOVES:
            QtWidgets.QApplication.sendEvent(self._found, event)
        elif event.key() in (_KEY.Key_Return, _KEY.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)
