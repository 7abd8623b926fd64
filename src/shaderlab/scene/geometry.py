"""What is rasterised, and from where it is seen; the vertices are `shaderlab.geometry`'s."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


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


DEFAULT_CAMERA = Camera()
FEWEST_VERTICES = 3
"""Of a triangle, which suffices to cover the full screen."""


@dataclass(frozen=True)
class Geometry:
    """Vertices and camera."""

    shape: Body | MeshFile = Body.FULL_SCREEN
    camera: Camera = DEFAULT_CAMERA
    vertices: int | None = None
    """Drawn without indices by a vertex stage of the user's that reads no attributes and makes
    vertices of their numbers; None: `FEWEST_VERTICES` on the full screen, else the shape's."""

    @property
    def is_full_screen(self) -> bool:
        return self.shape is Body.FULL_SCREEN


FULL_SCREEN = Geometry()
