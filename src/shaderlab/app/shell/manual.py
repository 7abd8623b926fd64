"""The manual inside the application: pages of Markdown, searched together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from shaderlab import locations
from shaderlab.app.qt import QImage, Qt, QtCore, QtGui, QtWidgets, QWidget
from shaderlab.app.widgets.search_line import SearchLine

_TITLE = re.compile(r"^# (.+)$", re.M)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_MARGIN = 24
_HEADING_GAP = 18
_TABLE_GAP = 10
_CELL_PADDING = 4


@dataclass(frozen=True)
class Page:
    """One page, as it is written."""

    path: Path
    title: str
    text: str


def read_pages(folder: Path | None = None) -> tuple[Page, ...]:
    """The pages in their order; `folder` defaults to the manual that ships with shaderlab."""
    found = []
    for path in sorted((folder or locations.resources() / "manual").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = _TITLE.search(text)
        found.append(Page(path, title[1] if title else path.stem, text))
    return tuple(found)


def hits(page: Page, wanted: str) -> int:
    """How often the words stand in the page's text, whatever their case."""
    return _PICTURE.sub("", page.text).lower().count(wanted.lower()) if wanted.strip() else 0


class Manual(QtWidgets.QDialog):
    """Contents at the left, which a search narrows; the page at the right."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Manual")
        self._pages = read_pages()
        self.contents = QtWidgets.QListWidget()
        self.contents.setAccessibleName("Pages of the manual")
        self.contents.currentItemChanged.connect(lambda item, _before: self._show(item))
        self.line = SearchLine("Search the manual", "Search the manual", self.contents)
        self.line.textChanged.connect(self._search)
        self.line.entered.connect(self.find_next)
        self.text = _Browser()
        self.text.setAccessibleName("Page of the manual")
        self.text.setOpenExternalLinks(False)
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow)
        left = QWidget()
        column = QtWidgets.QVBoxLayout(left)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.line)
        column.addWidget(self.contents, 1)
        splitter = QtWidgets.QSplitter()
        splitter.addWidget(left)
        splitter.addWidget(self.text)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([230, 650])
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        room = parent.window().size()
        self.resize(min(900, room.width()), min(640, room.height()))
        self._search("")

    @property
    def shown(self) -> Page:
        """The page at the right."""
        return self.contents.currentItem().data(Qt.ItemDataRole.UserRole)

    def _search(self, wanted: str) -> None:
        before = self.contents.currentItem()
        latest = before.data(Qt.ItemDataRole.UserRole) if before else None
        self.contents.blockSignals(True)
        self.contents.clear()
        for page in self._pages:
            number = hits(page, wanted)
            if number or not wanted.strip():
                title = f"{page.title}  ({number})" if number else page.title
                item = QtWidgets.QListWidgetItem(title)
                item.setData(Qt.ItemDataRole.UserRole, page)
                self.contents.addItem(item)
                if page is latest:
                    self.contents.setCurrentItem(item)
        self.contents.blockSignals(False)
        if self.contents.currentItem() is None and self.contents.count():
            self.contents.setCurrentRow(0)
        elif not self.contents.count():
            self.text.setMarkdown(f"No page of the manual has “{wanted}”.")
        found = self.text.textCursor()
        found.setPosition(found.selectionStart())  # the words so far may go on there
        self.text.setTextCursor(found)
        self.find_next()

    def find_next(self) -> None:
        """Select the next place with the words of the search: in this page, then in the next."""
        number = self.contents.count()
        if not number or not self.line.text().strip() or self._find():
            return
        if number > 1:
            self.contents.setCurrentRow((self.contents.currentRow() + 1) % number)
        else:
            self.text.moveCursor(QtGui.QTextCursor.MoveOperation.Start)
            self._find()

    def _find(self) -> bool:
        """Whether the words stand in the rest of the page, where they are selected."""
        wanted = self.line.text().strip()
        return bool(wanted and self.contents.count() and self.text.find(wanted))

    def _show(self, item: QtWidgets.QListWidgetItem | None) -> None:
        if item is not None:
            page = item.data(Qt.ItemDataRole.UserRole)
            self.text.show_page(page)
            self._find()

    def _follow(self, link: QtCore.QUrl) -> None:
        """A link leads to another page; the manual opens nothing else."""
        for row in range(self.contents.count()):
            page = self.contents.item(row).data(Qt.ItemDataRole.UserRole)
            if page.path.name == link.fileName():
                self.contents.setCurrentRow(row)


class _Browser(QtWidgets.QTextBrowser):
    """Shows pictures no wider than itself; only long lines of code scroll sideways."""

    def __init__(self) -> None:
        super().__init__()
        self.document().setDocumentMargin(_MARGIN)

    def show_page(self, page: Page) -> None:
        self.setSearchPaths([str(page.path.parent)])
        self.setMarkdown(page.text)
        self._space_out()

    def _space_out(self) -> None:
        """Give headings, code and tables the room that Qt leaves out between Markdown's blocks."""
        document = self.document()
        block = document.begin()
        while block.isValid():
            style = block.blockFormat()
            if style.hasProperty(QtGui.QTextFormat.Property.BlockCodeFence):
                style.setBackground(self.palette().alternateBase())
            elif style.headingLevel() > 1:
                style.setTopMargin(_HEADING_GAP)
            QtGui.QTextCursor(block).setBlockFormat(style)
            block = block.next()
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QtGui.QTextTable):
                table = frame.format().toTableFormat()
                table.setCellPadding(_CELL_PADDING)
                table.setBorderCollapse(True)
                table.setTopMargin(_TABLE_GAP)
                table.setBottomMargin(_TABLE_GAP)
                frame.setFormat(table)

    def loadResource(self, kind: int, name: QtCore.QUrl | str):
        name = QtCore.QUrl(name)
        if kind != QtGui.QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        folder = Path(self.searchPaths()[0]) if self.searchPaths() else Path()
        path = (folder / name.path()).resolve()
        if not path.is_relative_to(locations.resources().resolve()):
            return None
        image = QImage(str(path))
        room = self.width() - 2 * _MARGIN - self.verticalScrollBar().sizeHint().width()
        if image.isNull() or image.width() <= room:
            return image
        return image.scaledToWidth(max(room, 1), Qt.TransformationMode.SmoothTransformation)
