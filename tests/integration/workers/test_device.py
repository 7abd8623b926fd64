"""A quick device worker and a prepared trace, on the real software driver."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import drivers
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

SIZE = (64, 48)


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[DeviceWorker, DeviceWorker]]:
    info = next(
        (each for each in discover().result().devices if drivers.can_compile_quickly(each.slug)),
        None,
    )
    if info is None:
        pytest.skip("llvmpipe is not installed")
    made = DeviceWorker(info), DeviceWorker(info, quick=True)
    yield made
    for worker in made:
        worker.close()


@pytest.mark.parametrize("name", ["contours", "cornell", "julia", "truchet"])
def test_quickly_compiled_code_draws_the_same(workers, name: str) -> None:
    plain, quick = workers
    (path,) = [each.path for each in examples() if each.path.stem == name]
    frame = Frame.of(Draw.of(load_program(path), SIZE))
    first, second = (worker.render(frame).result() for worker in (plain, quick))
    assert second.pixels.any()
    difference = np.abs(first.pixels.astype(int) - second.pixels.astype(int))
    assert (difference > 1).mean() < 0.001  # rounded otherwise at an edge


def test_what_was_prepared_is_counted_as_ever(workers) -> None:
    plain, quick = workers
    (path,) = [each.path for each in examples() if each.path.stem == "stars"]
    draw = Draw.of(load_program(path), SIZE)
    assert plain.prepare_trace(draw).result() is None
    prepared, plainly = plain.trace(draw).result(), quick.trace(draw).result()
    assert prepared.blocks == plainly.blocks


BLOCKS = """\
#version 450
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 colour;
struct Light { vec4 colour; vec4 direction; mat4 to; int shadowed; };
layout(binding = 0) uniform Camera { mat4 view; vec4 eye; } camera;
layout(binding = 1) uniform Material { vec4 glow; float rough; } material;
layout(binding = 2) uniform Ambient { vec4 colour; } ambient;
layout(binding = LIGHTS) uniform Lights { Light all[1]; } lights;
layout(binding = 9) uniform sampler2D shadow;

float lit(vec4 p) {
    if (p.w <= 0.0) return 1.0;
    vec3 at = p.xyz / vec3(p.w);
    if (at.x < 0.0 || at.x > 1.0) return 1.0;
    return textureLod(shadow, at.xy, 0.0).x;
}

void main() {
    vec3 sum = vec3(0.0);
    vec3 n = normalize(position * mat3(camera.view));
    vec3 away = normalize(camera.eye.xyz - position);
    for (int i = 0; i < 1; i++) {
        vec3 c = lights.all[i].colour.xyz;
        if (lights.all[i].shadowed != 0) c *= lit(lights.all[i].to * vec4(position, 1.0));
        sum += c * dot(n, -lights.all[i].direction.xyz) * pow(material.rough, 2.0);
    }
    colour = vec4(sum + ambient.colour.xyz + material.glow.xyz, 1.0);
}
"""


@pytest.mark.parametrize("more", [0, 1], ids=["fourth", "fifth"])
def test_a_block_at_any_place_is_drawn_and_counted(workers, more: int) -> None:
    """llvmpipe crashed where the lights were the fourth uniform block, and at no other place."""
    text = BLOCKS.replace("LIGHTS", str(3 + more))
    if more:
        text = text.replace(
            "layout(binding = 9)", "layout(binding = 3) uniform More { vec4 more; };\n"
            "layout(binding = 9)",
        ).replace("vec4(sum +", "more * 0.0 + vec4(sum +")  # fmt: skip
    draw = Draw.of(compile_text(text, "lights.frag", None), SIZE)
    for worker in workers:
        assert worker.render(Frame.of(draw)).result().pixels.any()
        assert worker.trace(draw).result().blocks[0].count == SIZE[0] * SIZE[1]
