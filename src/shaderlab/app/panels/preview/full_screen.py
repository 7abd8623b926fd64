"""The preview alone on all of the screen."""

from __future__ import annotations

from shaderlab.app.panels.preview.picture import Picture
from shaderlab.app.qt import Qt, QtWidgets, Signal
from shaderlab.app.widgets.theme import Theme

_PASSED_ON = (
    "pressed", "dragged", "released", "turned", "zoomed", "picked",
    "key_pressed", "key_released", "keys_left",
)  # fmt: skip


class FullScreen(Picture):
    """Shows what another picture shows, and passes on what is done to it."""

    closed = Signal()

    def __init__(self, theme: Theme, shown: Picture):
        super().__init__(theme)
        self._shown = shown
        self.setWindowTitle("shaderlab preview")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown.image_changed.connect(self._follow)
        for name in _PASSED_ON:
            getattr(self, name).connect(getattr(shown, name))
        self._follow()
        self.has_camera, self.takes_keys = shown.has_camera, shown.takes_keys
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _follow(self) -> None:
        self.set_image(self._shown.image, self._shown.y_up)

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event) -> None:
        self._shown.image_changed.disconnect(self._follow)
        super().closeEvent(event)
        self.closed.emit()


def show_full_screen(theme: Theme, shown: Picture, command: QtWidgets.QWidget) -> FullScreen:
    """On the screen that `command`, a widget of the window, is on."""
    made = FullScreen(theme, shown)
    for action in command.window().actions():  # the window's shortcuts work here, too
        made.addAction(action)
    made.setGeometry(command.screen().geometry())
    made.showFullScreen()
    return made
