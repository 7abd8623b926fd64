"""What was counted and measured of captured draws, kept for the next opening of the capture.

One small file for each draw in the user's cache, named by a digest of program, inputs, attachments
and device.  The files are untrusted: one that does not fit its program is counted again.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from math import isfinite, nan
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

import shaderlab
from shaderlab import files, locations
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.replayed import Replayed
from shaderlab.scene.digests import draw_digest
from shaderlab.scene.draw import Draw
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import BlockId, BoundTexture, CutLoop, Trace

FORMAT = 2
"""Of the files; another number counts anew."""
MOST_FILES = 4096
"""Draws; the ones used longest ago go."""
_SPARE = 256
"""Files removed at once, so that not every new one looks for the oldest."""
_LARGEST = 4 << 20
"""Bytes of a file: a module of the largest size has some 100,000 blocks."""

_Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
_Small = Annotated[int, Meta(ge=0, le=(1 << 32) - 1)]
_Seconds = Annotated[float, Meta(ge=0, le=1e6)]
_Word = Annotated[str, Meta(max_length=40)]


class _Texture(msgspec.Struct, forbid_unknown_fields=True):
    set: _Small
    binding: _Small
    dimension: _Word
    size: tuple[_Small, _Small, _Small]
    layers: _Small
    levels: _Small
    format: _Word
    filter: _Word


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    difference: Annotated[float, Meta(ge=0, le=1)] | None
    time_s: _Seconds | None
    fragment_invocations: _Count | None
    time: float
    frame: _Count
    pixels: _Count | None
    cut: Annotated[list[CutLoop], Meta(max_length=4096)]
    lost: _Count
    blocks: Annotated[list[tuple[_Small, _Small, _Count, _Count | None]], Meta(max_length=1 << 18)]
    """Function, label, executions, lane groups."""
    textures: Annotated[list[_Texture], Meta(max_length=4096)]
    left_out: _Count = 0


_DECODER = msgspec.json.Decoder(_Record)


class Counted(NamedTuple):
    """What the device found of a draw."""

    replayed: Replayed
    trace: Trace


class KeptDraws:
    """Reads and writes the files of one device.  From any thread; none of it raises."""

    def __init__(self, device: DeviceInfo, folder: Path | None = None):
        """`folder`: None for the user's cache."""
        self._device = device
        self._folder = folder or locations.user_cache() / "counted-draws"

    def find(self, draw: Draw) -> Counted | None:
        """What is kept of the very same draw on the very same driver; None where nothing is."""
        path = self._path(draw)
        try:
            record = _DECODER.decode(files.read_bytes(path, _LARGEST))
            found = _counted(record, draw, self._device)
        except (ShaderlabError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        with suppress(OSError):
            path.touch()
        return found

    def keep(self, draw: Draw, found: Counted) -> None:
        """Write it; a disk that takes nothing costs only time at the next opening."""
        data = msgspec.json.encode(_record(found))
        if len(data) > _LARGEST:
            return
        with suppress(OSError, ShaderlabError):
            if not self._folder.is_dir():
                files.make_folder(self._folder)
            files.write(self._path(draw), data, durable=False)
            self._forget_oldest()

    def _path(self, draw: Draw) -> Path:
        its = self._device
        device = its.slug, its.name, its.driver, its.api_version, its.uuid, its.index
        of = repr((FORMAT, shaderlab.__version__, device, draw_digest(draw)))
        return self._folder / f"{hashlib.sha256(of.encode()).hexdigest()}.json"

    def _forget_oldest(self) -> None:
        there = list(self._folder.glob("*.json"))
        if len(there) <= MOST_FILES:
            return
        there.sort(key=lambda each: each.stat().st_mtime)
        for path in there[: len(there) - MOST_FILES + _SPARE]:
            path.unlink(missing_ok=True)


def _record(found: Counted) -> _Record:
    replayed, trace = found
    return _Record(
        _finite(replayed.difference),
        _finite(replayed.time_s),
        replayed.invocations,
        trace.time_s,
        trace.frame,
        trace.pixels,
        list(trace.cut),
        trace.lost,
        [(each.function, each.label, each.count, each.lane_groups) for each in trace.blocks],
        [
            _Texture(at[0], at[1], t.dimension, t.size, t.layers, t.levels, t.format, t.filter)
            for at, t in trace.textures.items()
        ],
        trace.left_out,
    )


def _counted(record: _Record, draw: Draw, device: DeviceInfo) -> Counted | None:
    """None for counts of other blocks than the program's."""
    module = draw.program.module
    there = {
        BlockId(function.id, block.label)
        for function in module.functions
        for block in function.blocks
    }
    ids = [BlockId(function, label) for function, label, _, _ in record.blocks]
    groups = [each for _, _, _, each in record.blocks if each is not None]
    if not ids or len(set(ids)) != len(ids) or not there.issuperset(ids):
        return None
    blocks = describe(
        module,
        ids,
        [count for _, _, count, _ in record.blocks],
        groups if len(groups) == len(ids) else None,
    )
    textures = {
        (t.set, t.binding): BoundTexture(
            t.dimension, t.size, t.layers, t.levels, t.format, t.filter
        )
        for t in record.textures
    }
    trace = Trace(
        device.slug, draw.counted_size, record.time, record.frame, blocks, nan,
        record.pixels, tuple(record.cut),
        record.lost, textures, left_out=record.left_out,
    )  # fmt: skip
    _ = trace.line_counts  # kept in the trace: summed up here, not in the interface
    return Counted(
        Replayed(
            nan if record.difference is None else record.difference,
            nan if record.time_s is None else record.time_s,
            record.fragment_invocations,
            0.0,
        ),
        trace,
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
