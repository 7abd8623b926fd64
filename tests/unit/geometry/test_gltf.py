from __future__ import annotations

import base64
import json
import os
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shaderlab.errors import InvalidAsset, WrongUse
from shaderlab.geometry import gltf
from shaderlab.geometry.mesh import Mesh
from tests.unit.geometry.builders import document, glb

SQUARE = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], np.float32)


def read(folder: Path, changed: dict[str, Any] | bytes) -> Mesh:
    path = folder / "mesh.gltf"
    path.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
    return gltf.read(path)


def refusal(folder: Path, changed: dict[str, Any] | bytes) -> str:
    with pytest.raises(InvalidAsset) as caught:
        read(folder, changed)
    text = str(caught.value)
    assert text.startswith(f"cannot read {folder / 'mesh.gltf'}: ")
    assert len(text.splitlines()) == 1
    return text.partition("mesh.gltf: ")[2]


def test_triangles_are_read_and_fit_the_unit_sphere(tmp_path: Path):
    mesh = read(tmp_path, document(SQUARE, [0, 1, 2, 0, 2, 3]))
    assert len(mesh.triangles) == 2
    assert np.linalg.norm(mesh.positions, axis=1) == pytest.approx(1.0)
    assert mesh.positions.mean(axis=0) == pytest.approx(0.0, abs=1e-6)
    assert mesh.note == "scaled by 0.707 to fit a sphere of radius 1 around the origin"


def test_a_binary_file_is_the_same(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    text, binary = read(tmp_path, whole), read(tmp_path, glb(whole))
    assert (text.positions == binary.positions).all()
    assert (text.indices == binary.indices).all()


def test_missing_normals_are_flat_and_of_the_front(tmp_path: Path):
    mesh = read(tmp_path, document(SQUARE, [0, 1, 2, 0, 2, 3]))
    assert len(mesh.positions) == 6
    assert np.allclose(mesh.normals, [0, 0, 1])


@pytest.mark.parametrize(
    ("mode", "indices", "triangles"),
    [
        (4, [0, 1, 2, 0, 2, 3], 2),
        (5, [0, 1, 3, 2], 2),
        (6, [0, 1, 2, 3], 2),
        (5, [0, 1], 0),
    ],
)
def test_strips_and_fans_become_triangles(tmp_path, mode: int, indices: list[int], triangles: int):
    whole = document(SQUARE, indices, mode=mode)
    if not triangles:
        assert refusal(tmp_path, whole) == "it has no triangles"
        return
    mesh = read(tmp_path, whole)
    assert len(mesh.triangles) == triangles
    assert np.allclose(mesh.normals, [0, 0, 1])


def test_points_and_lines_are_left_out_and_said(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2])
    line = dict(whole["meshes"][0]["primitives"][0], mode=1)
    whole["meshes"][0]["primitives"].append(line)
    mesh = read(tmp_path, whole)
    assert mesh.note.endswith("; points and lines are not included")
    assert len(mesh.triangles) == 1


def test_nodes_move_turn_and_scale_what_is_below_them(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    whole["nodes"] = [
        {"children": [1], "rotation": [0, 0.70710678, 0, 0.70710678]},
        {"mesh": 0, "translation": [5, 0, 0], "scale": [1, 2, 1]},
    ]
    whole["scenes"] = [{"nodes": [0]}]
    mesh = read(tmp_path, whole)
    assert np.allclose(mesh.normals, [1, 0, 0], atol=1e-6)  # z turned by 90 degrees about y
    extent = np.ptp(mesh.positions, axis=0)
    assert extent[1] / extent[2] == pytest.approx(2.0)
    assert extent[0] == pytest.approx(0.0, abs=1e-6)


def test_a_mirrored_node_keeps_its_front_and_its_frame(tmp_path: Path):
    uvs = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32)
    normals = np.tile(np.float32([0, 0, 1]), (4, 1))
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3], uvs=uvs, normals=normals)
    plain = read(tmp_path, whole)
    whole["nodes"] = [{"mesh": 0, "scale": [-1, 1, 1]}]
    mirrored = read(tmp_path, whole)
    for mesh, side in ((plain, 1.0), (mirrored, -1.0)):
        a, b, c = mesh.positions[mesh.triangles].transpose(1, 0, 2)
        assert (np.cross(b - a, c - a)[:, 2] > 0).all()
        assert np.allclose(mesh.normals, [0, 0, 1])
        assert np.allclose(mesh.tangents[:, :3], [side, 0, 0])
        top = np.cross(mesh.normals, mesh.tangents[:, :3]) * mesh.tangents[:, 3:]
        assert np.allclose(top, [0, 1, 0])


