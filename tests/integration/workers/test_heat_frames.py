"""Heat maps from a device's worker, beside the pictures of the same draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

WAIT_S = 60
LEFT_HALF = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float total = 0.0;
    if (fragCoord.x < 20.0)
        for (int i = 0; i < 7; i++)
            total += 0.1;
    fragColor = vec4(fragCoord / iResolution.xy, fract(iTime), 1.0);
}
"""


@pytest.fixture(scope="module")
def worker():
    found = discover().result(WAIT_S)
    info = next((info for info in found.devices if info.slug == "llvmpipe"), None)
    if info is None:
        pytest.skip("llvmpipe is not installed")
    made = DeviceWorker(info)
    yield made
    made.close()


def test_a_heat_frame_is_a_plain_frame_and_its_cost(worker):
    program = compile_text(LEFT_HALF, "left half", None)
    for size in ((40, 24), (33, 70)):
        draw = Draw.of(program, size, Uniforms(time_s=0.25))
        plain = worker.render(Frame.of(draw)).result(WAIT_S)
        pixels = plain.pixels.copy()
        assert plain.heat is None
        frame = worker.render_heat(Frame.of(draw), HeatView(HeatKind.INSTRUCTIONS))
        frame = frame.result(WAIT_S)
        assert np.array_equal(frame.pixels, pixels)
        assert frame.draw == draw
        assert math.isnan(frame.gpu_s)
        values = frame.heat.values
        assert (values.shape, values.dtype) == (size[::-1], np.uint32)
        assert np.array_equal(
            values == values.max(), np.broadcast_to(np.arange(size[0]) < 20, size[::-1])
        )


def test_lanes_come_as_parts(worker):
    program = compile_text(LEFT_HALF, "left half", None)
    view = HeatView(HeatKind.LANES)
    frame = worker.render_heat(Frame.of(Draw.of(program, (40, 24))), view).result(WAIT_S)
    assert frame.heat.view == view
    values = frame.heat.values
    assert (values.shape, values.dtype) == ((24, 40), np.float32)
    apart = (np.arange(40) >= 16) & (np.arange(40) < 24)  # the group that 20.0 cuts
    assert np.array_equal(values < 1, np.broadcast_to(apart, (24, 40)))
