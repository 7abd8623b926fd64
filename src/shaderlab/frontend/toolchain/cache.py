"""What glslang answered, by content: in memory for this process, on disk for the next.

A file holds the SHA-256 of the rest, so that a damaged or foreign one is ignored and removed.
Losing the cache costs time, never an answer: every failure to read or write it is swallowed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.toolchain.interface import Compilation

_FORMAT = b"shaderlab compile 2\n"
_DIGEST_BYTES = 32
_MOST_BYTES = 64 << 20
_PRUNE_EVERY = 64


class ResultCache:
    """`Compilation`s by key (hex digest); safe between threads and between processes."""

    def __init__(self, folder: Path, *, disk_bytes: int = 128 << 20, memory_bytes: int = 32 << 20):
        self._folder = folder
        self._disk_bytes = disk_bytes
        self._memory_bytes = memory_bytes
        self._held_bytes = 0
        self._memory: OrderedDict[str, Compilation] = OrderedDict()
        self._lock = threading.Lock()
        self._writes = 0

    def get(self, key: str) -> Compilation | None:
        with self._lock:
            if (result := self._memory.get(key)) is not None:
                self._memory.move_to_end(key)
                return result
        result = self._read(key)
        if result is not None:
            self._remember(key, result)
        return result

    def put(self, key: str, result: Compilation) -> None:
        self._remember(key, result)
        self._write(key, result)

    def _remember(self, key: str, result: Compilation) -> None:
        with self._lock:
            if key in self._memory:
                return
            self._memory[key] = result
            self._held_bytes += _weight(result)
            while self._held_bytes > self._memory_bytes and len(self._memory) > 1:
                _, dropped = self._memory.popitem(last=False)
                self._held_bytes -= _weight(dropped)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.compiled"

    def _read(self, key: str) -> Compilation | None:
        path = self._path(key)
        try:
            data = files.read_bytes(path, _MOST_BYTES)
        except WrongUse:
            return None
        head = len(_FORMAT) + _DIGEST_BYTES
        payload = data[head:]
        digest = hashlib.sha256(payload).digest()
        if not data.startswith(_FORMAT) or data[len(_FORMAT) : head] != digest:
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # the oldest are pruned first
        size = int.from_bytes(payload[:4], "little")
        header = json.loads(payload[4 : 4 + size])
        return Compilation(payload[4 + size :], header["log"], header["fault"])

    def _write(self, key: str, result: Compilation) -> None:
        header = json.dumps({"log": result.log, "fault": result.fault}).encode()
        payload = len(header).to_bytes(4, "little") + header + result.spirv
        temporary = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._folder, suffix=".new")
            with os.fdopen(descriptor, "wb") as file:
                file.write(_FORMAT + hashlib.sha256(payload).digest() + payload)
            Path(temporary).replace(self._path(key))
        except OSError:
            if temporary is not None:
                with suppress(OSError):
                    Path(temporary).unlink()
            return
        with self._lock:
            due = self._writes % _PRUNE_EVERY == 0
            self._writes += 1
        if due:
            self._prune()

    def _prune(self) -> None:
        """Remove the least recently used files until the rest fits."""
        entries = []
        with suppress(OSError):
            for entry in os.scandir(self._folder):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    entries.append((status.st_mtime_ns, status.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self._disk_bytes:
                break
            with suppress(OSError):
                Path(path).unlink()
            total -= size


def _weight(result: Compilation) -> int:
    return len(result.spirv) + len(result.log) + 200
