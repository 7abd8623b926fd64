"""The schema's derivations: rows, columns (Arrow), JSON Schema and documentation.

Rows are JSON-like trees: objects for records and maps, lists for tuples.  `from_row` is the one
place where a row's shape, types and ranges are checked; everything it returns is within the rules.
"""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal

from shaderlab.errors import InvalidSample
from shaderlab.samples.sample import FIRST, VERSION, Rule, Sample

if typing.TYPE_CHECKING:
    import pyarrow


MAX_ROW_BYTES = 8 << 20
"""Largest row as JSON; the largest of thousands of samples takes a fifth of it."""


class Kind(Enum):
    """Shapes a field can have, with the JSON type of each."""

    INTEGER = "integer"
    NUMBER = "number"
    STRING = "string"
    LIST = "array"
    MAP = "map"
    RECORD = "object"


@dataclass(frozen=True)
class Column:
    """One field, resolved."""

    name: str
    kind: Kind
    rule: Rule
    nullable: bool
    choices: tuple[str, ...] = ()
    """Of a string with fixed values."""
    record: type | None = None
    """Of a record, or of the entries of a list of records."""
    entries: Kind | None = None
    """Of a list: the kind of its entries."""

    @property
    def inner(self) -> type:
        """The class of a record, or of the entries of a list of records."""
        assert self.record is not None
        return self.record

    @property
    def entry_kind(self) -> Kind:
        """The kind of a list's entries."""
        assert self.entries is not None
        return self.entries


@cache
def columns(record: type) -> tuple[Column, ...]:
    """The fields of a record class, in order."""
    hints = typing.get_type_hints(record, include_extras=True)
    return tuple(_column(field.name, hints[field.name]) for field in fields(record))


def _column(name: str, hint: Any) -> Column:
    annotated, rule = typing.get_args(hint)
    options = (
        typing.get_args(annotated)
        if typing.get_origin(annotated) in (types.UnionType, typing.Union)
        else ()
    )
    nullable = types.NoneType in options
    plain = next((o for o in options if o is not types.NoneType), annotated)
    origin, arguments = typing.get_origin(plain), typing.get_args(plain)
    if origin is Literal:
        return Column(name, Kind.STRING, rule, nullable, choices=arguments)
    if origin is tuple:
        entry: type = arguments[0]
        if is_dataclass(entry):
            return Column(name, Kind.LIST, rule, nullable, record=entry, entries=Kind.RECORD)
        return Column(name, Kind.LIST, rule, nullable, entries=_SCALARS[entry])
    if origin is not None and issubclass(origin, Mapping):
        return Column(name, Kind.MAP, rule, nullable)
    if isinstance(plain, type) and is_dataclass(plain):
        return Column(name, Kind.RECORD, rule, nullable, record=plain)
    return Column(name, _SCALARS[plain], rule, nullable)


_SCALARS = {int: Kind.INTEGER, float: Kind.NUMBER, str: Kind.STRING}


# -- rows -----------------------------------------------------------------------------------


def to_row(record: Any) -> dict[str, Any]:
    """A record as a JSON-like tree; maps in the order of their keys.

    What a later version brought is left out where it is null: such rows are of the first version.
    """
    row = {column.name: _out(column, getattr(record, column.name)) for column in _of(record)}
    later = [c.name for c in _of(record) if c.rule.since > FIRST and row[c.name] is None]
    return {name: value for name, value in row.items() if name not in later}


def _of(record: Any) -> tuple[Column, ...]:
    return columns(type(record))


