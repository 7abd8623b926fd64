from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.geometry.stored_vertices import stored_vertices
from shaderlab.scene.geometry import CLIP_DISTANCES, POINT_SIZE, StoredVertices, VertexColumn
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.varyings import Varying
from tests.unit.captures.builders import contents

FLOAT2 = Varying("uv", 3, Numeric(Component.FLOAT, 32, 2))
TRIANGLE = np.arange(18, dtype=np.float32).reshape(3, 6)
"""Three vertices: four floats of position, two of a varying."""


def shape(folder: Path, rows: np.ndarray, **changes: object) -> StoredVertices:
    made = StoredVertices(
        contents(folder / "vertices", rows.tobytes()),
        rows.shape[1] * 4,
        len(rows),
        0,
        (VertexColumn(3, 0, 16, 2),),
    )
    return replace(made, **changes)


def test_positions_and_varyings_are_where_the_columns_say(tmp_path: Path):
    found = stored_vertices(shape(tmp_path, TRIANGLE), (FLOAT2,))
    assert found.positions.tolist() == TRIANGLE[:, :4].tolist()
    assert found.by_location[3][:, :2].tolist() == TRIANGLE[:, 4:].tolist()
    assert found.indices.tolist() == [0, 1, 2]


def test_narrow_varyings_are_refused(tmp_path: Path):
    narrow = FLOAT2._replace(type=Numeric(Component.FLOAT, 16, 2))
    with pytest.raises(WrongUse, match="uv: captures do not keep 16-bit varyings"):
        stored_vertices(shape(tmp_path, TRIANGLE), (narrow,))


def test_wide_varyings_come_as_numbers_of_32_bits(tmp_path: Path):
    wide = FLOAT2._replace(type=Numeric(Component.FLOAT, 64, 1))
    rows = TRIANGLE.copy()
    rows[:, 4:] = np.array([0.25, -3.0, 1e9], np.float64).reshape(3, 1).view(np.float32)
    column = VertexColumn(3, 0, 16, 1, 64)
    found = stored_vertices(shape(tmp_path, rows, columns=(column,)), (wide,))
    assert found.by_location[3][:, 0].tolist() == [0.25, -3.0, 1e9]


def test_sizes_of_points_and_clip_distances_come_after_the_varyings(tmp_path: Path):
    columns = (VertexColumn(POINT_SIZE, 0, 16, 1), VertexColumn(CLIP_DISTANCES[0], 0, 20, 1))
    points = shape(tmp_path, TRIANGLE, columns=columns, topology="POINT_LIST")
    found = stored_vertices(points, (FLOAT2,))
    assert list(found.by_location) == [3, POINT_SIZE, CLIP_DISTANCES[0]]
    assert found.by_location[POINT_SIZE][:, 0].tolist() == [4, 10, 16]
    assert found.indices.tolist() == [0, 1, 2]


def test_a_varying_that_was_not_written_is_zero(tmp_path: Path):
    other = FLOAT2._replace(location=7)
    found = stored_vertices(shape(tmp_path, TRIANGLE), (other,))
    assert not found.by_location[7].any()


@pytest.mark.parametrize("restart", [0xFFFF, 0xFFFFFFFF])
def test_strips_keep_their_facing_and_begin_anew(tmp_path: Path, restart: int):
    rows = np.zeros((7, 6), np.float32)
    order = np.array([0, 1, 2, 3, 0xFFFF, 4, 5, 6], np.uint16)
    strip = shape(
        tmp_path,
        rows,
        topology="TRIANGLE_STRIP",
        indices=contents(tmp_path / "indices", order.tobytes()),
        index_bytes=2,
        restart=restart,
        count=8,
    )
    assert stored_vertices(strip, ()).indices.tolist() == [0, 1, 2, 1, 3, 2, 4, 5, 6]


def test_fans_and_lines_become_lists(tmp_path: Path):
    rows = np.zeros((4, 6), np.float32)
    fan = stored_vertices(shape(tmp_path, rows, topology="TRIANGLE_FAN"), ())
    assert fan.indices.tolist() == [1, 2, 0, 2, 3, 0]
    lines = stored_vertices(shape(tmp_path, rows, topology="LINE_STRIP"), ())
    assert lines.indices.tolist() == [0, 1, 1, 2, 2, 3]


def test_instances_follow_one_another(tmp_path: Path):
    rows = np.arange(36, dtype=np.float32).reshape(6, 6)
    twice = shape(tmp_path, rows, count=3, instances=2, instance_bytes=3 * 24)
    found = stored_vertices(twice, (FLOAT2,))
    assert found.indices.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.positions.tolist() == rows[:, :4].tolist()


def test_what_leads_beyond_the_vertices_is_refused(tmp_path: Path):
    far = contents(tmp_path / "indices", np.array([0, 1, 9], np.uint32).tobytes())
    with pytest.raises(WrongUse, match="beyond"):
        stored_vertices(shape(tmp_path, TRIANGLE, indices=far), ())
    with pytest.raises(WrongUse, match="before"):
        stored_vertices(shape(tmp_path, TRIANGLE, indices=far, base=-1), ())
    with pytest.raises(WrongUse, match="cut short"):
        stored_vertices(shape(tmp_path, TRIANGLE, instances=2, instance_bytes=72), ())


@given(st.integers(0, 40), st.sampled_from(["TRIANGLE_LIST", "TRIANGLE_STRIP", "TRIANGLE_FAN"]))
def test_lists_hold_whole_triangles_of_vertices_that_exist(
    tmp_path_factory: pytest.TempPathFactory, count: int, topology: str
):
    folder = tmp_path_factory.mktemp("drawn")
    rows = np.zeros((count, 6), np.float32)
    drawn = stored_vertices(shape(folder, rows, topology=topology), ()).indices
    triangles = count // 3 if topology == "TRIANGLE_LIST" else max(0, count - 2)
    assert len(drawn) == 3 * triangles
    assert not len(drawn) or drawn.max() < count
