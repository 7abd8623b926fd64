"""The tables of a project file, with the ranges they keep within."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from shaderlab.scene.draw import Blend, ColourFormat
from shaderlab.scene.geometry import Body
from shaderlab.scene.textures import Filter, Pattern, Wrap

FORMAT = 1

Text = Annotated[str, Meta(max_length=256)]
RelativePath = Annotated[str, Meta(min_length=1, max_length=1024)]
Size = tuple[Annotated[int, Meta(ge=1, le=16384)], Annotated[int, Meta(ge=1, le=16384)]]
Values = Annotated[dict[str, Any], Meta(max_length=4096)]
_Angle = Annotated[float, Meta(ge=-1e6, le=1e6)]


class _Table(Struct, forbid_unknown_fields=True, omit_defaults=True):
    pass


class TextureTable(_Table):
    """What one texture shows: exactly one of the first three."""

    pattern: Pattern | UnsetType = UNSET
    file: RelativePath | UnsetType = UNSET
    picture_of: Text | UnsetType = UNSET
    """A pass, by name."""
    frame_before: bool = False
    """Whether always its picture of the frame before."""
    filter: Filter = Filter.LINEAR
    wrap: Wrap = Wrap.REPEAT
    flipped: bool = False
    srgb: bool = False


Textures = Annotated[dict[str, TextureTable], Meta(max_length=1024)]


class CameraTable(_Table):
    yaw: _Angle
    pitch: _Angle
    distance: Annotated[float, Meta(gt=0.0, le=1e6)]
    vertical_fov: Annotated[float, Meta(gt=0.0, lt=3.15)]


class GeometryTable(_Table):
    """At most one of the first two."""

    shape: Body | UnsetType = UNSET
    file: RelativePath | UnsetType = UNSET
    camera: CameraTable | UnsetType = UNSET
    vertices: Annotated[int, Meta(ge=1, le=999_999)] | UnsetType = UNSET


class AttachmentsTable(_Table):
    colour: ColourFormat = ColourFormat.RGBA8
    samples: Annotated[int, Meta(ge=1, le=8)] = 1
    blend: Blend = Blend.OFF


_Side = Annotated[int, Meta(ge=1, le=1 << 31)]
Sides = Annotated[list[_Side], Meta(min_length=1, max_length=3)]
"""Along x, y and z; those left out are 1."""


class LaunchTable(_Table):
    """How a compute shader is launched; what is left out follows from the shader."""

    groups: Sides | UnsetType = UNSET
    local: Sides | UnsetType = UNSET
    elements: Annotated[
        dict[str, Annotated[int, Meta(ge=1, le=999_999_999)]], Meta(max_length=1024)
    ] = {}
    """Of arrays without a length, by the buffer's name."""


class PassTable(_Table):
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    shader: RelativePath
    size: Size | UnsetType = UNSET
    values: Values = {}
    textures: Textures = {}
    attachments: AttachmentsTable | UnsetType = UNSET


class ProjectTable(_Table):
    """The whole file."""

    format: int
    shader: RelativePath
    language: Text = ""
    stage: Text = ""
    entry: Text = ""
    vertex: RelativePath | UnsetType = UNSET
    """The vertex stage the shader is drawn with."""
    captured: RelativePath | UnsetType = UNSET
    """A captured draw: what it was drawn with holds where the rest does not say otherwise."""
    includes: Annotated[list[RelativePath], Meta(max_length=64)] = []
    size: Size | UnsetType = UNSET
    time: Annotated[float, Meta(ge=-1e9, le=1e9)] | UnsetType = UNSET
    frame: Annotated[int, Meta(ge=-(2**31), lt=2**31)] | UnsetType = UNSET
    defines: Annotated[dict[str, Text], Meta(max_length=1024)] = {}
    values: Values = {}
    textures: Textures = {}
    geometry: GeometryTable | UnsetType = UNSET
    attachments: AttachmentsTable | UnsetType = UNSET
    launch: LaunchTable | UnsetType = UNSET
    passes: Annotated[list[PassTable], Meta(max_length=64)] = field(
        name="pass", default_factory=list
    )
