"""The window that compares a former version with the present one: texts and pictures."""

from __future__ import annotations

from shaderlab.app.panels.variants.picture_comparison import PictureComparison
from shaderlab.app.panels.variants.text_comparison import TextComparison
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme


class Comparison(QtWidgets.QDialog):
    """Stays beside the main window, and follows the text."""

    pictures_wanted = Signal(bool)
    """Whether pictures are on screen."""
    text_wanted = Signal()
    """The former version's text is to be brought back."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self.setWindowFlags(
            Qt.WindowType.Window
            | Qt.WindowType.WindowCloseButtonHint
            | Qt.WindowType.WindowMinMaxButtonsHint
        )
        self.resize(1000, 620)
        self.headline = ElidedLabel()
        self.headline.setProperty("role", "title")
        self.back = QtWidgets.QPushButton("Restore its text")
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self.text_wanted)
        self.texts = TextComparison(theme)
        self.pictures = PictureComparison(theme)
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.addTab(self.texts, "Text")
        self.tabs.addTab(self.pictures, "Pictures")
        self.tabs.currentChanged.connect(self._say_what_is_shown)
        strip = QtWidgets.QHBoxLayout()
        strip.setContentsMargins(10, 8, 10, 4)
        strip.addWidget(self.headline, 1)
        strip.addWidget(self.back)
        column = vertical(self)
        column.addLayout(strip)
        column.addWidget(self.tabs, 1)

    @property
    def shows_pictures(self) -> bool:
        return self.isVisible() and self.tabs.currentWidget() is self.pictures

    def set_theme(self, theme: Theme) -> None:
        self.texts.set_theme(theme)
        self.pictures.set_theme(theme)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._say_what_is_shown()

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pictures_wanted.emit(False)

    def _say_what_is_shown(self) -> None:
        self.pictures_wanted.emit(self.shows_pictures)