def test_colours_and_normalised_components(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3], colours=np.full((4, 4), 51, np.uint8))
    assert np.allclose(read(tmp_path, whole).colours, 0.2)


def test_sparse_values_replace_others(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    at = len(whole["bufferViews"])
    extra = struct.pack("<H2x3f", 2, 8.0, 2.0, 0.0)
    whole["buffers"].append(
        {
            "byteLength": len(extra),
            "uri": "data:application/octet-stream;base64," + base64.b64encode(extra).decode(),
        }
    )
    whole["bufferViews"] += [
        {"buffer": 1, "byteOffset": 0, "byteLength": 2},
        {"buffer": 1, "byteOffset": 4, "byteLength": 12},
    ]
    sparse = {
        "count": 1,
        "indices": {"bufferView": at, "componentType": 5123},
        "values": {"bufferView": at + 1},
    }
    whole["accessors"][0]["sparse"] = sparse
    extent = np.ptp(read(tmp_path, whole).positions, axis=0)
    assert extent[0] / extent[1] == pytest.approx(4.0)
    sparse["count"] = 5
    assert "sparse part that does not fit" in refusal(tmp_path, whole)


def test_a_buffer_beside_the_file_is_read(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    uri = whole["buffers"][0]["uri"]
    (tmp_path / "my data.bin").write_bytes(base64.b64decode(uri.partition(",")[2]))
    whole["buffers"][0]["uri"] = "my%20data.bin"
    assert len(read(tmp_path, whole).triangles) == 2


@pytest.mark.parametrize("name", ["../outside.bin", "/etc/passwd", "file:///etc/passwd", "a\0b"])
def test_buffers_outside_the_folder_are_not_opened(tmp_path: Path, name: str):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "outside.bin").write_bytes(bytes(1000))
    whole = document(SQUARE, [0, 1, 2])
    whole["buffers"][0]["uri"] = name
    assert refusal(folder, whole) == "buffer 0 is not in a file of its folder"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "outside.bin").write_bytes(bytes(1000))
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    whole = document(SQUARE, [0, 1, 2])
    whole["buffers"][0]["uri"] = "link.bin"
    assert refusal(folder, whole) == "buffer 0 is not in a file of its folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.bin")
    whole = document(SQUARE, [0, 1, 2])
    whole["buffers"][0]["uri"] = "pipe.bin"
    with pytest.raises(WrongUse, match="not a plain file"):
        read(tmp_path, whole)


def _set(*path: Any) -> Any:
    *keys, last, value = path

    def change(whole: Any) -> None:
        for key in keys:
            whole = whole[key]
        whole[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("accessors", 0, "count", 5), "accessor 0 asks for 60 bytes"),
        (_set("accessors", 0, "count", 2**31), "Expected `int`"),
        (_set("accessors", 0, "count", 2**31 - 1), "the limit is 1,000,000"),
        (_set("accessors", 0, "count", -1), "Expected `int`"),
        (_set("accessors", 0, "byteOffset", 4), "accessor 0 asks for 52 bytes"),
        (_set("accessors", 0, "componentType", 1), "unknown or unfitting type"),
        (_set("accessors", 0, "type", "MAT4"), "unknown or unfitting type"),
        (_set("accessors", 0, "type", "VEC2"), "where 4 of VEC3 are expected"),
        (_set("accessors", 1, "componentType", 5126), "cannot hold indices"),
        (_set("accessors", 1, "count", 2**31 - 1), "the limit is 3,000,000"),
        (_set("bufferViews", 0, "byteStride", 8), "in steps of 8"),
        (_set("bufferViews", 0, "byteStride", 16), "accessor 0 asks for 60 bytes"),
        (_set("bufferViews", 0, "byteLength", 9999), "buffer view 0 ends beyond its buffer"),
        (_set("bufferViews", 0, "buffer", 7), "there is no buffer 7"),
        (_set("buffers", 0, "byteLength", 9999), "bytes instead of 9,999"),
        (_set("buffers", 0, "uri", None), "buffer 0 has no contents"),
        (_set("buffers", 0, "uri", "data:;base64,%%%"), "damaged data URI"),
        (_set("meshes", 0, "primitives", 0, "attributes", {}), "no positions"),
        (_set("meshes", 0, "primitives", 0, "indices", 9), "there is no accessor 9"),
        (_set("meshes", []), "there is no mesh 0"),
        (_set("nodes", [{"mesh": 4}]), "there is no mesh 4"),
        (_set("nodes", [{"mesh": 0, "scale": [1e300, 1e300, 1e300]}]), "out of any range"),
        (_set("scenes", [{"nodes": [3]}]), "there is no node 3"),
        (_set("asset", {"version": "1.0"}), "only 2.0 is read"),
        (_set("extensionsRequired", ["KHR_draco_mesh_compression"]), "which is not read"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path, change: Any, reason: str):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    whole["nodes"] = [{"mesh": 0}]
    change(whole)
    assert reason in refusal(tmp_path, whole)


