"""Data sets in files: Parquet to give away, read row by row with a reason for every refusal.

A file is a function of the samples alone: rows by ascending id, one fixed layout, no time of
writing.  So equal sets are equal files, and a merge in any order ends the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from shaderlab import files
from shaderlab.errors import InvalidDataset, InvalidSample, NotWritten, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.samples import new_store, parquet, review, schema, validation
from shaderlab.samples.sample import FIRST, VERSION, ProgramRecord, Sample
from shaderlab.samples.sources import FOREIGN, Sources, Standing
from shaderlab.samples.store import Stats, Store, is_store

MAX_BYTES = 4 << 30
"""Largest file read."""
_STORE_SUFFIX = ".db"
_GROUP_ROWS = 256
_LEAST_ROW_BYTES = 64
"""In a Parquet file: two SHA-256, which do not compress."""
_MOST_ROW_BYTES = 16 << 20
"""Of a row in Arrow's form; the largest sample of thousands takes a twentieth of it."""
MOST_LISTED = 10_000
"""Refusals a merge names, of a file that may hold millions."""
_UNREADABLE_LINES = 1000
"""A file that begins with so many lines that are not JSON is not read further."""


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
    """Samples that were not in an earlier input, or in the store merged into."""
    duplicates: int
    """Rows left out because an equal sample was there."""
    refused: int
    """Rows, or texts of rows, that were refused."""
    rejected: tuple[tuple[str, int, str], ...]
    """File name, row and reason of what was refused, the first `MOST_LISTED`."""
    unverified: int
    """Texts kept of which it could not be shown that they belong to their program."""


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

    Raises NotWritten if the file cannot be written, or is a store or named as one.
    """
    check_parquet(path)
    rows = sorted((schema.to_row(sample) for sample in samples), key=lambda row: row["id"])
    wanted = schema.arrow_schema(max((row["schema"] for row in rows), default=VERSION))
    tables = (
        pa.Table.from_pylist(rows[start : start + _GROUP_ROWS], wanted)
        for start in range(0, len(rows), _GROUP_ROWS)
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.replacing(path) as file:
            parquet.write(tables, wanted, file, level=12)
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {files.reason(error)}") from None
    return len(rows)


def check_parquet(path: Path) -> None:
    """Raises NotWritten where Parquet would take the place of a store, or have a store's name."""
    if path.suffix == _STORE_SUFFIX or is_store(path):
        raise NotWritten(
            f"{path.name} is {'a store' if is_store(path) else 'the name of a store'}, and this "
            "writes Parquet; choose another name, such as samples.parquet"
        )


def check_store(path: Path) -> None:
    """Raises NotWritten where samples cannot be added, as a file is there that is no store."""
    try:
        foreign = path.is_file() and path.stat().st_size > 0 and not is_store(path)
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {files.reason(error)}") from None
    if foreign:
        raise NotWritten(f"{path.name} is not a store; choose another name, such as samples.db")


def merge(
    inputs: Iterable[Path],
    output: Path,
    compile: Callable[[str], Program] | None = None,
    leave_out: Collection[str] = (),
    *,
    into_store: bool = False,
) -> Merged:
    """Write the union of data sets; a sample that several hold counts once.

    Samples of the inputs with an id to `leave_out` are passed over.

    To a store (there is one, or the name ends in `.db`, or `into_store`) the samples are added;
    another file is replaced.
    `compile` verifies the texts (`samples.sources`): of an equal sample's texts one that compiles
    to its program stands, of others the only one, and none where texts or licences contradict each
    other.  So a source once shared stays, and cannot be replaced by another. Raises InvalidDataset
    where a file cannot be read or written.
    """
    present = is_store(output)
    into_store = into_store or present or output.suffix == _STORE_SUFFIX
    if into_store:
        check_store(output)
    inputs = [*[output] * present, *inputs]
    union = _Union(Sources(compile))
    for path in inputs:
        is_own = present and path == output
        for checked in read(path):
            if is_own or checked.sample is None or checked.sample.id not in leave_out:
                union.take(path.name, checked)
        if is_own:
            union.begin()
    samples = union.samples()
    if into_store and output.exists():
        with Store(output) as store:
            store.take(samples)
    elif into_store:
        new_store.make(output, samples)
    else:
        write(samples, output)
    return Merged(
        rows=len(samples),
        added=len(samples) - union.earlier,
        duplicates=union.duplicates,
        refused=union.refused,
        rejected=tuple(union.rejected),
        unverified=union.unverified,
    )


