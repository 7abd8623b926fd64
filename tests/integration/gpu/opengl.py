"""A second renderer: OpenGL through moderngl on Mesa's software driver.

It shares shader texts, meshes' attributes and texels with shaderlab, and nothing else: its own
vertex shader and matrices, blocks packed by hand, OpenGL's own compiler and sampling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import moderngl
import numpy as np

from shaderlab.geometry.mesh import Mesh
from shaderlab.scene.textures import Filter, Wrap
from shaderlab.textures.texels import Pixels

_VARYINGS = {
    "uv": "in_uv",
    "texCoord": "in_uv",
    "normal": "in_normal",
    "tangent": "in_tangent",
    "worldPos": "in_position",
    "vertexColor": "vec4(1.0)",
    "index": "0",
}
_COMPONENTS = {np.dtype(np.uint8): "f1", np.dtype(np.float32): "f4",
               np.dtype(np.int32): "i4", np.dtype(np.uint32): "u4"}  # fmt: skip
_SRGB8_ALPHA8 = 0x8C43


@dataclass(frozen=True)
class Sampled:
    """A texture as a shader reads it."""

    pixels: Pixels
    kind: str
    """Of its sampler: `2D`, `3D`, `Cube`, `2DArray`, `2DShadow`."""
    filter: Filter
    wrap: Wrap


class OpenGL:
    """A context without a window."""

    def __init__(self):
        """Raises Exception where there is no software driver."""
        self._context = moderngl.create_context(standalone=True, backend="egl", require=450)

    @property
    def renderer(self) -> str:
        return self._context.info["GL_RENDERER"]

    def picture(
        self,
        fragment: str,
        size: tuple[int, int],
        mesh: Mesh,
        to_clip: np.ndarray,
        block: bytes,
        textures: Mapping[int, Sampled],
    ) -> np.ndarray:
        """(height, width, 4) of uint8; row 0 is where y of the clip space is least.

        `to_clip`: 4x4, to a clip space with depth from 0 to 1; `block`: of binding 0; `textures`:
        by binding.
        """
        context = self._context
        width, height = size
        program = context.program(vertex_shader=_vertex_shader(fragment), fragment_shader=fragment)
        target = context.framebuffer(
            context.renderbuffer(size, 4), context.depth_renderbuffer(size)
        )
        target.use()
        context.clear(0.0, 0.0, 0.0, 1.0, 1.0)
        context.enable(moderngl.DEPTH_TEST)
        # Clip y points down as in Vulkan, so that triangles seem to run the other way round.
        context.front_face = "cw"
        if block:
            context.buffer(block).bind_to_uniform_block(0)
        for binding, sampled in textures.items():
            self._texture(sampled).use(binding)
        program["to_clip"].write(to_clip.T.astype("f4").tobytes())
        columns = {
            "in_position": mesh.positions,
            "in_uv": mesh.uvs,
            "in_normal": mesh.normals,
            "in_tangent": mesh.tangents,
        }
        used = [name for name in columns if name in program]
        contents = [
            (context.buffer(columns[n].tobytes()), f"{columns[n].shape[1]}f", n) for n in used
        ]
        indices = context.buffer(mesh.indices.tobytes())
        context.vertex_array(program, contents, indices).render()
        return np.frombuffer(target.read(components=4), np.uint8).reshape(height, width, 4)

    def _texture(self, sampled: Sampled) -> moderngl.Texture:
        pixels = sampled.pixels
        level = pixels.levels[0]
        kind = _COMPONENTS[level.dtype]
        width, height, depth = pixels.size
        data = level.tobytes()
        if sampled.kind == "3D":
            made = self._context.texture3d((width, height, depth), 4, data, dtype=kind)
        elif sampled.kind == "Cube":
            made = self._context.texture_cube((width, height), 4, data, dtype=kind)
        elif sampled.kind == "2DArray":
            made = self._context.texture_array((width, height, pixels.layers), 4, data, dtype=kind)
        elif sampled.kind == "2DShadow":
            made = self._context.depth_texture((width, height), level[..., 0].tobytes())
            made.compare_func = "<="
        else:
            inner = _SRGB8_ALPHA8 if pixels.srgb else None
            made = self._context.texture(
                (width, height), 4, data, dtype=kind, internal_format=inner
            )
        self._set_sampling(made, sampled)
        return made

    def _set_sampling(self, made: moderngl.Texture, sampled: Sampled) -> None:
        near, linear = moderngl.NEAREST, moderngl.LINEAR
        if sampled.filter is Filter.NEAREST or sampled.pixels.dtype in (np.int32, np.uint32):
            made.filter = near, near
        elif sampled.filter is Filter.LINEAR:
            made.filter = linear, linear
        else:
            made.build_mipmaps(0, len(sampled.pixels.levels) - 1)
            for number, level in enumerate(sampled.pixels.levels):
                made.write(level.tobytes(), level=number)
            made.filter = moderngl.LINEAR_MIPMAP_LINEAR, linear
        if sampled.kind not in ("Cube", "2DShadow"):
            made.repeat_x = made.repeat_y = sampled.wrap is Wrap.REPEAT


def _vertex_shader(fragment: str) -> str:
    """Passes on what the fragment shader reads."""
    text = ["#version 450", "uniform mat4 to_clip;", "in vec3 in_position;", "in vec2 in_uv;",
            "in vec3 in_normal;", "in vec4 in_tangent;"]  # fmt: skip
    body = []
    for location, qualifier, kind, name in re.findall(
        r"layout\(location = (\d)\) (flat |noperspective )?in (\w+) (\w+);", fragment
    ):
        text.append(f"layout(location = {location}) {qualifier}out {kind} {name};")
        body.append(f"    {name} = {_VARYINGS[name]};")
    body += [
        "    gl_Position = to_clip * vec4(in_position, 1.0);",
        "    gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;",
    ]
    return "\n".join([*text, "void main() {", *body, "}", ""])
