"""Dispatches and vertex stages of another program's frame, on each software device."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.replayed import Replayed
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.replaying import replay
from shaderlab.gpu.vulkan.tracing import require_end, trace
from shaderlab.scene.bound import Bound, BoundBuffer, BoundImage, ImageView, StoredImage
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.fetched import FetchedVertices, VertexAttribute, VertexBuffer
from shaderlab.scene.geometry import Geometry
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.reflection import Descriptor
from tests.unit.captures.builders import contents

DOUBLE = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D image;
void main() {
  uint n = gl_GlobalInvocationID.x;
  for (uint i = 0; i < n; i++) data[n] += 1.0;
  imageStore(image, ivec2(n, 0), vec4(1.0, 0.0, 0.0, 1.0));
}
"""
STAGE = """#version 450
layout(location = 0) in vec2 place;
layout(location = 1) in uint rounds;
layout(set = 0, binding = 0) uniform Offset { vec4 offset; };
void main() {
  vec4 at = vec4(place, 0.0, 1.0);
  for (uint i = 0; i < rounds; i++) at += offset;
  gl_Position = at;
}
"""


def dispatch(folder: Path, left: np.ndarray, row: np.ndarray) -> Draw:
    before = np.zeros(8, np.float32)
    texels = contents(folder / "texels", np.zeros((2, 8, 4), np.uint8).tobytes())
    image = StoredImage("R8G8B8A8_UNORM", (8, 2, 1), 1, 2, False, ((texels,),))
    bound = Bound({
        Descriptor(0, 0): (BoundBuffer(
            contents(folder / "before", before.tobytes()),
            after=contents(folder / "left", left.tobytes()),
        ),),
        Descriptor(0, 1): (BoundImage(
            image, ImageView("R8G8B8A8_UNORM"), after=contents(folder / "row", row.tobytes())
        ),),
    })  # fmt: skip
    program = compile_text(DOUBLE, "double.comp", None)
    return Draw(program, DrawState(Inputs(bound=bound), launch=LaunchChoice((2, 1, 1))))


def replayed(device: Device, draw: Draw, *, outputs: bool = False) -> Replayed:
    """As the device's child has it replayed."""
    require_end(device, draw)
    return replay(device, draw, outputs=outputs)


def test_a_dispatch_leaves_what_the_other_programs_did(device, tmp_path: Path):
    left, row = np.arange(8, dtype=np.float32), np.zeros((2, 8, 4), np.uint8)
    row[0] = 255, 0, 0, 255
    found = replayed(device, dispatch(tmp_path, left, row), outputs=True)
    assert found.difference == 0
    assert found.time_s > 0
    assert found.buffers[Descriptor(0, 0)] == left.tobytes()
    assert found.buffers[Descriptor(0, 1)] == row.tobytes()


def test_what_a_dispatch_leaves_otherwise_counts_as_different(device, tmp_path: Path):
    left, row = np.arange(8, dtype=np.float32), np.zeros((2, 8, 4), np.uint8)
    left[5] = 99.0
    row[0] = 255, 0, 0, 255
    assert replayed(device, dispatch(tmp_path, left, row)).difference == 1 / 8
    assert replayed(device, dispatch(tmp_path, left, 0 * row)).difference == 0.5


def test_a_dispatch_is_counted_on_what_it_found(device, tmp_path: Path):
    row = np.zeros((2, 8, 4), np.uint8)
    draw = dispatch(tmp_path, np.zeros(8, np.float32), row)
    for _ in range(2):  # the second does not start from what the first left
        counted = trace(device, draw)
        assert counted.pixels == 8
        assert max(each.count for each in counted.blocks) == sum(range(9))  # the loop's head


def vertices(folder: Path, *, indexed: bool) -> Draw:
    places = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)
    rounds = np.array([3, 5], np.uint32)
    shape = FetchedVertices(
        (VertexAttribute(0, 0, "R32G32_SFLOAT", 0), VertexAttribute(1, 1, "R32_UINT", 0)),
        (
            VertexBuffer(0, 8, False, contents(folder / "places", places.tobytes())),
            VertexBuffer(1, 4, True, contents(folder / "rounds", rounds.tobytes())),
        ),
        "TRIANGLE_LIST",
        3,
        instances=2,
        first=0 if indexed else 1,
    )
    if indexed:
        data = np.array([0, 2, 1], np.uint8)
        shape = replace(
            shape, indices=contents(folder / "indices", data.tobytes()), index_bytes=1, base=1
        )
    bound = Bound({
        Descriptor(0, 0): (BoundBuffer(contents(folder / "offset", bytes(16))),),
    })  # fmt: skip
    program = compile_text(STAGE, "stage.vert", None, Reading(stage=Stage.VERTEX))
    return Draw(program, DrawState(Inputs(bound=bound), Geometry(shape), Attachments((8, 8))))


@pytest.mark.parametrize("indexed", [False, True])
def test_a_vertex_stage_is_counted_over_its_own_vertices(device, tmp_path: Path, indexed: bool):
    draw = vertices(tmp_path, indexed=indexed)
    counted = trace(device, draw)
    entry = draw.program.entry().id
    assert next(each.count for each in counted.blocks if each.function == entry) == 6
    # The loop's head runs once more than its body: 3 vertices of each instance.
    assert max(each.count for each in counted.blocks) == 3 * (4 + 6)
