"""Scenes about stages, primitives, varyings and what pixel shaders compute."""

from __future__ import annotations

import struct

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from tests.scenes.attachments import BLEND, LESS, colour
from tests.scenes.drawing import (
    EVERYTHING,
    INPUTS,
    PLAIN,
    TRIANGLE,
    Look,
    Pass,
    constants,
    draw,
    floats,
    pipeline,
)
from tests.scenes.rig import SIZE, Image, Rig

OUT = "layout(location = 0) out vec4 o;\n"


def simple(rig: Rig, name: str, texts: dict[str, str], look: Look | None = None, **its) -> None:
    """One draw into a picture, with a depth attachment if the look tests depth."""
    layout, sets = rig.bound(its.pop("binds", []), push=len(its.get("push", b"")))
    depth = Image(rig, "D32_SFLOAT", SIZE) if look and look.depth else None
    into = Pass(rig, [colour(rig)], depth)
    made = pipeline(rig, into, texts, layout, look, its.pop("constants", None))
    rig.scene = name
    with into.begun():
        draw(rig, made, layout, sets, its.pop("count", 3), its.pop("instances", 1), **its)


def topologies(rig: Rig) -> None:
    """Points, lines, strips, fans; strips that begin anew."""
    around = """
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  float a = float(gl_VertexIndex) * 0.9;
  vec2 at = vec2(cos(a), sin(a)) * (0.3 + 0.06 * float(gl_VertexIndex));
  colour = vec4(fract(a), fract(a * 3.0), 0.5, 1.0);
  place = at;
  gl_PointSize = 5.0;
  gl_Position = vec4(at, 0.5, 1.0);
}
"""
    coordinate = INPUTS + OUT + "void main() { o = vec4(gl_PointCoord, colour.b, 1.0); }"
    indices = rig.buffer(np.array([0, 1, 2, 3, 0xFFFF, 4, 5, 6, 7, 0xFFFF, 8, 9, 10], np.uint16))
    words = ("points", "lines", "line strip", "triangles", "strip", "fan")
    for kind, name in enumerate(words):
        text = coordinate if kind == 0 else PLAIN
        simple(
            rig, f"topology {name}", {"vert": around, "frag": text}, Look(topology=kind), count=9
        )
    for kind in (2, 4):
        look = Look(topology=kind, restart=True)
        texts = {"vert": around, "frag": PLAIN}
        simple(rig, f"restarted {words[kind]}", texts, look, count=13, indices=indices)
    small = rig.buffer(np.array([0, 1, 2, 2, 3, 4], np.uint32))
    simple(
        rig, "base vertex", {"vert": around, "frag": PLAIN}, count=6, indices=small, type=1, base=3
    )
    wide = Look(topology=1, raster={"lineWidth": 3.0})
    simple(rig, "wide lines", {"vert": around, "frag": PLAIN}, wide, count=8)


def fixed(rig: Rig) -> None:
    port = (0, SIZE[1], SIZE[0], -SIZE[1], 0, 1)
    looks = {
        "upside down": Look(viewports=[port], cull=2),
        "culled": Look(cull=1, front=1),
        "reversed depth range": Look(viewports=[(4, 3, 60, 50, 1.0, 0.2)], depth=LESS),
        "part of it": Look(scissor=(20, 10, 33, 21)),
        "wireframe": Look(fill=1),
        "depth bias": Look(
            depth=LESS, raster={"depthBiasEnable": 1, "depthBiasConstantFactor": -9.0}
        ),
        "depth bounds": Look(
            depth={"depthBoundsTestEnable": 0, "minDepthBounds": 0.2, "maxDepthBounds": 0.8}
        ),
        "depth clamp": Look(depth=LESS, raster={"depthClampEnable": 1}),
        "two viewports": Look(viewports=[(0, 0, 48, 64, 0, 1), (48, 0, 48, 64, 0, 1)]),
    }
    for name, look in looks.items():
        simple(rig, name, {"frag": PLAIN}, look, instances=2)
    simple(rig, "nothing drawn", {"frag": PLAIN}, count=0)
    simple(rig, "no instances", {"frag": PLAIN}, instances=0)
    outside = TRIANGLE.replace("vec4(at,", "vec4(at + 5.0,")
    simple(rig, "outside", {"vert": outside, "frag": PLAIN})
    behind = TRIANGLE.replace("1.0);\n}", "0.4 + at.x);\n}")
    simple(rig, "partly behind the eye", {"vert": behind, "frag": PLAIN})


