"""The JSON of a glTF 2.0 file, checked against the parts of its schema that meshes need."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

_T = TypeVar("_T")
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_MOST_JSON = 64 << 20
_MOST_OBJECTS = 400_000
"""Of the JSON; one takes some 200 bytes in memory."""
_MOST_ITEMS = 4_000_000

Index = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
Matrix = Annotated[list[float], Meta(min_length=16, max_length=16)]


class Damaged(Exception):
    """The reason a file is refused, to follow "cannot read PATH: "."""


class Buffer(Struct):
    byteLength: Index
    uri: str | None = None


class BufferView(Struct):
    buffer: Index
    byteLength: Index
    byteOffset: Index = 0
    byteStride: Annotated[int, Meta(ge=4, le=252)] | None = None


class SparseIndices(Struct):
    bufferView: Index
    componentType: int
    byteOffset: Index = 0


class SparseValues(Struct):
    bufferView: Index
    byteOffset: Index = 0


class Sparse(Struct):
    count: Index
    indices: SparseIndices
    values: SparseValues


class Accessor(Struct):
    componentType: int
    count: Index
    type: str
    bufferView: Index | None = None
    byteOffset: Index = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Primitive(Struct):
    attributes: dict[str, Index]
    indices: Index | None = None
    mode: int = 4
    targets: list[dict[str, Index]] = []


class Mesh(Struct):
    primitives: list[Primitive]


class Node(Struct):
    children: list[Index] = []
    mesh: Index | None = None
    skin: Index | None = None
    matrix: Matrix | None = None
    translation: Three = (0.0, 0.0, 0.0)
    rotation: Four = (0.0, 0.0, 0.0, 1.0)
    scale: Three = (1.0, 1.0, 1.0)


class Scene(Struct):
    nodes: list[Index] = []


class Asset(Struct):
    version: str


class Gltf(Struct):
    """The parts of the root object that lead to meshes."""

    asset: Asset
    scene: Index | None = None
    scenes: list[Scene] = []
    nodes: list[Node] = []
    meshes: list[Mesh] = []
    accessors: list[Accessor] = []
    bufferViews: list[BufferView] = []
    buffers: list[Buffer] = []
    extensionsRequired: list[str] = []


def parse(data: bytes) -> tuple[Gltf, memoryview | None]:
    """The document, and the binary chunk of a `.glb`.  Raises Damaged."""
    chunk = None
    text = memoryview(data)
    if data[:4] == b"glTF":
        text, chunk = _chunks(text)
    if len(text) > _MOST_JSON:
        raise Damaged(f"its JSON has {len(text):,} bytes, the limit is {_MOST_JSON:,}")
    raw = bytes(text)  # braces and commas in names count too, and there are few
    if raw.count(b"{") > _MOST_OBJECTS or raw.count(b",") > _MOST_ITEMS:
        raise Damaged(f"its JSON has more than {_MOST_OBJECTS:,} objects or {_MOST_ITEMS:,} values")
    try:
        found = msgspec.json.decode(text, type=Gltf)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise Damaged(f"it is not a glTF file: {reason}") from None
    if not found.asset.version.startswith("2."):
        raise Damaged(f"it is glTF {found.asset.version[:10]!r}, only 2.0 is read")
    return found, chunk


def entry(listed: Sequence[_T], number: int, what: str) -> _T:
    """That entry of an array of the document.  Raises Damaged."""
    if number >= len(listed):
        raise Damaged(f"there is no {what} {number}")
    return listed[number]


def _chunks(data: memoryview) -> tuple[memoryview, memoryview | None]:
    """JSON and binary chunk (section 4.4)."""
    if len(data) < 20:
        raise Damaged("it ends within its header")
    _, version, _, length, kind = struct.unpack_from("<5I", data)
    if version != 2 or kind != _JSON or 20 + length > len(data):
        raise Damaged("its header is damaged, or of another version than 2")
    text = data[20 : 20 + length]
    at = 20 + length
    if at + 8 > len(data):
        return text, None
    length, kind = struct.unpack_from("<2I", data, at)
    if at + 8 + length > len(data):
        raise Damaged("its binary chunk ends beyond the file")
    return text, data[at + 8 : at + 8 + length] if kind == _BIN else None
