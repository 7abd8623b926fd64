"""The bar of open documents over the text."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QSize, Qt, QtWidgets

_LEAST_CHARACTERS = 14


class TabBar(QtWidgets.QTabBar):
    """Hidden while one document is open.  A middle click closes, a drag moves."""

    def __init__(self, editor: Editor, documents: Documents):
        super().__init__()
        self._documents, self._tabs = documents, documents.tabs
        self._filling = False
        self.setMovable(True)
        self.setTabsClosable(True)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName("Open documents")
        self.currentChanged.connect(self._on_current)
        self.tabCloseRequested.connect(self._close)
        self.tabMoved.connect(self._on_moved)
        for changed in (
            self._tabs.changed, documents.changed, documents.kept_changed, editor.modified_changed,
        ):  # fmt: skip
            changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the tabs as they are."""
        self._filling = True
        tabs = self._tabs.all
        while self.count() > len(tabs):
            self.removeTab(self.count() - 1)
        while self.count() < len(tabs):
            self.addTab("")
        for at, tab in enumerate(tabs):
            is_front = tab is self._tabs.front
            opened = self._documents.document if is_front else tab.document
            modified = self._documents.is_unsaved if is_front else tab.unsaved is not None
            text = f"{opened.name} \u2022" if modified else opened.name
            self.setTabText(at, text.replace("&", "&&"))
            where = str(opened.path) if opened.path else opened.name
            self.setTabToolTip(at, f"{where}\nNot saved" if modified else where)
        self.setCurrentIndex(tabs.index(self._tabs.front))
        self.setVisible(len(tabs) > 1)
        self._filling = False

    def minimumTabSizeHint(self, index: int) -> QSize:
        """Wide enough to tell names apart; with many documents the bar scrolls."""
        whole = self.tabSizeHint(index)
        most = _LEAST_CHARACTERS * self.fontMetrics().averageCharWidth() + 2 * whole.height()
        return QSize(min(whole.width(), most), whole.height())

    def _on_current(self, at: int) -> None:
        if not self._filling and 0 <= at < len(self._tabs.all):
            self._documents.show_tab(self._tabs.all[at])

    def _on_moved(self, start: int, end: int) -> None:
        if not self._filling:
            self._tabs.move(start, end)

    def _close(self, at: int) -> None:
        self._documents.close_tab(self._tabs.all[at])