def vertices(rig: Rig) -> None:
    """Attributes of many formats, by vertex and by instance."""
    text = """
layout(location = 0) in vec2 at;
layout(location = 1) in vec4 tint;
layout(location = 2) in vec2 moved;
layout(location = 3) in uvec2 number;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  colour = tint; place = vec2(number) / 255.0;
  gl_Position = vec4(at * 0.5 + moved, 0.5, 1.0);
}
"""
    corners = np.zeros(6, [("at", "<f2", 2), ("tint", "u1", 4)])
    corners["at"] = [(-1, -1), (1, -1), (0, 1), (-1, 1), (1, 1), (0, -1)]
    corners["tint"] = np.arange(24).reshape(6, 4) * 10
    each = np.zeros(4, [("moved", "<i2", 2), ("number", "u1", 4)])
    each["moved"] = [(-9000, -9000), (9000, 0), (0, 9000), (4000, 4000)]
    each["number"] = np.arange(16).reshape(4, 4) * 15
    given = {
        "pVertexBindingDescriptions": [
            vk.VkVertexInputBindingDescription(binding=0, stride=8),
            vk.VkVertexInputBindingDescription(binding=3, stride=8, inputRate=1),
        ],
        "pVertexAttributeDescriptions": [
            vk.VkVertexInputAttributeDescription(location=0, format=vk.VK_FORMAT_R16G16_SFLOAT),
            vk.VkVertexInputAttributeDescription(location=1, format=vk.VK_FORMAT_R8G8B8A8_UNORM, offset=4),
            vk.VkVertexInputAttributeDescription(location=2, binding=3, format=vk.VK_FORMAT_R16G16_SNORM),
            vk.VkVertexInputAttributeDescription(location=3, binding=3, format=vk.VK_FORMAT_R8G8B8A8_UINT, offset=4),
        ],
    }  # fmt: skip
    none = rig.buffer(bytes(16))
    buffers = [rig.buffer(corners), none, none, rig.buffer(each)]
    texts = {"vert": text, "frag": INPUTS + OUT + "void main() { o = colour + place.xyxy; }"}
    look = Look(vertices=given)
    simple(rig, "instances", texts, look, count=6, instances=3, vertices=buffers)
    simple(rig, "first instance", texts, look, instances=2, instance=2, first=3, vertices=buffers)
    divisor = vk.VkPipelineVertexInputDivisorStateCreateInfoEXT(
        pVertexBindingDivisors=[vk.VkVertexInputBindingDivisorDescriptionEXT(binding=3, divisor=2)]
    )
    other = Look(vertices=given | {"pNext": divisor})
    simple(rig, "every second instance", texts, other, count=6, instances=4, vertices=buffers)


def indirect(rig: Rig) -> None:
    layout, _ = rig.bound([])
    into = Pass(rig, [colour(rig)])
    made = pipeline(rig, into, {"frag": PLAIN}, layout, Look(blends=[BLEND]))
    three = rig.buffer(np.array([[3, 1, 0, 0], [3, 2, 0, 1], [3, 1, 0, 4]], np.uint32))
    indexed = rig.buffer(np.array([[3, 1, 0, 0, 2], [3, 1, 3, 0, 3]], np.uint32))
    indices = rig.buffer(np.arange(6, dtype=np.uint16))
    count = rig.buffer(np.array([2], np.uint32))
    c = rig.commands
    rig.scene = "indirect"
    with into.begun():
        draw(rig, made, layout, [], indirect=True)
        vk.vkCmdDrawIndirect(c, three, 16, 1, 16)
        vk.vkCmdDrawIndirect(c, three, 0, 3, 16)
        vk.vkCmdBindIndexBuffer(c, indices, 0, 0)
        vk.vkCmdDrawIndexedIndirect(c, indexed, 0, 2, 20)
        vk.vkCmdDrawIndirectCount(c, three, 0, count, 0, 3, 16)
    rig.drawn += ["indirect, one", *["indirect, three"] * 3, *["indirect, indexed"] * 2,
                  *["indirect, counted"] * 2]  # fmt: skip


