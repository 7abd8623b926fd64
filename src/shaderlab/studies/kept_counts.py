"""Counts kept between runs, by the content they follow from.

Counting is most of the time a forecast takes, and on a software driver the same content gives the
same counts.  An entry holds all forms of one pass.  Its key is a SHA-256 over the modules and
everything they are given, the device with its driver, and the versions of what compiled and counted
them; files count with their bytes, not their time stamps.  Forecasts are never kept: another model
reads the same counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from shaderlab import __version__, files
from shaderlab.errors import InvalidModule, WrongUse
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.prediction.forms import Form, OtherForms
from shaderlab.scene.draw import Frame
from shaderlab.scene.geometry import MeshFile
from shaderlab.scene.textures import ImageFile
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.module import MAX_BYTES as MAX_MODULE_BYTES
from shaderlab.spirv.trace import BoundTexture, CutLoop, Trace

FORMAT = 4
"""Of the entries; to be raised when the same content is counted differently."""
MOST_BYTES = 512 << 20
"""Of all entries; the ones used longest ago go."""
_LARGEST_ENTRY = 64 << 20
_LARGEST_INPUT = 1 << 30
_SUFFIX = ".counts"


class _Texture(msgspec.Struct, array_like=True):
    descriptor: tuple[int, int]
    dimension: str
    size: tuple[int, int, int]
    layers: int
    levels: int
    format: str
    filter: str


class _Counted(msgspec.Struct, array_like=True):
    """One form; of the written one the module is the caller's."""

    spirv: bytes
    entry_point: str
    dialect: str
    size: tuple[int, int]
    time_s: float
    frame: int
    counts: list[int]
    lane_groups: list[int | None]
    pixels: int | None
    cut: list[CutLoop]
    lost: int
    textures: list[_Texture]
    made_by: str = ""
    gathered: tuple[tuple[str, int], ...] = ()
    left_out: int = 0
    subgroup: int | None = None


class _Entry(msgspec.Struct, array_like=True):
    format: int
    device: str
    written: _Counted
    others: dict[Form, _Counted | None]
    """None: the form that cannot be made of this program."""


_DECODER = msgspec.msgpack.Decoder(_Entry)


