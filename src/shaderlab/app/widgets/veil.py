"""A veil over numbers of an earlier version of the text: still legible, plainly not new."""

from __future__ import annotations

from shaderlab.app.qt import QEvent, QPainter, QPalette, Qt, QWidget

OPACITY = 0.55
"""Of the background over what is veiled."""


class Veil(QWidget):
    """Covers the whole of its parent and takes no clicks.  Not shown at first."""

    def __init__(self, over: QWidget):
        super().__init__(over)
        self._over = over
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        over.installEventFilter(self)
        self.hide()

    def set_drawn(self, drawn: bool) -> None:
        if drawn == self.isHidden():
            self.setGeometry(self._over.rect())
            self.raise_()
            self.setVisible(drawn)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._over.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event) -> None:
        colour = self.palette().color(QPalette.ColorRole.Window)
        colour.setAlphaF(OPACITY)
        QPainter(self).fillRect(event.rect(), colour)
