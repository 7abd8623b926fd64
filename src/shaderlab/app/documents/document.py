"""The file being edited: bytes to text and back, changing nothing that the user did not."""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from shaderlab import files
from shaderlab.app.documents import line_ends
from shaderlab.app.documents.line_ends import LineEnds
from shaderlab.app.editor.limits import MOST_BYTES, unshowable
from shaderlab.errors import WrongUse

SPIRV_MAGIC = b"\x03\x02\x23\x07"
NEWLINES = ("\n", "\r\n", "\r")
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""By byte order mark; a file without one is UTF-8."""


@dataclass(frozen=True)
class Document:
    """What is known of the file apart from its text."""

    name: str
    """Shown in the title, and the program's name."""
    path: Path | None = None
    """None for a new text or an example."""
    newline: str = "\n"
    """What most lines of the file end with; lines are written back ending as they were found."""
    encoding: str = "utf-8"
    byte_order_mark: bool = False
    spirv: bool = False
    """A binary module: shown, not edited."""
    example: str = ""
    """Id of the example the text came from."""
    digest: str = ""
    """SHA-256, hex, of the file's bytes as last read or written here; empty without a file."""
    line_ends: LineEnds | None = None
    """Of a file whose lines end in different ways, as last read or written here."""

    @property
    def folder(self) -> Path | None:
        """Where includes are looked up."""
        return self.path.parent if self.path else None


def read(path: Path) -> tuple[Document, str]:
    """The file as a document and its text with `\\n` line ends; empty text for a SPIR-V module.

    Raises WrongUse for a file that cannot be read, is too large, or is neither text in a known
    encoding nor SPIR-V.
    """
    path = path.absolute()
    data = read_bytes(path)
    if data[:4] in (SPIRV_MAGIC, SPIRV_MAGIC[::-1]):
        return Document(path.name, path, spirv=True, digest=digest_of(data)), ""
    return decode(data, path)


def read_bytes(path: Path) -> bytes:
    """The bytes of a plain file.  Raises WrongUse."""
    return files.read_bytes(path, MOST_BYTES)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def decode(data: bytes, path: Path) -> tuple[Document, str]:
    """Bytes of a file as a document and its text.

    Raises WrongUse for what is not text in UTF-8, or in UTF-16 with its byte order mark.
    """
    mark, encoding = next(((m, e) for m, e in _ENCODINGS if data.startswith(m)), (b"", "utf-8"))
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body[: error.start].decode(encoding, "replace").count("\n") + 1
        raise WrongUse(
            f"{path.name}: line {line} is not valid {encoding[:6].upper()}, so it was not opened"
        ) from None
    if "\0" in text:
        raise WrongUse(f"{path.name} is a binary file, but not SPIR-V, so it was not opened")
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if reason := unshowable(plain):
        raise WrongUse(f"{path.name}: {reason}, so it was not opened")
    ends = line_ends.counted(text)
    document = Document(
        path.name,
        path,
        newline=line_ends.usual(ends),
        line_ends=LineEnds.of(text) if sum(map(bool, ends.values())) > 1 else None,
        encoding=encoding,
        byte_order_mark=bool(mark),
        digest=digest_of(data),
    )
    return document, plain


def encode(document: Document, text: str) -> bytes:
    """The text as bytes for the file, in the document's own encoding and line ends."""
    if document.line_ends is not None:
        text = str(document.line_ends.applied(text))
    else:
        text = text.replace("\n", document.newline)
    data = text.encode(document.encoding)
    marks = {encoding: mark for mark, encoding in _ENCODINGS}
    return marks[document.encoding] + data if document.byte_order_mark else data


def write(document: Document, text: str, path: Path) -> Document:
    """Write to `path` whole or not at all; the document as it now is on disk.

    Raises WrongUse where that fails: the file is then as it was.
    """
    try:
        data = encode(document, text)
        files.write(path, data)
    except OSError as error:
        raise WrongUse(f"{path.name} cannot be saved: {error.strerror or error}") from None
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise WrongUse(
            f"{path.name} cannot be saved: line {line} has a character that is not Unicode text"
        ) from None
    written = document.line_ends.applied(text) if document.line_ends is not None else None
    return replace(document, line_ends=written, digest=digest_of(data))
