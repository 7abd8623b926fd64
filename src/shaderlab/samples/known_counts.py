"""Counts that other samples hold already: by program and inputs, from any device."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import NamedTuple

from shaderlab.samples import exchange, schema
from shaderlab.samples.sample import InputsRecord, TextureRecord, TraceRecord

Textures = tuple[TextureRecord, ...] | None
_Key = tuple[str, Textures]


class Counts(NamedTuple):
    """Of one program with one set of inputs."""

    trace: TraceRecord
    optimized: TraceRecord
    """Of the program after `spirv-opt -O`."""


class KnownCounts:
    """Looks counts up by the digest of a program."""

    def __init__(self, path: Path, inputs: InputsRecord):
        """Those of samples with these inputs and both traces, the first of each program.

        Raises InvalidDataset where `path` cannot be read; rows that fail the checks are passed by.
        """
        self._packed: dict[_Key, bytes] = {}
        """Thousands of traces are half a gigabyte of objects otherwise."""
        for sample in exchange.accepted(path):
            key = sample.program.digest, sample.textures
            records = (sample.trace, sample.optimized)
            if sample.launch is not None:
                continue  # other counts at every size of its launch
            if sample.inputs != inputs or not all(each and each.blocks for each in records):
                continue
            if key not in self._packed:
                rows = [schema.to_row(each) for each in records]
                self._packed[key] = zlib.compress(json.dumps(rows).encode())

    def __len__(self) -> int:
        return len(self._packed)

    def of(self, digest: str, textures: Textures = None) -> Counts | None:
        """The counts of that program with these textures; None where they are not known."""
        packed = self._packed.get((digest, textures))
        if packed is None:
            return None
        rows = json.loads(zlib.decompress(packed))
        return Counts(*(schema.from_row(row, TraceRecord) for row in rows))

    @property
    def digests(self) -> frozenset[str]:
        """Of all programs whose counts are known."""
        return frozenset(digest for digest, _ in self._packed)
