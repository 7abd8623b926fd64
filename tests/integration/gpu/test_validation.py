"""Everything this house asks of Vulkan, watched by the Khronos validation layer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.gpu.vulkan.instance import VALIDATION_VARIABLE

_LAYER = "VK_LAYER_KHRONOS_validation"
_BROWSERS_COPY = Path("/usr/lib/chromium/libVkLayer_khronos_validation.so")
_INSTALLED = [
    Path(folder, "vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
    for folder in ("/usr/share", "/usr/local/share", "/etc")
]

WATCHED = """
import sys
from dataclasses import replace
from pathlib import Path
import numpy as np
from shaderlab.frontend.program import (Dialect, Program)
from shaderlab.gpu import (discovery, drivers)
from shaderlab.scene.draw import (
    Attachments, Blend, ColourFormat, Draw, DrawState, Frame, Pass)
from shaderlab.scene.geometry import (Body, Geometry)
from shaderlab.scene.inputs import (Input, Inputs)
from shaderlab.scene.textures import (Filter, PassPicture, Texture)
from shaderlab.scene.uniforms import Uniforms

manifest, fault, *modules = sys.argv[1:]
(info,) = discovery.discover([manifest]).devices
drivers.select(manifest)
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.frame_rendering import FrameRenderer
from shaderlab.gpu.vulkan.profiling import profile
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.tracing import trace

size = (40, 24)
out = np.empty((size[1], size[0], 4), np.uint8)
with Device.open(info) as device:
    for path in modules:
        program = Program(path, Dialect.SPIRV, "", Path(path).read_bytes(), "main")
        draw = Draw.of(program, size)
        with Renderer(device, draw) as renderer:
            renderer.render(draw.inputs, out)
            renderer.render(Inputs.at(Uniforms(time_s=2.0)), out)
        body = Attachments(size, ColourFormat.RGBA16F, samples=4, blend=Blend.ALPHA)
        solid = Draw(program, DrawState(geometry=Geometry(Body.CUBE), attachments=body))
        with Renderer(device, solid) as renderer:
            renderer.render(solid.inputs, out)
        trace(device, solid)
        reads = Inputs(textures={"iChannel0": Input(Texture(PassPicture("a"), Filter.MIPMAP))})
        reading = Draw(program, replace(draw.state, inputs=reads))
        passes = Frame((Pass("a", draw), Pass("b", reading)))
        with FrameRenderer(device, passes) as renderer:
            renderer.render(passes, out)
            renderer.render(passes, out)
        profile(device, Draw.of(program, size), trials=2, draws=3)
        traced = trace(device, Draw.of(program, size), memory_budget=8000)
        assert traced.blocks[0].count == size[0] * size[1]
    if fault == "fault":
        fence = vk.vkCreateFence(device.handle, vk.VkFenceCreateInfo(flags=64), None)
        vk.vkDestroyFence(device.handle, fence, None)
print("done")
"""

BODIES = (
    """
    void mainImage(out vec4 c, in vec2 p) {
        c = vec4(iTime);
        for (int i = 0; i < 9; i++) { c.x += 0.1; if (p.x < 4.0) discard; }
    }
    """,
    """#version 450
    layout(location = 0) out vec4 colour;
    layout(location = 2) out ivec4 whole;
    layout(binding = 1) uniform sampler2D iChannel0;
    layout(binding = 2) uniform samplerCube iChannel1;
    void main() {
        whole = ivec4(1);
        colour = texture(iChannel0, gl_FragCoord.xy) + texture(iChannel1, vec3(1.0));
    }
    """,
    "#version 450\nvoid main() { gl_FragDepth = 0.5; }\n",
    """#version 450
    layout(location = 0) out vec4 colour;
    layout(location = 1) in vec2 uv;
    layout(location = 4) in mat3 unread;
    layout(set = 1, binding = 0) uniform Block { mat4 turn; } block;
    layout(set = 1, binding = 1, rgba8) uniform image2D stored;
    layout(set = 1, binding = 2, input_attachment_index = 0) uniform subpassInput before;
    layout(set = 1, binding = 9, input_attachment_index = 1) uniform subpassInputMS several_before;
    layout(set = 1, binding = 3) uniform texture2D apart[2];
    layout(set = 1, binding = 4) uniform sampler how;
    layout(set = 1, binding = 5) uniform samplerBuffer texels;
    layout(set = 1, binding = 6) buffer Store { float values[]; } store;
    layout(set = 1, binding = 7) uniform sampler2DArrayShadow shadow;
    layout(set = 1, binding = 8) uniform usampler2DMS several;
    layout(push_constant) uniform Pushed { float iTime; } pushed;
    layout(constant_id = 0) const float scale = 2.0;
    void main() {
        colour = block.turn * subpassLoad(before) + texture(sampler2D(apart[1], how), uv);
        colour += texelFetch(texels, 0) * store.values[0] * pushed.iTime * scale;
        colour += texture(shadow, vec4(uv, 0.0, 0.5)) + vec4(texelFetch(several, ivec2(0), 1));
        imageStore(stored, ivec2(gl_FragCoord.xy), colour + subpassLoad(several_before, 2));
    }
    """,
)


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment in which the loader finds the layer: the system's, else Chromium's own copy."""
    if any(path.is_file() for path in _INSTALLED):
        return {}
    if not _BROWSERS_COPY.is_file():
        pytest.skip("the Khronos validation layer is not installed")
    folder = tmp_path_factory.mktemp("layers")
    layer = {
        "name": _LAYER,
        "type": "GLOBAL",
        "library_path": str(_BROWSERS_COPY),
        "api_version": "1.3.275",
        "implementation_version": "1",
        "description": "Khronos validation",
    }
    manifest = {"file_format_version": "1.2.0", "layer": layer}
    (folder / "validation.json").write_text(json.dumps(manifest))
    return {"VK_LAYER_PATH": str(folder)}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory, compiled) -> list[str]:
    folder = tmp_path_factory.mktemp("modules")
    paths = []
    for number, body in enumerate(BODIES):
        path = folder / f"{number}.spv"
        path.write_bytes(compiled(body).spirv)
        paths.append(str(path))
    return paths


def watched(found, slug: str, layer, modules: list[str], fault: str) -> str:
    info = next((info for info in found.devices if info.slug == slug), None)
    if info is None:
        pytest.skip(f"{slug} is not installed")
    result = subprocess.run(
        [sys.executable, "-c", WATCHED, info.manifest, fault, *modules],
        env=os.environ | layer | {VALIDATION_VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "done" in result.stdout
    return result.stdout


@pytest.mark.parametrize("slug", ["llvmpipe", "swiftshader"])
def test_the_layer_finds_no_fault(found, layer, modules, slug):
    assert "Validation" not in watched(found, slug, layer, modules, "none")


def test_the_layer_would_tell_a_fault(found, layer, modules):
    told = watched(found, "llvmpipe", layer, modules[:1], "fault")
    assert "VUID-VkFenceCreateInfo-flags-parameter" in told


def test_a_layer_that_is_not_there_is_done_without(found, tmp_path):
    manifest = next(info.manifest for info in found.devices if info.slug == "llvmpipe")
    variables = {VALIDATION_VARIABLE: "1", "VK_LAYER_PATH": str(tmp_path)}
    output = subprocess.run(
        [sys.executable, "-m", "shaderlab.gpu.vulkan.probe", manifest],
        env=os.environ | variables,
        capture_output=True,
        check=True,
    ).stdout
    assert [fields["slug"] for fields in json.loads(output)] == ["llvmpipe"]
