"""The whole text as a strip of heat beside the scroll bar."""

from __future__ import annotations

from shaderlab.app.editor.line_costs import LineCosts, hottest
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import (
    QColor,
    QEvent,
    QPainter,
    QPen,
    QRectF,
    QSize,
    Qt,
    QtWidgets,
    QWidget,
)
from shaderlab.app.widgets.theme import Theme, with_alpha

_WIDTH = 14
_LEAST = 2.0
"""Pixels a hot line takes at least, however long the text."""
_NEAR = 3.0
"""Pixels around the pointer within which a hot line is meant."""


class CostStrip(QWidget):
    """Hot lines as bars, the hotter the longer; the part on screen in a frame.

    A click shows the lines there; the caret stays.
    """

    def __init__(self, editor: Editor, theme: Theme):
        super().__init__()
        self._editor, self._theme = editor, theme
        self._costs = LineCosts()
        self._drawn = True
        self.setFixedWidth(_WIDTH)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Cost of the lines")
        editor.scrolled.connect(self.update)
        editor.changed.connect(self.update)
        editor.add_beside(self)

    def show_costs(self, costs: LineCosts) -> None:
        """Show these in place of those before."""
        self._costs = costs
        self.update()

    def set_drawn(self, drawn: bool) -> None:
        """Faint where the costs are of an earlier text."""
        if drawn != self._drawn:
            self._drawn = drawn
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 100)

    @property
    def line_height(self) -> float:
        """Pixels of one line: as on screen in a short text, less in a long one."""
        lines, shown = max(self._editor.line_count, 1), self._editor.lines_on_screen
        return self.height() / max(lines, shown, 1)

    def place_of(self, line: int) -> float:
        """Top of a line's bar, pixels."""
        return (line - 1) * self.line_height

    def paintEvent(self, _event) -> None:
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.base))
        high = max(self.line_height, _LEAST)
        steps = len(theme.heat) - 1
        room = self.width() - 4
        painter.setOpacity(1.0 if self._drawn else 0.45)
        for line, heat in sorted(self._costs.heat.items(), key=lambda each: each[1]):
            long = room * (0.4 + 0.6 * heat / steps)
            bar = QRectF(2 + room - long, self.place_of(line), long, high)
            painter.fillRect(bar, QColor(theme.strip[heat]))
        painter.setOpacity(1.0)
        top = self.place_of(self._editor.first_visible_line)
        frame = QRectF(0.5, top + 0.5, self.width() - 1,
                       self._editor.lines_on_screen * self.line_height - 1)  # fmt: skip
        painter.setPen(QPen(with_alpha(theme.dim, 0.7), 1))
        painter.setBrush(with_alpha(theme.text, 0.06))
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(0, 0, -1, -1)))

    def mousePressEvent(self, event) -> None:
        self._show_at(event.position().y())

    def mouseMoveEvent(self, event) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._show_at(event.position().y())

    def event(self, event) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            line = self._line_near(event.pos().y())
            note = self._editor.note_at(line) if line is not None else None
            text = f"Line {line}: {note.tip}" if note is not None else ""
            QtWidgets.QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _line_near(self, y: float) -> int | None:
        first, last = ((y + off) / self.line_height + 1 for off in (-_NEAR, _NEAR))
        return hottest(self._costs.heat, int(first), int(last))

    def _show_at(self, y: float) -> None:
        """Have the lines there in the middle of the view, the hot one nearby if there is any."""
        line = self._line_near(y) or int(y / self.line_height) + 1
        self._editor.centre(min(max(line, 1), self._editor.line_count))
