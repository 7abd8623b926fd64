"""Rendered frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from shaderlab import units
from shaderlab.cli.terminal import one_line


def text(path: Path, data: dict[str, Any]) -> str:
    width, height = data["size"]
    time = f" in {units.seconds(data['seconds'])}" if data["seconds"] is not None else ""
    return f"{one_line(path)}: {width}x{height} rendered on {data['device']}{time}"


def png(pixels: np.ndarray, y_up: bool) -> bytes:
    """(h, w, 4) uint8 as an opaque PNG; row 0 is its bottom, or with y down its top."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QImageWriter

    height, width, _ = pixels.shape
    upright = np.ascontiguousarray(pixels[::-1] if y_up else pixels)
    image = QImage(upright.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
    encoded = QByteArray()
    buffer = QBuffer(encoded)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, QByteArray(b"png")).write(image):
        raise OSError("the picture could not be encoded")
    return bytes(encoded.data())
