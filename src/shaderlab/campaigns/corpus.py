"""Shaders to measure: a collection in JSON Lines, a folder of files, or a bundle of programs."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.dialects.shadertoy import channels
from shaderlab.projects import shadertoy_export
from shaderlab.projects.shadertoy_export import Export, PassKind
from shaderlab.samples.recording import Origin
from shaderlab.scene.textures import PassPicture, Pattern, Texture

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program

_MAX_FILE_BYTES = 4 << 30
_MAX_BYTES = 1 << 30
"""Of a corpus once decompressed."""
_EXPANSION, _FREE_BYTES = 100, 1 << 20
"""A compressed corpus may grow to so many times its size, beyond what is free."""
_MAX_LINE_BYTES = 8 << 20
_MAX_IDS_BYTES = 64 << 20
_MOST_SHADERS = 500_000
_LONGEST_ID = 200
_SUFFIXES = frozenset((".frag", ".glsl", ".fs", ".comp", ".spv"))


@dataclass(frozen=True)
class Shader:
    """One shader of a campaign, as text, as a file to load, or compiled."""

    name: str
    """For progress and reasons: its id or its file's name."""
    key: str
    """Hash of what is to be compiled or run; the same shader has the same key on every machine."""
    origin: Origin = field(default_factory=Origin)
    text: str | None = None
    path: Path | None = None
    program: Program | None = None
    textures: Mapping[str, Texture] = field(default_factory=dict)
    """By name; a `PassPicture` is drawn as noise of the picture's size."""
    optimized: bytes | None = None
    """Of a compiled one: its module after `spirv-opt -O`, where the bundle has it."""


def read(path: Path) -> list[Shader]:
    """The shaders of a corpus: a folder, or a file in JSON Lines, `.zst` compressed or not.

    A line is an object with `id` and `code`, or with `id` and a Shadertoy export's `renderpass`, of
    which one pass that reads textures is taken (`_pass_of`); the file's name up to the first dot
    names the collection.  A folder gives its .frag, .glsl, .fs, .comp and .spv files, those of its
    folders included.  Raises WrongUse for what cannot be read.
    """
    try:
        return list(_from_folder(path)) if path.is_dir() else list(_from_lines(path))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {files.reason(error)}") from None


def drawn(
    shaders: Iterable[Shader], *, seed: int = 0, first: Sequence[str] = (), limit: int | None = None
) -> list[Shader]:
    """The shaders in the order a campaign takes them, each key once.

    Those whose ids are among `first` come first; within both parts the order is that of a hash of
    the seed and the key, so it does not depend on the order of the corpus, and a longer campaign
    begins with a shorter one.
    """
    wanted = set(first)

    def place(shader: Shader) -> tuple[bool, bytes]:
        mixed = hashlib.sha256(f"{seed} {shader.key}".encode()).digest()
        return shader.origin.id not in wanted, mixed

    distinct = {shader.key: shader for shader in shaders}
    return sorted(distinct.values(), key=place)[:limit]


def ids(path: Path) -> tuple[str, ...]:
    """The ids a file lists: one a line, or JSON Lines with `id` or `shader_id`."""
    found: dict[str, None] = {}
    try:
        for line in files.read_bytes(path, _MAX_IDS_BYTES).decode().splitlines():
            word = line.strip()
            if word.startswith("{"):
                row = json.loads(word)
                word = str(row.get("shader_id", row.get("id", "")))
            if word:
                found[word] = None
    except (ValueError, RecursionError):
        raise WrongUse(f"{path.name}: is neither a list of ids nor JSON Lines") from None
    return tuple(found)


def _from_folder(folder: Path) -> Iterator[Shader]:
    for path in sorted(folder.absolute().rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            with files.open_regular(path, sys.maxsize) as file:
                key = hashlib.file_digest(file, "sha256").hexdigest()
            yield Shader(path.name, key, path=path)


def _from_lines(path: Path) -> Iterator[Shader]:
    collection = path.name.partition(".")[0]
    for number, line in enumerate(_lines(path), 1):
        if number > _MOST_SHADERS:
            raise WrongUse(f"{path.name}: more than {_MOST_SHADERS:,} shaders")
        try:
            row = json.loads(line)
            id = row["id"]
            if not isinstance(id, str) or len(id) > _LONGEST_ID:
                raise TypeError
            origin = Origin(collection, id)
            if "renderpass" in row:
                found = _pass_of(shadertoy_export.parse(line, id), origin)
                if found is not None:
                    yield found
                continue
            text = row["code"]
            if not isinstance(text, str):
                raise TypeError
            key = hashlib.sha256(f"{collection}\0{id}\0{text}".encode()).hexdigest()
        except (ValueError, KeyError, TypeError, RecursionError, WrongUse):
            raise WrongUse(
                f"{path.name}:{number}: no object with `id` and `code` or `renderpass`"
            ) from None
        yield Shader(id, key, origin, text=text)


def _pass_of(export: Export, origin: Origin) -> Shader | None:
    """One of the passes that read a texture, drawn by a hash of the id; None without any.

    The site's own images are not in an export: what stands for them, and for the pictures of other
    passes, is noise, but for a keyboard with no key held.
    """
    reading = []
    for each in export.passes:
        if each.kind in (PassKind.IMAGE, PassKind.BUFFER):
            used = channels(each.code)
            given = {
                f"iChannel{number}": _noise(channel.texture)
                for number, channel in enumerate(each.channels)
                if channel is not None and number in used
            }
            if given:
                reading.append((each, given))
    if not reading:
        return None
    drawn = int(hashlib.sha256(f"pass {origin.id}".encode()).hexdigest(), 16)
    each, given = reading[drawn % len(reading)]
    text = each.text(f"{export.common}\n" if export.common else "")
    parts = (origin.collection, origin.id, each.name, text, sorted(given.items()))
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    return Shader(f"{origin.id} {each.name}", key, origin, text=text, textures=given)


def _noise(texture: Texture) -> Texture:
    is_kept = isinstance(texture.source, PassPicture) or texture.source in (
        Pattern.BLACK,
        Pattern.KEYBOARD,
    )
    return texture if is_kept else replace(texture, source=Pattern.NOISE)


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, decompressed where it is `.zst`, within a budget."""
    with files.open_regular(path, _MAX_FILE_BYTES) as raw:
        size = path.stat().st_size
        left = min(_MAX_BYTES, size if path.suffix != ".zst" else _FREE_BYTES + _EXPANSION * size)
        for line in files.lines(_decompressed(raw, path), _MAX_LINE_BYTES):
            left -= len(line)
            if len(line) > _MAX_LINE_BYTES:
                raise WrongUse(f"{path.name}: a line of more than {_MAX_LINE_BYTES:,} bytes")
            if left < 0:
                raise WrongUse(f"{path.name}: decompresses to too much")
            yield line


def _decompressed(raw: BinaryIO, path: Path) -> BinaryIO:
    if path.suffix != ".zst":
        return raw
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
    return io.BufferedReader(_Raw(stream, path.name), 1 << 16)


class _Raw(io.RawIOBase):
    """Arrow's stream as Python's buffered reader takes it."""

    def __init__(self, stream: Any, name: str):
        self._stream = stream
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import pyarrow as pa

        try:
            data = self._stream.read(len(buffer))
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise WrongUse(f"{self._name}: damaged: {lines[0][:200]}") from None
        buffer[: len(data)] = data
        return len(data)
