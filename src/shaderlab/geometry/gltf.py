"""Meshes of glTF 2.0 files (Khronos, "glTF 2.0 Specification"), read as untrusted input.

All triangles of the default scene become one mesh: node transforms applied, missing normals flat
(section 3.7.2.1), missing tangents from texture coordinates, scaled to a sphere of radius 1.
Materials, skins, morph targets, animations and cameras are left out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from shaderlab import files
from shaderlab.errors import InvalidAsset
from shaderlab.geometry import gltf_document as document
from shaderlab.geometry.gltf_document import Accessor, Primitive
from shaderlab.geometry.mesh import (
    Mesh,
    merged,
    mesh,
    of_unit_radius,
    perpendicular,
    tangents_of,
    unit,
)

MOST_VERTICES = 1_000_000
MOST_TRIANGLES = 1_000_000
MOST_NODES = 50_000
MOST_PARTS = 10_000
"""Primitives, each counted wherever a node puts it; one of three vertices takes 0.5 ms (seen)."""
DEEPEST = 1_000
"""Nodes from a root to a leaf."""
_MOST_BYTES = 128 << 20
"""Of a file, and of all buffers together."""
_FARTHEST = 1e30
"""Coordinates beyond it: their squares would still be finite, but nothing is there to see."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_VERTICES, _TRIANGLES_MADE, _PARTS = "vertices", "triangles", "primitives in its nodes"
_COMPONENTS = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_")
"""Extensions that change nothing about a mesh, required or not."""
_KNOWN = {"KHR_mesh_quantization", "KHR_lights_punctual", "KHR_node_visibility", "KHR_xmp_json_ld"}


def read(path: Path) -> Mesh:
    """The mesh of a `.gltf` or `.glb` file.

    Raises WrongUse for a file that cannot be opened, and InvalidAsset, one of these, for one that
    contradicts itself, exceeds one of the limits above, names a file outside its folder, or needs
    an extension that changes the mesh.
    """
    try:
        with np.errstate(all="ignore"):
            return _Reader(path).mesh()
    except document.Damaged as error:
        raise InvalidAsset(f"cannot read {path}: {error}") from None


@dataclass(frozen=True)
class _Instance:
    """A mesh where a node puts it."""

    mesh: int
    transform: np.ndarray
    """4x4, for column vectors."""