def test_an_index_beyond_the_vertices_is_refused(tmp_path: Path):
    assert "has the index 4, there are 4 vertices" in refusal(tmp_path, document(SQUARE, [0, 1, 4]))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(tmp_path: Path, value: float):
    square = SQUARE.copy()
    square[1, 1] = value
    assert "not finite" in refusal(tmp_path, document(square, [0, 1, 2]))


def test_nodes_in_a_circle_are_refused(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2])
    whole["nodes"] = [{"children": [1]}, {"children": [0], "mesh": 0}]
    whole["scenes"] = [{"nodes": [0]}]
    assert "its own ancestor" in refusal(tmp_path, whole)


def test_one_mesh_in_very_many_places_is_refused_before_it_is_built(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2] * 2000)
    whole["nodes"] = [{"mesh": 0}] * 600
    assert "the limit is 1,000,000" in refusal(tmp_path, whole)


@pytest.mark.parametrize(
    ("nodes", "primitives", "reason"),
    [
        ([{"mesh": 0}] * 100_000, 1, "100,000 nodes, the limit is 50,000"),
        ([{"mesh": 0}] * 101, 100, "primitives in its nodes or more, the limit is 10,000"),
        ([{"mesh": 0}], 10_001, "primitives in its nodes or more"),
        ([{"children": [n + 1]} for n in range(1000)] + [{"mesh": 0}], 1, "1,000 deep"),
        ([{}] * 450_000, 1, "more than 400,000 objects"),
        ([{"children": [0] * 4_100_000}], 1, "4,000,000 values"),
    ],
    ids=["nodes", "parts", "primitives", "deep", "objects", "values"],
)
def test_what_would_take_long_is_refused_soon(
    tmp_path: Path, nodes: list[Any], primitives: int, reason: str
):
    whole = document(SQUARE, [0, 0, 0])
    whole["nodes"] = nodes
    whole["meshes"][0]["primitives"] *= primitives
    begin = time.process_time()
    assert reason in refusal(tmp_path, whole)
    assert time.process_time() - begin < 20


def test_a_mesh_that_many_nodes_show_is_the_same_everywhere(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2])
    whole["nodes"] = [{"mesh": 0, "translation": [float(n), 0, 0]} for n in range(50)]
    many = read(tmp_path, whole)
    corners = many.positions.reshape(50, 3, 3)
    assert np.allclose(corners - corners[:, :1], corners[0] - corners[0, :1], atol=1e-6)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b'{"asset":{"version":"2.0"},"extras":' + b"[" * 100_000,
        b"glTF",
        struct.pack("<5I", 0x46546C67, 2, 20, 2**32 - 1, 0x4E4F534A),
        b"\xff\xfe{}",
    ],
)
def test_what_is_no_gltf_is_refused(tmp_path: Path, data: bytes):
    assert refusal(tmp_path, data)


def test_a_binary_chunk_that_is_cut_off_is_refused(tmp_path: Path):
    whole = glb(document(SQUARE, [0, 1, 2]))
    assert refusal(tmp_path, whole[:-1]) == "its binary chunk ends beyond the file"


def test_flattened_and_coinciding_vertices_are_no_accident(tmp_path: Path):
    whole = document(SQUARE, [0, 1, 2, 0, 2, 3])
    whole["nodes"] = [{"mesh": 0, "scale": [0, 0, 0]}]
    mesh = read(tmp_path, whole)
    assert (mesh.positions == 0).all()
    assert np.isfinite(mesh.normals).all()
    assert np.isfinite(mesh.tangents).all()
