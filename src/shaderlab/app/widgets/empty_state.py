"""What a pane shows while it has no content: what is missing, and what to do."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.qt import Qt, QtWidgets, QWidget
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import Theme


class EmptyState(QWidget):
    """An icon, a line, a hint and at most one button, in the middle."""

    def __init__(self, theme: Theme, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("role", "content")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._icon_name, self._role = "note", "dim"
        self._icon = QtWidgets.QLabel()
        self._title = QtWidgets.QLabel()
        self._title.setProperty("role", "title")
        self._hint = QtWidgets.QLabel()
        self._hint.setProperty("role", "dim")
        self._button = QtWidgets.QPushButton()
        self._call: Callable[[], None] | None = None
        self._button.clicked.connect(lambda: self._call and self._call())
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(24, 12, 24, 12)
        layout.setSpacing(6)
        layout.addStretch(1)
        for label in (self._icon, self._title, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(label is not self._icon)
            layout.addWidget(label)
        layout.addSpacing(4)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def say(
        self,
        icon: str,
        title: str,
        hint: str = "",
        button: str = "",
        call: Callable[[], None] | None = None,
        role: str = "dim",
    ) -> None:
        """`role` is the theme colour of the icon: dim, error, warning or good."""
        self._icon_name, self._role, self._call = icon, role, call
        self._title.setText(title)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self.set_theme(self._theme)

    @property
    def text(self) -> str:
        return f"{self._title.text()} {self._hint.text()}".strip()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = getattr(theme, self._role)
        self._icon.setPixmap(icons.pixmap(self._icon_name, colour, 28, self.devicePixelRatioF()))