class _Reader:
    def __init__(self, path: Path):
        self._path = path
        data = files.read_bytes(path, _MOST_BYTES)
        self._document, self._chunk = document.parse(data)
        self._held = 0
        self._buffers: dict[int, memoryview] = {}
        self._counts: dict[str, int] = dict.fromkeys((_VERTICES, _TRIANGLES_MADE, _PARTS), 0)
        self._made: dict[int, Mesh | None] = {}
        """By primitive: a mesh that many nodes show is read once."""
        self._left_out: set[str] = set()

    def mesh(self) -> Mesh:
        gltf = self._document
        for name in gltf.extensionsRequired:
            if name not in _KNOWN and not name.startswith(_HARMLESS):
                raise document.Damaged(f"it needs the extension {name[:60]}, which is not read")
        parts = [part for instance in self._instances() for part in self._parts(instance)]
        if not parts:
            raise document.Damaged("it has no triangles")
        whole = of_unit_radius(merged(parts))
        if any(True for each in gltf.nodes if each.skin is not None):
            self._left_out.add("skins")
        if self._left_out:
            names = " and ".join(sorted(self._left_out))
            whole = replace(whole, note=f"{whole.note}; {names} are not included")
        return whole

    def _instances(self) -> Iterator[_Instance]:
        gltf = self._document
        if not gltf.nodes:
            yield from (_Instance(n, np.eye(4)) for n in range(len(gltf.meshes)))
            return
        if len(gltf.nodes) > MOST_NODES:
            raise document.Damaged(f"it has {len(gltf.nodes):,} nodes, the limit is {MOST_NODES:,}")
        seen: set[int] = set()
        open_ = [(root, np.eye(4), 1) for root in reversed(self._roots())]
        while open_:
            number, above, depth = open_.pop()
            if depth > DEEPEST:
                raise document.Damaged(f"its nodes are nested more than {DEEPEST:,} deep")
            if number in seen:
                raise document.Damaged(f"node {number} is its own ancestor or has two parents")
            seen.add(number)
            node = document.entry(gltf.nodes, number, "node")
            transform = above @ _transform(node)
            if node.mesh is not None:
                document.entry(gltf.meshes, node.mesh, "mesh")
                yield _Instance(node.mesh, transform)
            open_ += ((child, transform, depth + 1) for child in reversed(node.children))

    def _roots(self) -> list[int]:
        gltf = self._document
        if gltf.scenes:
            return document.entry(gltf.scenes, gltf.scene or 0, "scene").nodes
        children = {child for node in gltf.nodes for child in node.children}
        return [number for number in range(len(gltf.nodes)) if number not in children]

    def _parts(self, instance: _Instance) -> Iterator[Mesh]:
        for primitive in self._document.meshes[instance.mesh].primitives:
            self._count(_PARTS, 1)
            if primitive.targets:
                self._left_out.add("morph targets")
            if primitive.mode not in (_TRIANGLES, _STRIP, _FAN):
                self._left_out.add("points and lines")
                continue
            part = self._made.get(id(primitive))
            if part is not None:
                self._count(_VERTICES, len(part.positions))
                self._count(_TRIANGLES_MADE, len(part.triangles))
            elif id(primitive) not in self._made:
                part = self._made[id(primitive)] = self._part(primitive)
            if part is not None:
                yield _moved(part, instance.transform)

    def _part(self, primitive: Primitive) -> Mesh | None:
        attributes = primitive.attributes
        if "POSITION" not in attributes:
            raise document.Damaged("a primitive has no positions")
        count = self._accessor(attributes["POSITION"]).count
        self._count(_VERTICES, count)
        positions = self._attribute(attributes["POSITION"], count, (3,))
        triangles = self._corners(primitive, count)
        if not len(triangles):
            return None
        uvs = np.zeros((count, 2))
        if "TEXCOORD_0" in attributes:
            uvs = self._attribute(attributes["TEXCOORD_0"], count, (2,))
        colours = np.ones((count, 4))
        if "COLOR_0" in attributes:
            given = self._attribute(attributes["COLOR_0"], count, (3, 4))
            colours[:, : given.shape[1]] = given
        if "NORMAL" in attributes:
            normals = unit(self._attribute(attributes["NORMAL"], count, (3,)))
        else:
            self._count(_VERTICES, 3 * len(triangles) - count)
            order = triangles.ravel()
            positions, uvs, colours = positions[order], uvs[order], colours[order]
            triangles = np.arange(len(order)).reshape(-1, 3)
            normals = _flat(positions)
        if "NORMAL" in attributes and "TANGENT" in attributes:
            given = self._attribute(attributes["TANGENT"], count, (4,))
            along = perpendicular(given[:, :3], normals)
            tangents = np.column_stack([along, np.where(given[:, 3] < 0, -1.0, 1.0)])
        else:
            tangents = tangents_of(positions, normals, uvs, triangles)
        return mesh(positions, normals, tangents, uvs, triangles, colours)

    def _count(self, what: str, more: int) -> None:
        """Before they are made."""
        self._counts[what] = count = self._counts[what] + more
        limits = {_VERTICES: MOST_VERTICES, _TRIANGLES_MADE: MOST_TRIANGLES, _PARTS: MOST_PARTS}
        if count > (limit := limits[what]):
            raise document.Damaged(f"it has {count:,} {what} or more, the limit is {limit:,}")

    def _corners(self, primitive: Primitive, count: int) -> np.ndarray:
        """(triangles, 3), each below `count`."""
        if primitive.indices is None:
            listed: np.ndarray = np.arange(count)
        else:
            listed = self._indices(primitive.indices, count)
        if primitive.mode == _TRIANGLES:
            triangles = len(listed) // 3
            self._count(_TRIANGLES_MADE, triangles)
            return listed[: 3 * triangles].reshape(-1, 3)
        triangles = max(0, len(listed) - 2)
        self._count(_TRIANGLES_MADE, triangles)
        first = np.arange(triangles)
        if primitive.mode == _FAN:
            return np.column_stack(
                [listed[first + 1], listed[first + 2], listed[np.zeros_like(first)]]
            )
        odd = first % 2
        return np.column_stack([listed[first], listed[first + 1 + odd], listed[first + 2 - odd]])

    def _indices(self, number: int, count: int) -> np.ndarray:
        accessor = self._accessor(number)
        if accessor.type != "SCALAR" or accessor.componentType not in (5121, 5123, 5125):
            raise document.Damaged(f"accessor {number} cannot hold indices")
        if accessor.count > 3 * MOST_TRIANGLES:
            raise document.Damaged(
                f"accessor {number} has {accessor.count:,} indices, "
                f"the limit is {3 * MOST_TRIANGLES:,}"
            )
        listed = self._values(number).ravel()
        if listed.size and int(listed.max()) >= count:
            raise document.Damaged(
                f"accessor {number} has the index {int(listed.max()):,}, "
                f"there are {count:,} vertices"
            )
        return listed.astype(np.int64)

    def _attribute(self, number: int, count: int, widths: tuple[int, ...]) -> np.ndarray:
        """(count, width) of float64, finite."""
        accessor = self._accessor(number)
        if accessor.count != count or _WIDTHS[accessor.type] not in widths:
            raise document.Damaged(
                f"accessor {number} has {accessor.count:,} of {accessor.type}, "
                f"where {count:,} of VEC{widths[-1]} are expected"
            )
        raw = self._values(number)
        values = raw.astype(np.float64)
        if accessor.normalized and raw.dtype.kind in "iu":
            values = np.maximum(values / np.iinfo(raw.dtype).max, -1.0)
        if not np.isfinite(values).all():
            raise document.Damaged(f"accessor {number} has values that are not finite numbers")
        return values

    def _accessor(self, number: int) -> Accessor:
        accessor = document.entry(self._document.accessors, number, "accessor")
        if accessor.componentType not in _COMPONENTS or accessor.type not in _WIDTHS:
            raise document.Damaged(f"accessor {number} is of an unknown or unfitting type")
        return accessor

    def _values(self, number: int) -> np.ndarray:
        """(count, width), with the sparse ones in place (section 3.6.2.3)."""
        accessor = self._accessor(number)
        kind, width = _COMPONENTS[accessor.componentType], _WIDTHS[accessor.type]
        what = f"accessor {number}"
        if accessor.bufferView is None:
            values = np.zeros((accessor.count, width), kind)
        else:
            values = self._array(
                accessor.bufferView, accessor.byteOffset, accessor.count, width, kind, what
            )
        sparse = accessor.sparse
        if sparse is None:
            return values
        if sparse.count > accessor.count or sparse.indices.componentType not in (5121, 5123, 5125):
            raise document.Damaged(f"{what} has a sparse part that does not fit it")
        at = self._array(
            sparse.indices.bufferView, sparse.indices.byteOffset, sparse.count, 1,
            _COMPONENTS[sparse.indices.componentType], what,
        ).ravel()  # fmt: skip
        if at.size and int(at.max()) >= accessor.count:
            raise document.Damaged(f"{what} has a sparse index beyond its end")
        changed = values.copy()
        changed[at] = self._array(
            sparse.values.bufferView, sparse.values.byteOffset, sparse.count, width, kind, what
        )
        return changed

    def _array(
        self, view: int, offset: int, count: int, width: int, kind: np.dtype, what: str
    ) -> np.ndarray:
        """A view of a buffer's bytes, checked to lie inside."""
        found = document.entry(self._document.bufferViews, view, "buffer view")
        data = self._buffer(found.buffer)
        if found.byteOffset + found.byteLength > len(data):
            raise document.Damaged(
                f"buffer view {view} ends beyond its buffer of {len(data):,} bytes"
            )
        element = width * kind.itemsize
        stride = found.byteStride or element
        needed = offset + stride * (count - 1) + element if count else 0
        if stride < element or needed > found.byteLength:
            raise document.Damaged(
                f"{what} asks for {needed:,} bytes, in steps of {stride}, "
                f"of a buffer view of {found.byteLength:,}"
            )
        if not count:
            return np.zeros((0, width), kind)
        start = found.byteOffset + offset
        return np.ndarray(
            (count, width), kind, data[start : start + needed - offset], 0, (stride, kind.itemsize)
        )

    def _buffer(self, number: int) -> memoryview:
        if number not in self._buffers:
            buffer = document.entry(self._document.buffers, number, "buffer")
            if buffer.uri is None:
                if number != 0 or self._chunk is None:
                    raise document.Damaged(f"buffer {number} has no contents")
                data = self._chunk
            else:
                data = memoryview(self._fetched(buffer.uri, number))
            if len(data) < buffer.byteLength:
                raise document.Damaged(
                    f"buffer {number} has {len(data):,} bytes instead of {buffer.byteLength:,}"
                )
            self._buffers[number] = data[: buffer.byteLength]
        return self._buffers[number]

    def _fetched(self, uri: str, number: int) -> bytes:
        budget = _MOST_BYTES - self._held
        if uri.startswith("data:"):
            head, _, text = uri.partition(",")
            if not head.endswith(";base64"):
                raise document.Damaged(f"buffer {number} has a data URI that is not base64")
            try:
                found = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise document.Damaged(f"buffer {number} has a damaged data URI") from None
        else:
            found = files.read_bytes(self._inside(unquote(uri), number), budget)
        self._held += len(found)
        if self._held > _MOST_BYTES:
            raise document.Damaged(f"its buffers have more than {_MOST_BYTES:,} bytes")
        return found

    def _inside(self, name: str, number: int) -> Path:
        """The file of that name, which must lie in the folder of the glTF file."""
        folder = self._path.parent
        try:
            path = (folder / name).resolve()
            is_inside = path.is_relative_to(folder.resolve())
        except (OSError, ValueError, RuntimeError):
            is_inside = False
        if not is_inside or "\0" in name or ":" in name:
            raise document.Damaged(f"buffer {number} is not in a file of its folder")
        return folder / name