def stages(rig: Rig) -> None:
    control = """
layout(vertices = 3) out;
layout(location = 0) in vec4 c[]; layout(location = 0) out vec4 d[];
void main() {
  d[gl_InvocationID] = c[gl_InvocationID];
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 4.0;
}
"""
    evaluation = """
layout(triangles, equal_spacing) in;
layout(location = 0) in vec4 d[]; layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  vec3 t = gl_TessCoord;
  colour = d[0] * t.x + d[1] * t.y + d[2] * t.z; place = t.xy;
  gl_Position = gl_in[0].gl_Position * t.x + gl_in[1].gl_Position * t.y
    + gl_in[2].gl_Position * t.z;
  gl_Position.xy += 0.1 * sin(t.xy * 9.0);
}
"""
    more = """
layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 c[]; layout(location = 0) out vec4 colour;
layout(location = 1) out vec2 place;
void main() {
  for (int k = 0; k < 2; k++) {
    for (int n = 0; n < 3; n++) {
      colour = c[n].yzxw; place = vec2(k, n); gl_PrimitiveID = k + 5;
      gl_Position = gl_in[n].gl_Position * (k == 0 ? 0.5 : -0.4); gl_Position.w = 1.0;
      EmitVertex();
    }
    EndPrimitive();
  }
}
"""
    simple(
        rig,
        "tessellation",
        {"tesc": control, "tese": evaluation, "frag": PLAIN},
        Look(topology=10, patch=3),
    )
    number = INPUTS + OUT + "void main() { o = colour + vec4(float(gl_PrimitiveID) * 0.1); }"
    simple(rig, "geometry", {"geom": more, "frag": number})
    layered = more.replace("gl_PrimitiveID = k + 5;", "gl_Layer = k;")
    layout, _ = rig.bound([])
    into = Pass(rig, [colour(rig, layers=2)], layers=2)
    made = pipeline(rig, into, {"geom": layered, "frag": PLAIN}, layout)
    rig.scene = "two layers"
    with into.begun():
        draw(rig, made, layout, [])
    views = Pass(rig, [colour(rig, layers=2)], view_mask=3)
    text = "#extension GL_EXT_multiview : enable\n" + TRIANGLE.replace(
        "colour = ", "at.x += 0.2 * float(gl_ViewIndex);\n  colour = "
    )
    made = pipeline(rig, views, {"vert": text, "frag": PLAIN}, layout, Look(view_mask=3))
    rig.scene = "two views"
    with views.begun():
        draw(rig, made, layout, [])


def built_in(rig: Rig) -> None:
    """What vertex stages write beside the position, and pixels read beside varyings."""
    clip = TRIANGLE.replace(
        "gl_Position =",
        "gl_ClipDistance[0] = at.x + 0.3; gl_ClipDistance[1] = 0.5 - at.y; gl_Position =",
    )
    simple(rig, "clip distances", {"vert": clip, "frag": PLAIN})
    cull = TRIANGLE.replace("gl_Position =", "gl_CullDistance[0] = at.x; gl_Position =")
    simple(rig, "cull distances", {"vert": cull, "frag": PLAIN}, instances=2)
    port = "#extension GL_ARB_shader_viewport_layer_array : enable\n" + TRIANGLE.replace(
        "gl_Position =", "gl_ViewportIndex = gl_InstanceIndex; gl_Position ="
    )
    look = Look(viewports=[(0, 0, 48, 64, 0, 1), (48, 0, 48, 64, 0, 1)])
    simple(rig, "viewport by index", {"vert": port, "frag": PLAIN}, look, instances=2)
    facing = (
        INPUTS
        + OUT
        + (
            "void main() { o = gl_FrontFacing ? colour : vec4(gl_FragCoord.zw, 0.1, 1.0);\n"
            "o.b += float(gl_PrimitiveID) * 0.2; }"
        )
    )
    simple(rig, "faces and numbers", {"frag": facing}, count=6, instances=2)
    numbers = "#extension GL_ARB_shader_draw_parameters : enable\n" + TRIANGLE.replace(
        "colour = ", "at *= 1.0 - 0.2 * float(gl_BaseInstanceARB); colour = "
    )
    simple(rig, "draw parameters", {"vert": numbers, "frag": PLAIN}, instance=2)
    kinds = """
struct Part { vec3 a; float b; };
layout(location = 0) out vec4 colour;
layout(location = 1) flat out ivec2 whole;
layout(location = 2) noperspective out vec3 flat_;
layout(location = 3) out mat3 turned;
layout(location = 6) out float list[3];
layout(location = 9) flat out uint bits;
layout(location = 10) out Block { vec2 first; layout(location = 12) vec4 second; } block;
layout(location = 13, component = 0) out vec2 low;
layout(location = 13, component = 2) out vec2 high;
layout(location = 14) flat out double wide;
layout(location = 15) out Part part;
void main() {
  vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 1.6 - 0.8;
  colour = vec4(at, 0.5, 1.0); whole = ivec2(gl_VertexIndex - 1); flat_ = vec3(at, 1.0);
  turned = mat3(at.x); list[0] = at.x; list[1] = at.y; list[2] = 0.3;
  bits = 7u; block.first = at; block.second = at.xyxy; low = at; high = at.yx;
  wide = 0.25; part.a = at.xxy; part.b = 0.7;
  gl_Position = vec4(at, 0.5, 1.0 + 0.5 * at.x);
}
"""
    read = (
        kinds.split("void main")[0].replace(" out ", " in ")
        + OUT
        + (
            "void main() { o = colour * 0.2 + vec4(whole, bits, 1.0) * 0.05 + vec4(flat_, 0.0) * 0.1\n"
            "+ vec4(turned[1], list[0] + list[2]) * 0.2 + block.second * 0.1 + vec4(low, high) * 0.1\n"
            "+ vec4(float(wide)) + vec4(part.a, part.b) * 0.1 + block.first.xyxy * 0.05; }"
        )
    )
    simple(rig, "many kinds of varyings", {"vert": kinds, "frag": read}, Look(topology=4), count=4)


