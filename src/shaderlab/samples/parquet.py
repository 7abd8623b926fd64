"""Parquet of others, decoded within a budget.

A column of a few bytes may decode to gigabytes: one long text that a dictionary repeats, one number
that a run repeats, a compressed page of zeros.  What a file's footer claims cannot be trusted, so
before Arrow decodes a row group the headers of its pages, which Arrow uses too, are read here: the
decompressed size of each page, how many values it has and how they are encoded. Layout:
https://parquet.apache.org/docs/file-format/, `parquet.thrift`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab import files
from shaderlab.errors import InvalidDataset, WrongUse

_BATCH_ROWS = 32
_MAX_FILE_BYTES = 4 << 30
_MAX_PAGES_BYTES = 128 << 20
"""Of one row group: each column's dictionary and its largest page, decompressed."""
_MAX_DECODED_BYTES = 128 << 20
"""Of one row group, or of one batch of its rows where each row has one value of a column."""
_MAX_VALUES = 8 << 20
"""Of one row group, all columns together."""
_EXPANSION, _FREE_BYTES = 100, 256 << 20
"""A file may decode to so many times its size, beyond what is free; samples do to 12 times."""
_HEADER_BYTES = 64 << 10
_FOOTER_BYTES = 16 << 20
_CONTAINER_LIMIT = 1_000_000
_DEPTH = 10


def rows(
    path: Path, schemas: Sequence[pa.Schema], *, least_bytes: int, most_bytes: int
) -> Iterator[dict[str, Any]]:
    """Every row of a file that has the columns of one of `schemas`.

    `least_bytes`: of a row in the file; one that claims more rows than fit is refused.
    `most_bytes`: of a row once decoded.  Raises InvalidDataset for a file that is damaged, has
    other columns or decodes to too much.
    """
    try:
        with (
            files.open_regular(path, _MAX_FILE_BYTES) as raw,
            pq.ParquetFile(raw, thrift_container_size_limit=_CONTAINER_LIMIT) as file,
        ):
            _check_columns(file, schemas)
            size = path.stat().st_size
            claimed = file.metadata.num_rows
            if claimed > size // least_bytes:
                raise InvalidDataset(f"claims {claimed:,} rows in {size:,} bytes")
            left = _FREE_BYTES + _EXPANSION * size
            groups = _row_groups(raw)
            for group in groups:  # all of them before the first row is decoded
                left -= _check_group(raw, file, group)
                if left < 0:
                    raise InvalidDataset(f"decodes to over {_EXPANSION} times its size")
            for number in range(len(groups)):
                for batch in file.iter_batches(_BATCH_ROWS, [number], use_threads=False):
                    batch.validate(full=True)
                    for at in range(batch.num_rows):
                        row = batch.slice(at, 1)
                        if row.nbytes > most_bytes:
                            raise InvalidDataset(f"a row of {row.nbytes:,} bytes")
                        yield from row.to_pylist()
    except InvalidDataset as error:
        raise InvalidDataset(f"{path.name}: {error}") from None
    except WrongUse as error:
        raise InvalidDataset(str(error)) from None
    except _DAMAGE as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidDataset(f"{path.name}: damaged Parquet: {lines[0][:200]}") from None


_DAMAGE = (
    pa.ArrowException,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    MemoryError,
    OverflowError,
)
"""What comes of a file that is not what its format says."""


