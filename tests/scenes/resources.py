"""Scenes about what shaders read and write: textures, buffers, descriptors, dispatches."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from tests.scenes.attachments import FLOATS, LESS, colour
from tests.scenes.drawing import (
    EVERYTHING,
    INPUTS,
    PLAIN,
    TRIANGLE,
    Look,
    Pass,
    draw,
    pipeline,
)
from tests.scenes.rig import SIZE, Image, Rig
from tests.scenes.shading import OUT, simple

BLOCKS = {
    "BC1_RGB_UNORM_BLOCK": 8, "BC1_RGBA_SRGB_BLOCK": 8, "BC2_UNORM_BLOCK": 16,
    "BC3_SRGB_BLOCK": 16, "BC4_UNORM_BLOCK": 8, "BC4_SNORM_BLOCK": 8, "BC5_UNORM_BLOCK": 16,
    "BC6H_UFLOAT_BLOCK": 16, "BC7_UNORM_BLOCK": 16, "BC7_SRGB_BLOCK": 16,
    "ETC2_R8G8B8_UNORM_BLOCK": 8, "ETC2_R8G8B8A8_SRGB_BLOCK": 16, "EAC_R11_UNORM_BLOCK": 8,
    "ASTC_4x4_UNORM_BLOCK": 16,
}  # fmt: skip
_SAMPLED = vk.VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT


def _read(rig: Rig, name: str, view: Any, declared: str, read: str, **sampler: Any) -> None:
    text = INPUTS + f"layout(binding = 0) uniform {declared} t;\n{OUT}void main() {{ {read} }}"
    simple(
        rig, name, {"vert": EVERYTHING, "frag": text},
        binds=[("texture", [(view, rig.sampler(**sampler))])],
    )  # fmt: skip


def texture_formats(rig: Rig) -> None:
    for name in (*FLOATS, "E5B9G9R9_UFLOAT_PACK32", *BLOCKS):
        if not rig.device.supports(getattr(vk, f"VK_FORMAT_{name}"), _SAMPLED):
            continue
        block = 4 if name in BLOCKS else 1
        bits = {"R8_UNORM": 8, "R8G8_UNORM": 16, "R16_SFLOAT": 16}.get(name)
        nbytes = BLOCKS.get(name) or (bits or _bits(name)) // 8
        dtype = np.uint8
        if "SFLOAT" in name and "PACK" not in name:
            dtype = np.float16 if "R16" in name else np.float32
        image = Image(rig, name, (32, 16), levels=3).fill(nbytes, block, dtype)
        read = "o = vec4(textureLod(t, place, 0.0).rgb, textureLod(t, place, 1.0).a);"
        _read(rig, f"texture {name}", image.view(), "sampler2D", read)
    for name, kind, nbytes in (
        ("R8G8B8A8_UINT", "usampler2D", 4),
        ("R16_SINT", "isampler2D", 2),
        ("R32_UINT", "usampler2D", 4),
    ):
        image = Image(rig, name, (32, 16)).fill(nbytes)
        read = "o = vec4(texelFetch(t, ivec2(place * vec2(31, 15)), 0) & 255) / 255.0;"
        _read(rig, f"texture {name}", image.view(), kind, read)


def _bits(name: str) -> int:
    import re

    if "PACK" in name:
        return int(name.rsplit("PACK", 1)[1])
    return sum(int(each) for each in re.findall(r"[RGBA](\d+)", name.split("_")[0]))


def texture_kinds(rig: Rig) -> None:
    kind = "R8G8B8A8_UNORM"
    flat = Image(rig, kind, (32, 16), levels=5).fill(4)
    _read(
        rig,
        "1D",
        Image(rig, kind, (32,), dimension=1).fill(4).view(),
        "sampler1D",
        "o = texture(t, place.x);",
    )
    _read(
        rig,
        "3D",
        Image(rig, kind, (16, 8, 4), dimension=3, levels=2).fill(4).view(),
        "sampler3D",
        "o = texture(t, vec3(place, 0.4));",
    )
    cube = Image(rig, kind, (16, 16), layers=6, cube=True, levels=2).fill(4)
    _read(rig, "cube", cube.view(), "samplerCube", "o = texture(t, vec3(place - 0.5, 0.3));")
    cubes = Image(rig, kind, (16, 16), layers=12, cube=True).fill(4)
    _read(
        rig,
        "cube array",
        cubes.view("CUBE_ARRAY"),
        "samplerCubeArray",
        "o = texture(t, vec4(place - 0.5, 0.3, 1.0));",
    )
    sheets = Image(rig, kind, (16, 16), layers=5).fill(4)
    _read(
        rig,
        "2D array, some layers",
        sheets.view("2D_ARRAY", layer=1, layers=3),
        "sampler2DArray",
        "o = texture(t, vec3(place, 2.0));",
    )
    _read(
        rig,
        "a layer as 2D",
        sheets.view("2D", layer=3, layers=1),
        "sampler2D",
        "o = texture(t, place);",
    )
    srgb = Image(rig, kind, (16, 16), flags=vk.VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT).fill(4)
    _read(
        rig,
        "seen as sRGB",
        srgb.view(format=vk.VK_FORMAT_R8G8B8A8_SRGB),
        "sampler2D",
        "o = texture(t, place);",
    )
    _read(
        rig,
        "levels from 2",
        flat.view(level=2, levels=2),
        "sampler2D",
        "o = texture(t, place * 3.0);",
    )
    _read(
        rig,
        "anisotropy and bias",
        flat.view(),
        "sampler2D",
        "o = texture(t, place * vec2(9.0, 1.0), 0.5);",
        anisotropyEnable=1,
        maxAnisotropy=8.0,
        mipLodBias=0.3,
    )
    _read(
        rig,
        "border",
        flat.view(),
        "sampler2D",
        "o = texture(t, place * 2.0 - 0.5);",
        addressModeU=3,
        addressModeV=3,
        borderColor=4,
    )
    _read(
        rig,
        "mirrored once",
        flat.view(),
        "sampler2D",
        "o = texture(t, place * 3.0 - 1.5);",
        addressModeU=4,
        addressModeV=1,
    )
    _read(
        rig,
        "gathered",
        flat.view(),
        "sampler2D",
        "o = textureGather(t, place, 1) + textureQueryLod(t, place).xyxy * 0.1;",
    )
    _read(
        rig,
        "gradients",
        flat.view(),
        "sampler2D",
        "o = textureGrad(t, place, vec2(0.1), vec2(0.05)) + textureProj(t, vec3(place, 2.0));",
    )
    _read(
        rig,
        "unnormalised",
        Image(rig, kind, (32, 16)).fill(4).view(),
        "sampler2D",
        "o = textureLod(t, place * vec2(32, 16), 0.0);",
        unnormalizedCoordinates=1,
        mipmapMode=0,
        maxLod=0.0,
        addressModeU=2,
        addressModeV=2,
    )


def buffers(rig: Rig) -> None:
    numbers = np.arange(4096, dtype=np.float32) / 4096
    data = rig.buffer(numbers)
    texel = rig.device.create(
        "BufferView",
        vk.VkBufferViewCreateInfo(
            buffer=data, format=vk.VK_FORMAT_R32_SFLOAT, range=vk.VK_WHOLE_SIZE
        ),
        rig.stack,
    )
    bytes_ = rig.device.create(
        "BufferView",
        vk.VkBufferViewCreateInfo(buffer=data, format=vk.VK_FORMAT_R8G8B8A8_UNORM, range=1024),
        rig.stack,
    )
    counts, list_ = rig.buffer(bytes(4096)), rig.buffer(bytes(16384))
    written = Image(rig, "R32_UINT", SIZE)
    text = (
        INPUTS
        + OUT
        + """
