"""Answers as bytes: MessagePack, checked against the types of the answer when it is read."""

from __future__ import annotations

from typing import Any

import msgspec

from shaderlab.prediction.line_shares import LineShares


def encoded(answer: object) -> bytes:
    return _ENCODER.encode(answer)


def decoded(data: bytes, kind: Any) -> Any:
    """An answer of this type.  Raises msgspec.MsgspecError, ValueError."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_made)


def _columns(value: object) -> object:
    if isinstance(value, LineShares):
        return [(each.file, each.line, each.share) for each in value]
    raise TypeError(f"an answer holds a {type(value).__name__}")


def _made(kind: type, value: object) -> object:
    if kind is LineShares:
        return LineShares(msgspec.convert(value, list[tuple[str, int, float]]))
    raise TypeError(f"an answer holds a {kind.__name__}")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_columns)
