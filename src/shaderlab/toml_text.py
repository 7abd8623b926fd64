"""TOML written by others, as typed tables; what is wrong is named by its key."""

from __future__ import annotations

import re
import tomllib
from typing import TypeVar

import msgspec

from shaderlab.errors import WrongUse

_T = TypeVar("_T")
_WHERE = re.compile(r" - at `\$\.?(.*)`$")


def table(text: str, kind: type[_T], name: str) -> _T:
    """The text as `kind`.  Raises WrongUse that begins with `name` (of the file) and the key:
    `size[0]: expected int, got str`."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        raise WrongUse(f"{name} is not valid TOML: {one_line(error)}") from None
    except RecursionError:
        raise WrongUse(f"{name}: it is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise WrongUse(f"{name}: {_placed(str(error))}") from None
    except ValueError:  # of `int`, beyond 4,300 digits
        raise WrongUse(f"{name} is not valid TOML: it has a number with too many digits") from None


def _placed(message: str) -> str:
    """msgspec's message with the key first."""
    where = _WHERE.search(message)
    text = one_line(message[: where.start()] if where else message).replace("`", "")
    text = text[:1].lower() + text[1:]
    return f"{where[1]}: {text}" if where and where[1] else text


def one_line(message: object) -> str:
    return " ".join(str(message).split())[:300]
