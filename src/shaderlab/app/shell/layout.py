"""Where the window's parts are: the text in the middle, the panels in docks around it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from shaderlab.app.qt import (
    QByteArray,
    QEvent,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.settings import Settings
from shaderlab.app.shell.arrangements import ARRANGEMENTS, Arrangement, Room, columns, room
from shaderlab.app.shell.dock import Dock
from shaderlab.app.shell.panels import PANELS

FIRST_SIZE = (1280, 720)
_LEAST_TEXT = (280, 140)
"""Pixels that are the text's whatever the panels want: some 30 columns, 6 lines."""
_SETTLE_MS = 120
_Option = QtWidgets.QMainWindow.DockOption
_RIGHT, _BOTTOM = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


@dataclass(frozen=True)
class _Standing:
    """The docks at one time."""

    state: bytes
    size: QSize
    """Of the window."""
    shares: Mapping[str, float]
    """Of the window's height, by the name of each panel in front."""


class Layout(QObject):
    """The docks, their first places, and what of them is remembered in the settings.

    A window whose width becomes one of another kind (`arrangements.Room`) gets the arrangement it
    had at that width last time, or the first one of its kind.
    """

    side_shown = Signal(bool)
    """Whether the preview and the panels are on screen."""
    preview_seen = Signal(bool)
    """Whether the preview can be seen: open, in front of its tabs, in a window that is not
    minimised."""

    def __init__(
        self,
        window: QtWidgets.QMainWindow,
        text: QWidget,
        panels: Mapping[str, QWidget],
        settings: Settings,
    ):
        """`text`: the window's middle; `panels`: the widget of each of `PANELS`, by name."""
        super().__init__(window)
        self.panels, self._window, self._settings, self._text = panels, window, settings, text
        text.setMinimumSize(*_LEAST_TEXT)
        window.setCentralWidget(text)
        window.setDockOptions(
            _Option.AllowNestedDocks | _Option.AllowTabbedDocks | _Option.GroupedDragging
        )
        window.setTabPosition(
            Qt.DockWidgetArea.AllDockWidgetAreas, QtWidgets.QTabWidget.TabPosition.North
        )
        window.setDocumentMode(True)
        self.docks = {
            each.name: Dock(each.name, each.plain_title, panels[each.name], window)
            for each in PANELS
        }
        self._version = zlib.crc32("|".join(self.docks).encode()) & 0x7FFFFFFF
        self._room = Room.WIDE
        self._was_shown = False
        self._passing = QSize()
        """Of the window, where the sizes of panels restored belong to the larger one it becomes."""
        self._size_before = QSize()
        """Of the window, while it is being resized."""
        self._steady: _Standing | None = None
        """When they last stood still: not squeezed into a window that is becoming narrow."""
        self._standing = QTimer(self, singleShot=True, interval=2 * _SETTLE_MS)
        self._standing.timeout.connect(self._on_standing)
        self._arranged: Arrangement | None = None
        """The one of `ARRANGEMENTS` that the docks were put in last; None for a stored one."""
        self._stored_at: dict[Room, _Standing] = {}
        self._tidying = QTimer(self, singleShot=True, interval=0)
        self._tidying.timeout.connect(self._tidy)
        self._resized = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._resized.timeout.connect(self._follow_size)
        for dock in self.docks.values():
            window.addDockWidget(_RIGHT, dock)
            for moved in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
                moved.connect(lambda _: self._tidying.start())
                moved.connect(lambda _: self._standing.start())
            dock.resized.connect(self._standing.start)
        self.docks["preview"].visibilityChanged.connect(lambda _: self._say_preview())
        window.installEventFilter(self)

    # -- showing ----------------------------------------------------------------------------

    def show_tab(self, panel: QWidget) -> None:
        """Open a panel, in front of the others in its place."""
        dock = next(dock for dock in self.docks.values() if dock.panel is panel)
        if not self._settings.side_visible:
            self.show_side(True)
        dock.show()
        dock.raise_()

    def enter(self, name: str) -> None:
        """Open a panel and give it the keyboard."""
        self.show_tab(self.panels[name])
        self.docks[name].enter()

    def is_in_front(self, panel: QWidget) -> bool:
        """Whether the panel is open and not behind another one's tab."""
        return any(dock.in_front for dock in self.docks.values() if dock.panel is panel)

    @property
    def preview_is_seen(self) -> bool:
        return self.docks["preview"].in_front and not self._window.isMinimized()

    def show_side(self, shown: bool) -> None:
        """Open the panels that were open, or close all of them."""
        if not shown and self._settings.side_visible:
            self._store()
        self._settings.side_visible = shown
        if shown:
            self._take_stored()
        else:
            for dock in self.docks.values():
                dock.hide()
        self.side_shown.emit(shown)

    def close_focused(self) -> None:
        """Close the panel that has the keyboard, if any."""
        for dock in self.docks.values():
            if dock.has_focus:
                dock.close()
                dock.left.emit()
                return

    def toggles(self, parent: QWidget) -> QtWidgets.QMenu:
        """A menu that opens and closes each panel."""
        menu = QtWidgets.QMenu("Panels", parent)
        for dock in self.docks.values():
            menu.addAction(dock.toggleViewAction())
        return menu

    # -- arranging --------------------------------------------------------------------------

    def reset(self) -> None:
        """Arrange the panels as suits the window's width."""
        for kind in Room:
            setattr(self._settings, f"docks_{kind}", b"")
        self._room = room(self._window.width())
        self.show_side(True)

    def restore(self) -> None:
        """As the settings remember it, within the screen."""
        settings, window = self._settings, self._window
        if not settings.geometry or not window.restoreGeometry(QByteArray(settings.geometry)):
            window.resize(*FIRST_SIZE)
        screen = window.screen().availableGeometry().size()
        if window.isMaximized() or window.isFullScreen():
            self._passing = window.size()
        else:
            window.resize(window.size().boundedTo(screen))
        self._room = room(window.width())
        self._take_stored()
        if not settings.side_visible:
            for dock in self.docks.values():
                dock.hide()
        self.side_shown.emit(settings.side_visible)

    def remember(self) -> None:
        """Write the places into the settings."""
        self._settings.geometry = bytes(self._window.saveGeometry().data())
        if self._settings.side_visible:
            self._store()

    def _state(self) -> bytes:
        return bytes(self._window.saveState(self._version).data())

    def _store(self, standing: _Standing | None = None) -> None:
        found = standing or self._stand()
        setattr(self._settings, f"docks_{self._room}", found.state)
        self._stored_at[self._room] = found

    def _stand(self) -> _Standing:
        """As the docks are now."""
        height = max(self._window.height(), 1)
        shares = {n: d.height() / height for n, d in self.docks.items() if d.in_front}
        return _Standing(self._state(), self._window.size(), shares)

    def _take_stored(self) -> None:
        state = getattr(self._settings, f"docks_{self._room}")
        if not state or not self._window.restoreState(QByteArray(state), self._version):
            self._arrange(ARRANGEMENTS[self._room])
        else:
            self._arranged = None

    def _arrange(self, arrangement: Arrangement) -> None:
        """Put all panels where the arrangement has them."""
        window = self._window
        for dock in self.docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        made = columns(arrangement, tuple(self.docks))
        heads = [self.docks[column[0][0]] for column in made]
        window.addDockWidget(_RIGHT if arrangement.beside else _BOTTOM, heads[0])
        for before, head in pairwise(heads):
            window.splitDockWidget(before, head, _ACROSS)
        for column in made:  # only now, or a lower group would reach below the next column
            for above, group in pairwise(column):
                window.splitDockWidget(self.docks[above[0]], self.docks[group[0]], _DOWN)
            for group in column:
                for behind, name in pairwise(group):
                    window.tabifyDockWidget(self.docks[behind], self.docks[name])
        for dock in self.docks.values():
            dock.show()
        self._arranged = arrangement
        self._size()
        # Where Qt had not yet laid out the window's new size.  Later than at once somebody may have
        # chosen another tab.
        QTimer.singleShot(0, self._size)
        QTimer.singleShot(_SETTLE_MS, self._divide)

    def _size(self) -> None:
        """Divide the room as the arrangement says, and choose the first tab of each group."""
        self._divide()
        if self._arranged is not None:
            for column in columns(self._arranged, tuple(self.docks)):
                for group in column:
                    self.docks[group[0]].raise_()

    def _divide(self) -> None:
        arrangement, window = self._arranged, self._window
        if arrangement is None:
            return
        layout = columns(arrangement, tuple(self.docks))
        heads = [self.docks[column[0][0]] for column in layout]
        whole = window.width() if arrangement.beside else window.height()
        along = round(whole * arrangement.share)
        if arrangement.beside:
            window.resizeDocks(heads, [along // len(heads)] * len(heads), _ACROSS)
        else:
            window.resizeDocks(heads, [window.width() // len(heads)] * len(heads), _ACROSS)
            window.resizeDocks(heads[:1], [along], _DOWN)
        for column in layout:
            rows = [self.docks[group[0]] for group in column]
            if len(rows) > 1:
                first = round(window.height() * arrangement.first_row)
                window.resizeDocks(rows, [first, window.height() - first], _DOWN)

    # -- what follows -----------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize:
                self._resized.start()
                if self._size_before.isEmpty():
                    self._size_before = event.oldSize()  # type: ignore[attr-defined]
            elif event.type() == QEvent.Type.Show and not self._was_shown:
                self._was_shown = True
                QTimer.singleShot(0, self._size)  # Qt divides no room before there is some
            elif event.type() == QEvent.Type.WindowStateChange:
                self._say_preview()
        return super().eventFilter(watched, event)

    def _follow_size(self) -> None:
        """After the window was resized: panels keep their share of it."""
        before, self._size_before = self._size_before, QSize()
        now = room(self._window.width())
        if now is self._room:
            if not before.isEmpty() and before != self._passing:
                self._scale(before)
            return
        if self._settings.side_visible:
            self._store(self._steady)
        self._room, self._steady = now, None
        if self._settings.side_visible:
            self._take_stored()
            if self._arranged is None and now in self._stored_at:
                stored = self._stored_at[now]
                if stored.size != self._window.size():  # else Qt has brought back every pixel
                    self._scale(stored.size)
                    self._share_columns(stored.shares)

    def _on_standing(self) -> None:
        if self._settings.side_visible and not self._resized.isActive():
            self._steady = self._stand()

    def _scale(self, before: QSize) -> None:
        window = self._window
        docks = [d for d in self.docks.values() if d.in_front and not d.isFloating()]
        for area, across, factor in (
            (_RIGHT, _ACROSS, window.width() / before.width()),
            (_BOTTOM, _DOWN, window.height() / before.height()),
        ):
            there = [dock for dock in docks if window.dockWidgetArea(dock) == area]
            sizes = [d.width() if across == _ACROSS else d.height() for d in there]
            window.resizeDocks(there, [round(size * factor) for size in sizes], across)

    def _share_columns(self, shares: Mapping[str, float]) -> None:
        """Give panels over one another these shares of the window's height: Qt brings the pixels
        back, and in a lower window takes all that is missing from the lowest panel."""
        there = [
            name
            for name in shares
            if not self.docks[name].isFloating()
            and self._window.dockWidgetArea(self.docks[name]) == _RIGHT
        ]
        heights = [round(self._window.height() * shares[name]) for name in there]
        self._window.resizeDocks([self.docks[name] for name in there], heights, _DOWN)

    def _say_preview(self) -> None:
        self.preview_seen.emit(self.preview_is_seen)

    def _tidy(self) -> None:
        """Titles where there is no tab, and tabs that lead into their panels."""
        if QtWidgets.QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._tidying.start(_SETTLE_MS)  # a title must not vanish under a drag
            return
        self._tidying.setInterval(0)
        for dock in self.docks.values():
            beside = self._window.tabifiedDockWidgets(dock)
            dock.show_title(dock.isFloating() or all(other.isHidden() for other in beside))
        for bar in self._window.findChildren(QtWidgets.QTabBar):
            known = bar.property("panels")
            if not known and bar.metaObject().className() == "QMainWindowTabBar":
                bar.setProperty("panels", True)
                bar.setAccessibleName("Panels")
                bar.setElideMode(Qt.TextElideMode.ElideNone)
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.tabBarClicked.connect(lambda tab, bar=bar: self._on_tab(bar, tab))
                bar.customContextMenuRequested.connect(lambda at, bar=bar: self._on_menu(bar, at))
        if self._settings.side_visible and all(dock.isHidden() for dock in self.docks.values()):
            self._settings.side_visible = False
            setattr(self._settings, f"docks_{self._room}", b"")
            self.side_shown.emit(False)

    def _of_tab(self, bar: QtWidgets.QTabBar, tab: int) -> Dock | None:
        title = bar.tabText(tab)
        return next((d for d in self.docks.values() if d.windowTitle() == title), None)

    def _on_tab(self, bar: QtWidgets.QTabBar, tab: int) -> None:
        if dock := self._of_tab(bar, tab):
            QTimer.singleShot(0, dock.enter)

    def _on_menu(self, bar: QtWidgets.QTabBar, at: QPoint) -> None:
        dock = self._of_tab(bar, bar.tabAt(at))
        if dock is None:
            return
        menu = QtWidgets.QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("&Close").triggered.connect(lambda _=False: dock.close())
        menu.addAction("&Float").triggered.connect(lambda _=False: dock.setFloating(True))
        menu.addSeparator()
        menu.addMenu(self.toggles(menu))
        menu.popup(bar.mapToGlobal(at))
