"""What is rasterised, and from where it is seen; the vertices are `shaderlab.geometry`'s."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from shaderlab.scene.contents import Contents
from shaderlab.scene.fetched import FetchedVertices


class Body(StrEnum):
    """A body that shaderlab makes."""

    FULL_SCREEN = "fullscreen"
    """Two triangles that cover the attachments."""
    QUAD = "quad"
    CUBE = "cube"
    SPHERE = "sphere"
    TORUS = "torus"
    POT = "pot"
    """A pot with spout and handle: concave, with thin parts and every curvature."""


@dataclass(frozen=True)
class MeshFile:
    """A glTF 2.0 file."""

    path: Path
    stamp: tuple[int, int] = (0, 0)
    """Modification time (ns) and size of the file when it was chosen."""


@dataclass(frozen=True)
class Camera:
    """Looks at the origin, around which bodies of unit radius lie."""

    yaw: float = 0.6
    """Radians around the vertical axis."""
    pitch: float = 0.35
    """Radians above the horizon."""
    distance: float = 3.0
    """In radii."""
    vertical_fov: float = 0.785398
    """Radians."""


class VertexColumn(NamedTuple):
    """Where a vertex has a varying, or a part of one."""

    location: int
    component: int
    """First of the location's four."""
    at: int
    """First byte in the vertex."""
    components: int
    bits: int = 32
    """Of each."""


POINT_SIZE = 1000
"""Stands for a location in `VertexColumn`: the size of a point, pixels."""
CLIP_DISTANCES = (1001, 1002)
"""The same for clip distances, four each."""
CULL_DISTANCES = (1003, 1004)


@dataclass(frozen=True)
class StoredVertices:
    """Vertices as another program's vertex stage left them."""

    data: Contents
    """One vertex after the other, `stride` bytes each."""
    stride: int
    count: int
    """Of the list that is drawn, by `indices` where there are any."""
    position: int
    """Byte in a vertex of its position, four floats in clip space."""
    columns: tuple[VertexColumn, ...]
    topology: str = "TRIANGLE_LIST"
    """Word after `VK_PRIMITIVE_TOPOLOGY_`."""
    indices: Contents | None = None
    index_bytes: int = 4
    base: int = 0
    """Added to each index."""
    restart: int | None = None
    """The index that begins a strip anew."""
    instances: int = 1
    instance_bytes: int = 0
    """From the first vertex of an instance to that of the next."""

    @property
    def built_ins(self) -> tuple[int, ...]:
        """Of `columns`, the locations that stand for what is written beside the position."""
        return tuple(sorted({c.location for c in self.columns if c.location >= POINT_SIZE}))


DEFAULT_CAMERA = Camera()
FEWEST_VERTICES = 3
"""Of a triangle, which suffices to cover the full screen."""


@dataclass(frozen=True)
class Geometry:
    """Vertices and camera."""

    shape: Body | MeshFile | StoredVertices | FetchedVertices = Body.FULL_SCREEN
    camera: Camera = DEFAULT_CAMERA
    vertices: int | None = None
    """Drawn without indices by a vertex stage of the user's that reads no attributes and makes
    vertices of their numbers; None: `FEWEST_VERTICES` on the full screen, else the shape's."""

    @property
    def is_full_screen(self) -> bool:
        return self.shape is Body.FULL_SCREEN

    @property
    def is_file(self) -> bool:
        return isinstance(self.shape, MeshFile)


FULL_SCREEN = Geometry()
