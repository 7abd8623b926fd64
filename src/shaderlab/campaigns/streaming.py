"""Samples streamed as Parquet to a folder, here or at an address that fsspec knows.

Each part is written once, under the hash of the ids it holds.  What was streamed is read from the
parts themselves, so a campaign that goes on after an end at any point streams what is missing, and
nothing twice.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab import files
from shaderlab.errors import InvalidDataset, WrongUse
from shaderlab.samples import exchange
from shaderlab.samples.sample import Sample
from shaderlab.system import extras
from shaderlab.system.scratch import TemporaryFolder

PART_SAMPLES = 64
_FAULTS = (OSError, ValueError, RuntimeError, TypeError, pa.ArrowException)
_MOST_PART_BYTES = 1 << 30
_MOST_PART_ROWS = 1 << 20


class Stream:
    """A folder of parts.  Thread-safe.  Raises InvalidDataset where it cannot be written or read,
    WrongUse where fsspec, or what it needs for this kind of address, is missing."""

    def __init__(self, url: str, part: int = PART_SAMPLES):
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise WrongUse("streaming needs fsspec").with_remedy(extras.remedy("share")) from None
        self._url, self._part = url, part
        self._lock = threading.Lock()
        self._waiting: dict[str, Sample] = {}
        try:
            self._system, self._folder = url_to_fs(url)
            self._system.makedirs(self._folder, exist_ok=True)
            self._streamed = self._ids()
        except ImportError as error:
            raise WrongUse(f"{url}: {error}") from None
        except _FAULTS as error:
            raise self._failed(error) from None

    def begin(self, samples: Iterable[Sample]) -> None:
        """Stream those of an earlier run that did not get there."""
        for sample in samples:
            self.add(sample)

    def add(self, sample: Sample) -> None:
        """Stream a sample, with others, unless it is there."""
        with self._lock:
            if sample.id not in self._streamed:
                self._waiting[sample.id] = sample
            if len(self._waiting) >= self._part:
                self._write()

    def close(self) -> None:
        """Write what waits for a full part."""
        with self._lock:
            if self._waiting:
                self._write()

    @property
    def ids(self) -> frozenset[str]:
        """Of the samples in the parts."""
        return frozenset(self._streamed)

    def _write(self) -> None:
        ids = sorted(self._waiting)
        name = f"part-{hashlib.sha256(''.join(ids).encode()).hexdigest()[:16]}.parquet"
        place, unfinished = f"{self._folder}/{name}", f"{self._folder}/.{name}.unfinished"
        with TemporaryFolder() as scratch:
            here = Path(scratch) / name
            exchange.write(self._waiting.values(), here)
            try:
                self._system.put_file(str(here), unfinished)
                self._system.mv(unfinished, place)
            except _FAULTS as error:
                with suppress(*_FAULTS):
                    self._system.rm_file(unfinished)
                raise self._failed(error) from None
        self._streamed.update(ids)
        self._waiting.clear()

    def _ids(self) -> set[str]:
        found: set[str] = set()
        for path in self._system.find(self._folder, maxdepth=1):
            name = str(path).rpartition("/")[2]
            if name.startswith("part-") and name.endswith(".parquet"):
                about = self._system.info(path)
                if about["type"] != "file" or (about.get("size") or 0) > _MOST_PART_BYTES:
                    raise ValueError(f"{name} is not a part that was streamed")
                with self._system.open(path, "rb") as stream:
                    part = pq.ParquetFile(stream)
                    if part.metadata.num_rows > _MOST_PART_ROWS:
                        raise ValueError(f"{name} has {part.metadata.num_rows:,} rows")
                    found.update(part.read(columns=["id"])["id"].to_pylist())
        return found

    def _failed(self, error: Exception) -> InvalidDataset:
        said = files.reason(error) if isinstance(error, OSError) else str(error)[:200]
        return InvalidDataset(f"{self._url}: {said}")
