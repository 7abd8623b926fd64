"""The live picture with its controls."""

from __future__ import annotations

import math

import numpy as np

from shaderlab import units
from shaderlab.app.panels.preview.full_screen import FullScreen, show_full_screen
from shaderlab.app.panels.preview.heat_legend import HeatLegend
from shaderlab.app.panels.preview.picture import Picture
from shaderlab.app.panels.preview.timeline import Timeline
from shaderlab.app.panels.preview.zoom import FACTORS
from shaderlab.app.qt import (
    QAction,
    QSize,
    Qt,
    QTimer,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.flow_layout import FlowBar, FlowLayout
from shaderlab.app.widgets.pictures import to_image
from shaderlab.app.widgets.theme import Theme

SIZES: tuple[tuple[str, str], ...] = (
    ("auto", "Automatic"),
    ("fit", "Fit the panel"),
    ("half", "Fit, half resolution"),
    ("3840x2160", "3840 \u00d7 2160"),
    ("2560x1440", "2560 \u00d7 1440"),
    ("1920x1080", "1920 \u00d7 1080"),
    ("1280x720", "1280 \u00d7 720"),
    ("1024x768", "1024 \u00d7 768"),
    ("800x450", "800 \u00d7 450"),
    ("640x360", "640 \u00d7 360"),
    ("512x384", "512 \u00d7 384"),
    ("320x180", "320 \u00d7 180"),
)
"""Choices of the picture's resolution: key and text."""

SOFTWARE_SIZE = (512, 384)
_LEAST = 16


def pixels_for(choice: str, pane: tuple[int, int], software: bool) -> tuple[int, int]:
    """Width, height in pixels of the picture for a choice of `SIZES` in a pane of `pane` pixels.

    `auto` is the whole pane on a GPU and a fixed small picture on a software driver.
    """
    if choice == "auto":
        choice = "fit" if not software else "{}x{}".format(*SOFTWARE_SIZE)
    if choice in ("fit", "half"):
        scale = 1 if choice == "fit" else 2
        return max(pane[0] // scale, _LEAST), max(pane[1] // scale, _LEAST)
    try:
        width, height = (int(part) for part in choice.split("x"))
    except ValueError:
        return SOFTWARE_SIZE
    return min(max(width, _LEAST), 8192), min(max(height, _LEAST), 8192)


class Preview(QWidget):
    """The picture over a bar: play, restart, heat map, time, resolution, frame rate, GPU time."""

    size_chosen = Signal(str)
    pane_resized = Signal()

    def __init__(
        self,
        theme: Theme,
        play: QAction,
        restart: QAction,
        heat: QAction,
        heat_kinds: list[QAction],
    ):
        super().__init__()
        self.heat_legend = HeatLegend(theme, heat_kinds)
        self.picture = Picture(theme)
        self.empty = EmptyState(theme)
        self._stack = QtWidgets.QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.picture)
        self._sizes = QtWidgets.QToolButton()
        self._sizes.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._sizes.setToolTip("Resolution of the preview")
        self._menu = QtWidgets.QMenu(self)
        for key, text in SIZES:
            entry = self._menu.addAction(text)
            entry.setCheckable(True)
            entry.setData(key)
        self._menu.triggered.connect(lambda entry: self.size_chosen.emit(entry.data()))
        self._sizes.setMenu(self._menu)
        self._geometry = QtWidgets.QToolButton()
        self._geometry.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._geometry.setIconSize(QSize(16, 16))
        self._geometry.setIcon(icons.icon("body", theme))
        self._geometry.hide()
        self._theme = theme
        self.full_screen: FullScreen | None = None
        self.timeline = Timeline(theme)
        self._closer = QtWidgets.QToolButton()
        self._closer.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._closer.setToolTip("Zoom: also with the wheel; drag with the middle button to pan")
        self._closer.setMenu(QtWidgets.QMenu(self))
        for factor in FACTORS:
            entry = self._closer.menu().addAction(_zoom_text(factor))
            entry.triggered.connect(lambda _=False, f=factor: self.picture.zoom_to(f))
        self.picture.zoom_changed.connect(lambda f: self._closer.setText(_zoom_text(f)))
        self._closer.setText(_zoom_text(1.0))
        self._time = _number_label("Time of the frame (iTime)", "00.00 s")
        self._rate = _number_label("Frames shown per second", "00 fps")
        self._gpu = _number_label("Time of the draw, by the device's own clock", "00.0 ms CPU")
        row = FlowLayout(spacing=1)
        row.setContentsMargins(4, 3, 4, 3)
        bar = FlowBar(row)
        bar.setProperty("role", "strip")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        for action in (play, restart, heat):
            button = QtWidgets.QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(16, 16))
            row.addWidget(button)
        for number in (self._time, self._rate, self._gpu):
            row.addWidget(number)
        row.addStretch()
        for choice in (self._geometry, self._closer, self._sizes):
            row.addWidget(choice)
        layout = vertical(self)
        self._above = QtWidgets.QVBoxLayout()
        layout.addLayout(self._above)
        layout.addLayout(self._stack, 1)
        layout.addWidget(self.heat_legend)
        layout.addWidget(self.timeline)
        layout.addWidget(bar)
        # A window being dragged larger asks for one new size at the end, not for one per pixel.
        self._settle = QTimer(self, singleShot=True, interval=120)
        self._settle.timeout.connect(self.pane_resized)
        self.picture.resized.connect(self._settle.start)
        self.show_rates(None, None)

    def show_picture(self, pixels: np.ndarray, y_up: bool) -> None:
        """(height, width, 4) uint8 pixels, whose row 0 is the bottom or, with y down, the top."""
        self.picture.set_image(to_image(pixels, y_up), y_up)
        self._stack.setCurrentWidget(self.picture)

    def show_empty(self) -> None:
        """Show what `empty` says in place of a picture."""
        self.picture.set_image(None)
        self._stack.setCurrentWidget(self.empty)

    @property
    def has_picture(self) -> bool:
        return self._stack.currentWidget() is self.picture

    def show_time(self, seconds: float) -> None:
        self._time.setText(f"{seconds:.2f} s")
        self.timeline.show_time(seconds)

    def show_rates(
        self, frames_per_s: float | None, draw_s: float | None, software: bool = False
    ) -> None:
        """None or NaN where nothing is known.  `software`: the time is the CPU's."""
        self._rate.setText("\u2013 fps" if frames_per_s is None else f"{frames_per_s:.0f} fps")
        time = "\u2013" if draw_s is None or math.isnan(draw_s) else units.seconds(draw_s)
        self._gpu.setText(f"{time} {'CPU' if software else 'GPU'}")

    def show_size(self, choice: str, size: tuple[int, int]) -> None:
        self._sizes.setText("{} \u00d7 {}".format(*size))
        for entry in self._menu.actions():
            entry.setChecked(entry.data() == choice)

    def add_above(self, line: QWidget) -> None:
        """Put this over the picture."""
        self._above.addWidget(line)

    def offer_geometry(self, menu: QtWidgets.QMenu) -> None:
        """A button for the choice of what the shader is drawn on."""
        self._geometry.setMenu(menu)
        self._geometry.show()

    def show_geometry(self, name: str) -> None:
        """What it is drawn on now."""
        hint = "\nDrag the picture to turn it, use the wheel to zoom"
        self._geometry.setToolTip(f"Drawn on: {name}{hint if self.picture.has_camera else ''}")
        self._geometry.setAccessibleName(f"Geometry: {name}")

    def pane_pixels(self) -> tuple[int, int]:
        """Size of the room for the picture, device pixels."""
        if self.full_screen is not None:
            return self.full_screen.pixel_size()
        ratio = self.picture.devicePixelRatioF()
        room = self._stack.geometry().size()
        return round(room.width() * ratio), round(room.height() * ratio)

    def toggle_full_screen(self) -> None:
        """The picture alone on the whole screen, or here again."""
        if self.full_screen is not None:
            self.full_screen.close()
            return
        self.full_screen = show_full_screen(self._theme, self.picture, self)
        self.full_screen.closed.connect(self._on_full_screen_closed)
        self.full_screen.resized.connect(self._settle.start)

    def _on_full_screen_closed(self) -> None:
        self.full_screen = None
        self._settle.start()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.picture.set_theme(theme)
        self.timeline.set_theme(theme)
        self._geometry.setIcon(icons.icon("body", theme))
        self.heat_legend.set_theme(theme)
        self.empty.set_theme(theme)


def _zoom_text(factor: float) -> str:
    return "Fit" if factor <= 1 else f"{factor:.3g}\u00d7"


def _number_label(tip: str, sample: str) -> QtWidgets.QLabel:
    """As wide as `sample` at least, so that the bar does not move with the number."""
    label = QtWidgets.QLabel()
    label.setProperty("role", "dim")
    label.setContentsMargins(2, 0, 2, 0)
    label.setMinimumWidth(label.fontMetrics().horizontalAdvance(sample) + 4)
    label.setToolTip(tip)
    return label
