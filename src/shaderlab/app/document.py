"""The file being edited: bytes to text and back, changing nothing that the user did not."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from shaderlab.errors import WrongUse

SPIRV_MAGIC = b"\x03\x02\x23\x07"
MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class Document:
    """What is known of the file beside its text."""

    name: str
    """Shown in the title, and the program's name."""
    path: Path | None = None
    """None for a new text or an example."""
    newline: str = "\n"
    """Line ending of the file: written back as found."""
    byte_order_mark: bool = False
    spirv: bool = False
    """A binary module: shown, not edited."""
    example: str = ""
    """Id of the example the text came from."""

    @property
    def folder(self) -> Path | None:
        """Where includes are looked up."""
        return self.path.parent if self.path else None


def read(path: Path) -> tuple[Document, str]:
    """The file as a document and its text with `\\n` line ends; empty text for a SPIR-V module.

    Raises WrongUse for a file that cannot be read, is too large, or is neither UTF-8 nor SPIR-V.
    """
    path = path.absolute()
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise WrongUse(f"{path.name} has {size} bytes: too large for a shader")
        data = path.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path.name} cannot be read: {error.strerror or error}") from None
    if data[:4] in (SPIRV_MAGIC, SPIRV_MAGIC[::-1]):
        return Document(path.name, path, spirv=True), ""
    return decode(data, path)


def decode(data: bytes, path: Path) -> tuple[Document, str]:
    """Bytes of a file as a document and its text.  Raises WrongUse for what is not UTF-8 text."""
    mark = data.startswith(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WrongUse(
            f"{path.name}: line {line} is not valid UTF-8, so it was not opened"
        ) from None
    if "\0" in text:
        raise WrongUse(f"{path.name} is a binary file, but not SPIR-V, so it was not opened")
    crlf = text.count("\r\n")
    newline = "\r\n" if crlf * 2 > text.count("\n") else "\n"
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return Document(path.name, path, newline, mark), plain


def encode(document: Document, text: str) -> bytes:
    """The text as bytes for the file, in the document's own line ends."""
    data = text.replace("\n", document.newline).encode()
    return b"\xef\xbb\xbf" + data if document.byte_order_mark else data


def write(document: Document, text: str, path: Path) -> None:
    """Write to `path` whole or not at all.  Raises WrongUse where that fails."""
    target = Path(os.path.realpath(path))
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(encode(document, text))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise WrongUse(f"{path.name} cannot be saved: {error.strerror or error}") from None


def _mode_of(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
