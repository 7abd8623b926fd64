"""One panel in the window: a dock that floats, closes, and takes the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

from shaderlab.app.qt import QPoint, Qt, QTimer, QtWidgets, QWidget, Signal

_LEAST = (150, 90)
"""Pixels a dock can be made as small as; what does not fit is scrolled."""
_FLOATED_BY = QPoint(24, 24)
"""Pixels away from where it was docked, so that the user sees it float."""
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Dock(QtWidgets.QDockWidget):
    """A panel with its title, which is hidden while a tab shows it."""

    left = Signal()
    """Escape was pressed, and nothing in the panel had a use for it."""
    resized = Signal()

    def __init__(self, name: str, title: str, panel: QWidget, window: QtWidgets.QMainWindow):
        super().__init__(title, window)
        self.setObjectName(name)
        self.panel, self.in_front = panel, False
        # A panel that needs more room than before scrolls: it does not move the others.
        self._area = area = QtWidgets.QScrollArea()
        area.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setMinimumSize(*_LEAST)
        area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        area.setAccessibleName(title)
        area.setWidget(panel)
        self.setWidget(area)
        self._no_title = QWidget(self)
        self._no_title.hide()
        self.visibilityChanged.connect(self._on_seen)
        self._window, self._docked_at = window, QPoint()
        self.topLevelChanged.connect(lambda _: QTimer.singleShot(0, self._show_that_it_floats))

    def _on_seen(self, seen: bool) -> None:
        self.in_front = seen
        self.panel.setVisible(seen)  # behind a tab it is spared its work

    def show_title(self, shown: bool) -> None:
        """Have a title bar, or none where a tab has the title."""
        if shown and self.titleBarWidget() is not None:
            self.setTitleBarWidget(None)  # type: ignore[arg-type]
        elif not shown and self.titleBarWidget() is None:
            self.setTitleBarWidget(self._no_title)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def moveEvent(self, event) -> None:
        super().moveEvent(event)
        if not self.isFloating():
            self._docked_at = self.pos()

    def _show_that_it_floats(self) -> None:
        # One that is dragged is elsewhere already.
        if self.isFloating() and self.pos() == self._window.mapToGlobal(self._docked_at):
            self.move(self.pos() + _FLOATED_BY)

    # -- the keyboard -----------------------------------------------------------------------

    def enter(self) -> None:
        """Give the panel the keyboard: where it was last, else its list or first control."""
        if self.isFloating():
            self.activateWindow()
        latest = self.panel.focusWidget()
        usable = latest is not None and latest.isEnabled() and latest.isVisible()
        target = latest if usable else self._first()
        (target or self._area).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _first(self) -> QWidget | None:
        """The panel's list, if it has one: in a control above it arrow keys change a value."""
        found = list(self._controls())
        lists = (each for each in found if isinstance(each, QtWidgets.QAbstractItemView))
        return next(lists, found[0] if found else None)

    def _controls(self) -> Iterator[QWidget]:
        """Those that Tab reaches, in its order."""
        each: QWidget | None = self.panel
        while each is not None:
            takes = each.focusPolicy() & Qt.FocusPolicy.TabFocus
            if takes and each.isEnabled() and each.isVisible():
                yield each
            each = each.nextInFocusChain()
            if each is self.panel or each is None or not self.panel.isAncestorOf(each):
                return

    @property
    def has_focus(self) -> bool:
        focused = QtWidgets.QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() not in _ENTER:
            super().keyPressEvent(event)
