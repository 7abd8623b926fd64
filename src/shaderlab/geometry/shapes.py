"""From the name of a shape to its mesh."""

from __future__ import annotations

from functools import lru_cache

from shaderlab.geometry import bodies, gltf
from shaderlab.geometry.mesh import Mesh
from shaderlab.geometry.pot import pot
from shaderlab.scene.geometry import Body, MeshFile

_BODIES = {
    Body.FULL_SCREEN: bodies.full_screen,
    Body.QUAD: bodies.quad,
    Body.CUBE: bodies.cube,
    Body.SPHERE: bodies.sphere,
    Body.TORUS: bodies.torus,
    Body.POT: pot,
}


@lru_cache(maxsize=4)
def mesh_of(shape: Body | MeshFile) -> Mesh:
    """The vertices of a shape; of a file, scaled to a sphere of radius 1 around the origin.

    Raises WrongUse for a file that cannot be read.
    """
    return gltf.read(shape.path) if isinstance(shape, MeshFile) else _BODIES[shape]()
