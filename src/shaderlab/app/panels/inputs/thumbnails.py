"""Small pictures of textures, made beside the interface's thread."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from shaderlab.app.qt import QImage, QObject, QSize, Qt, QtGui, Signal
from shaderlab.scene.textures import ImageFile, NoisePicture, PassPicture, Pattern, Texture
from shaderlab.spirv.value_types import Dimension

SIDE = 64
"""Pixels."""
_MOST_KEPT = 64
_MOST_SIDE = 16384
_MOST_BYTES = 256 << 20


class Thumbnails(QObject):
    """Makes one at a time; a file that Qt cannot read has none."""

    made = Signal(str, object, object)
    """Name of the texture, the `Texture`, its `QImage` or None."""
    _done = Signal(str, object, object)

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._pool: ThreadPoolExecutor | None = None
        self._kept: OrderedDict[object, QImage | None] = OrderedDict()
        self._done.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def want(self, name: str, texture: Texture) -> None:
        """Have `made` bring a picture of the texture that is called so."""
        source = texture.source
        if isinstance(source, PassPicture | NoisePicture):
            return
        if source in self._kept:
            self.made.emit(name, texture, self._kept[source])
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "thumbnails")

        def finished(future: Future[QImage | None]) -> None:
            if not future.cancelled():
                self._done.emit(name, texture, future.result())

        self._pool.submit(_made, source).add_done_callback(finished)

    def close(self) -> None:
        """Make no more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _keep(self, name: str, texture: Texture, image: QImage | None) -> None:
        self._kept[texture.source] = image
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        self.made.emit(name, texture, image)


def _made(source: Pattern | ImageFile) -> QImage | None:
    if isinstance(source, ImageFile):
        return _read(source.path, source.flipped)
    from shaderlab.textures.patterns import pattern  # not before a texture is on screen

    texels = pattern(source, Dimension.D2, arrayed=False)[0, 0]
    pixels = np.ascontiguousarray((texels[:SIDE, :SIDE] * 255).clip(0, 255).astype(np.uint8))
    height, width = pixels.shape[:2]
    # `copy` detaches the image from numpy's memory, which is gone when this returns.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


def _read(path: Path, flipped: bool) -> QImage | None:
    """The file at most `SIDE` x `SIDE`; None for what is no picture, or too large for one."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
    except OSError:
        return None
    reader = QtGui.QImageReader(str(path))
    size = reader.size()
    if not size.isValid() or max(size.width(), size.height()) > _MOST_SIDE:
        return None
    reader.setScaledSize(
        size.scaled(QSize(SIDE, SIDE), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    )
    image = reader.read()
    if image.isNull():
        return None
    return image.flipped(Qt.Orientation.Vertical) if flipped else image
