"""Pictures from child to parent through shared memory, copied by neither.

The parent makes the memory, so that it is gone with the parent however either side ends
(`system.shared_memory`).
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from shaderlab.system.shared_memory import OwnSegment, Segment


class FrameBuffer(NamedTuple):
    """Shared memory for two pictures, named for the child."""

    name: str
    slot_bytes: int


class FrameSlot(NamedTuple):
    """Where a finished picture lies."""

    name: str
    offset: int
    size: tuple[int, int]
    """Width, height in pixels."""


def _picture(segment: Segment, offset: int, size: tuple[int, int]) -> np.ndarray:
    width, height = size
    assert segment.buf is not None  # it is not closed while it is in use here
    # Unlike an `ndarray` made on the buffer, this keeps the memory mapped while it is in use.
    flat = np.frombuffer(segment.buf, np.uint8, height * width * 4, offset)
    return flat.reshape(height, width, 4)


class FramePool:
    """The parent's side: makes the memory, reads finished pictures.  Thread-safe."""

    def __init__(self) -> None:
        self._segments: dict[str, OwnSegment] = {}
        self._newest = FrameBuffer("", 0)
        self._lock = threading.Lock()

    def buffer(self, size: tuple[int, int]) -> FrameBuffer:
        """Memory large enough for two pictures of `size` (width, height)."""
        nbytes = size[0] * size[1] * 4
        with self._lock:
            if self._newest.slot_bytes < nbytes:
                slot_bytes = 1 << (nbytes - 1).bit_length()  # few segments while a pane is resized
                segment = OwnSegment(2 * slot_bytes)
                self._segments[segment.name] = segment
                self._newest = FrameBuffer(segment.name, slot_bytes)
            return self._newest

    def picture(self, slot: FrameSlot) -> np.ndarray:
        """(height, width, 4) uint8, valid until the next but one frame of the same worker."""
        with self._lock:
            return _picture(self._segments[slot.name], slot.offset, slot.size)

    def close(self) -> None:
        """Give the names back; pictures handed out stay readable."""
        with self._lock:
            for segment in self._segments.values():
                segment.unlink()
            self._segments.clear()
            self._newest = FrameBuffer("", 0)


class FrameWriter:
    """The child's side: fills the two slots in turn, so the parent can show one meanwhile."""

    def __init__(self) -> None:
        self._segment: Segment | None = None
        self._turn = 0

    def next(self, buffer: FrameBuffer, size: tuple[int, int]) -> tuple[FrameSlot, np.ndarray]:
        """The next slot for a picture of `size`, and the (height, width, 4) uint8 array to fill."""
        if self._segment is None or self._segment.name != buffer.name:
            self._segment = Segment(buffer.name)
        self._turn = 1 - self._turn
        offset = self._turn * buffer.slot_bytes
        return FrameSlot(buffer.name, offset, size), _picture(self._segment, offset, size)
