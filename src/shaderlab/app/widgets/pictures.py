"""Pixels of workers as Qt images."""

from __future__ import annotations

import numpy as np

from shaderlab.app.qt import QImage
from shaderlab.app.widgets.heat_colours import heat_table


def to_image(pixels: np.ndarray, y_up: bool) -> QImage:
    """(height, width, 4) uint8 pixels as an opaque image; row 0 is its bottom, or with y down its
    top."""
    upright = np.ascontiguousarray(pixels[::-1] if y_up else pixels)
    height, width = upright.shape[:2]
    # `copy` detaches the image from numpy's memory, which is gone when this returns.
    return QImage(upright.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


def difference_image(one: np.ndarray, other: np.ndarray, gain: int = 1) -> np.ndarray:
    """(height, width, 4) uint8: by how much each colour differs, times `gain`, clipped."""
    made = np.full(one.shape, 255, np.uint8)
    one, other = one[..., :3], other[..., :3]
    gained = np.minimum(np.arange(256) * gain, 255).astype(np.uint8)
    made[..., :3] = gained[np.maximum(one, other) - np.minimum(one, other)]
    return made


def map_image(shares: np.ndarray) -> np.ndarray:
    """(height, width, 4) uint8 of shares 0..1: the colours of heat, cold for 0."""
    table = heat_table()
    made = np.full((*shares.shape, 4), 255, np.uint8)
    made[..., :3] = table[np.clip(shares * (len(table) - 1), 0, len(table) - 1).astype(np.uint8)]
    return made