class _Union:
    """Samples by id, and the texts that stand beside each."""

    def __init__(self, sources: Sources):
        self._sources = sources
        self._kept: dict[str, Sample] = {}
        """Without their texts."""
        self._texts: dict[str, dict[tuple[str, str], tuple[str, int]]] = {}
        """By id: text and licence, and where they stand."""
        self.earlier = self.duplicates = self.refused = self.unverified = 0
        self.rejected: list[tuple[str, int, str]] = []

    def begin(self) -> None:
        """What was taken so far was there before."""
        self.earlier = len(self._kept)

    def take(self, name: str, checked: Checked) -> None:
        sample = checked.sample
        if sample is None:
            self._refuse(name, checked.number, checked.reason or "")
            return
        self.duplicates += sample.id in self._kept
        program = sample.program
        self._kept.setdefault(sample.id, review.without_sources(sample))
        if program.text is not None and program.license is not None:
            texts = self._texts.setdefault(sample.id, {})
            texts.setdefault((program.text, program.license), (name, checked.number))

    def samples(self) -> list[Sample]:
        """All samples, each with the text that stands."""
        for id, texts in self._texts.items():
            self._kept[id] = self._with_text(self._kept[id], texts)
        return list(self._kept.values())

    def _with_text(
        self, sample: Sample, texts: Mapping[tuple[str, str], tuple[str, int]]
    ) -> Sample:
        by_standing: dict[Standing, list[ProgramRecord]] = {each: [] for each in Standing}
        for (text, licence), place in sorted(texts.items()):
            program = replace(sample.program, text=text, license=licence)
            standing = self._sources.standing(program)
            by_standing[standing].append(program)
            if standing is Standing.FOREIGN:
                self._refuse(*place, FOREIGN)
        verified, others = by_standing[Standing.VERIFIED], by_standing[Standing.UNVERIFIED]
        found = verified or others
        contradict = len({each.license for each in found}) > 1 or (not verified and len(others) > 1)
        if contradict:
            for place in texts.values():
                self._refuse(*place, "program.text: equal rows have other texts or licences")
        if not found or contradict:
            return sample
        self.unverified += not verified
        return replace(sample, program=found[0])

    def _refuse(self, name: str, number: int, reason: str) -> None:
        self.refused += 1
        if len(self.rejected) < MOST_LISTED:
            self.rejected.append((name, number, reason))


def _rows(path: Path) -> Iterator[Any]:
    try:
        with files.open_regular(path, MAX_BYTES) as file:
            head = file.read(4)
    except (OSError, WrongUse) as error:
        raise InvalidDataset(str(error)) from None
    if is_store(path):
        return _store_rows(path)
    return _parquet_rows(path) if head == b"PAR1" else _json_rows(path)


def _store_rows(path: Path) -> Iterator[Any]:
    with Store(path) as store:
        yield from store.rows()


def _json_rows(path: Path) -> Iterator[Any]:
    """JSON Lines.  A file of which no line is JSON is no data set."""
    readable = False
    failures: list[InvalidSample] = []
    with files.open_regular(path, MAX_BYTES) as file:
        for line in files.lines(file, schema.MAX_ROW_BYTES):
            if not line.strip():
                continue
            row = _parsed(line)
            if not readable and isinstance(row, InvalidSample):
                failures.append(row)
                if len(failures) > _UNREADABLE_LINES:
                    break
                continue
            if not readable:
                readable = True
                yield from failures
            yield row
    if not readable:
        raise InvalidDataset(f"{path.name}: is neither Parquet, nor JSON Lines, nor a sample store")


def _parsed(line: bytes) -> Any:
    if len(line) > schema.MAX_ROW_BYTES:
        return InvalidSample(f"is longer than {schema.MAX_ROW_BYTES:,} bytes")
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return InvalidSample("is not JSON")


def _parquet_rows(path: Path) -> Iterator[Any]:
    return parquet.rows(
        path,
        [schema.arrow_schema(version) for version in range(FIRST, VERSION + 1)],
        least_bytes=_LEAST_ROW_BYTES,
        most_bytes=_MOST_ROW_BYTES,
    )
