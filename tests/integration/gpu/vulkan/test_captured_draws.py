"""Draws with given contents, fixed functions and resources, on each software device."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan.profiling import profile
from shaderlab.gpu.vulkan.replaying import replay
from shaderlab.gpu.vulkan.tracing import heat, trace
from shaderlab.scene.bound import (
    Bound,
    BoundBuffer,
    BoundImage,
    ImageView,
    SamplerState,
    StoredImage,
)
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.fixed_functions import (
    BlendEquation,
    ColourTarget,
    DepthTarget,
    FixedFunctions,
    Rectangle,
    StencilFace,
    Viewport,
)
from shaderlab.scene.geometry import Geometry, StoredVertices, VertexColumn
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.reflection import Descriptor
from tests.unit.captures.builders import contents

SIZE = (16, 8)
SHADER = """#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(set = 1, binding = 3) uniform Tint { vec4 tint; };
layout(set = 0, binding = 5) uniform sampler2D image;
void main() { colour = tint * texture(image, uv); }
"""
QUAD = np.array([
    [-1, -1, 0.5, 1, 0, 0], [1, -1, 0.5, 1, 1, 0], [-1, 1, 0.5, 1, 0, 1], [1, 1, 0.5, 1, 1, 1],
], np.float32)  # fmt: skip
RED = np.full((8, 16, 4), (255, 0, 0, 255), np.uint8)


class Scene:
    """A quad over everything, with parts that a test changes."""

    def __init__(self, folder: Path, program):
        self._folder, self.program = folder, program
        self.fixed = FixedFunctions(
            Viewport(0, 0, *SIZE),
            Rectangle(0, 0, *SIZE),
            (ColourTarget("R8G8B8A8_UNORM", self.kept("red", RED)),),
            topology="TRIANGLE_STRIP",
        )
        texels = np.full((2, 2, 4), 255, np.uint8)
        image = StoredImage(
            "R8G8B8A8_UNORM", (2, 2, 1), 1, 2, False, ((self.kept("texels", texels),),)
        )
        tint = np.array([0, 1, 0, 0.5], np.float32)
        self.bound = Bound({
            Descriptor(1, 3): (BoundBuffer(self.kept("tint", tint)),),
            Descriptor(0, 5): (
                BoundImage(image, ImageView("R8G8B8A8_UNORM"), SamplerState()),
            ),
        })  # fmt: skip

    def kept(self, name: str, data: np.ndarray):
        return contents(self._folder / name, data.tobytes())

    def draw(self, inputs: Inputs | None = None, **changes) -> Draw:
        shape = StoredVertices(
            self.kept("vertices", QUAD), 24, 4, 0, (VertexColumn(0, 0, 16, 2),), "TRIANGLE_STRIP"
        )
        fixed = replace(self.fixed, **changes)
        state = DrawState(
            inputs or Inputs(bound=self.bound), Geometry(shape), Attachments(SIZE, fixed=fixed)
        )
        return Draw(self.program, state)


@pytest.fixture
def scene(tmp_path: Path, compiled) -> Scene:
    return Scene(tmp_path, compiled(SHADER))


def pixels(device, draw: Draw) -> np.ndarray:
    found = replay(device, draw, trials=0, with_picture=True).pixels
    assert found is not None
    return found


def test_resources_are_those_that_were_bound(device, scene: Scene):
    assert (pixels(device, scene.draw())[..., :3] == (0, 255, 0)).all()


def test_chosen_values_replace_bound_ones(device, scene: Scene):
    inputs = Inputs(values={"tint": Input((0.0, 0.0, 1.0, 1.0))}, bound=scene.bound)
    assert (pixels(device, scene.draw(inputs))[..., :3] == (0, 0, 255)).all()


def test_colours_meet_what_was_there_as_they_were_blended(device, scene: Scene):
    over = BlendEquation("SRC_ALPHA", "ONE_MINUS_SRC_ALPHA", "ADD")
    target = replace(scene.fixed.colours[0], colour=over, alpha=over)
    found = pixels(device, scene.draw(colours=(target,)))
    assert (np.abs(found[..., :3].astype(int) - (128, 128, 0)) <= 1).all()


def test_scissor_mask_and_a_viewport_upside_down(device, scene: Scene):
    target = replace(scene.fixed.colours[0], mask=0b0010)
    draw = scene.draw(
        colours=(target,), scissor=Rectangle(0, 0, 16, 8), viewport=Viewport(0, 8, 8, -8)
    )
    found = pixels(device, draw)
    assert (found[:, :8, :3] == (255, 255, 0)).all()
    assert (found[:, 8:, :3] == (255, 0, 0)).all()
    cut = pixels(device, scene.draw(scissor=Rectangle(4, 2, 4, 2)))
    assert (cut[..., 1] == 255).sum() == 8


@pytest.mark.parametrize("kind", [HeatKind.INSTRUCTIONS, HeatKind.LANES])
def test_a_heat_map_has_nothing_where_nothing_was_drawn(device, scene: Scene, kind: HeatKind):
    draw, view = scene.draw(scissor=Rectangle(4, 2, 4, 2)), HeatView(kind)
    picture, values = np.zeros((8, 16, 4), np.uint8), np.full((8, 16), 7, view.dtype)
    heat(device, draw, view, picture, values)
    drawn = np.nan_to_num(values) > 0
    assert drawn[2:4, 4:8].all()
    if kind is HeatKind.INSTRUCTIONS:
        assert drawn.sum() == 8
        assert values.sum() == trace(device, draw).instructions_executed
    else:
        assert not (values == 7).any()


def test_depth_that_was_there_hides_and_spares_the_shader(device, scene: Scene):
    before = np.ones((8, 16), np.float32)
    before[:, :4] = 0.25
    depth = DepthTarget("D32_SFLOAT", scene.kept("depth", before), True, True, "LESS")
    draw = scene.draw(depth=depth)
    found = pixels(device, draw)
    assert (found[:, :4, 0] == 255).all()
    assert (found[:, 4:, 1] == 255).all()
    counted = trace(device, draw)
    assert counted.pixels == 12 * 8
    assert counted.blocks[0].count == 12 * 8
    # Depth is put back before each: the second draw is not hidden by the first.
    assert trace(device, draw).pixels == 12 * 8


def test_stencil_that_was_there_decides(device, scene: Scene):
    texels = np.zeros((8, 16, 8), np.uint8)
    texels[..., :4] = np.ones((8, 16, 1), np.float32).view(np.uint8)
    texels[:4, :, 4] = 3
    face = StencilFace("KEEP", "KEEP", "KEEP", "EQUAL", 0xFF, 0xFF, 3)
    depth = DepthTarget("D32_SFLOAT_S8_UINT", scene.kept("stencil", texels), stencil=(face, face))
    found = pixels(device, scene.draw(depth=depth))
    assert (found[:4, :, 1] == 255).all()
    assert (found[4:, :, 0] == 255).all()


def test_culled_faces_are_not_drawn(device, scene: Scene):
    shown = [pixels(device, scene.draw(cull=cull))[..., 1].any()
             for cull in ("FRONT_BIT", "BACK_BIT")]  # fmt: skip
    assert sorted(shown) == [False, True]


def test_the_picture_is_compared_with_the_captured_one(device, scene: Scene):
    green = np.full((8, 16, 4), (0, 255, 0, 128), np.uint8)
    green[0, :2] = 0
    target = replace(scene.fixed.colours[0], after=scene.kept("after", green))
    assert replay(device, scene.draw(colours=(target,))).difference == 2 / 128


def test_several_attachments_of_other_formats(device, tmp_path: Path, compiled):
    program = compiled("""#version 450
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec2 id;
void main() { colour = vec4(0.25, 0.5, 2.0, 1.0); id = uvec2(7, 9); }
""")
    scene = Scene(tmp_path, program)
    floats = np.broadcast_to(np.array([0.25, 0.5, 2.0, 1.0], np.float16), (8, 16, 4)).copy()
    ids = np.broadcast_to(np.array([7, 9], np.uint16), (8, 16, 2)).copy()
    targets = (
        ColourTarget("R16G16B16A16_SFLOAT", scene.kept("f", np.zeros_like(floats)),
                     after=scene.kept("floats", floats)),
        ColourTarget("R16G16_UINT", scene.kept("u", np.zeros_like(ids)),
                     after=scene.kept("ids", ids)),
    )  # fmt: skip
    assert replay(device, scene.draw(colours=targets)).difference == 0
    # A pixel counts once, whichever of its attachments is off.
    floats[0, :3], ids[0, 2:4] = 1.0, 0
    off = (
        replace(targets[0], after=scene.kept("floats off", floats)),
        replace(targets[1], after=scene.kept("ids off", ids)),
    )
    for colours, pixels_off in (((off[0], targets[1]), 3), ((targets[0], off[1]), 2), (off, 4)):
        assert replay(device, scene.draw(colours=colours)).difference == pixels_off / 128


def test_draws_of_one_pipeline_share_it(device, scene: Scene):
    first = replay(device, scene.draw(), trials=0)
    second = replay(device, scene.draw(scissor=Rectangle(0, 0, 4, 4)), trials=0)
    assert first.pipeline_s >= 0
    assert second.pipeline_s == 0


def test_a_profile_begins_each_draw_from_the_contents(device, scene: Scene):
    before = np.ones((8, 16), np.float32)
    depth = DepthTarget("D32_SFLOAT", scene.kept("depth", before), True, True, "LESS")
    measured = profile(device, scene.draw(depth=depth), trials=3, draws=2)
    assert measured.time_s > 0
    assert measured.statistics is None or measured.statistics.fragment_invocations >= 128


def test_what_cannot_be_bound_is_named(device, scene: Scene):
    empty = Bound({Descriptor(1, 3): scene.bound.resources[Descriptor(1, 3)],
                   Descriptor(0, 5): (BoundImage(),)})  # fmt: skip
    with pytest.raises(UnsupportedShader, match=r"image \(set 0, binding 5\)"):
        replay(device, scene.draw(Inputs(bound=empty)))


def test_another_size_than_that_of_the_contents_is_refused(device, scene: Scene):
    draw = scene.draw()
    attachments = replace(draw.state.attachments, size=(8, 8))
    with pytest.raises(WrongUse, match="captured with"):
        replay(device, replace(draw, state=replace(draw.state, attachments=attachments)))


@pytest.mark.parametrize("name", ["D32_SFLOAT", "D16_UNORM", "D32_SFLOAT_S8_UINT"])
def test_what_a_draw_leaves_is_given_as_it_was_captured(device, scene: Scene, name: str):
    if name.startswith("D32"):
        words = np.full((8, 16), 0.75, np.float32).view(np.uint32)
    else:
        words = np.full((8, 16), 0xC000, np.uint16)
    if name.endswith("S8_UINT"):
        words = np.stack([words, np.full_like(words, 7)], axis=-1)
    before = scene.kept("depth before", np.ascontiguousarray(words))
    depth = DepthTarget(name, before, True, False, "LESS")
    found = replay(device, scene.draw(depth=depth), trials=0, outputs=True)
    assert found.depth == before.read()
    assert np.frombuffer(found.colours[0], np.uint8).reshape(8, 16, 4)[0, 0, 1] == 255
    plain = replay(device, scene.draw(), trials=0)
    assert plain.depth is None
    assert not plain.colours
