"""Project files, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.projects.project import Project
from shaderlab.projects.schema import (
    FORMAT,
    AttachmentsTable,
    CameraTable,
    GeometryTable,
    LaunchTable,
    PassTable,
    ProjectTable,
    TextureTable,
)
from shaderlab.scene.draw import CANONICAL_SIZE, Attachments
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body, Geometry, MeshFile
from shaderlab.scene.inputs import Inputs, Numbers, Source
from shaderlab.scene.launch import LaunchChoice
from shaderlab.scene.textures import ImageFile, PassPicture, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms


def save(path: Path, project: Project) -> None:
    """Write a project file.  Raises WrongUse, also for a file outside its folder."""
    files.save(path, text(path, project).encode())


def text(path: Path, project: Project) -> str:
    """What a project file at `path` has.  Raises WrongUse for a file outside its folder."""
    return _text(path.absolute().parent.resolve(), project)


def copy(project: Project) -> str:
    """The same with whole paths, for this user alone (`reading.read_copy`)."""
    return _text(None, project)


def _text(folder: Path | None, project: Project) -> str:
    state = project.state
    table = ProjectTable(
        FORMAT,
        _relative(folder, project.shader),
        project.language,
        project.stage,
        project.entry,
        includes=[_relative(folder, each) for each in project.includes],
        defines=dict(project.defines),
        values=_values(state.inputs),
        textures=_textures(folder, state.inputs),
    )
    if project.vertex is not None:
        table.vertex = _relative(folder, project.vertex)
    if project.captured is not None:
        table.captured = _relative(folder, project.captured)
        return tomli_w.dumps(msgspec.to_builtins(table))
    if state.size != CANONICAL_SIZE:
        table.size = state.size
    clock = state.inputs.uniforms
    if clock.time_s != Uniforms().time_s:
        table.time = clock.time_s
    if clock.frame != Uniforms().frame:
        table.frame = clock.frame
    if state.geometry != Geometry():
        table.geometry = _geometry(folder, state.geometry)
    if state.attachments != Attachments(state.size):
        table.attachments = _attachments(state.attachments)
    if state.launch:
        table.launch = _launch(state.launch)
    for each in project.passes:
        own = PassTable(
            each.name,
            _relative(folder, each.shader),
            values=_values(each.state.inputs),
            textures=_textures(folder, each.state.inputs),
        )
        if each.state.size != state.size:
            own.size = each.state.size
        if each.state.attachments != Attachments(each.state.size):
            own.attachments = _attachments(each.state.attachments)
        table.passes.append(own)
    return tomli_w.dumps(msgspec.to_builtins(table))


def _relative(folder: Path | None, path: Path) -> str:
    if folder is None:
        return str(path.absolute())
    found = path.resolve()
    if not found.is_relative_to(folder):
        raise WrongUse(f"{path} is outside the project folder {folder}. Copy it there")
    return found.relative_to(folder).as_posix()


def _values(inputs: Inputs) -> dict[str, Any]:
    chosen = (
        (name, each.value)
        for name, each in inputs.values.items()
        if each.source is not Source.DEFAULT
    )
    return {name: _value(value) for name, value in sorted(chosen)}


def _value(value: Numbers) -> float | list[float]:
    numbers: list[float] = [
        int(each) if float(each).is_integer() and abs(each) < 2**53 else float(each)
        for each in value
    ]
    return numbers[0] if len(numbers) == 1 else numbers


def _textures(folder: Path | None, inputs: Inputs) -> dict[str, TextureTable]:
    chosen = (
        (name, each.value)
        for name, each in inputs.textures.items()
        if each.source is not Source.DEFAULT
    )
    return {name: _texture(folder, texture) for name, texture in sorted(chosen)}


def _texture(folder: Path | None, texture: Texture) -> TextureTable:
    """What the file keeps; a campaign's noise stands in no project."""
    table = TextureTable(filter=texture.filter, wrap=texture.wrap)
    source = texture.source
    if isinstance(source, ImageFile):
        table.file = _relative(folder, source.path)
        table.flipped, table.srgb = source.flipped, source.srgb
    elif isinstance(source, PassPicture):
        table.picture_of, table.frame_before = source.name, source.before
    elif isinstance(source, Pattern):
        table.pattern = source
    return table


def _geometry(folder: Path | None, geometry: Geometry) -> GeometryTable:
    table = GeometryTable()
    if isinstance(geometry.shape, MeshFile):
        table.file = _relative(folder, geometry.shape.path)
    elif isinstance(geometry.shape, Body):
        table.shape = geometry.shape
    if geometry.camera != DEFAULT_CAMERA:
        its = geometry.camera
        table.camera = CameraTable(its.yaw, its.pitch, its.distance, its.vertical_fov)
    if geometry.vertices is not None:
        table.vertices = geometry.vertices
    return table


def _attachments(its: Attachments) -> AttachmentsTable:
    return AttachmentsTable(its.colour, its.samples, its.blend)


def _launch(choice: LaunchChoice) -> LaunchTable:
    table = LaunchTable(elements=dict(sorted(choice.lengths.items())))
    if choice.groups is not None:
        table.groups = list(choice.groups)
    if choice.local is not None:
        table.local = list(choice.local)
    return table
