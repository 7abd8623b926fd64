"""Where the window's parts are: editor at the left, preview above the panels at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaderlab.app.qt import QByteArray, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.settings import Settings


class Layout(QtWidgets.QSplitter):
    """The window's content, with its places remembered in the settings."""

    side_shown = Signal(bool)
    """Whether the preview and the panels are on screen."""

    def __init__(
        self,
        text_column: Sequence[QWidget],
        preview: QWidget,
        panels: Mapping[str, QWidget],
        titles: Mapping[str, str],
        settings: Settings,
    ):
        """`text_column`: what stands above the editor, it, and what stands below it; `panels` by
        name, with `titles`."""
        super().__init__(Qt.Orientation.Horizontal)
        self.panels, self._settings = panels, settings
        left = QWidget()
        column = QtWidgets.QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for number, part in enumerate(text_column):
            column.addWidget(part, int(number == 1))
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        for name, panel in panels.items():
            self.tabs.addTab(panel, titles[name])
        self.side = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self.side.addWidget(preview)
        self.side.addWidget(self.tabs)
        self.addWidget(left)
        self.addWidget(self.side)
        for splitter in (self.side, self):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)

    def reset(self) -> None:
        """As at the very first start."""
        self.window().resize(1280, 720)
        self.show_side(True)
        self.setSizes([660, 620])
        self.side.setSizes([330, 290])
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 1)

    def show_side(self, shown: bool) -> None:
        self._settings.side_visible = shown
        self.side.setVisible(shown)
        self.side_shown.emit(shown)

    def show_tab(self, panel: QWidget) -> None:
        """Bring a panel to the front."""
        if not self._settings.side_visible:
            self.show_side(True)
        self.tabs.setCurrentWidget(panel)

    def restore(self) -> None:
        """As the settings remember it."""
        settings, shown = self._settings, self._settings.side_visible
        self.reset()
        if settings.geometry:
            self.window().restoreGeometry(QByteArray(settings.geometry))
        for splitter, state in ((self, settings.main_split), (self.side, settings.side_split)):
            if state:
                splitter.restoreState(QByteArray(state))
                splitter.setHandleWidth(1)
        self.tabs.setCurrentIndex(settings.side_tab)
        self.show_side(shown)

    def remember(self) -> None:
        """Write the places into the settings."""
        settings = self._settings
        settings.geometry = bytes(self.window().saveGeometry().data())
        settings.main_split = bytes(self.saveState().data())
        settings.side_split = bytes(self.side.saveState().data())
        settings.side_tab = self.tabs.currentIndex()
