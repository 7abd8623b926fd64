"""Vertices that another program's vertex stage left, as a list of whole triangles, lines or points.

Orders of vertices: Vulkan specification, "Primitive Topologies".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shaderlab.errors import WrongUse
from shaderlab.geometry.vertices import Vertices
from shaderlab.scene.geometry import StoredVertices, VertexColumn
from shaderlab.spirv.value_types import Component
from shaderlab.spirv.varyings import Varying

LISTS: Mapping[str, str] = {
    "TRIANGLE_LIST": "TRIANGLE_LIST",
    "TRIANGLE_STRIP": "TRIANGLE_LIST",
    "TRIANGLE_FAN": "TRIANGLE_LIST",
    "LINE_LIST": "LINE_LIST",
    "LINE_STRIP": "LINE_LIST",
    "POINT_LIST": "POINT_LIST",
}
"""What each topology is drawn as."""

_DTYPES = {Component.FLOAT: np.float32, Component.INT: np.int32, Component.UINT: np.uint32}


@lru_cache(maxsize=2)
def stored_vertices(shape: StoredVertices, varyings: tuple[Varying, ...]) -> Vertices:
    """With values of the varyings that were written, zeros for those that were not, and of
    `StoredVertices.built_ins`.

    Raises WrongUse for contents that do not fit together, and for varyings that are not of 32 bits.
    """
    other = next((v for v in varyings if v.is_read and v.type.bits < 32), None)
    if other is not None:
        raise WrongUse(f"{other.name}: captures do not keep {other.type.bits}-bit varyings")
    data = np.frombuffer(shape.data.read(), np.uint8)
    stride = shape.stride
    span = shape.instance_bytes if shape.instances > 1 else len(data)
    each = span // stride
    if each * stride > span or (shape.instances - 1) * span + each * stride > len(data):
        raise WrongUse("the vertices of the draw are cut short")
    if shape.instances > 1:
        parts = [data[n * span :][: each * stride] for n in range(shape.instances)]
        data = np.concatenate(parts)
    rows = data[: each * stride * shape.instances].reshape(-1, stride)
    kinds = {v.location: v.type.component for v in reversed(varyings) if v.is_read}
    kinds |= dict.fromkeys(shape.built_ins, Component.FLOAT)
    by_location = {at: _column(rows, shape, at, kind) for at, kind in sorted(kinds.items())}
    positions = rows[:, shape.position : shape.position + 16].copy().view(np.float32)
    indices = _lists(shape.topology, _order(shape, each))
    if shape.instances > 1:
        starts = np.arange(shape.instances, dtype=np.int64) * each
        indices = (indices[None, :] + starts[:, None]).reshape(-1)
    if len(indices) and int(indices.max()) >= len(rows):
        raise WrongUse("the indices of the draw lead beyond its vertices")
    return Vertices(positions, by_location, np.ascontiguousarray(indices, np.uint32))


def _column(
    rows: NDArray[np.uint8], shape: StoredVertices, location: int, kind: Component
) -> np.ndarray:
    """(n, 4) of the varyings at a location."""
    made = np.zeros((len(rows), 4), np.uint32)
    for column in shape.columns:
        if column.location == location:
            part = _numbers(rows, column, _DTYPES.get(kind, np.uint32))
            made[:, column.component : column.component + column.components] = part
    return made.view(_DTYPES.get(kind, np.uint32))


def _numbers(rows: NDArray[np.uint8], column: VertexColumn, dtype: type) -> NDArray[np.uint32]:
    """Words of a column's components; those of 64 bits come as numbers of 32."""
    raw = rows[:, column.at : column.at + column.bits // 8 * column.components].copy()
    if column.bits == 32:
        return raw.view(np.uint32)
    wide = {np.float32: np.float64, np.int32: np.int64}.get(dtype, np.uint64)
    with np.errstate(over="ignore"):
        return raw.view(wide).astype(dtype).view(np.uint32)


def _order(shape: StoredVertices, most: int) -> list[NDArray[np.int64]]:
    """Numbers of vertices as drawn; strips that begin anew apart."""
    if shape.indices is None:
        return [np.arange(min(shape.count, most), dtype=np.int64)]
    dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[shape.index_bytes]
    raw = np.frombuffer(shape.indices.read(), dtype)[: shape.count]
    runs = [raw]
    if shape.restart is not None:
        cut = shape.restart & np.iinfo(dtype).max
        runs = [run[run != cut] for run in np.split(raw, np.flatnonzero(raw == cut))]
    ordered = [run.astype(np.int64) + shape.base for run in runs]
    if any(len(run) and int(run.min()) < 0 for run in ordered):
        raise WrongUse("the indices of the draw lead before its vertices")
    return ordered


def _lists(topology: str, runs: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    corners = _CORNERS[topology]
    return np.concatenate([corners(run) for run in runs]) if runs else np.zeros(0, np.int64)


def _whole(corners: int):
    return lambda run: run[: len(run) // corners * corners]


def _line_strip(run: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.column_stack([run[:-1], run[1:]]).reshape(-1)


def _triangle_strip(run: NDArray[np.int64]) -> NDArray[np.int64]:
    first = np.arange(max(0, len(run) - 2))
    odd = first % 2
    return run[np.column_stack([first, first + 1 + odd, first + 2 - odd]).reshape(-1)]


def _triangle_fan(run: NDArray[np.int64]) -> NDArray[np.int64]:
    first = np.arange(max(0, len(run) - 2))
    return run[np.column_stack([first + 1, first + 2, np.zeros_like(first)]).reshape(-1)]


_CORNERS = {
    "TRIANGLE_LIST": _whole(3),
    "TRIANGLE_STRIP": _triangle_strip,
    "TRIANGLE_FAN": _triangle_fan,
    "LINE_LIST": _whole(2),
    "LINE_STRIP": _line_strip,
    "POINT_LIST": _whole(1),
}