def write(tables: Iterator[pa.Table], schema: pa.Schema, file: BinaryIO, level: int) -> int:
    """Write tables as row groups that `rows` takes; the number of rows."""
    written = 0
    with pq.ParquetWriter(file, schema, compression="zstd", compression_level=level) as writer:
        for table in tables:
            groups = 1 + table.nbytes // (_MAX_DECODED_BYTES // 8)
            writer.write_table(table, row_group_size=max(1, table.num_rows // groups))
            written += table.num_rows
    return written


def _check_columns(file: pq.ParquetFile, schemas: Sequence[pa.Schema]) -> None:
    found = file.schema_arrow
    versions = {}
    for schema in schemas:
        for key, wanted in (schema.metadata or {}).items():
            versions.setdefault(key, {})[wanted] = schema
    schema = schemas[-1]
    for key, known in versions.items():
        value = (found.metadata or {}).get(key, b"none")
        if value not in known:
            what, shown = key.decode().rpartition(".")[2], value[:20].decode(errors="replace")
            wanted = " or ".join(each.decode() for each in known)
            raise InvalidDataset(f"{what} {shown}; this is for {wanted}")
        schema = known[value]
    if not found.equals(schema):
        differing = set(found.names) ^ set(schema.names)
        detail = f" ({min(differing)[:50]!r})" if differing else ""
        raise InvalidDataset(f"its columns are not those of this version{detail}")


class _Page(NamedTuple):
    """What a page's header says."""

    dictionary: bool
    decompressed: int
    compressed: int
    values: int
    encoding: int


_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY = 0, 1, 2, 4, 5, 6
_WIDTHS = {_BOOLEAN: 1, _INT32: 4, _INT64: 8, _FLOAT: 4, _DOUBLE: 8, _BYTE_ARRAY: 0}
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_PLAIN, _PLAIN_DICTIONARY, _RLE, _RLE_DICTIONARY = 0, 2, 3, 8
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = 0, 2, 3
_LEVELS_BYTES = 8
"""Of a value: its repetition and definition levels, and the offset of a list."""


def _row_groups(raw: BinaryIO) -> list[dict[int, Any]]:
    """The row groups of the footer, as Thrift has them.

    Arrow's own objects for them end the process where a codec has a number that is none.
    """
    size = raw.seek(0, 2)
    raw.seek(size - 8)
    length = int.from_bytes(raw.read(4), "little")
    if length > min(size - 8, _FOOTER_BYTES):
        raise InvalidDataset(f"a footer of {length:,} bytes")
    raw.seek(size - 8 - length)
    groups = _Thrift(raw.read(length)).struct()[0][4]
    return [dict(group) for group in groups]


def _check_group(raw: BinaryIO, file: pq.ParquetFile, group: dict[int, Any]) -> int:
    """Refuse a row group that decodes to too much; the bytes it decodes to, at most."""
    values = pages = decoded = 0
    for place, chunk in enumerate(group[1]):
        column: dict[int, Any] = chunk[3]
        kind, claimed = column[1], column[5]
        values += max(claimed, 0)
        if claimed < 0 or values > _MAX_VALUES:
            raise InvalidDataset(f"a row group of more than {_MAX_VALUES:,} values")
        if kind not in _WIDTHS or column[4] not in _CODECS:
            raise InvalidDataset("a type or compression that is not read")
        repeated = file.schema.column(place).max_repetition_level > 0
        largest, dictionary, widest, seen = 0, 0, _WIDTHS[kind], 0
        for page, offset in _pages(raw, column):
            if page.decompressed > _MAX_PAGES_BYTES:
                raise InvalidDataset(f"a page of {page.decompressed:,} bytes")
            if page.dictionary:
                dictionary = page.decompressed
                if kind == _BYTE_ARRAY:
                    widest = _longest(raw, _CODECS[column[4]], page, offset)
                continue
            seen += page.values
            largest = max(largest, page.decompressed)
            if page.encoding == _PLAIN:
                decoded += page.decompressed
            elif page.encoding in (_PLAIN_DICTIONARY, _RLE_DICTIONARY, _RLE):
                at_once = page.values if repeated else min(page.values, _BATCH_ROWS)
                decoded += at_once * widest
            else:
                raise InvalidDataset("an encoding of pages that is not read")
        if seen < claimed:
            raise InvalidDataset("damaged Parquet: values are missing")
        decoded += _LEVELS_BYTES * seen
        pages += largest + dictionary
    if pages > _MAX_PAGES_BYTES or decoded > _MAX_DECODED_BYTES:
        raise InvalidDataset(f"a row group that decodes to {pages + decoded:,} bytes")
    return pages + decoded


def _pages(raw: BinaryIO, column: dict[int, Any]) -> Iterator[tuple[_Page, int]]:
    """The headers of a column's pages, and where each page's data begin: those Arrow will read."""
    at = column[9]
    if 0 < column.get(11, 0) < at:
        at = column[11]
    end, seen = at + column[7], 0
    while at < end and seen < column[5]:
        raw.seek(at)
        page, size = _page(raw.read(_HEADER_BYTES))
        at += size + page.compressed
        if page.compressed < 0 or page.decompressed < 0 or page.values < 0 or at > end:
            raise InvalidDataset("damaged Parquet: a page does not fit")
        if not page.dictionary:
            seen += page.values
        yield page, at - page.compressed


def _page(header: bytes) -> tuple[_Page, int]:
    """A page's header and how long it is."""
    fields, size = _Thrift(header).struct()
    kind = fields[1]
    inner = fields[{_DATA_PAGE: 5, _DICTIONARY_PAGE: 7, _DATA_PAGE_V2: 8}[kind]]
    encoding = inner[4 if kind == _DATA_PAGE_V2 else 2]
    return _Page(kind == _DICTIONARY_PAGE, fields[2], fields[3], inner[1], encoding), size


def _longest(raw: BinaryIO, codec: str | None, page: _Page, offset: int) -> int:
    """Bytes of the longest text of a dictionary."""
    raw.seek(offset)
    data = raw.read(page.compressed)
    if codec is not None:
        data = pa.Codec(codec).decompress(data, page.decompressed, asbytes=True)
    at = longest = 0
    for _ in range(page.values):
        length = int.from_bytes(data[at : at + 4], "little")
        at += 4 + length
        if at > len(data):
            raise InvalidDataset("damaged Parquet: a dictionary ends early")
        longest = max(longest, length)
    return longest


class _Thrift:
    """Values in Thrift's compact protocol: of structs their integers, structs and lists by number.

    Raises ValueError or IndexError for what is damaged.
    """

    def __init__(self, data: bytes):
        self._data = data
        self._at = 0

    def struct(self, depth: int = 0) -> tuple[dict[int, Any], int]:
        """The fields of a struct, and where it ends."""
        found: dict[int, Any] = {}
        number = 0
        while kind := (byte := self._byte()) & 15:
            number = number + (byte >> 4) if byte >> 4 else self._integer()
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return found, self._at

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2 | 3:  # a boolean in a list, a byte
                return self._byte()
            case 4 | 5 | 6:
                return self._integer()
            case 7:
                self._at += 8
            case 8:
                length = self._unsigned()
                self._at += length
            case 9 if depth < _DEPTH:
                head = self._byte()
                count = head >> 4 if head >> 4 < 15 else self._unsigned()
                if count > len(self._data):
                    raise ValueError("a list longer than the file")
                return [self._value(head & 15, depth + 1) for _ in range(count)]
            case 12 if depth < _DEPTH:
                return self.struct(depth + 1)[0]
            case _:
                raise ValueError("a type that no Parquet file has")
        return None

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("a number that is too long")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
