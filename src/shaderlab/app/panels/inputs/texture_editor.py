"""Choosing what a texture shows: a pattern or an image file, and how it is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shaderlab.app.panels.inputs.editors import ValueEditor
from shaderlab.app.panels.inputs.rows import FILTERS, PATTERNS, Row, source_text
from shaderlab.app.qt import (
    QActionGroup,
    QColor,
    QImage,
    QPainter,
    QRectF,
    QSize,
    Qt,
    QtWidgets,
    Signal,
)
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import LIGHT, Theme
from shaderlab.scene.textures import BLACK, Filter, ImageFile, Pattern, Texture, Wrap

_WRAPS = {
    Wrap.REPEAT: "repeat",
    Wrap.CLAMP: "clamp to the edge",
    Wrap.MIRROR: "mirror",
    Wrap.BORDER: "transparent outside",
}
_FROM_FILE = "Image file…"


class TextureEditor(ValueEditor):
    """Knows no disk: a file that is wanted is asked for, and comes back as another row."""

    file_wanted = Signal()
    """The user wants to choose an image file."""
    file_dropped = Signal(Path)
    thumbnail_wanted = Signal(object)
    """A small picture of this `Texture` is needed."""

    def __init__(self, row: Row):
        super().__init__()
        self._texture = BLACK
        self._pictured: Texture | None = None
        self._theme = LIGHT
        self.thumbnail = _Thumbnail()
        self.sources = QtWidgets.QComboBox()
        self.sources.setAccessibleName(f"Picture of {row.name}")
        self.sources.setSizeAdjustPolicy(
            QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.sources.setMinimumContentsLength(6)
        self.sources.activated.connect(self._on_source)
        self.options = QtWidgets.QToolButton()
        self.options.setAccessibleName(f"Sampling of {row.name}")
        self.options.setToolTip("Filter, wrap and orientation")
        self.options.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.menu = QtWidgets.QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.options.setMenu(self.menu)
        self._row.addWidget(self.thumbnail)
        self._row.addWidget(self.sources, 1)
        self._row.addWidget(self.options)
        self.setAcceptDrops(True)

    def show_row(self, row: Row) -> None:
        texture = row.value if isinstance(row.value, Texture) else BLACK
        self._texture = texture
        self._fill_sources()
        self.options.setText(f"{FILTERS[texture.filter]}, {_WRAPS[texture.wrap].split()[0]}")
        if self._pictured is None or self._pictured.source != texture.source:
            self._pictured = texture
            self.thumbnail.show_image(None)
            self.thumbnail_wanted.emit(texture)

    @property
    def texture(self) -> Texture:
        return self._texture

    def show_thumbnail(self, texture: Texture, image: QImage | None) -> None:
        """The small picture that was wanted; None where there is none."""
        if self._pictured is not None and texture.source == self._pictured.source:
            self.thumbnail.show_image(image)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def _fill_sources(self) -> None:
        source, box = self._texture.source, self.sources
        box.blockSignals(True)
        box.clear()
        for pattern, text in PATTERNS.items():
            box.addItem(text, pattern)
        box.insertSeparator(box.count())
        if isinstance(source, Pattern):
            box.setCurrentIndex(list(PATTERNS).index(source))
        else:
            box.addItem(source_text(self._texture), None)
            box.setCurrentIndex(box.count() - 1)
        box.addItem(icons.icon("open", self._theme), _FROM_FILE, None)
        tip = str(source.path) if isinstance(source, ImageFile) else ""
        box.setToolTip(tip or "What the texture shows. An image file can be dropped here, too")
        box.blockSignals(False)

    def _on_source(self, _index: int) -> None:
        chosen = self.sources.currentData()
        if self.sources.currentText() == _FROM_FILE:
            self._fill_sources()  # as it was, until a file is chosen
            self.file_wanted.emit()
        elif chosen is not None:
            self.edited.emit(replace(self._texture, source=Pattern(chosen)))

    def _fill_menu(self) -> None:
        texture, menu = self._texture, self.menu
        menu.clear()
        for title, names, current in (
            ("Filter", FILTERS, texture.filter),
            ("Wrap", _WRAPS, texture.wrap),
        ):
            menu.addSection(title)
            group = QActionGroup(menu)
            for each, text in names.items():
                entry = group.addAction(text.capitalize())
                entry.setCheckable(True)
                entry.setChecked(each is current)
                entry.triggered.connect(lambda _=False, each=each: self._sample(each))
                menu.addAction(entry)
        source = texture.source
        if isinstance(source, ImageFile):
            menu.addSection("File")
            flip = menu.addAction("Flip upside down")
            flip.setCheckable(True)
            flip.setChecked(source.flipped)
            flip.triggered.connect(lambda on: self._file(replace(source, flipped=on)))
            linear = menu.addAction("Convert sRGB to linear")
            linear.setCheckable(True)
            linear.setChecked(source.srgb)
            linear.triggered.connect(lambda on: self._file(replace(source, srgb=on)))

    def _sample(self, how: Filter | Wrap) -> None:
        if isinstance(how, Filter):
            self.edited.emit(replace(self._texture, filter=how))
        else:
            self.edited.emit(replace(self._texture, wrap=how))

    def _file(self, source: ImageFile) -> None:
        self.edited.emit(replace(self._texture, source=source))

    # -- dropping a file --------------------------------------------------------------------

    def dragEnterEvent(self, event) -> None:
        if _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event) -> None:
        path = _dropped(event)
        if path is not None:
            event.acceptProposedAction()
            self.file_dropped.emit(path)


class SamplerEditor(ValueEditor):
    """Filter and wrap of a separate sampler."""

    def __init__(self, row: Row):
        super().__init__()
        self._texture = BLACK
        self.filters = self._box(FILTERS, f"Filter of {row.name}")
        self.wraps = self._box(_WRAPS, f"Wrap of {row.name}")
        self.filters.activated.connect(self._choose)
        self.wraps.activated.connect(self._choose)

    def show_row(self, row: Row) -> None:
        self._texture = row.value if isinstance(row.value, Texture) else BLACK
        self.filters.setCurrentIndex(list(FILTERS).index(self._texture.filter))
        self.wraps.setCurrentIndex(list(_WRAPS).index(self._texture.wrap))

    def _box(
        self, names: Mapping[Filter, str] | Mapping[Wrap, str], name: str
    ) -> QtWidgets.QComboBox:
        box = QtWidgets.QComboBox()
        box.setAccessibleName(name)
        for each, text in names.items():
            box.addItem(text.capitalize(), each)
        self._row.addWidget(box, 1)
        return box

    def _choose(self, _index: int) -> None:
        how = Filter(self.filters.currentData()), Wrap(self.wraps.currentData())
        self._texture = replace(self._texture, filter=how[0], wrap=how[1])
        self.edited.emit(self._texture)


def _dropped(event) -> Path | None:
    urls = event.mimeData().urls() if event.mimeData().hasUrls() else []
    names = [url.toLocalFile() for url in urls]
    return Path(names[0]) if names and names[0] else None


class _Thumbnail(QtWidgets.QWidget):
    """A square with the picture, or an empty one."""

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        side = self.fontMetrics().height() + 10
        self.setFixedSize(side, side)

    @property
    def image(self) -> QImage | None:
        return self._image

    def show_image(self, image: QImage | None) -> None:
        self._image = image
        self.update()

    def sizeHint(self) -> QSize:
        return self.size()

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(box, self._image)
        colour = QColor(self.palette().mid().color())
        painter.setPen(colour)
        painter.drawRect(box)
