"""Project files, read as written by somebody else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from msgspec import UNSET, UnsetType

from shaderlab import files, toml_text
from shaderlab.errors import WrongUse
from shaderlab.projects.project import Project, ProjectPass
from shaderlab.projects.schema import (
    FORMAT,
    AttachmentsTable,
    GeometryTable,
    LaunchTable,
    ProjectTable,
    TextureTable,
)
from shaderlab.scene.draw import CANONICAL_SIZE, Attachments, DrawState
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body, Camera, Geometry, MeshFile
from shaderlab.scene.inputs import Input, Inputs, Numbers, Source
from shaderlab.scene.launch import LaunchChoice, Sides
from shaderlab.scene.textures import ImageFile, PassPicture, Texture
from shaderlab.scene.uniforms import Uniforms

MAX_BYTES = 1 << 20
_DEEPEST = 8
_MOST_NUMBERS = 1 << 16
"""Of one value."""
_LARGEST = 1.7976931348623157e308
_SAMPLES = (1, 2, 4, 8)


def read(path: Path) -> Project:
    """The project in a file.  Raises WrongUse with the key that is wrong."""
    data = files.read_bytes(path, MAX_BYTES)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise WrongUse(f"{path.name} is not a project file: it is not UTF-8 text") from None
    return _read(text, path.name, path.absolute().parent.resolve())


def read_copy(text: str, name: str) -> Project:
    """What `writing.copy` made, which has whole paths; `name` is for messages.

    Raises WrongUse, also where an image or a mesh is gone.
    """
    return _read(text, name, None)


def _read(text: str, name: str, folder: Path | None) -> Project:
    try:
        return _Reader(name, folder).project(toml_text.table(text, ProjectTable, name))
    except RecursionError:
        raise WrongUse(f"{name}: it is nested too deeply") from None


class _Reader:
    def __init__(self, name: str, folder: Path | None):
        """`folder`: what paths are inside of; None for a copy of the user's own."""
        self._name, self._folder = name, folder

    def project(self, table: ProjectTable) -> Project:
        if table.format != FORMAT:
            raise self._wrong("format", f"{table.format} is not {FORMAT}: update shaderlab")
        names = [each.name for each in table.passes]
        for name in names:
            if names.count(name) > 1:
                raise self._wrong("pass", f'two passes are called "{name}"')
        clock = self._clock(table)
        geometry = self._geometry(table.geometry)
        attachments = self._attachments("attachments", table.size, table.attachments)
        state = DrawState(
            self._inputs("", table.values, table.textures, clock, names),
            geometry,
            attachments,
            _launch(table.launch),
        )
        captured = None
        if not isinstance(table.captured, UnsetType):
            captured = self._path("captured", table.captured)
            state = _over(state, captured)
        passes = []
        for number, each in enumerate(table.passes):
            key = f"pass[{number}]"
            size = each.size if each.size is not UNSET else state.size
            inputs = self._inputs(f"{key}.", each.values, each.textures, clock, names)
            own = self._attachments(f"{key}.attachments", size, each.attachments)
            shader = self._path(f"{key}.shader", each.shader)
            passes.append(ProjectPass(each.name, shader, DrawState(inputs, attachments=own)))
        for name in table.defines:
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise self._wrong("defines", f'"{name[:40]}" is not a macro name')
        return Project(
            self._path("shader", table.shader),
            table.language,
            table.stage,
            table.entry,
            tuple(table.defines.items()),
            tuple(
                self._path(f"includes[{n}]", each, folder=True)
                for n, each in enumerate(table.includes)
            ),
            state,
            tuple(passes),
            None if isinstance(table.vertex, UnsetType) else self._path("vertex", table.vertex),
            captured,
        )

    def _wrong(self, key: str, what: str) -> WrongUse:
        return WrongUse(f"{self._name}: {key}: {what}")

    def _path(self, key: str, written: str, *, folder: bool = False) -> Path:
        """A file or folder inside the project's own folder."""
        if self._folder is None:
            return Path(written)
        posix, windows = PurePosixPath(written), PureWindowsPath(written)
        is_absolute = posix.is_absolute() or windows.is_absolute() or windows.drive
        if is_absolute or windows.root or ".." in windows.parts or "\0" in written:
            raise self._wrong(
                key, f'"{written[:80]}" must be a path inside the project\'s folder, without ".."'
            )
        try:
            found = self._folder.joinpath(*windows.parts).resolve()
            is_there = found.is_dir() if folder else found.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            raise self._wrong(
                key, f'cannot read "{written[:80]}": {toml_text.one_line(error)}'
            ) from None
        if not found.is_relative_to(self._folder):
            raise self._wrong(key, f'"{written[:80]}" is outside the project folder')
        if not is_there:
            kind = "folder" if folder else "file"
            raise self._wrong(key, f'there is no {kind} "{written[:80]}" beside the project')
        return found

    def _clock(self, table: ProjectTable) -> Input[Uniforms]:
        if table.time is UNSET and table.frame is UNSET:
            return Input(Uniforms())
        default = Uniforms()
        time_s = default.time_s if isinstance(table.time, UnsetType) else float(table.time)
        frame = default.frame if isinstance(table.frame, UnsetType) else table.frame
        return Input(Uniforms(time_s, frame), Source.PROJECT)

    def _inputs(
        self,
        prefix: str,
        values: Mapping[str, Any],
        textures: Mapping[str, TextureTable],
        clock: Input[Uniforms],
        passes: list[str],
    ) -> Inputs:
        flat = dict(self._values(f"{prefix}values", values, "", 0))
        shown = {
            name: Input(self._texture(f"{prefix}textures.{name[:80]}", each, passes),
                        Source.PROJECT)
            for name, each in textures.items()
        }  # fmt: skip
        return Inputs(clock, flat, shown)

    def _values(
        self, key: str, table: Mapping[str, Any], name: str, depth: int
    ) -> Iterator[tuple[str, Input[Numbers]]]:
        """Of nested tables, the names with full stops between them."""
        if depth > _DEEPEST:
            raise self._wrong(key, "it is nested too deeply")
        for part, value in table.items():
            full = f"{name}.{part}" if name else part
            if isinstance(value, dict):
                yield from self._values(key, value, full, depth + 1)
            else:
                yield full, Input(self._numbers(f"{key}.{full[:80]}", value), Source.PROJECT)

    def _numbers(self, key: str, value: object) -> Numbers:
        parts = value if isinstance(value, list) else [value]
        if not parts or len(parts) > _MOST_NUMBERS:
            raise self._wrong(key, f"it must have 1 to {_MOST_NUMBERS:,} numbers")
        numbers = []
        for part in parts:
            if not isinstance(part, int | float) or abs(part) > _LARGEST or not math.isfinite(part):
                raise self._wrong(key, "it must be a number, true, false or a list of these")
            numbers.append(float(part))
        return tuple(numbers)

    def _texture(self, key: str, table: TextureTable, passes: list[str]) -> Texture:
        given = [
            each for each in (table.pattern, table.file, table.picture_of) if each is not UNSET
        ]
        if len(given) != 1:
            raise self._wrong(key, "it needs exactly one of pattern, file and picture_of")
        if not isinstance(table.file, UnsetType):
            path = self._path(f"{key}.file", table.file)
            # Loaded with a picture only: the window starts without Pillow.
            from shaderlab.textures import image_files

            size = image_files.size(path)
            source = ImageFile(path, stamp(path), table.flipped, table.srgb, size)
        elif not isinstance(table.picture_of, UnsetType):
            if self._folder is not None and table.picture_of not in passes:
                raise self._wrong(f"{key}.picture_of", f'no pass is called "{table.picture_of}"')
            source = PassPicture(table.picture_of, table.frame_before)
        else:
            assert not isinstance(table.pattern, UnsetType)
            source = table.pattern
        return Texture(source, table.filter, table.wrap)

    def _geometry(self, table: GeometryTable | UnsetType) -> Geometry:
        if isinstance(table, UnsetType):
            return Geometry()
        if table.shape is not UNSET and table.file is not UNSET:
            raise self._wrong("geometry", "it has both a shape and a file")
        shape: Body | MeshFile = Body.FULL_SCREEN
        if not isinstance(table.shape, UnsetType):
            shape = table.shape
        elif not isinstance(table.file, UnsetType):
            path = self._path("geometry.file", table.file)
            shape = MeshFile(path, stamp(path))
        camera = DEFAULT_CAMERA
        if not isinstance(table.camera, UnsetType):
            its = table.camera
            camera = Camera(its.yaw, its.pitch, its.distance, its.vertical_fov)
        count = None if isinstance(table.vertices, UnsetType) else table.vertices
        return Geometry(shape, camera, count)

    def _attachments(
        self,
        key: str,
        size: tuple[int, int] | UnsetType,
        table: AttachmentsTable | UnsetType,
    ) -> Attachments:
        pixels = CANONICAL_SIZE if isinstance(size, UnsetType) else size
        if isinstance(table, UnsetType):
            return Attachments(pixels)
        if table.samples not in _SAMPLES:
            raise self._wrong(f"{key}.samples", f"{table.samples} must be 1, 2, 4 or 8")
        return Attachments(pixels, table.colour, table.samples, table.blend)


def _launch(table: LaunchTable | UnsetType) -> LaunchChoice:
    if isinstance(table, UnsetType):
        return LaunchChoice()
    return LaunchChoice(_sides(table.groups), _sides(table.local), table.elements)


def _sides(given: list[int] | UnsetType) -> Sides | None:
    if isinstance(given, UnsetType):
        return None
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _over(state: DrawState, lines: Path) -> DrawState:
    """Values and textures of a project over what a captured draw was drawn with."""
    # Few projects need it, and it reads files in quite another form.
    from shaderlab.projects import captured

    its = captured.state(lines)
    return replace(its, inputs=replace(state.inputs, bound=its.inputs.bound))


def stamp(path: Path) -> tuple[int, int]:
    """Modification time (ns) and size of a file.  Raises WrongUse."""
    try:
        status = path.stat()
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {files.reason(error)}") from None
    return status.st_mtime_ns, status.st_size
