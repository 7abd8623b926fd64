"""The one place where the window tells what happened; everything said stays readable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from shaderlab.app import icons
from shaderlab.app.qt import QEvent, QObject, QSize, Qt, QTimer, QtWidgets, QWidget, Signal
from shaderlab.app.theme import Theme

log = logging.getLogger(__name__)

SHOWN_MS = 6000
MOST_KEPT = 200


@dataclass(frozen=True)
class Notice:
    """`level` is "note", "warning" or "error"; errors stay until closed."""

    level: str
    text: str
    at: float
    """Seconds since the epoch."""
    times: int = 1
    """How often the same was said in a row."""


class NotificationCentre(QObject):
    """Keeps what was said; the same again is counted, not repeated."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.notices: list[Notice] = []

    def say(self, level: str, text: str) -> None:
        levels = {"error": logging.ERROR, "warning": logging.WARNING}
        log.log(levels.get(level, logging.INFO), "%s", text)
        latest = self.notices[-1] if self.notices else None
        if latest is not None and (latest.level, latest.text) == (level, text):
            self.notices[-1] = replace(latest, times=latest.times + 1, at=time.time())
        else:
            self.notices.append(Notice(level, text, time.time()))
            del self.notices[:-MOST_KEPT]
        self.changed.emit(self.notices[-1])


class NotificationBar(QtWidgets.QFrame):
    """Floats over the free end of the toolbar: the latest notice, with one action at most."""

    def __init__(self, centre: NotificationCentre, theme: Theme, parent: QWidget, anchor: QWidget):
        super().__init__(parent)
        self._theme = theme
        self._anchor = anchor
        self._level = "note"
        self.setProperty("role", "overlay")
        self._icon = QtWidgets.QLabel()
        self._text = QtWidgets.QLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QtWidgets.QPushButton()
        self._call: Callable[[], None] | None = None
        self._button.clicked.connect(self._act)
        self._close = QtWidgets.QToolButton()
        self._close.setIconSize(QSize(14, 14))
        self._close.setToolTip("Close")
        self._close.clicked.connect(self.hide)
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(12, 4, 6, 4)
        row.setSpacing(9)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        row.addWidget(self._close)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        centre.changed.connect(self._show_notice)
        parent.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def offer(self, button: str, call: Callable[[], None]) -> None:
        """Add an action to the notice just shown; it stays until used or closed."""
        self._call = call
        self._button.setText(button)
        self._button.show()
        self._timer.stop()
        self._place()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = {"error": theme.error, "warning": theme.warning}.get(self._level, theme.accent)
        self._icon.setPixmap(icons.pixmap(self._level, colour, 18, self.devicePixelRatioF()))
        self._close.setIcon(icons.icon("close", theme))

    def _show_notice(self, notice: Notice) -> None:
        self._level = notice.level
        times = f"  (\u00d7{notice.times})" if notice.times > 1 else ""
        self._text.setText(notice.text + times)
        self._call = None
        self._button.hide()
        self.set_theme(self._theme)
        self.show()
        self.raise_()
        self._place()
        self._timer.stop()
        if notice.level != "error":
            self._timer.start(SHOWN_MS)

    def _act(self) -> None:
        self.hide()
        if self._call is not None:
            self._call()

    def _place(self) -> None:
        """Over the free end of the anchor, where nothing is read or typed."""
        parent, anchor = self.parentWidget(), self._anchor
        extra = 110 + (self._button.sizeHint().width() if not self._button.isHidden() else 0)
        wanted = self.fontMetrics().horizontalAdvance(self._text.text()) + extra
        room = max(parent.width() - anchor.sizeHint().width() - 24, 380)
        width = min(wanted, room)
        height = max(self.heightForWidth(width), self.minimumSizeHint().height())
        self.resize(width, height)
        top = anchor.y() + max((anchor.height() - height) // 2, 2)
        self.move(parent.width() - width - 8, top)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)
