"""Shaders to measure: a collection in JSON Lines, a folder of files, or a bundle of programs."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.errors import WrongUse
from shaderlab.samples.recording import Origin

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program

_SUFFIXES = frozenset((".frag", ".glsl", ".fs", ".spv"))


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
    optimized: bytes | None = None
    """Of a compiled one: its module after `spirv-opt -O`, where the bundle has it."""


def read(path: Path) -> list[Shader]:
    """The shaders of a corpus: a folder, or a file in JSON Lines, `.zst` compressed or not.

    A line is an object with `id` and `code`; the file's name up to the first dot names the
    collection.  A folder gives its .frag, .glsl, .fs and .spv files, those of its folders included.
    Raises WrongUse for what cannot be read.
    """
    try:
        return list(_from_folder(path)) if path.is_dir() else list(_from_lines(path))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror or error}") from None


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
        for line in path.read_text("utf-8").splitlines():
            word = line.strip()
            if word.startswith("{"):
                row = json.loads(word)
                word = str(row.get("shader_id", row.get("id", "")))
            if word:
                found[word] = None
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise WrongUse(f"{path.name}: is neither a list of ids nor JSON Lines") from None
    return tuple(found)


def _from_folder(folder: Path) -> Iterator[Shader]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            yield Shader(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), path=path)


def _from_lines(path: Path) -> Iterator[Shader]:
    collection = path.name.partition(".")[0]
    for number, line in enumerate(_lines(path), 1):
        try:
            row = json.loads(line)
            id, text = row["id"], row["code"]
            if not isinstance(id, str) or not isinstance(text, str):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise WrongUse(f"{path.name}:{number}: no object with `id` and `code`") from None
        key = hashlib.sha256(f"{collection}\0{id}\0{text}".encode()).hexdigest()
        yield Shader(id, key, Origin(collection, id), text=text)


def _lines(path: Path) -> Iterator[str]:
    import pyarrow as pa

    compression = "zstd" if path.suffix == ".zst" else None
    try:
        with pa.input_stream(os.fspath(path), compression=compression) as stream:
            yield from io.TextIOWrapper(stream, encoding="utf-8")
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise WrongUse(f"{path.name}: {str(error).splitlines()[0]}") from None