layout(binding = 0) uniform samplerBuffer a;
layout(binding = 1) uniform samplerBuffer b;
layout(binding = 2) buffer Counts { uint n[]; };
layout(binding = 3, r32ui) uniform uimage2D stored;
layout(binding = 4) readonly buffer More { vec4 v[]; };
layout(binding = 5) uniform Block { mat4 m; vec3 k[4]; float last; };
void main() {
  int at = int(place.x * 200.0);
  atomicAdd(n[at & 15], 1u);
  imageAtomicMax(stored, ivec2(gl_FragCoord.xy), uint(at));
  o = vec4(texelFetch(a, at).r, texelFetch(b, at & 63).g, v[at].z, m[1].x + k[2].y + last);
}
"""
    )
    binds = [
        ("texels", [texel]),
        ("texels", [bytes_]),
        ("storage", [counts]),
        ("stored", [written.view()]),
        ("storage", [data]),
        ("uniform", [data]),
    ]
    simple(rig, "buffers of all kinds", {"vert": EVERYTHING, "frag": text}, binds=binds)
    linked = (
        INPUTS
        + OUT
        + """
layout(binding = 0) buffer Nodes { uint next; uvec2 node[]; };
layout(binding = 1, r32ui) uniform uimage2D heads;
layout(early_fragment_tests) in;
void main() {
  uint at = atomicAdd(next, 1u);
  if (at < 2000u) node[at] = uvec2(imageAtomicExchange(heads, ivec2(gl_FragCoord.xy), at), 1u);
  o = colour;
}
"""
    )
    binds = [("storage", [list_]), ("stored", [Image(rig, "R32_UINT", SIZE).view()])]
    simple(rig, "lists of pixels", {"frag": linked}, Look(depth=LESS), binds=binds, instances=2)
    moved = (
        INPUTS
        + OUT
        + "layout(binding = 0) uniform U { vec4 tint; };\nvoid main() { o = tint + colour * 0.2; }"
    )
    simple(
        rig, "dynamic offset", {"frag": moved}, binds=[("dynamic", [(data, 256)])], offsets=[2048]
    )
    vertex = "layout(binding = 0) readonly buffer V { vec4 moved[]; };\n" + TRIANGLE.replace(
        "colour = ", "at += moved[gl_VertexIndex].xy; colour = "
    )
    simple(rig, "vertices pulled", {"vert": vertex, "frag": PLAIN}, binds=[("storage", [data])])


def descriptors(rig: Rig) -> None:
    """Pushed, in large arrays of which some are empty, over several sets."""
    textures = [Image(rig, "R8G8B8A8_UNORM", (8, 8)).fill(4) for _ in range(12)]
    views = [each.view() for each in textures]
    linear = rig.sampler()
    text = (
        INPUTS
        + OUT
        + "layout(binding = 0) uniform sampler s;\nlayout(binding = 1) uniform texture2D t[12];\n"
        "layout(push_constant) uniform P { int n; };\n"
        "void main() {\n"
        "o = texture(sampler2D(t[n], s), place); }"
    )
    layout, sets = rig.bound([("sampler", [linear]), ("image", views)], push=4)
    into = Pass(rig, [colour(rig)])
    made = pipeline(rig, into, {"vert": EVERYTHING, "frag": text}, layout)
    rig.scene = "array of images and a sampler"
    with into.begun():
        draw(rig, made, layout, sets, push=struct.pack("<i", 7))
    pushed = (
        INPUTS
        + OUT
        + "layout(binding = 0) uniform sampler2D t;\nvoid main() { o = texture(t, place); }"
    )
    layout, writes = rig.bound([("texture", [(views[0], linear)])], pushed=True)
    made = pipeline(rig, into, {"vert": EVERYTHING, "frag": pushed}, layout)
    rig.scene = "pushed descriptors"
    with into.begun():
        draw(rig, made, layout, writes)
    some = (
        INPUTS
        + OUT
        + "layout(binding = 0) uniform sampler2D t[4];\nlayout(push_constant) uniform P { int n; };\nvoid main() { o = texture(t[n], place); }"
    )
    pairs = [(each, linear) for each in views[:4]]
    simple(
        rig,
        "array of textures",
        {"vert": EVERYTHING, "frag": some},
        binds=[("texture", pairs)],
        push=struct.pack("<i", 2),
    )


SCENES = (texture_formats, texture_kinds, buffers, descriptors)
