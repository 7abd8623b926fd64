from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.captures import state_parts, words
from shaderlab.captures.frame import CapturedDraw, pass_of
from shaderlab.captures.reading import Reader
from shaderlab.captures.schema import DECODER, DrawRecord
from shaderlab.errors import WrongUse
from shaderlab.scene.bound import BoundBuffer, BoundImage
from shaderlab.scene.fetched import FetchedVertices
from shaderlab.scene.fixed_functions import BlendEquation, Rectangle
from shaderlab.scene.geometry import StoredVertices, VertexColumn
from shaderlab.spirv.reflection import Descriptor
from tests.unit.captures.builders import SIZE, draw_record

LISTED = CapturedDraw(7, "vkCmdDraw()", "shadows")


def read(record: dict[str, Any], pack: Path) -> CapturedDraw:
    decoded = DECODER.decode(json.dumps(record))
    assert isinstance(decoded, DrawRecord)
    return Reader(pack).draw(decoded, LISTED)


def test_a_draw_has_what_its_record_says(tmp_path: Path):
    draw = read(draw_record(tmp_path / "pack"), tmp_path / "pack")
    assert not draw.reason
    assert (draw.event, draw.marker, draw.size) == (7, "shadows", SIZE)
    assert draw.shader is not None
    assert draw.shader.module.read() == b"\x03\x02\x23\x07" * 5
    assert draw.state is not None
    fixed = draw.state.attachments.fixed
    assert fixed is not None
    assert fixed.scissor == Rectangle(0, 0, 4, 1)
    (target,) = fixed.colours
    assert target is not None
    assert (target.mask, fixed.cull) == (7, "BACK_BIT")
    assert target.colour == BlendEquation("SRC_ALPHA", "ONE_MINUS_SRC_ALPHA", "ADD")
    record = draw_record(tmp_path / "pack")
    record["fixed"]["blends"][0]["enabled"] = False
    (opaque,) = read(record, tmp_path / "pack").state.attachments.fixed.colours
    assert (opaque.mask, opaque.colour, opaque.alpha) == (7, None, None)
    bound = draw.state.inputs.bound
    assert bound is not None
    assert bound.constants == ((3, bytes([1, 0, 0, 0, 0, 0, 0, 0])),)
    (block,) = bound.resources[Descriptor(1, 2)]
    assert isinstance(block, BoundBuffer)
    assert block.contents.read() == bytes(16)
    missing, sampler = bound.resources[Descriptor(0, 1)]
    assert missing == BoundImage()
    assert isinstance(sampler, BoundImage)
    assert sampler.sampler is not None
    assert sampler.sampler.address == ("REPEAT", "CLAMP_TO_EDGE", "MIRRORED_REPEAT")


def test_the_position_comes_first_and_the_rest_is_aligned(tmp_path: Path):
    shape = read(draw_record(tmp_path / "pack"), tmp_path / "pack").state
    assert shape is not None
    vertices = shape.geometry.shape
    assert isinstance(vertices, StoredVertices)
    assert vertices.position == 0
    assert vertices.columns == (VertexColumn(0, 0, 16, 2),)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("vertices", "stride"), 20, "shorter than"),
        (("vertices", "topology"), "PatchList", "topology"),
        (("vertices", "outputs"), [], "position"),
        (("vertices", "data"), [99], "does not have"),
        (("fixed", "fill"), "Point", "polygon mode"),
        (("fixed", "depth_compare"), "x", ""),
        (("colours", 0, "format"), "R64_ODD", "format"),
        (("colours", 0, "before"), [0], "20 bytes, not 32"),
        (("colours", 0, "size"), [9, 9], "differ in size"),
        (("resources", 1, "sampler", "minify"), "Cubic", "filter"),
        (("fragment",), None, "does not hold"),
    ],
)
def test_what_does_not_fit_together_is_the_reason(
    tmp_path: Path, path: tuple[str | int, ...], value: object, reason: str
):
    record = draw_record(tmp_path / "pack")
    inner: Any = record
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    draw = read(record, tmp_path / "pack")
    assert reason in draw.reason
    assert bool(draw.reason) == (draw.state is None) == bool(reason)


def test_a_reason_of_the_other_side_is_shown_as_text(tmp_path: Path):
    record = {"kind": "draw", "event": 7, "pieces": [], "reason": "no\x1b[31m shader"}
    draw = read(record, tmp_path / "pack")
    assert draw.state is None
    assert "\x1b" not in draw.reason