def _transform(node: document.Node) -> np.ndarray:
    """4x4, to the parent's space (section 3.5.3)."""
    if node.matrix is not None:
        return np.array(node.matrix).reshape(4, 4).T
    x, y, z, w = node.rotation
    length = np.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = np.array([x, y, z, w]) / (length if length > 0 else 1.0)
    turned = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    transform = np.eye(4)
    transform[:3, :3] = turned * np.array(node.scale)
    transform[:3, 3] = node.translation
    return transform


def _moved(part: Mesh, transform: np.ndarray) -> Mesh:
    """A part where its node puts it; a mirrored one keeps its front outside."""
    linear = transform[:3, :3]
    positions = part.positions.astype(np.float64) @ linear.T + transform[:3, 3]
    if not (np.abs(positions) <= _FARTHEST).all():
        raise document.Damaged("a node puts vertices out of any range")
    a, b, c = linear.T
    # Normals go with the cofactors, which a flattening transform has too.
    cofactors = np.column_stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    mirror = -1.0 if a @ cofactors[:, 0] < 0 else 1.0
    normals = unit(part.normals @ cofactors.T * mirror)
    along = perpendicular(part.tangents[:, :3] @ linear.T, normals)
    triangles = part.triangles if mirror > 0 else part.triangles[:, ::-1]
    tangents = np.column_stack([along, part.tangents[:, 3] * mirror])
    return mesh(positions, normals, tangents, part.uvs, triangles, part.colours)


def _flat(positions: np.ndarray) -> np.ndarray:
    """Normals of triangles that share no corners."""
    corners = positions.reshape(-1, 3, 3)
    faces = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    return np.repeat(faces, 3, axis=0)
