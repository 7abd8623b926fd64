"""Which pass of a frame the preview shows: said over the picture, and chosen there."""

from __future__ import annotations

from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.qt import QObject, Qt, QtWidgets, Signal
from shaderlab.app.session.other_passes import OtherPasses
from shaderlab.app.session.session import Session
from shaderlab.app.session.shown_pass import EDITED, FINAL, named
from shaderlab.app.settings import Settings
from shaderlab.projects.project import SHOWN_PASS

CUBE_HINT = "faces +X \u2212X +Y above \u2212Y +Z \u2212Z"


def choices(passes: OtherPasses) -> tuple[tuple[str, str], ...]:
    """What can be chosen, each with its text; nothing for a frame without passes."""
    if not passes.edited:
        return ()
    return (
        (FINAL, f"The frame's final picture ({SHOWN_PASS})"),
        (EDITED, f"The pass being edited ({passes.edited})"),
        *((named(name), name) for name in passes.names),
    )


class PassStrip(QtWidgets.QWidget):
    """One line over the picture."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.box = QtWidgets.QComboBox()
        self.box.setAccessibleName("Pass shown in the preview")
        self.box.setToolTip("Which pass's picture, and heat map, the preview shows")
        self.box.activated.connect(lambda index: self.chosen.emit(self.box.itemData(index)))
        self._hint = QtWidgets.QLabel()
        self._hint.setProperty("role", "dim")
        title = QtWidgets.QLabel("Shows")
        title.setProperty("role", "dim")
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(6)
        for part in (title, self.box, self._hint):
            row.addWidget(part)
        row.addStretch(1)
        self._shown: tuple[tuple[str, str], ...] = ()

    def show_choices(self, offered: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer these; without any the line goes."""
        if offered != self._shown:
            self._shown = offered
            self.box.clear()
            for key, text in offered:
                self.box.addItem(text, key)
        self.box.setCurrentIndex(max(0, self.box.findData(chosen)))
        self.setVisible(bool(offered))

    def set_hint(self, text: str) -> None:
        self._hint.setText(text)


class PassChoice(QObject):
    """Connects the session and the remembered choice to the line over the picture."""

    def __init__(self, session: Session, panel: Preview, settings: Settings):
        super().__init__(panel)
        self._session, self._settings = session, settings
        self.strip = PassStrip()
        panel.add_above(self.strip)
        self.strip.chosen.connect(self.choose)
        session.on_device.pictures.show_pass(settings.preview_pass)
        session.inputs_changed.connect(self._show)
        session.passes.changed.connect(self._show)
        session.frame_arrived.connect(self._on_frame)
        self._show()

    def choose(self, choice: str) -> None:
        """Show this pass from now on, in other frames too."""
        self._settings.preview_pass = choice
        self._session.on_device.pictures.show_pass(choice)
        self._show()

    def _show(self) -> None:
        offered = choices(self._session.drawing.passes)
        self.strip.show_choices(offered, self._settings.preview_pass)

    def _on_frame(self) -> None:
        frame = self._session.on_device.pictures.frame
        is_cube = frame is not None and bool(frame.shown) and frame.draw.draws_cube
        self.strip.set_hint(CUBE_HINT if is_cube else "")
