"""The settings: text and colours, keys, limits."""

from __future__ import annotations

from shaderlab.app.editor.scintilla import FONT_POINTS, default_family
from shaderlab.app.qt import QFont, QtWidgets, QWidget, Signal
from shaderlab.app.settings import FONT_RANGE, TAB_RANGE, Settings
from shaderlab.app.shell import key_bindings
from shaderlab.app.shell.keys_page import KeysPage
from shaderlab.app.shell.limits_page import LimitsPage
from shaderlab.app.widgets.boxes import centre_labels
from shaderlab.app.widgets.number_boxes import number_box, whole_number_box
from shaderlab.app.widgets.theme import Theme, ThemeChoice

TEXT, KEYS, LIMITS = range(3)
"""Numbers of the pages."""
_THEMES = (
    ("Follow the system", ThemeChoice.SYSTEM),
    ("Light", ThemeChoice.LIGHT),
    ("Dark", ThemeChoice.DARK),
)


class SettingsDialog(QtWidgets.QDialog):
    """Changes the settings it was given when it is accepted."""

    changed = Signal()

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget, page: int = TEXT):
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self._settings = settings
        self.text = _TextPage(settings)
        self.keys = KeysPage(key_bindings.decoded(settings.keys), theme)
        self.limits = LimitsPage(settings)
        self.pages = QtWidgets.QTabWidget()
        self.pages.setDocumentMode(True)
        for title, widget in (
            ("Text and colours", self.text),
            ("Keys", self.keys),
            ("Limits", _scrolled(self.limits)),
        ):
            self.pages.addTab(widget, title)
        self.pages.setCurrentIndex(page)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel | kinds.RestoreDefaults)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        buttons.button(kinds.RestoreDefaults).setToolTip("Defaults of this page")
        buttons.button(kinds.RestoreDefaults).clicked.connect(self._restore)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addWidget(self.pages, 1)
        layout.addWidget(buttons)
        for button in self.findChildren(QtWidgets.QPushButton):  # OK stays the default
            button.setAutoDefault(False)
        room = parent.window().size()
        self.resize(min(680, room.width()), min(560, room.height()))

    def _restore(self) -> None:
        page = self.pages.currentIndex()
        if page == KEYS:
            self.keys.take(key_bindings.defaults())
        elif page == LIMITS:
            self.limits.show_values(Settings())
        else:
            self.text.show_values(Settings())

    def accept(self) -> None:
        self.text.write(self._settings)
        self.limits.write(self._settings)
        self._settings.keys = key_bindings.encoded(self.keys.bindings)
        self.changed.emit()
        super().accept()


class _TextPage(QWidget):
    def __init__(self, settings: Settings):
        super().__init__()
        self.family = QtWidgets.QFontComboBox()
        self.family.setFontFilters(QtWidgets.QFontComboBox.FontFilter.MonospacedFonts)
        self.family.setAccessibleName("Font of the text")
        self.points = number_box()
        self.points.setRange(*FONT_RANGE)
        self.points.setSingleStep(0.5)
        self.points.setDecimals(1)
        self.points.setSuffix(" pt")
        self.points.setAccessibleName("Size of the font")
        self.tab = whole_number_box()
        self.tab.setRange(*TAB_RANGE)
        self.tab.setSuffix(" columns")
        self.tab.setAccessibleName("Width of a tab")
        self.tab.setToolTip("How wide a tab is shown, and how many spaces the Tab key types")
        self.theme = QtWidgets.QComboBox()
        self.theme.setAccessibleName("Colours")
        for name, choice in _THEMES:
            self.theme.addItem(name, choice)
        form = QtWidgets.QFormLayout(self)
        form.addRow("Font", self.family)
        form.addRow("Size", self.points)
        form.addRow("Tab width", self.tab)
        form.addRow("Colours", self.theme)
        centre_labels(form)
        self.show_values(settings)

    def show_values(self, settings: Settings) -> None:
        self.family.setCurrentFont(QFont(settings.font_family or default_family()))
        self.points.setValue(settings.font_points or FONT_POINTS)
        self.tab.setValue(settings.tab_width)
        self.theme.setCurrentIndex([choice for _, choice in _THEMES].index(settings.theme))

    def write(self, settings: Settings) -> None:
        family = self.family.currentFont().family()
        settings.font_family = "" if family == QFont(default_family()).family() else family
        settings.font_points = self.points.value()
        settings.tab_width = self.tab.value()
        settings.theme = _THEMES[self.theme.currentIndex()][1]


def _scrolled(page: QWidget) -> QtWidgets.QScrollArea:
    area = QtWidgets.QScrollArea()
    area.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(page)
    return area
