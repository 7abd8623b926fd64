"""The one place that writes to the terminal, where text of others can do nothing but be read.

Names of devices, fields, files and shaders come from drivers and from files of others.  Control
characters in them could forge lines or drive the terminal, and bidirectional marks could show them
in another order than they are in; both are shown as escapes (`\\u001b`).
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TextIO

_SHOWN_AS_ESCAPES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of Unicode: controls, formats (the bidirectional marks among them), surrogates, and
separators of lines and paragraphs."""


def escaped(text: str) -> str:
    """Text of several lines; what is no visible character, line end or tab becomes an escape.

    JSON stays JSON: it has such characters inside strings alone, where the escapes mean the same.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(c if c in "\n\t" else _escape(c) for c in text)


def one_line(text: object) -> str:
    """A value as part of one line, whatever it holds."""
    return "".join(map(_escape, str(text)))


def _escape(c: str) -> str:
    if unicodedata.category(c) not in _SHOWN_AS_ESCAPES:
        return c
    units = c.encode("utf-16-be", "surrogatepass").hex()  # JSON's escapes have 16 bits
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns padded to their widest cell; numbers, which start with a digit, to the right."""
    cells = [[one_line(c) for c in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [bool(cells) and all(r[i][:1].isdigit() for r in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        padded = (
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), *map(line, cells)])


def prepare() -> None:
    """Have logs, faults and letters the terminal has not got go through here as well."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(levelname)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.raiseExceptions = False  # a log that cannot be written is no fault of the command
    sys.excepthook = lambda *fault: note("".join(traceback.format_exception(*fault)))
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a test's stand-in, or closed
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]


def put(text: str) -> bool:
    """Write an answer to stdout; whether it arrived.

    It does not where the reader (`head`) has seen enough, which needs no word, or the disk is full.
    """
    try:
        print(escaped(text).removesuffix("\n"), flush=True)
    except OSError as error:
        _forget(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            note(f"cannot write the answer: {error.strerror}")
        return False
    return True


def note(text: str) -> None:
    """Write what is not part of the answer to stderr; a failure there cannot be reported."""
    try:
        print(escaped(text).removesuffix("\n"), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _forget(sys.stderr)


def is_answered() -> bool:
    """Whether somebody can type an answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def asked(question: str) -> str | None:
    """The line that answers a question on stderr; None for an empty one."""
    note(question)
    return sys.stdin.readline().strip() or None


def flushed() -> bool:
    """Whether what others wrote to stdout (the parser its help) arrived."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _forget(sys.stdout)
        return False
    return True


def _forget(stream: TextIO) -> None:
    """Let what the stream still holds go nowhere, or the interpreter would report it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return escaped(super().format(record))


def has_display() -> bool:
    """Whether a window can be shown: everywhere but on a Unix without X11 and Wayland."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    )
