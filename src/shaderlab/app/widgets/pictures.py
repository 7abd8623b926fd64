"""Pixels of workers as Qt images."""

from __future__ import annotations

import numpy as np

from shaderlab.app.qt import QImage


def to_image(pixels: np.ndarray, y_up: bool = True) -> QImage:
    """(height, width, 4) uint8 pixels as an opaque image; row 0 is its bottom, or with y down its
    top."""
    upright = np.ascontiguousarray(pixels[::-1] if y_up else pixels)
    height, width = upright.shape[:2]
    # `copy` detaches the image from numpy's memory, which is gone when this returns.
    return QImage(upright.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


def difference_image(one: np.ndarray, other: np.ndarray, gain: int = 1) -> np.ndarray:
    """(height, width, 4) uint8: by how much each colour differs, times `gain`, clipped."""
    apart = np.abs(one[..., :3].astype(np.int32) - other[..., :3].astype(np.int32)) * gain
    made = np.full(one.shape, 255, np.uint8)
    made[..., :3] = np.minimum(apart, 255)
    return made