def test_contents_that_changed_since_are_refused(tmp_path: Path):
    draw = read(draw_record(tmp_path / "pack"), tmp_path / "pack")
    assert draw.shader is not None
    damaged = bytearray((tmp_path / "pack").read_bytes())
    damaged[3] ^= 1
    (tmp_path / "pack").write_bytes(damaged)
    with pytest.raises(WrongUse, match="damaged"):
        draw.shader.module.read()


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.lists(st.integers(0, 9), max_size=4), st.dictionaries(st.text(max_size=3), st.integers()),
)  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_line_is_refused_or_read(tmp_path: Path, data: st.DataObject):
    record = copy.deepcopy(draw_record(tmp_path / "pack"))
    for _ in range(data.draw(st.integers(1, 3))):
        inner: Any = record
        while True:
            keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
            if not keys:
                break
            key = data.draw(st.sampled_from(list(keys)))
            if isinstance(inner[key], dict | list) and data.draw(st.booleans()):
                inner = inner[key]
                continue
            inner[key] = data.draw(ODD)
            break
    try:
        decoded = DECODER.decode(json.dumps(record))
    except (msgspec.MsgspecError, ValueError):
        return
    if isinstance(decoded, DrawRecord):
        draw = Reader(tmp_path / "pack").draw(decoded, LISTED)
        assert (draw.state is None) == bool(draw.reason)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("R8G8B8A8_SRGB", "R8G8B8A8_SRGB"),
        ("R16G16B16A16_FLOAT", "R16G16B16A16_SFLOAT"),
        ("D32S8", "D32_SFLOAT_S8_UINT"),
        ("R11G11B10_FLOAT", "B10G11R11_UFLOAT_PACK32"),
        ("BC7_SRGB", "BC7_SRGB_BLOCK"),
    ],
)
def test_formats_have_the_names_of_vulkan(theirs: str, ours: str):
    assert words.format_name(theirs) == ours


def dispatch_record(path: Path) -> dict[str, Any]:
    record = draw_record(path)
    kept = {key: record[key] for key in ("kind", "event", "pieces", "constants", "push")}
    buffer = {"set": 0, "binding": 0, "element": 0, "buffer": {"data": [3], "image": 4},
              "after": [3]}  # fmt: skip
    return kept | {
        "compute": record["fragment"],
        "groups": [2, 3, 1],
        "resources": [buffer],
    }


def test_a_dispatch_has_its_groups_and_what_it_left(tmp_path: Path):
    record = DECODER.decode(json.dumps(dispatch_record(tmp_path / "pack")))
    assert isinstance(record, DrawRecord)
    listed = CapturedDraw(7, "vkCmdDispatch()", stage="compute")
    draw = Reader(tmp_path / "pack").draw(record, listed)
    assert not draw.reason
    assert draw.shader is not None
    assert draw.state is not None
    assert draw.state.launch.groups == (2, 3, 1)
    assert draw.size == (0, 0)
    assert pass_of(draw) != pass_of(replace(draw, event=8))
    bound = draw.state.inputs.bound
    assert bound is not None
    (buffer,) = bound.resources[Descriptor(0, 0)]
    assert isinstance(buffer, BoundBuffer)
    assert (buffer.resource, buffer.after) == (4, buffer.contents)


@pytest.mark.parametrize("groups", [[0, 1, 1], None])
def test_a_dispatch_of_nothing_is_refused(tmp_path: Path, groups):
    made = dispatch_record(tmp_path / "pack") | {"groups": groups}
    record = DECODER.decode(json.dumps(made))
    listed = CapturedDraw(7, "vkCmdDispatch()", stage="compute")
    draw = Reader(tmp_path / "pack").draw(record, listed)
    assert draw.state is None
    assert draw.reason


def fetched(**changes: Any) -> dict[str, Any]:
    return {
        "attributes": [{"location": 0, "binding": 1, "format": "R32G32_FLOAT", "offset": 4}],
        "bindings": [{"binding": 1, "stride": 16, "instanced": False, "data": [2]}],
        "topology": "TriangleList", "count": 3, "instances": 1, "first": 0, "first_instance": 0,
        "base": 0, "indices": [], "index_bytes": 0, "restart": False,
    } | changes  # fmt: skip


def test_a_vertex_stage_has_what_it_reads(tmp_path: Path):
    record = draw_record(tmp_path / "pack")
    record |= {"vertex": record["fragment"], "fetched": fetched()}
    draw = read(record, tmp_path / "pack")
    assert draw.vertex_state is not None
    shape = draw.vertex_state.geometry.shape
    assert isinstance(shape, FetchedVertices)
    assert shape.attributes[0].format == "R32G32_SFLOAT"
    assert shape.buffers[0].contents.nbytes == 96


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"bindings": []}, "not bound"),
        ({"indices": [3], "index_bytes": 3}, "3 bytes"),
        ({"topology": "PatchList_3CPs"}, "topology"),
        ({"bindings": fetched()["bindings"] * 2}, "twice"),
    ],
)
def test_vertices_that_do_not_fit_leave_the_draw_as_it_is(tmp_path: Path, changes, why: str):
    record = draw_record(tmp_path / "pack")
    record |= {"vertex": record["fragment"], "fetched": fetched(**changes)}
    draw = read(record, tmp_path / "pack")
    assert draw.state is not None
    assert draw.vertex_state is None
    assert why in draw.vertex_reason


def test_a_scissor_is_clipped_to_the_picture():
    assert state_parts.clipped((10, 5, 100, 3), (64, 32)) == Rectangle(10, 5, 54, 3)
    assert state_parts.clipped((-4, -2, 10, 100), (64, 32)) == Rectangle(0, 0, 6, 32)
    assert state_parts.clipped((70, 5, 9, 9), (64, 32)) == Rectangle(70, 5, 0, 9)
