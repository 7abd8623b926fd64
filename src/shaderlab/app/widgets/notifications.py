"""Notices: the one place where the window reports what happened, with their history."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from shaderlab.app.qt import QEvent, QObject, QSize, Qt, QTimer, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import Theme

log = logging.getLogger(__name__)

SHOWN_MS = 6000
MOST_KEPT = 200
REPEAT_S = 30.0
"""A notice repeated within this time is counted, whatever came in between."""
CALM_MS = 250
"""Notices that follow each other faster are not all shown: only the latest of them."""


class Action(NamedTuple):
    """What the user can do about it."""

    label: str
    call: Callable[[], None]


@dataclass(frozen=True)
class Notice:
    """`level` is "note", "warning" or "error"; errors stay until closed."""

    level: str
    text: str
    at: float
    """Seconds since the epoch."""
    times: int = 1
    """How often it was repeated, the first included."""
    action: Action | None = None
    about: str = ""
    """What failed, where a later success ends the notice."""


class NotificationCentre(QObject):
    """Keeps notices; counts repeated ones, and shows only the latest of a flood."""

    changed = Signal(object)
    settled = Signal(str)
    """What notices were about that are over."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.notices: list[Notice] = []
        """Oldest first."""
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self._show_late)
        self._waiting: Notice | None = None

    def say(self, level: str, text: str, action: Action | None = None, about: str = "") -> None:
        notice = Notice(level, text, time.time(), action=action, about=about)
        former = self._same_of_late(notice)
        if former is None:
            levels = {"error": logging.ERROR, "warning": logging.WARNING}
            log.log(levels.get(level, logging.INFO), "%s", text)
        else:
            self.notices.remove(former)
            notice = replace(notice, times=former.times + 1)
        self.notices.append(notice)
        del self.notices[:-MOST_KEPT]
        self._announce(notice)

    def settle(self, about: str) -> None:
        """It succeeded: a notice that it did not is not shown any longer."""
        if self._waiting is not None and self._waiting.about == about:
            self._waiting = None
        self.settled.emit(about)

    def _same_of_late(self, notice: Notice) -> Notice | None:
        for former in reversed(self.notices):
            if notice.at - former.at > REPEAT_S:
                return None
            if (former.level, former.text) == (notice.level, notice.text):
                return former
        return None

    def _announce(self, notice: Notice) -> None:
        """Show at once, or with others a moment later; an error is not hidden by what follows."""
        if not self._calm.isActive():
            self._waiting = None
            self._calm.start()
            self.changed.emit(notice)
        elif self._waiting is None or _RANK[notice.level] >= _RANK[self._waiting.level]:
            self._waiting = notice

    def _show_late(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._calm.start()
            self.changed.emit(waiting)


_RANK = {"note": 0, "warning": 1, "error": 2}


class NotificationBar(QtWidgets.QFrame):
    """Floats over the free end of the toolbar: the latest notice, with one action at most."""

    def __init__(self, centre: NotificationCentre, theme: Theme, parent: QWidget, anchor: QWidget):
        super().__init__(parent)
        self._theme = theme
        self._parent, self._anchor = parent, anchor
        self._level, self._about = "note", ""
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
        centre.settled.connect(self._on_settled)
        parent.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = {"error": theme.error, "warning": theme.warning}.get(self._level, theme.accent)
        self._icon.setPixmap(icons.pixmap(self._level, colour, 18, self.devicePixelRatioF()))
        self._close.setIcon(icons.icon("close", theme))

    def _show_notice(self, notice: Notice) -> None:
        self._level, self._about = notice.level, notice.about
        times = f"  (\u00d7{notice.times})" if notice.times > 1 else ""
        self._text.setText(notice.text + times)
        self._call = notice.action.call if notice.action else None
        self._button.setText(notice.action.label if notice.action else "")
        self._button.setVisible(notice.action is not None)
        self.set_theme(self._theme)
        self.show()
        self.raise_()
        self._place()
        self._timer.stop()
        if notice.level != "error" and notice.action is None:
            self._timer.start(SHOWN_MS)

    def _on_settled(self, about: str) -> None:
        if about == self._about:
            self.hide()

    def _act(self) -> None:
        self.hide()
        if self._call is not None:
            self._call()

    def _place(self) -> None:
        """Over the free end of the anchor, where nothing is read or typed."""
        parent, anchor = self._parent, self._anchor
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