def arithmetic(rig: Rig) -> None:
    head = "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n" + INPUTS + OUT
    texts = {
        "half": "void main() { f16vec4 h = f16vec4(colour); h = h * h + float16_t(0.25); o = vec4(h); }",
        "double": "void main() { double d = double(place.x); for (int n = 0; n < 5; n++) d = d * d + 0.1LF; o = vec4(d, colour.yzw); }",
        "64-bit integers": "void main() { uint64_t n = uint64_t(gl_FragCoord.x) << 33; n ^= n >> 7; o = vec4(float(uint(n >> 32) & 255u) / 255.0, colour.yzw); }",
        "8- and 16-bit integers": "void main() { int8_t a = int8_t(place.x * 100.0); uint16_t b = uint16_t(a) * uint16_t(77); o = vec4(float(a) / 128.0, float(b) / 65535.0, colour.zw); }",
        "discard": "void main() { if (fract(place.x * 7.0) > 0.5) discard; o = colour; }",
        "demote": "void main() { if (fract(place.x * 7.0) > 0.5) demote; o = vec4(dFdx(place.x) * 50.0, colour.yzw); }",
        "subgroups": "void main() { o = vec4(subgroupAdd(1.0) / 64.0, subgroupElect() ? 1.0 : 0.0, colour.zw) * 0.0 + colour; }",
        "derivatives": "void main() { o = vec4(dFdx(place), fwidth(place.y) * 20.0, 1.0); }",
    }
    more = "#extension GL_EXT_demote_to_helper_invocation : enable\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n#extension GL_KHR_shader_subgroup_basic : enable\n"
    for name, text in texts.items():
        simple(rig, name, {"vert": EVERYTHING, "frag": more + head + text})
    early = (
        "layout(early_fragment_tests) in;\n"
        + INPUTS
        + OUT
        + "void main() { if (place.y > 0.5) discard; o = colour; }"
    )
    written = INPUTS + OUT + "void main() { gl_FragDepth = place.x; o = colour; }"
    kept = (
        INPUTS
        + OUT
        + "layout(depth_greater) out float gl_FragDepth;\nvoid main() { gl_FragDepth = gl_FragCoord.z + 0.1; o = colour; }"
    )
    export = (
        "#extension GL_ARB_shader_stencil_export : enable\n"
        + INPUTS
        + OUT
        + "void main() { gl_FragStencilRefARB = int(place.x * 9.0); o = colour; }"
    )
    for name, text in (
        ("early tests", early),
        ("depth written", written),
        ("depth written, greater", kept),
        ("stencil written", export),
    ):
        simple(rig, name, {"frag": text}, Look(depth=LESS), instances=2)
    given = (
        "layout(constant_id = 3) const float a = 0.1;\nlayout(constant_id = 7) const int n = 2;\nlayout(constant_id = 9) const bool b = false;\n"
        + INPUTS
        + OUT
        + "void main() { float s = 0.0; for (int k = 0; k < n; k++) s += a; o = b ? vec4(s) : colour; }"
    )
    simple(rig, "specialisation", {"frag": given}, constants=constants(_3=0.17, _7=5, _9=1))
    pushed = (
        "layout(push_constant) uniform P { vec4 tint; layout(offset = 32) int n; mat2 turn; } p;\n"
        + INPUTS
        + OUT
        + "void main() { o = p.tint * float(p.n); o.xy = p.turn * place; }"
    )
    data = floats(0.2, 0.4, 0.6, 0.8).tobytes() + bytes(16) + struct.pack("<i4x4f", 2, 1, 0, 0, 1)
    simple(rig, "push constants", {"frag": pushed}, push=data)


SCENES = (topologies, fixed, vertices, indirect, stages, built_in, arithmetic)
