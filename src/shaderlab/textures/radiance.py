"""Radiance pictures (Ward, "Real Pixels", Graphics Gems II; the `.hdr` files of Radiance)."""

from __future__ import annotations

import re

import numpy as np

from shaderlab.textures import stored
from shaderlab.textures.stored import Damaged, Stored

MAGICS = (b"#?RADIANCE", b"#?RGBE")
_MOST_HEADER = 64 << 10
_LEAST_RUN_WIDTH, _MOST_RUN_WIDTH = 8, 0x7FFF


def read(data: bytes) -> Stored:
    """Raises Damaged."""
    width, height, is_upward, start = _header(data[:_MOST_HEADER])
    stored.check_size(width, height, texel_bytes=16)
    codes = np.empty((height, width, 4), np.uint8)
    at = start
    for row in range(height):
        at = _row(data, at, codes[row])
    if is_upward:
        codes = codes[::-1]
    made = np.ones((1, 1, height, width, 4), np.float32)
    exponents = codes[..., 3].astype(np.int32)
    scale = np.where(exponents > 0, np.ldexp(np.float32(1), exponents - 136), 0)
    for channel in range(3):
        made[0, 0, ..., channel] = codes[..., channel] * scale
    return Stored((made,))


def _header(data: bytes) -> tuple[int, int, bool, int]:
    """Width, height, whether row 0 is the bottom one, where the texels start."""
    head, gap, rest = data.partition(b"\n\n")
    line, end, _ = rest.partition(b"\n")
    if not gap or not end:
        raise Damaged("its header has no end")
    if b"FORMAT=32-bit_rle_xyze" in head:
        raise Damaged("its colours are XYZ, only RGB is read")
    found = re.fullmatch(rb"([-+])Y (\d{1,9}) \+X (\d{1,9})\s*", line)
    if found is None:
        raise Damaged("its header does not say its size as -Y HEIGHT +X WIDTH")
    start = len(head) + len(gap) + len(line) + len(end)
    return int(found[3]), int(found[2]), found[1] == b"+", start


def _row(data: bytes, at: int, row: np.ndarray) -> int:
    """Decode one row into `row` (width, 4) from position `at`; the position after it."""
    width = len(row)
    head = data[at : at + 4]
    if _LEAST_RUN_WIDTH <= width <= _MOST_RUN_WIDTH and head[:2] == b"\x02\x02":
        if len(head) < 4 or head[2] << 8 | head[3] != width:
            raise Damaged("a row has another width than the picture")
        at += 4
        for channel in range(4):
            at = _channel(data, at, row, channel)
        return at
    return _old_row(data, at, row)


def _channel(data: bytes, at: int, row: np.ndarray, channel: int) -> int:
    """One component of a row: runs of a byte, and bytes as they are."""
    width = len(row)
    made = bytearray()
    size = len(data)
    while len(made) < width:
        if at + 1 >= size:
            raise Damaged("it ends within its texels")
        count = data[at]
        if count > 128:
            made += data[at + 1 : at + 2] * (count - 128)
            at += 2
        else:
            if count == 0:
                raise Damaged("a row has a run of no texels")
            made += data[at + 1 : at + 1 + count]
            at += 1 + count
            if at > size:
                raise Damaged("it ends within its texels")
    if len(made) != width:
        raise Damaged("a row has more texels than the picture is wide")
    row[:, channel] = np.frombuffer(made, np.uint8)
    return at


def _old_row(data: bytes, at: int, row: np.ndarray) -> int:
    """Texels one after the other; (1, 1, 1, n) repeats the last n times, in larger units each."""
    width = len(row)
    filled, shift = 0, 0
    while filled < width:
        # All texels up to the next repetition at once.
        block = np.frombuffer(data[at : at + 4 * (width - filled)], np.uint8)
        block = block[: len(block) // 4 * 4].reshape(-1, 4)
        if not len(block):
            raise Damaged("it ends within its texels")
        repeats = np.flatnonzero((block[:, :3] == 1).all(axis=1))
        plain = int(repeats[0]) if len(repeats) else len(block)
        row[filled : filled + plain] = block[:plain]
        filled += plain
        at += 4 * plain
        if plain:
            shift = 0
        if plain < len(block):
            count = int(block[plain, 3]) << shift
            if not filled or shift > 24 or filled + count > width:
                raise Damaged("a row repeats a texel beyond its end")
            row[filled : filled + count] = row[filled - 1]
            filled += count
            shift += 8
            at += 4
    return at