def _out(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.kind is Kind.RECORD:
        return to_row(value)
    if column.kind is Kind.MAP:
        return dict(sorted(value.items()))
    if column.kind is Kind.LIST:
        return [to_row(entry) for entry in value] if column.record else list(value)
    return value


def from_row(row: Any, record: type = Sample, place: str = "") -> Any:
    """The record a row describes.  Raises InvalidSample, naming the field that breaks a rule."""
    if not isinstance(row, Mapping):
        raise InvalidSample(f"{place or 'row'}: {_shown(row)} is not an object")
    known = columns(record)
    extra = [str(key) for key in row.keys() - {column.name for column in known}]
    if extra:
        name = ascii(min(extra))[1:-1][:100]
        raise InvalidSample(f"{_join(place, name)}: no such field in schema {VERSION}")
    return record(**{c.name: _in(c, row.get(c.name), _join(place, c.name)) for c in known})


def fits(column: Column, value: Any) -> bool:
    """Whether a column can hold a value."""
    try:
        _in(column, value, column.name)
    except InvalidSample:
        return False
    return True


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _in(column: Column, value: Any, place: str) -> Any:
    rule = column.rule
    if value is None:
        if column.nullable:
            return None
        raise InvalidSample(f"{place}: is missing")
    if column.kind is Kind.RECORD:
        return from_row(value, column.inner, place)
    if column.kind is Kind.LIST:
        if not isinstance(value, list | tuple):
            raise InvalidSample(f"{place}: {_shown(value)} is not a list")
        _bound_length(rule, value, place)
        if column.record is not None:
            return tuple(
                from_row(entry, column.record, f"{place}[{number}]")
                for number, entry in enumerate(value)
            )
        return tuple(
            _scalar(column.entry_kind, rule, entry, f"{place}[{number}]")
            for number, entry in enumerate(value)
        )
    if column.kind is Kind.MAP:
        return _map(rule, value, place)
    if column.choices and value not in column.choices:
        raise InvalidSample(f"{place}: {_shown(value)} is not one of {', '.join(column.choices)}")
    return _scalar(column.kind, rule, value, place)


def _map(rule: Rule, value: Any, place: str) -> dict[str, int]:
    if isinstance(value, list):  # Arrow's form: pairs
        pairs = value
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise InvalidSample(f"{place}: {_shown(value)} is not a map")
    elif isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        raise InvalidSample(f"{place}: {_shown(value)} is not a map")
    _bound_length(rule, pairs, place)
    found: dict[str, int] = {}
    for key, number in pairs:
        if not isinstance(key, str) or not _matches(rule.pattern, key):
            raise InvalidSample(f"{place}: {_shown(key)} is not a valid name here")
        if key in found:
            raise InvalidSample(f"{place}: {_shown(key)} occurs twice")
        found[key] = int(_number(Kind.INTEGER, rule, number, place))
    return found


def _scalar(kind: Kind, rule: Rule, value: Any, place: str) -> Any:
    if kind is not Kind.STRING:
        return _number(kind, rule, value, place)
    if not isinstance(value, str):
        raise InvalidSample(f"{place}: {_shown(value)} is not text")
    _bound_length(rule, value, place)
    if not _matches(rule.pattern, value):
        raise InvalidSample(f"{place}: {_shown(value)} does not look like {rule.pattern}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidSample(f"{place}: is not encodable as UTF-8") from None
    return value


def _number(kind: Kind, rule: Rule, value: Any, place: str) -> int | float:
    wanted = int if kind is Kind.INTEGER else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise InvalidSample(f"{place}: {_shown(value)} is not of type {kind.value}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidSample(f"{place}: {value} is not finite")
    if rule.minimum is not None and value < rule.minimum:
        raise InvalidSample(f"{place}: {_shown(value)} is below {rule.minimum:g}")
    if rule.maximum is not None and value > rule.maximum:
        raise InvalidSample(f"{place}: {_shown(value)} is above {rule.maximum:g}")
    return value if kind is Kind.INTEGER else float(value)


def _bound_length(rule: Rule, value: Any, place: str) -> None:
    if rule.longest is not None and len(value) > rule.longest:
        raise InvalidSample(f"{place}: {len(value):,} long, more than {rule.longest:,}")


def _matches(pattern: str | None, value: str) -> bool:
    return pattern is None or _compiled(pattern).fullmatch(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _shown(value: Any) -> str:
    """A value in a message: one line, bounded."""
    text = ascii(value) if isinstance(value, str | int | float) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- Arrow ----------------------------------------------------------------------------------


@cache
def arrow_schema(version: int = VERSION) -> pyarrow.Schema:
    """Columns of the exchange format."""
    import pyarrow as pa

    fields = _arrow_fields(Sample, version)
    return pa.schema(fields, metadata={"shaderlab.schema": str(version)})


def _arrow_fields(record: type, version: int) -> list[pyarrow.Field]:
    import pyarrow as pa

    scalars = {Kind.INTEGER: pa.int64(), Kind.NUMBER: pa.float64(), Kind.STRING: pa.string()}

    def arrow(column: Column) -> pa.DataType:
        match column.kind:
            case Kind.RECORD:
                return pa.struct(_arrow_fields(column.inner, version))
            case Kind.MAP:
                return pa.map_(pa.string(), pa.int64())
            case Kind.LIST if column.record:
                return pa.list_(pa.struct(_arrow_fields(column.record, version)))
            case Kind.LIST:
                return pa.list_(scalars[column.entry_kind])
            case kind:
                return scalars[kind]

    return [
        pa.field(c.name, arrow(c), nullable=c.nullable)
        for c in columns(record)
        if c.rule.since <= version
    ]


# -- JSON Schema and documentation ----------------------------------------------------------


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a row."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"shaderlab sample, schema {VERSION}",
        **_json_object(Sample),
    }


def _json_object(record: type) -> dict[str, Any]:
    properties = {}
    for column in columns(record):
        described = _json_type(column) | {"description": column.rule.text}
        if column.nullable:
            text = described.pop("description")
            described = {"description": text, "anyOf": [described, {"type": "null"}]}
        properties[column.name] = described
    return {
        "type": "object",
        "properties": properties,
        "required": [c.name for c in columns(record) if not c.nullable],
        "additionalProperties": False,
    }


def _json_type(column: Column) -> dict[str, Any]:
    rule = column.rule
    bounds = {
        key: value
        for key, value in (("minimum", rule.minimum), ("maximum", rule.maximum))
        if value is not None
    }
    text = {"pattern": f"^(?:{rule.pattern})$"} if rule.pattern else {}
    match column.kind:
        case Kind.RECORD:
            return _json_object(column.inner)
        case Kind.MAP:
            return {
                "type": "object",
                "propertyNames": text,
                "additionalProperties": {"type": "integer"} | bounds,
                "maxProperties": rule.longest,
            }
        case Kind.LIST:
            entries = (
                _json_object(column.record)
                if column.record
                else {"type": column.entry_kind.value} | bounds
            )
            return {"type": "array", "items": entries, "maxItems": rule.longest}
        case Kind.STRING:
            length = {"maxLength": rule.longest} if rule.longest else {}
            choices = {"enum": list(column.choices)} if column.choices else {}
            return {"type": "string"} | text | length | choices
        case kind:
            return {"type": kind.value} | bounds


def documentation() -> str:
    """The schema as a Markdown table, one line per field."""
    lines = [
        f"# Samples, schema {VERSION}",
        "",
        "One row is one measured shader on one device with one set of inputs. A field marked `?`",
        "may be null.",
        "",
        "| field | type | meaning |",
        "|---|---|---|",
    ]
    lines += [f"| `{path}` | {kind} | {text} |" for path, kind, text in _documented(Sample, "")]
    return "\n".join(lines) + "\n"


def _documented(record: type, place: str) -> Iterator[tuple[str, str, str]]:
    for column in columns(record):
        path = _join(place, column.name)
        mark = "?" if column.nullable else ""
        range_ = _range(column.rule) if column.kind in (Kind.INTEGER, Kind.NUMBER) else ""
        match column.kind:
            case Kind.MAP:
                kind = "map of text to integer"
            case Kind.LIST:
                entries = "objects" if column.record else f"{column.entry_kind.value}s"
                kind = f"list of {entries}"
            case Kind.STRING if column.choices:
                kind = " or ".join(f"`{choice}`" for choice in column.choices)
            case kind_:
                kind = kind_.value
        yield path, kind + mark, (column.rule.text + range_).replace("|", "\\|")
        if column.record is not None:
            inner = f"{path}[]" if column.kind is Kind.LIST else path
            yield from _documented(column.record, inner)


def _range(rule: Rule) -> str:
    if rule.minimum is None or rule.maximum is None:
        return ""
    return f" {rule.minimum:g} to {rule.maximum:g}."
