"""A heavy draw goes to the device in several submissions, and nothing else changes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.gpu.vulkan import parts, profiling
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.submitting import Pace
from shaderlab.scene.draw import Draw
from shaderlab.scene.geometry import Body, Geometry

SIZE = (203, 117)
TEXT = (
    "void mainImage(out vec4 c, in vec2 p) { float s = 0.0;\n"
    "for (int i = 0; i < 40; i++) s += sin(s + p.x * 0.1);\n"
    "c = vec4(fract(s), fwidth(p.y * p.x) / 300.0, p / iResolution.xy); }\n"
)


@pytest.fixture
def paced(monkeypatch):
    """Has every device as slow as a test says."""
    found: list[float] = []
    monkeypatch.setattr(parts, "pace", lambda _: Pace(found[-1]) if found else None)
    monkeypatch.setattr(profiling, "pace", lambda _: Pace(found[-1]) if found else None)
    return found.append


@pytest.mark.parametrize("body", [None, Body.CUBE])
def test_a_picture_in_parts_is_that_of_one_submission(
    device: Device, compiled, paced, body, monkeypatch
):
    draw = Draw.of(compiled(TEXT), SIZE)
    if body is not None:
        draw = replace(draw, state=replace(draw.state, geometry=Geometry(body)))
    pictures = [np.empty((SIZE[1], SIZE[0], 4), np.uint8) for _ in range(3)]
    with Renderer(device, draw) as renderer:
        seconds = renderer.render(draw.inputs, pictures[0])
        paced(seconds / 5.5)
        submitted = []
        run = device.run

        def counting(commands: object) -> None:
            submitted.append(commands)
            run(commands)

        monkeypatch.setattr(device, "run", counting)
        renderer.render(draw.inputs, pictures[1])
        assert len(submitted) >= 6
        renderer.render(draw.inputs, pictures[2])
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] == pictures[2]).all()


def test_a_heavy_draw_is_timed_in_parts(device: Device, compiled, paced):
    draw = Draw.of(compiled(TEXT), SIZE)
    whole = profiling.profile(device, draw, trials=3, draws=3)
    device.counted_seconds[draw.pipeline_key] = 1.0
    try:
        paced(0.3)
        with ExitStack() as stack:
            areas = parts.parts(device, draw)
            assert len(areas) >= 4
            assert sum(each.width * each.height for each in areas) == SIZE[0] * SIZE[1]
            drawing = Drawing(device, draw, stack)
            assert parts.Submissions(device, drawing, stack, parts=areas).run() > 0
        parted = profiling.profile(device, draw, trials=3, draws=3)
    finally:
        device.counted_seconds.clear()
    assert parted.time_s > whole.floor_s
    assert len(parted.trials_s) >= 3
