"""`Fields`: JSON of others read field by field, so that nothing unchecked gets further."""

from __future__ import annotations

import json
import re
from typing import Any

from shaderlab.errors import InvalidModel

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Fields:
    """A JSON object read field by field; what is missing, of another type or unknown is refused."""

    def __init__(self, raw: object, where: str):
        if not isinstance(raw, dict):
            raise InvalidModel(f"{where}: not an object")
        self._raw = dict(raw)
        self._where = where

    @classmethod
    def parse(cls, data: bytes, where: str, version: int) -> Fields:
        """The object in UTF-8 JSON, whose field `format` is the version.  Raises `InvalidModel`."""
        try:
            raw = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise InvalidModel(f"{where}: not valid JSON ({error})") from None
        root = cls(raw, where)
        found = root.integer("format", 0, 10**6)
        if found != version:
            raise InvalidModel(
                f"{where}: format {found}, this shaderlab reads format {version} only"
            )
        return root

    def wrong(self, name: str, what: str) -> InvalidModel:
        return InvalidModel(f"{self._where}: {name}: {what}")

    def take(self, name: str) -> Any:
        if name not in self._raw:
            raise self.wrong(name, "missing")
        return self._raw.pop(name)

    def done(self) -> None:
        if self._raw:
            raise self.wrong(sorted(self._raw)[0][:80], "unknown field")

    def text(self, name: str, longest: int, *, empty: bool = False) -> str:
        value = self.take(name)
        if not isinstance(value, str) or not value.isprintable():
            raise self.wrong(name, "not a line of text")
        if len(value) > longest or not (value or empty):
            raise self.wrong(name, f"{len(value)} characters, 1 to {longest} are allowed")
        return value

    def optional_text(self, name: str, longest: int) -> str | None:
        return self.text(name, longest) if self._present(name) else None

    def has(self, name: str) -> bool:
        return name in self._raw

    def matching(self, name: str, pattern: re.Pattern[str]) -> str:
        value = self.text(name, 200)
        if not pattern.fullmatch(value):
            raise self.wrong(name, f"{value!r} is not of the form {pattern.pattern}")
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        value = self.take(name)
        if type(value) is not int:
            raise self.wrong(name, "not an integer")
        if not low <= value <= high:
            raise self.wrong(name, f"out of range {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        value = self.take(name)
        if type(value) not in (int, float):
            raise self.wrong(name, "not a number")
        if not low <= value <= high:
            raise self.wrong(name, f"out of range {low:g} to {high:g}")
        return float(value)

    def scalars(self, name: str, most: int) -> dict[str, int | float | str]:
        """An object of at most `most` numbers and short lines of text under names like its own."""
        fields = self.fields(name)
        if len(fields._raw) > most:
            raise self.wrong(name, f"{len(fields._raw)} fields, at most {most} are read")
        found: dict[str, int | float | str] = {}
        for key in list(fields._raw):
            if not _NAME.fullmatch(key):
                raise fields.wrong(repr(key[:80]), "not a name")
            value = fields._raw[key]
            if type(value) is int:
                found[key] = fields.integer(key, -(2**63), 2**63 - 1)
            elif type(value) is float:
                found[key] = fields.number(key, -1e300, 1e300)
            else:
                found[key] = fields.text(key, 200)
        return found

    def optional_truth(self, name: str) -> bool | None:
        if not self._present(name):
            return None
        value = self.take(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "not true or false")
        return value

    def number_list(self, name: str, low: float, high: float, most: int) -> tuple[float, ...]:
        values = self.take(name)
        if not isinstance(values, list) or len(values) > most:
            raise self.wrong(name, f"not a list of at most {most} numbers")
        each = Fields({str(n): value for n, value in enumerate(values)}, f"{self._where}: {name}")
        return tuple(each.number(str(n), low, high) for n in range(len(values)))

    def numbers(self, name: str, low: float, high: float, most: int) -> dict[str, float]:
        """An object of at most `most` numbers under any printable names."""
        fields = self.fields(name)
        if len(fields._raw) > most:
            raise self.wrong(name, f"{len(fields._raw)} fields, at most {most} are read")
        if strange := [key for key in fields._raw if not key.isprintable()]:
            raise fields.wrong(repr(strange[0][:80]), "not a name")
        return {key: fields.number(key, low, high) for key in list(fields._raw)}

    def optional_integer(self, name: str, low: int, high: int) -> int | None:
        return self.integer(name, low, high) if self._present(name) else None

    def optional_number(self, name: str, low: float, high: float) -> float | None:
        return self.number(name, low, high) if self._present(name) else None

    def _present(self, name: str) -> bool:
        """Whether the field holds a value; an explicit null is taken out and counts as absent."""
        if self._raw.get(name, self) is None:
            self.take(name)
            return False
        return True

    def fields(self, name: str) -> Fields:
        return Fields(self.take(name), f"{self._where}: {name}")

    def optional_fields(self, name: str, longest: int) -> list[Fields]:
        """Empty where it is null, missing or an empty list."""
        if self._raw.get(name) == [] or not self._present(name):
            self._raw.pop(name, None)
            return []
        return self.list_of_fields(name, longest)

    def list_of_fields(self, name: str, longest: int) -> list[Fields]:
        values = self.take(name)
        if not isinstance(values, list) or not 1 <= len(values) <= longest:
            raise self.wrong(name, f"not a list of 1 to {longest} objects")
        return [Fields(each, f"{self._where}: {name}[{i}]") for i, each in enumerate(values)]


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")
