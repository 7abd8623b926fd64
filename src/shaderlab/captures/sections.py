"""What a capture's file says of itself, read before RenderDoc is: where its sections lie, how long.

Layout of version 0x102, as RenderDoc 1.0 and later write it (`serialise/rdcfile.cpp`): a header
that says where the first section begins; each section has a header, a name and its data.  Sections
with LZ4 (`serialise/lz4io.cpp`) are pages of 64 KiB with the length of each before it.
"""

from __future__ import annotations

import struct
from io import BufferedReader
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse

_FILE = struct.Struct("<8sII16s")
_VERSION = 0x102
_SECTION = struct.Struct("<B3xIQQQII")
_PAGE = struct.Struct("<I")
_PAGE_BYTES = 1 << 16
_LONGEST_PAGE = _PAGE_BYTES + _PAGE_BYTES // 255 + 16
_LZ4 = 2
_MOST_SECTIONS = 64


def contents_bytes(path: Path, largest: int) -> int:
    """How long all sections of a capture are once decompressed.

    The file's own length for versions that are not known here, and for what follows a section of
    text, both of which are left to RenderDoc.  Raises WrongUse for a file larger than `largest`, or
    whose sections do not lie in it or cannot hold what they say.
    """
    with files.open_regular(path, largest) as file:
        size = path.stat().st_size
        head = file.read(_FILE.size)
        if len(head) < _FILE.size:
            raise _damaged(path, "its header is cut off")
        _, version, at, _ = _FILE.unpack(head)
        if version != _VERSION:
            return size
        total = 0
        for _ in range(_MOST_SECTIONS):
            if at == size:
                return total
            file.seek(at)
            header = file.read(_SECTION.size)
            if len(header) < _SECTION.size:
                raise _damaged(path, "its table of sections is cut off")
            is_text, _, packed, whole, _, flags, name = _SECTION.unpack(header)
            if is_text:
                return total + size - at
            at += _SECTION.size + name
            if at + packed > size:
                raise _damaged(
                    path, f"a section ends {at + packed - size:,} bytes past the end of the file"
                )
            if flags & _LZ4:
                _check_pages(file, path, (at, at + packed), whole)
            at += packed
            total += whole if flags else packed
    raise _damaged(path, f"it has more than {_MOST_SECTIONS} sections")


def _check_pages(file: BufferedReader, path: Path, place: tuple[int, int], whole: int) -> None:
    at, end = place
    pages = 0
    while at < end:
        file.seek(at)
        length = file.read(_PAGE.size)
        if len(length) < _PAGE.size or not 0 < _PAGE.unpack(length)[0] <= _LONGEST_PAGE:
            raise _damaged(path, f"page {pages} of its contents has an impossible length")
        at += _PAGE.size + _PAGE.unpack(length)[0]
        pages += 1
    if at != end or pages != -(-whole // _PAGE_BYTES):
        raise _damaged(
            path, f"{pages:,} pages of contents do not make the {whole:,} bytes it declares"
        )


def _damaged(path: Path, why: str) -> WrongUse:
    return WrongUse(f"{path.name} is damaged: {why}")
