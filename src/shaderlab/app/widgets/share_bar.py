"""A share in a table's cell, as a number over a bar; the largest share has the longest bar."""

from __future__ import annotations

from shaderlab.app.qt import Qt, QtWidgets, QWidget
from shaderlab.app.widgets.theme import LIGHT, with_alpha

SHARE_ROLE = Qt.ItemDataRole.UserRole + 1
"""Asks a model for the length of a row's bar: its share by the largest one, 0..1."""

_CELL_PADDING = 11


class ShareBar(QtWidgets.QStyledItemDelegate):
    """A bar beside the number."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.theme = LIGHT

    def paint(self, painter, option, index) -> None:
        share = index.data(SHARE_ROLE) or 0.0
        box = option.rect.adjusted(6, 5, -6, -5)
        room = box.width() - option.fontMetrics.horizontalAdvance("000 %") - _CELL_PADDING
        width = max(round(room * share), 1 if share else 0)
        super().paint(painter, option, index)
        if width:
            box.setWidth(width)
            painter.fillRect(box, with_alpha(self.theme.bars, 0.3))
