"""What a capture's file says of itself, where it is damaged and where it is not."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from shaderlab.captures import opening, sections
from shaderlab.errors import WrongUse
from tests import rdc

CONTENTS = bytes(range(256)) * 600  # three pages


def capture(path: Path, contents: bytes = CONTENTS, **changed: int) -> Path:
    """A file of two sections, the first of which is compressed; with numbers of its header changed.

    The thumbnail and the driver's name are left out: the header says where the sections begin.
    """
    frame = rdc.Section((0, rdc.FRAME, 0, 0, 21, rdc.LZ4, 4), b"one\0", b"")
    frame = frame.with_contents(contents)
    names = ("text", "kind", "packed", "whole", "version", "flags", "name")
    header = tuple(changed.get(n, old) for n, old in zip(names, frame.header, strict=True))
    other = rdc.Section((0, 7, 5, 5, 1, 0, 2), b"b\0", b"thumb")
    head = rdc.FILE_HEADER.pack(b"RDOC\0\0\0\0", 0x102, rdc.FILE_HEADER.size, b"1.24")
    parts = (rdc.Section(header, frame.name, frame.data), other)
    path.write_bytes(rdc.Capture(head, parts).encoded)
    return path


def test_a_sound_file_names_its_contents(tmp_path: Path) -> None:
    path = capture(tmp_path / "a.rdc")
    assert sections.contents_bytes(path, 1 << 20) == len(CONTENTS) + 5
    assert rdc.read(path).frame.contents == CONTENTS


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"whole": 1 << 40}, "3 pages of contents do not make the 1,099,511,627,776 bytes"),
        ({"whole": 1}, "3 pages of contents do not make the 1 bytes"),
        ({"packed": 1 << 63}, "past the end"),
        ({"packed": 20}, "1 pages of contents do not make"),
        ({"name": 0xFFFFFFFF}, "past the end"),
        ({"name": 6}, "page 0 of its contents has an impossible length"),
    ],
)
def test_numbers_that_cannot_be_are_refused_before_renderdoc_is_asked(
    tmp_path: Path, changed: dict[str, int], said: str
) -> None:
    path = capture(tmp_path / "a.rdc", **changed)
    with pytest.raises(WrongUse, match=rf"a\.rdc is damaged: .*{said}"):
        sections.contents_bytes(path, 1 << 20)


@pytest.mark.parametrize("left", [5, 31, 50, 100, -3])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, left: int) -> None:
    path = capture(tmp_path / "a.rdc")
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(WrongUse, match="is damaged"):
        sections.contents_bytes(path, 1 << 20)


def test_thousands_of_sections_are_refused(tmp_path: Path) -> None:
    path = capture(tmp_path / "a.rdc")
    empty = rdc.Section((0, 7, 0, 0, 1, 0, 0), b"", b"").encoded
    path.write_bytes(path.read_bytes() + 10_000 * empty)
    with pytest.raises(WrongUse, match="more than 64 sections"):
        sections.contents_bytes(path, 1 << 20)


def test_other_versions_and_sections_of_text_are_left_to_renderdoc(tmp_path: Path) -> None:
    path = capture(tmp_path / "a.rdc", text=ord("A"))
    assert 0 < sections.contents_bytes(path, 1 << 20) < path.stat().st_size
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 8, 0x101)
    path.write_bytes(data)
    assert sections.contents_bytes(path, 1 << 20) == len(data)


def test_memory_is_bounded_by_the_contents() -> None:
    assert opening.most_resident(0) == 400 << 20
    assert opening.most_resident(1 << 20) == 416 << 20
    assert opening.most_resident(4 << 30) == opening.MOST_RESIDENT
