"""RenderDoc's capture files taken apart and put together, to damage what is inside them.

Layout as RenderDoc 1.24 writes it (`serialise/rdcfile.cpp`, `serialise/lz4io.cpp`): a header with a
thumbnail and the driver's name, then sections; the frame's is compressed in pages of 64 KiB, each
with its length before it, and holds chunks aligned to 64 bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

FILE_HEADER = struct.Struct("<8sII16s")
"""Magic, version, length up to the first section, RenderDoc's version."""
SECTION_HEADER = struct.Struct("<B3xIQQQII")
"""ASCII or not, type, compressed and whole length, version, flags, length of the name."""
LZ4, ZSTD = 2, 4
FRAME = 1
"""Type of the section with the frame."""
_PAGE = 1 << 16
_FLAG_BYTES = {0x20000: 8, 0x40000: 8, 0x80000: 8}
"""Of a chunk's header: thread, duration, time."""


@dataclass(frozen=True)
class Section:
    header: tuple[int, ...]
    """As `SECTION_HEADER` has it."""
    name: bytes
    data: bytes
    """Compressed, where the flags say so."""

    @property
    def encoded(self) -> bytes:
        return SECTION_HEADER.pack(*self.header) + self.name + self.data

    @property
    def contents(self) -> bytes:
        """Decompressed."""
        if not self.header[5] & LZ4:
            return self.data
        return _decompressed(self.data)

    def with_contents(self, contents: bytes) -> Section:
        data = _compressed(contents) if self.header[5] & LZ4 else contents
        header = list(self.header)
        header[2:4] = len(data), len(contents)
        return replace(self, header=tuple(header), data=data)


@dataclass(frozen=True)
class Capture:
    head: bytes
    """All before the first section."""
    sections: tuple[Section, ...]

    @property
    def encoded(self) -> bytes:
        return self.head + b"".join(each.encoded for each in self.sections)

    @property
    def frame(self) -> Section:
        return next(each for each in self.sections if each.header[1] == FRAME)

    def with_frame(self, contents: bytes) -> Capture:
        new = self.frame.with_contents(contents)
        old = self.frame
        return replace(self, sections=tuple(new if s is old else s for s in self.sections))


@dataclass(frozen=True)
class Chunk:
    """Where a chunk of a frame lies."""

    start: int
    data: int
    end: int
    """Of its data; the next starts at a multiple of 64."""


def read(path: Path) -> Capture:
    data = path.read_bytes()
    at = FILE_HEADER.unpack_from(data)[2]
    head, sections = data[:at], []
    while at < len(data):
        header = SECTION_HEADER.unpack_from(data, at)
        name_at = at + SECTION_HEADER.size
        data_at = name_at + header[6]
        at = data_at + header[2]
        sections.append(Section(header, data[name_at:data_at], data[data_at:at]))
    return Capture(head, tuple(sections))


def chunks(contents: bytes) -> list[Chunk]:
    """Of a frame's contents."""
    found, at = [], 0
    while at + 8 <= len(contents):
        (word,) = struct.unpack_from("<I", contents, at)
        if not word:
            break
        data = at + 4
        if word & 0x10000:  # a call stack
            data += 4 + 8 * struct.unpack_from("<I", contents, data)[0]
        data += sum(nbytes for flag, nbytes in _FLAG_BYTES.items() if word & flag)
        form, nbytes = ("<Q", 8) if word & 0x100000 else ("<I", 4)
        (length,) = struct.unpack_from(form, contents, data)
        data += nbytes
        found.append(Chunk(at, data, data + length))
        at = -(-(data + length) // 64) * 64
    return found


def _compressed(contents: bytes) -> bytes:
    codec = pa.Codec("lz4_raw")
    pages = (contents[at : at + _PAGE] for at in range(0, len(contents), _PAGE))
    packed = (codec.compress(page, asbytes=True) for page in pages)
    return b"".join(struct.pack("<I", len(each)) + each for each in packed)


def _decompressed(data: bytes) -> bytes:
    """LZ4 blocks, each of which may repeat what stands in those before it."""
    out, at = bytearray(), 0
    while at + 4 <= len(data):
        (nbytes,) = struct.unpack_from("<I", data, at)
        at += 4
        _append_block(out, data[at : at + nbytes])
        at += nbytes
    return bytes(out)


def _append_block(out: bytearray, block: bytes) -> None:
    """The block format of LZ4 (lz4_Block_format.md of its sources)."""
    at = 0
    while at < len(block):
        token = block[at]
        literals, at = _length(block, at + 1, token >> 4)
        out += block[at : at + literals]
        at += literals
        if at >= len(block):
            return
        distance = block[at] | block[at + 1] << 8
        repeated, at = _length(block, at + 2, token & 15)
        repeated += 4
        start = len(out) - distance
        piece = bytes(out[start : start + repeated])
        out += (piece * (repeated // len(piece) + 1))[:repeated]


def _length(block: bytes, at: int, first: int) -> tuple[int, int]:
    if first == 15:
        while True:
            first += block[at]
            at += 1
            if block[at - 1] != 255:
                break
    return first, at