class KeptCounts:
    """Of one device.  Used from several threads: an entry is written whole or not at all."""

    def __init__(self, folder: Path, device: DeviceInfo, makers: Sequence[str]):
        """`makers`: name and version of whatever compiled the program and its forms.

        Raises WrongUse where the folder cannot be made.
        """
        self._folder = folder
        self._device = device
        self._origin = [FORMAT, __version__, device.slug, device.name, device.driver, *makers]
        files.make_folder(folder)

    def key(self, frame: Frame, name: str) -> str | None:
        """Of one pass; None for what is not kept, because it reads another program's frame."""
        passes = []
        try:
            for each in frame.reads(each_name(frame, name)).passes:
                draw = each.draw
                if draw.state.is_captured:
                    return None
                programs = [p for p in (draw.program, draw.vertex) if p is not None]
                modules = [
                    (p.digest, p.entry_point, _plain(dict(p.given)), p.dialect.samples_levels)
                    for p in programs
                ]
                passes.append([each.name, modules, _plain(draw.state)])
        except (_NotPlain, WrongUse):
            return None
        text = json.dumps([self._origin, name, passes], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def recall(
        self, key: str, program: Program
    ) -> tuple[Trace, OtherForms, frozenset[Form]] | None:
        """Counts of the program as written, those of its other forms, and the forms known to be
        impossible.  None where there is no entry, or only a damaged one."""
        path = self._path(key)
        try:
            entry = _DECODER.decode(_checked(files.read_bytes(path, _LARGEST_ENTRY)))
            if entry.format != FORMAT or entry.device != self._device.slug:
                return None
            written = _trace(entry.device, entry.written, program)
            others = {}
            for form, counted in entry.others.items():
                if counted is not None:
                    made = _program(form, counted, program)
                    others[form] = made, _trace(entry.device, counted, made)
        except (WrongUse, msgspec.MsgspecError, UnicodeDecodeError, InvalidModule, _Damaged):
            return None
        with suppress(OSError):
            path.touch()
        none = frozenset(form for form, counted in entry.others.items() if counted is None)
        return written, others, none

    def keep(
        self, key: str, counted: Trace, others: OtherForms, impossible: frozenset[Form]
    ) -> None:
        """Counts that are not written down are counted again: nothing is raised."""
        record: dict[Form, _Counted | None] = dict.fromkeys(impossible)
        record |= {form: _record(program, trace) for form, (program, trace) in others.items()}
        entry = _Entry(FORMAT, self._device.slug, _record(None, counted), record)
        data = msgspec.msgpack.encode(entry)
        data = hashlib.sha256(data).digest() + data
        if len(data) <= _LARGEST_ENTRY:
            with suppress(OSError):
                files.write(self._path(key), data, durable=False)

    def forget_oldest(self, most_bytes: int = MOST_BYTES) -> None:
        """Remove the entries used longest ago, so that the others fit."""
        found = []
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        total = 0
        for _, size, path in sorted(found, reverse=True):
            total += size
            if total > most_bytes:
                with suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"


def each_name(frame: Frame, name: str) -> str:
    """The name of a pass; of an empty one that of the last."""
    return name or frame.passes[-1].name


class _NotPlain(Exception):
    """A value whose content has no canonical form."""


class _Damaged(Exception):
    """An entry that does not fit its program."""


def _checked(data: bytes) -> bytes:
    """An entry's contents, which follow their SHA-256."""
    digest, contents = data[:32], data[32:]
    if hashlib.sha256(contents).digest() != digest:
        raise _Damaged
    return contents


def _plain(value: Any) -> Any:
    """A value of `scene` as JSON; the same for the same content on every machine."""
    if isinstance(value, ImageFile | MeshFile):
        rest = {f.name: getattr(value, f.name) for f in fields(value)}
        del rest["stamp"], rest["path"]
        return [type(value).__name__, _content(value.path), _plain(rest)]
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(f.name, f.compare, getattr(value, f.name)) for f in fields(value)]
        return [type(value).__name__, {name: _plain(of) for name, same, of in parts if same}]
    if isinstance(value, Mapping):
        return {str(name): _plain(of) for name, of in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise _NotPlain


def _content(path: Path) -> str:
    digest = hashlib.sha256()
    with files.open_regular(path, _LARGEST_INPUT) as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _record(program: Program | None, trace: Trace) -> _Counted:
    return _Counted(
        program.spirv if program else b"",
        program.entry_point if program else "",
        program.dialect.value if program else "",
        trace.size,
        trace.time_s,
        trace.frame,
        [block.count for block in trace.blocks],
        [block.lane_groups for block in trace.blocks],
        trace.pixels,
        list(trace.cut),
        trace.lost,
        [
            _Texture(at, t.dimension, t.size, t.layers, t.levels, t.format, t.filter)
            for at, t in trace.textures.items()
        ],
        program.made_by if program else "",
        trace.gathered,
        trace.left_out,
        trace.subgroup,
    )


def _program(form: Form, counted: _Counted, written: Program) -> Program:
    """A form of the written program, as its maker returns it."""
    if len(counted.spirv) > MAX_MODULE_BYTES:
        raise _Damaged
    try:
        dialect = Dialect(counted.dialect)
    except ValueError:
        raise _Damaged from None
    made = replace(
        written,
        spirv=counted.spirv,
        entry_point=counted.entry_point,
        dialect=dialect,
        text="",
        diagnostics=(),
        made_by=counted.made_by,
    )
    return made.bound_as(written) if form is Form.COMPILED else made


def _trace(device: str, counted: _Counted, program: Program) -> Trace:
    module = program.module
    blocks = reachable_blocks(module, program.entry())
    if not len(blocks) == len(counted.counts) == len(counted.lane_groups):
        raise _Damaged
    groups = [each for each in counted.lane_groups if each is not None]
    described = describe(
        module, blocks, counted.counts, groups if len(groups) == len(blocks) else None
    )
    textures = {
        each.descriptor: BoundTexture(
            each.dimension, each.size, each.layers, each.levels, each.format, each.filter
        )
        for each in counted.textures
    }
    return Trace(
        device,
        counted.size,
        counted.time_s,
        counted.frame,
        described,
        float("nan"),
        counted.pixels,
        tuple(counted.cut),
        counted.lost,
        textures,
        counted.gathered,
        counted.left_out,
        counted.subgroup,
    )
