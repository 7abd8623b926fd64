"""The local store: samples, and what became of every shader a campaign tried, in one SQLite file.

Write-ahead log, one transaction per finished shader, so that whatever ends the process at any
point leaves every finished sample, once.  Names and times of recording, which help their owner to
distinguish samples, are kept next to the samples and are no part of them: no export holds them.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.errors import InvalidDataset, InvalidSample, NotWritten, WrongUse
from shaderlab.samples import schema
from shaderlab.samples.sample import Sample

_APPLICATION_ID = 0x53686C62
_VERSION = 1
_BUSY_S = 3.0
"""Others hold it for milliseconds: one that holds it longer has hung, or is no program of ours."""
_MOST_BLOB_BYTES = 32 << 20
_PAGE_BYTES = 4096
"""SQLite's, of which a table takes one at least."""

_TABLES = """
CREATE TABLE samples (
    id TEXT PRIMARY KEY,
    program TEXT NOT NULL,
    device TEXT NOT NULL,
    row BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE attempts (
    job TEXT PRIMARY KEY,
    shader TEXT NOT NULL,
    device TEXT NOT NULL,
    starts INTEGER NOT NULL,
    outcome TEXT,
    reason TEXT,
    sample TEXT
) WITHOUT ROWID;
"""
_NOTES = """
CREATE TABLE IF NOT EXISTS notes (
    sample TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID
"""


def _normalised(sql: str) -> str:
    return " ".join(sql.replace("IF NOT EXISTS ", "").split())


_OWN_TABLES = frozenset(_normalised(each) for each in (*_TABLES.split(";"), _NOTES))
"""What a store may contain."""

_REASONS = {
    sqlite3.SQLITE_FULL: "no space left on the disk",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it can be neither opened nor created",
    sqlite3.SQLITE_PERM: "it may not be opened",
    sqlite3.SQLITE_BUSY: "another process holds it; try again when that has ended",
    sqlite3.SQLITE_IOERR: "disk I/O error, as where no space is left",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is not a sample store",
}
"""SQLite's primary result codes in words."""
_NOT_WRITTEN = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR),
)


@dataclass(frozen=True)
class Rejection:
    """A shader that gave no sample."""

    shader: str
    reason: str
    device: str
    """Slug."""


@dataclass(frozen=True)
class Entry:
    """A sample as its owner sees it in a list."""

    id: str
    name: str
    """What it was called when it was recorded; empty where that was not noted."""
    at: float | None
    """When it was recorded, seconds since the epoch; None where that was not noted."""
    row: dict
    """The sample's row, not yet checked."""


@dataclass(frozen=True)
class Stats:
    """What a data set holds."""

    rows: int
    shaders: int
    """Distinct programs by the hash of their SPIR-V."""
    devices: dict[str, int]
    """Rows by the device's name, as the driver reports it."""


