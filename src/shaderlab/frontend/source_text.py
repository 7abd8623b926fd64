"""Bytes to text that glslang accepts: encodings, sizes, forbidden characters."""

from __future__ import annotations

import codecs
import re

from shaderlab.errors import CompileFailed
from shaderlab.frontend import scanner
from shaderlab.frontend.program import Diagnostic, Severity

MAX_BYTES = 1 << 20
"""Largest single source file.  The largest published Shadertoy shaders are a tenth of it."""

_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]|[\ud800-\udfff]")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


_MARK, _MARKED, _AS_LATIN_1 = "\ue000", "shaderlab-marked", "shaderlab-latin-1"
codecs.register_error(
    _MARKED,
    lambda error: (_MARK * (error.end - error.start), error.end),  # type: ignore[attr-defined]
)
codecs.register_error(
    _AS_LATIN_1,
    lambda error: (error.object[error.start : error.end].decode("latin-1"), error.end),  # type: ignore[attr-defined]
)


def decode(data: bytes, name: str) -> str:
    """Text of a source file: UTF-8, or what its byte order mark says; the mark is dropped.

    Other bytes in comments are read as Latin-1, in which older files have an author's name.
    Raises CompileFailed that places the first byte that is not text.
    """
    encoding, body = "utf-8", data
    for mark, candidate in _BOMS:
        if data.startswith(mark):
            encoding, body = candidate, data[len(mark) :]
            break
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        offset = len(data) - len(body) + error.start
        line, column = position(body[: error.start].decode(encoding, errors="replace"))
        if b"\0" in data[:4096]:
            raise failure(name, "this is a binary file, not shader text") from None
        if encoding == "utf-8" and _MARK not in scanner.blank(
            unify_line_ends(body.decode(errors=_MARKED))
        ):
            return body.decode(errors=_AS_LATIN_1)
        raise failure(
            name,
            f"byte {offset} (0x{body[error.start]:02x}) is not valid {encoding.upper()}"
            "; save the file as UTF-8",
            line,
            column,
        ) from None


def check(text: str, name: str) -> None:
    """Raise CompileFailed for text no compiler should see: too long, or with control characters."""
    if len(text) > MAX_BYTES:
        raise failure(name, f"{len(text):,} characters of source, the limit is {MAX_BYTES:,}")
    if bad := _CONTROL.search(text):
        line, column = position(text[: bad.start()])
        code = ord(bad.group())
        what = "a NUL byte" if code == 0 else f"the control character U+{code:04X}"
        if 0xD800 <= code <= 0xDFFF:
            what = f"a lone surrogate U+{code:04X}"
        raise failure(name, f"{what} is not allowed in shader text", line, column)


def failure(name: str, message: str, line: int = 0, column: int = 0) -> CompileFailed:
    """A CompileFailed with one error, worded `name:line:column: message`."""
    where = f"{name}:{line}:{column}" if line else name
    diagnostic = Diagnostic(line, column, Severity.ERROR, message)
    return CompileFailed(f"{where}: {message}", (diagnostic,))


def position(before: str) -> tuple[int, int]:
    """Line and column (from 1) of the character that follows `before`."""
    lines = unify_line_ends(before).split("\n")
    return len(lines), len(lines[-1]) + 1


def unify_line_ends(text: str) -> str:
    """The text with every CR LF and CR an LF, so that every tool counts the lines alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
