"""A line of text that ends in an ellipsis where there is no room for all of it."""

from __future__ import annotations

from shaderlab.app.qt import QPainter, QSize, Qt, QtWidgets


class ElidedLabel(QtWidgets.QLabel):
    """Gives way to a narrow pane instead of widening it; the pointer shows the rest."""

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("\u2026"), super().sizeHint().height())

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        box = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)