class Store:
    """A store opened for reading and writing; several processes may have it open at once.

    Raises InvalidDataset for a file that is no store, or one of a newer version.  So does every
    method where the file cannot be read or written: no space, read-only, damaged.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritten(f"{path.name}: no folder for it: {error.strerror}") from None
        is_new = not path.exists()
        if not is_new and not path.is_file():
            raise InvalidDataset(f"{path}: is not a plain file")
        with self._explained():
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.text_factory = _decoded
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BLOB_BYTES)
                self._prepare()
            except BaseException:
                self._connection.close()
                if is_new:
                    _remove_if_empty(path)
                raise

    def _prepare(self) -> None:
        execute = self._connection.execute
        execute("PRAGMA trusted_schema=OFF")
        self._use_wal()
        execute("PRAGMA synchronous=FULL")  # a power cut keeps what was finished, too
        with self._transaction():
            version = execute("PRAGMA user_version").fetchone()[0]
            application = execute("PRAGMA application_id").fetchone()[0]
            empty = not execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if empty and not application:
                for statement in filter(str.strip, _TABLES.split(";")):
                    execute(statement)
                execute(f"PRAGMA application_id={_APPLICATION_ID}")
                execute(f"PRAGMA user_version={_VERSION}")
            elif application != _APPLICATION_ID:
                raise InvalidDataset(f"{self.path.name}: is a database, but not a sample store")
            elif version != _VERSION:
                raise InvalidDataset(
                    f"{self.path.name}: is a store of version {version}; this is for {_VERSION}"
                )
            self._check_tables()
            execute(_NOTES)  # stores made before there were any have none

    def _check_tables(self) -> None:
        """Refuse a database that would do anything but hold rows: views, triggers, virtual tables.

        A view named `samples` could compute rows without end.
        """
        query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        for name, sql in self._connection.execute(query):
            if _normalised(sql) not in _OWN_TABLES:
                raise InvalidDataset(f"{self.path.name}: holds {name[:60]!r}, which no store has")

    def _use_wal(self) -> None:
        """SQLite does not wait for its turn to change the mode, as it does for a transaction."""
        end = time.monotonic() + _BUSY_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite reports, as our error in words."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            reason = _REASONS.get(code) or ascii(str(error))[:200]
            kind = NotWritten if code in _NOT_WRITTEN else InvalidDataset
            raise kind(f"{self.path.name}: {reason}") from None
        except UnicodeDecodeError:  # SQLite's own message, which repeats a damaged schema
            raise InvalidDataset(f"{self.path.name}: it is damaged") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # some errors have rolled it back themselves
                    self._connection.execute("ROLLBACK")
                raise

    # -- samples ----------------------------------------------------------------------------

    def add(self, samples: Iterable[Sample]) -> int:
        """Keep the samples not kept yet, all of them or (on an error) none; how many were new."""
        with self._transaction():
            return sum(self._insert(sample) for sample in samples)

    def keep(self, sample: Sample, name: str, at: float) -> bool:
        """Keep one sample under a name for its owner; False where it was kept already."""
        with self._transaction():
            new = self._insert(sample)
            self._connection.execute(
                "INSERT OR IGNORE INTO notes VALUES (?, ?, ?)", (sample.id, name, at)
            )
            return bool(new)

    def forget(self, ids: Iterable[str]) -> int:
        """Remove samples for good; how many there were."""
        wanted = [(id,) for id in ids]
        with self._transaction():
            self._connection.executemany("DELETE FROM notes WHERE sample = ?", wanted)
            return self._connection.executemany("DELETE FROM samples WHERE id = ?", wanted).rowcount

    def entries(self, most: int) -> list[Entry]:
        """The samples noted last, then others by id; `most` at most."""
        query = (
            "SELECT CAST(samples.id AS TEXT), CAST(name AS TEXT), CAST(at AS REAL), row"
            " FROM samples LEFT JOIN notes ON sample = samples.id"
            " ORDER BY at DESC, samples.id LIMIT ?"
        )
        with self._explained():
            found = self._connection.execute(query, (most,)).fetchall()
        return [Entry(id, name or "", at, _unpacked(blob)) for id, name, at, blob in found]

    def take(self, samples: Iterable[Sample]) -> None:
        """Keep samples, all of them or (on an error) none.

        One that is kept already is replaced if the new one has a text: only their texts can
        differ.
        """
        with self._transaction():
            for sample in samples:
                if not self._insert(sample) and sample.program.text is not None:
                    self._connection.execute(
                        "UPDATE samples SET row = ? WHERE id = ?", (_packed(sample), sample.id)
                    )

    def _insert(self, sample: Sample) -> int:
        cursor = self._connection.execute(
            "INSERT OR IGNORE INTO samples VALUES (?, ?, ?, ?)",
            (sample.id, sample.program.digest, sample.device.name, _packed(sample)),
        )
        return cursor.rowcount

    def rows(self) -> Iterator[dict]:
        """Every sample as a row, by ascending id; not yet checked."""
        with self._explained():
            cursor = self._connection.execute("SELECT row FROM samples ORDER BY id")
            while (found := cursor.fetchone()) is not None:
                yield _unpacked(found[0])

    def stats(self) -> Stats:
        execute = self._connection.execute
        counts = "SELECT count(*), count(DISTINCT program) FROM samples"
        by_device = "SELECT CAST(device AS TEXT), count(*) FROM samples GROUP BY 1 ORDER BY 1"
        with self._explained():
            rows, shaders = execute(counts).fetchone()
            return Stats(rows, shaders, dict(execute(by_device).fetchall()))

    # -- attempts of a campaign -------------------------------------------------------------

    def finished(self, *, also_rejected: bool = True) -> set[str]:
        """Jobs that gave a sample, or (`also_rejected`) the reason why not."""
        query = "SELECT job FROM attempts WHERE outcome = 'recorded'"
        if also_rejected:
            query += " OR outcome = 'rejected'"
        with self._explained():
            return {job for (job,) in self._connection.execute(query)}

    def interrupted(self) -> dict[str, int]:
        """Jobs that were started and have no outcome, with how often."""
        query = "SELECT job, starts FROM attempts WHERE outcome IS NULL"
        with self._explained():
            return dict(self._connection.execute(query).fetchall())

    def begin(self, job: str, shader: str, device: str) -> int:
        """Note that a job is about to start; how often it was since it last had an outcome."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO attempts VALUES (?, ?, ?, 1, NULL, NULL, NULL)"
                " ON CONFLICT (job) DO UPDATE SET outcome = NULL, reason = NULL,"
                " starts = CASE WHEN outcome IS NULL THEN starts + 1 ELSE 1 END",
                (job, shader, device),
            )
            query = "SELECT starts FROM attempts WHERE job = ?"
            return self._connection.execute(query, (job,)).fetchone()[0]

    def withdraw(self, job: str, *, suspect: bool) -> None:
        """A job was started and what ended it was not its doing: that start does not count.

        A `suspect` stays among the interrupted ones, another job is as if it had never begun.
        """
        with self._transaction():
            self._connection.execute(
                "UPDATE attempts SET starts = starts - 1 WHERE job = ? AND outcome IS NULL", (job,)
            )
            if not suspect:
                self._connection.execute(
                    "DELETE FROM attempts WHERE job = ? AND outcome IS NULL AND starts < 1", (job,)
                )

    def ended_workers(self) -> set[str]:
        """Jobs rejected for a deadline or a lost device, as all are while a device is stuck."""
        query = (
            "SELECT job FROM attempts WHERE outcome = 'rejected'"
            " AND (reason LIKE 'ShaderTimeout:%' OR reason LIKE 'DeviceLost:%')"
        )
        with self._explained():
            return {job for (job,) in self._connection.execute(query)}

    def recorded(self, job: str, sample: Sample) -> None:
        """The job gave this sample: both are kept, or neither."""
        with self._transaction():
            self._insert(sample)
            self._connection.execute(
                "UPDATE attempts SET outcome = 'recorded', sample = ? WHERE job = ?",
                (sample.id, job),
            )

    def rejected(self, job: str, reason: str) -> None:
        """The job gave no sample, and why."""
        with self._transaction():
            self._connection.execute(
                "UPDATE attempts SET outcome = 'rejected', reason = ? WHERE job = ?", (reason, job)
            )

    def rejections(self) -> list[Rejection]:
        query = (
            "SELECT CAST(shader AS TEXT), CAST(reason AS TEXT), CAST(device AS TEXT)"
            " FROM attempts WHERE outcome = 'rejected'"
            " ORDER BY device, shader, job"
        )
        with self._explained():
            found = self._connection.execute(query)
            return [Rejection(shader, reason or "", device) for shader, reason, device in found]

    def settle(self) -> None:
        """Have all of it in the one file, none in the log beside it."""
        with self._explained():
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise InvalidDataset(f"{self.path.name}: another process holds it")

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove_if_empty(path: Path) -> None:
    """A store without tables: not one that another process has made at the same place."""
    log = path.with_name(f"{path.name}-wal")
    with suppress(OSError):
        has_log = log.exists() and log.stat().st_size > 0
        if path.stat().st_size <= _PAGE_BYTES and not has_log:
            path.unlink()
            log.unlink(missing_ok=True)
            path.with_name(f"{path.name}-shm").unlink(missing_ok=True)


def _decoded(text: bytes) -> str:
    """Text of a file that may be damaged."""
    return text.decode("utf-8", "replace")


def _packed(sample: Sample) -> bytes:
    """Raises InvalidSample for one that is too large to be read again."""
    row = json.dumps(schema.to_row(sample), separators=(",", ":"), allow_nan=False)
    if len(row) > schema.MAX_ROW_BYTES:
        raise InvalidSample(f"{len(row):,} bytes, the limit is {schema.MAX_ROW_BYTES:,}")
    return zlib.compress(row.encode(), 6)


def _unpacked(blob: bytes) -> dict:
    """A row as it was kept; empty where damaged, and so refused as any that breaks the schema."""
    try:
        return json.loads(zlib.decompressobj().decompress(blob, schema.MAX_ROW_BYTES))
    except (zlib.error, ValueError, RecursionError, TypeError):
        return {}


def is_store(path: Path) -> bool:
    """Whether the file is an SQLite database (which `Store` then looks into)."""
    try:
        with files.open_regular(path, sys.maxsize) as file:
            return file.read(16) == b"SQLite format 3\0"
    except (OSError, WrongUse):
        return False
