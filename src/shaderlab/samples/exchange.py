"""Data sets in files: Parquet to give away, read row by row with a reason for every refusal.

A file is a function of the samples alone: rows by ascending id, one fixed layout, no time of
writing.  So equal sets are equal files, and a merge in any order ends the same.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidDataset, InvalidSample, ShaderlabError
from shaderlab.samples import schema, validation
from shaderlab.samples.sample import VERSION, Sample
from shaderlab.samples.store import Stats, Store, is_store

MAX_BYTES = 4 << 30
"""Largest file read."""
_MAX_ROW_GROUP_BYTES = 1 << 30
"""Most a row group may claim to hold once decompressed."""
_GROUP_ROWS = 256
_BATCH_ROWS = 32
_LINE_BYTES = 64 << 20


class Checked(NamedTuple):
    """One row of a data set: the sample it holds, or why it is refused."""

    number: int
    sample: Sample | None
    reason: str | None


@dataclass(frozen=True)
class Merged:
    """What a merge came to."""

    rows: int
    """Samples in the result."""
    added: int
    """Samples that were not in an earlier input."""
    duplicates: int
    """Rows left out because an equal sample was there."""
    rejected: tuple[tuple[str, int, str], ...]
    """File name, row and reason of the rows refused."""


def read(path: Path) -> Iterator[Checked]:
    """Every row of a data set (Parquet, JSON Lines or a store), checked; duplicates are refused.

    Raises InvalidDataset where the file as a whole cannot be read, also midway.
    """
    seen: set[str] = set()
    for number, row in enumerate(_rows(path)):
        try:
            if isinstance(row, InvalidSample):
                raise row
            sample = validation.accept(row)
            if sample.id in seen:
                raise InvalidSample("id: an equal row stands above")
        except InvalidSample as error:
            yield Checked(number, None, str(error))
        else:
            seen.add(sample.id)
            yield Checked(number, sample, None)


def accepted(path: Path) -> Iterator[Sample]:
    """The samples of a data set that pass the checks."""
    return (checked.sample for checked in read(path) if checked.sample is not None)


def stats(path: Path) -> Stats:
    """What a data set holds, the rows that pass the checks alone."""
    if is_store(path):
        with Store(path) as store:
            return store.stats()
    devices: Counter[str] = Counter()
    programs = set()
    for sample in accepted(path):
        devices[sample.device.name] += 1
        programs.add(sample.program.digest)
    return Stats(devices.total(), len(programs), dict(sorted(devices.items())))


def write(samples: Iterable[Sample], path: Path) -> int:
    """Write samples as Parquet, at once or not at all; the number of rows.

    Raises InvalidDataset if the file cannot be written.
    """
    rows = sorted((schema.to_row(sample) for sample in samples), key=lambda row: row["id"])
    temporary = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(
            temporary, schema.arrow_schema(), compression="zstd", compression_level=12
        ) as writer:
            for start in range(0, len(rows), _GROUP_ROWS):
                group = rows[start : start + _GROUP_ROWS]
                writer.write_table(pa.Table.from_pylist(group, schema.arrow_schema()))
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InvalidDataset(f"cannot write {path}: {error.strerror or error}") from None
    return len(rows)


def merge(inputs: Iterable[Path], output: Path) -> Merged:
    """Write the union of data sets; a sample that several hold counts once.

    Of equal samples the first one with a shared source stands, so that a source once shared stays.
    """
    kept: dict[str, Sample] = {}
    duplicates = 0
    rejected = []
    for path in inputs:
        for checked in read(path):
            if checked.sample is None:
                rejected.append((path.name, checked.number, checked.reason))
                continue
            sample = checked.sample
            known = kept.get(sample.id)
            duplicates += known is not None
            if known is None or _source_key(sample) < _source_key(known):
                kept[sample.id] = sample
    rows = write(kept.values(), output)
    return Merged(rows, len(kept), duplicates, tuple(rejected))


def _source_key(sample: Sample) -> tuple[bool, str, str]:
    """Orders equal samples by what they may differ in, so that a merge does not depend on order."""
    program = sample.program
    return program.text is None, program.text or "", program.license or ""


def _rows(path: Path) -> Iterator[Any]:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise InvalidDataset(f"cannot read {path}: {error.strerror}") from None
    if size > MAX_BYTES:
        raise InvalidDataset(f"{path.name}: {size:,} bytes, the limit is {MAX_BYTES:,}")
    if is_store(path):
        return _store_rows(path)
    return _parquet_rows(path) if head == b"PAR1" else _json_rows(path)


def _store_rows(path: Path) -> Iterator[Any]:
    with Store(path) as store:
        yield from store.rows()


def _json_rows(path: Path) -> Iterator[Any]:
    """JSON Lines.  A file of which no line is JSON is no data set."""
    readable = False
    failures = []
    with path.open("rb") as file:
        while line := file.readline(_LINE_BYTES):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = InvalidSample("is not JSON")
                if not readable:
                    failures.append(row)
                    continue
            if not readable:
                readable = True
                yield from failures
            yield row
    if not readable:
        raise InvalidDataset(f"{path.name}: is neither Parquet, nor JSON Lines, nor a sample store")


def _parquet_rows(path: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:
            _check_layout(file, path.name)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                batch.validate(full=True)
                yield from batch.to_pylist()
    except ShaderlabError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidDataset(f"{path.name}: damaged Parquet: {lines[0][:200]}") from None


def _check_layout(file: pq.ParquetFile, name: str) -> None:
    """Refuse, before memory is taken, what is no data set of this schema."""
    wanted = schema.arrow_schema()
    found = file.schema_arrow
    version = (found.metadata or {}).get(b"shaderlab.schema", b"none").decode(errors="replace")
    if version != str(VERSION):
        raise InvalidDataset(f"{name}: schema {version[:20]}; this is for {VERSION}")
    if not found.equals(wanted):
        differing = set(found.names) ^ set(wanted.names)
        detail = f" ({min(differing)[:50]})" if differing else ""
        raise InvalidDataset(f"{name}: its columns are not those of schema {VERSION}{detail}")
    for number in range(file.metadata.num_row_groups):
        claimed = file.metadata.row_group(number).total_byte_size
        if not 0 <= claimed <= _MAX_ROW_GROUP_BYTES:
            raise InvalidDataset(f"{name}: row group {number} claims {claimed:,} bytes")
