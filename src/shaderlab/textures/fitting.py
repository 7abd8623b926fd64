"""Makes what a file holds fit the image type that a shader declares."""

from __future__ import annotations

import numpy as np

from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures import cubes, stored
from shaderlab.textures.stored import Stored

Levels = tuple[np.ndarray, ...]


def fitted(found: Stored, image: Image, flipped: bool) -> tuple[Levels, str]:
    """The levels for that type, and what was changed for it, as part of a sentence.

    `flipped`: with the last row first.  Raises Damaged where they would be too large.
    """
    levels, note = _shaped(found, image)
    if flipped:
        levels = tuple(level[:, :, ::-1] for level in levels)
    largest = levels[0]
    kind = _kind(image, largest.dtype)
    if kind != largest.dtype:
        depth, height, width = largest.shape[1:4]
        text = f"{width:,} x {height:,}" + (f" x {depth:,}" if depth > 1 else "")
        stored.check_bytes(largest.size // 4, 4 * kind.itemsize, text)
    return tuple(_typed(level, kind) for level in levels), note


def _shaped(found: Stored, image: Image) -> tuple[Levels, str]:
    """For the dimension of the image."""
    levels = found.levels
    layers, depth, height = levels[0].shape[:3]
    if image.dimension is Dimension.CUBE:
        if found.is_cube:
            kept = layers if image.arrayed else 6
            return tuple(level[:kept] for level in levels), _first(kept, layers, "faces")
        faces, note = cubes.faces_of(levels[0][0, 0])
        return (faces[:, None],), note
    if image.dimension is Dimension.D3:
        if depth > 1:
            return tuple(level[:1] for level in levels), ""
        if layers > 1:
            return (levels[0].transpose(1, 0, 2, 3, 4),), f"its {layers:,} layers are the slices"
        return _slices(levels[0])
    kept = layers if image.arrayed else 1
    note = _first(kept, layers, "faces" if found.is_cube else "layers") or _first(
        1, depth, "slices"
    )
    rows = slice(0, 1) if image.dimension in (Dimension.D1, Dimension.BUFFER) else slice(None)
    if rows.stop and height > 1:
        note = f"only the first of its {height:,} rows is read"
    return tuple(level[:kept, :1, rows] for level in levels), note


def _slices(level: np.ndarray) -> tuple[Levels, str]:
    """A strip of squares, as colour look-up tables are kept, becomes a cube."""
    _, _, height, width, _ = level.shape
    side = min(height, width)
    if side > 1 and height * width == side**3:
        if width > height:
            cut = level[0, 0].reshape(side, side, side, 4).transpose(1, 0, 2, 3)
        else:
            cut = level[0, 0].reshape(side, side, side, 4)
        return (cut[None],), f"its {side} squares are the slices"
    return (level,), "it has one slice"


def _first(kept: int, all_of_them: int, what: str) -> str:
    if kept >= all_of_them:
        return ""
    first = "first" if kept == 1 else f"first {kept}"
    return f"only the {first} of its {all_of_them:,} {what} is read"


def _kind(image: Image, stored_as: np.dtype) -> np.dtype:
    if image.component is Component.INT:
        return np.dtype(np.int32)
    if image.component is Component.UINT:
        return np.dtype(np.uint32)
    if image.depth or stored_as not in (np.uint8, np.float32):
        return np.dtype(np.float32)
    return stored_as


def _typed(level: np.ndarray, kind: np.dtype) -> np.ndarray:
    if level.dtype == kind:
        return np.ascontiguousarray(level)
    if kind == np.float32:
        made = level.astype(np.float32)
        return made / np.float32(255) if level.dtype == np.uint8 else made
    if level.dtype == np.float32:
        # What is 1 in a shader that samples it is 255 in one that reads integers.
        low, high = (-(2**31), 2**31 - 128) if kind == np.int32 else (0, 2**32 - 256)
        return np.clip(np.rint(np.nan_to_num(level) * 255), low, high).astype(kind)
    return level.astype(kind)
