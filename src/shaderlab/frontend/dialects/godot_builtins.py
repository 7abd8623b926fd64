"""Godot's built-in variables by kind of shader: what stands for each, and what is shown.

Source: the Godot documentation, "Shading reference" (CanvasItem, Spatial, Sky and Fog shaders).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """What Godot gives one kind of shader and takes from it."""

    function: str
    """That runs for each pixel."""
    variables: dict[str, tuple[str, str]]
    """Type and first value of each built-in, in an order in which each follows those it needs."""
    left_out: tuple[str, ...]
    """Functions that run elsewhere."""


_INPUTS = {
    "vertex_uv": "in vec2", "vertex_uv2": "in vec2", "vertex_color": "in vec4",
    "view_position": "in vec3", "view_normal": "in vec3", "view_tangent": "in vec3",
    "view_binormal": "in vec3", "sky_direction": "in vec3",
    "TIME": "uniform float", "resolution": "uniform vec2",
    "TEXTURE": "uniform sampler2D", "NORMAL_TEXTURE": "uniform sampler2D",
    "SPECULAR_SHININESS_TEXTURE": "uniform sampler2D", "SCREEN_TEXTURE": "uniform sampler2D",
    "DEPTH_TEXTURE": "uniform sampler2D", "NORMAL_ROUGHNESS_TEXTURE": "uniform sampler2D",
    "RADIANCE": "uniform samplerCube", "TEXTURE_PIXEL_SIZE": "uniform vec2",
    "MODEL_MATRIX": "uniform mat4", "MODEL_NORMAL_MATRIX": "uniform mat3",
    "VIEW_MATRIX": "uniform mat4", "INV_VIEW_MATRIX": "uniform mat4",
    "PROJECTION_MATRIX": "uniform mat4", "INV_PROJECTION_MATRIX": "uniform mat4",
    "CAMERA_POSITION_WORLD": "uniform vec3", "CAMERA_DIRECTION_WORLD": "uniform vec3",
    "NODE_POSITION_WORLD": "uniform vec3", "NODE_POSITION_VIEW": "uniform vec3",
    "WORLD_MATRIX": "uniform mat4", "CAMERA_MATRIX": "uniform mat4",
    "INV_CAMERA_MATRIX": "uniform mat4", "LIGHT0_DIRECTION": "uniform vec3",
    "LIGHT0_COLOR": "uniform vec3", "LIGHT0_ENERGY": "uniform float",
    "LIGHT0_SIZE": "uniform float", "LIGHT0_ENABLED": "uniform bool",
}  # fmt: skip
"""What the variables are made of: varyings, uniforms and textures."""

_EVERYWHERE = {
    "PI": ("float", "3.14159265358979"), "TAU": ("float", "6.28318530717959"),
    "E": ("float", "2.71828182845905"),
}  # fmt: skip
_OF_PIXEL = {
    "FRAGCOORD": ("vec4", "gl_FragCoord"),
    "SCREEN_PIXEL_SIZE": ("vec2", "1.0 / resolution"),
    "VIEWPORT_SIZE": ("vec2", "resolution"),
    "SCREEN_UV": ("vec2", "gl_FragCoord.xy / resolution"),
    "POINT_COORD": ("vec2", "gl_PointCoord"),
}
_CANVAS = Kind(
    "fragment",
    _EVERYWHERE
    | _OF_PIXEL
    | {
        "UV": ("vec2", "vertex_uv"),
        "COLOR": ("vec4", "vertex_color * texture(TEXTURE, UV)"),
        "REGION_RECT": ("vec4", "vec4(0.0, 0.0, 1.0, 1.0)"),
        "AT_LIGHT_PASS": ("bool", "false"),
        "SPECULAR_SHININESS": ("vec4", "texture(SPECULAR_SHININESS_TEXTURE, UV)"),
        "NORMAL": ("vec3", "vec3(0.0, 0.0, 1.0)"),
        "NORMAL_MAP": ("vec3", "vec3(0.5, 0.5, 1.0)"),
        "NORMAL_MAP_DEPTH": ("float", "1.0"),
        "VERTEX": ("vec2", "gl_FragCoord.xy"),
        "SHADOW_VERTEX": ("vec2", "gl_FragCoord.xy"),
        "LIGHT_VERTEX": ("vec3", "gl_FragCoord.xyz"),
        "MODULATE": ("vec4", "vec4(1.0)"),
    },
    ("vertex", "light"),
)
_OUTPUTS = {
    "ALBEDO": ("vec3", "vec3(1.0)"), "ALPHA": ("float", "1.0"),
    "ALPHA_SCISSOR_THRESHOLD": ("float", "1.0"), "ALPHA_HASH_SCALE": ("float", "1.0"),
    "ALPHA_ANTIALIASING_EDGE": ("float", "0.0"), "ALPHA_TEXTURE_COORDINATE": ("vec2", "vec2(0.0)"),
    "PREMUL_ALPHA_FACTOR": ("float", "1.0"), "DEPTH": ("float", "gl_FragCoord.z"),
    "NORMAL_MAP": ("vec3", "vec3(0.5, 0.5, 1.0)"), "NORMAL_MAP_DEPTH": ("float", "1.0"),
    "METALLIC": ("float", "0.0"), "SPECULAR": ("float", "0.5"), "ROUGHNESS": ("float", "1.0"),
    "RIM": ("float", "0.0"), "RIM_TINT": ("float", "0.0"), "CLEARCOAT": ("float", "0.0"),
    "CLEARCOAT_GLOSS": ("float", "0.0"), "CLEARCOAT_ROUGHNESS": ("float", "0.0"),
    "ANISOTROPY": ("float", "0.0"), "ANISOTROPY_FLOW": ("vec2", "vec2(1.0, 0.0)"),
    "SSS_STRENGTH": ("float", "0.0"), "SSS_TRANSMITTANCE_COLOR": ("vec4", "vec4(0.0)"),
    "SSS_TRANSMITTANCE_DEPTH": ("float", "0.0"), "SSS_TRANSMITTANCE_BOOST": ("float", "0.0"),
    "BACKLIGHT": ("vec3", "vec3(0.0)"), "TRANSMISSION": ("vec3", "vec3(0.0)"),
    "AO": ("float", "1.0"), "AO_LIGHT_AFFECT": ("float", "0.0"), "EMISSION": ("vec3", "vec3(0.0)"),
    "FOG": ("vec4", "vec4(0.0)"), "IRRADIANCE": ("vec4", "vec4(0.0)"),
}  # fmt: skip
_SPATIAL = Kind(
    "fragment",
    _EVERYWHERE
    | _OF_PIXEL
    | {
        "FRONT_FACING": ("bool", "gl_FrontFacing"),
        "UV": ("vec2", "vertex_uv"),
        "UV2": ("vec2", "vertex_uv2"),
        "COLOR": ("vec4", "vertex_color"),
        "VERTEX": ("vec3", "view_position"),
        "LIGHT_VERTEX": ("vec3", "view_position"),
        "VIEW": ("vec3", "normalize(-view_position)"),
        "NORMAL": ("vec3", "normalize(view_normal)"),
        "TANGENT": ("vec3", "normalize(view_tangent)"),
        "BINORMAL": ("vec3", "normalize(view_binormal)"),
        "OUTPUT_IS_SRGB": ("bool", "false"),
        "CLIP_SPACE_FAR": ("float", "0.0"),
        "EYE_OFFSET": ("vec3", "vec3(0.0)"),
        "VIEW_INDEX": ("int", "0"),
        "VIEW_MONO_LEFT": ("int", "0"),
        "VIEW_RIGHT": ("int", "1"),
        "CAMERA_VISIBLE_LAYERS": ("uint", "1u"),
        "EXPOSURE": ("float", "1.0"),
    }
    | _OUTPUTS,
    ("vertex", "light"),
)
_SKY = Kind(
    "sky",
    _EVERYWHERE
    | _OF_PIXEL
    | {
        "EYEDIR": ("vec3", "normalize(sky_direction)"),
        "SKY_COORDS": ("vec2", "vertex_uv"),
        "POSITION": ("vec3", "vec3(0.0)"),
        "AT_HALF_RES_PASS": ("bool", "false"),
        "AT_QUARTER_RES_PASS": ("bool", "false"),
        "AT_CUBEMAP_PASS": ("bool", "false"),
        "HALF_RES_COLOR": ("vec4", "vec4(0.0)"),
        "QUARTER_RES_COLOR": ("vec4", "vec4(0.0)"),
        "COLOR": ("vec3", "vec3(0.0)"),
        "ALPHA": ("float", "1.0"),
        "FOG": ("vec4", "vec4(0.0)"),
    }
    | {
        f"LIGHT{n}_{what}": made
        for n in (1, 2, 3)
        for what, made in {
            "ENABLED": ("bool", "false"), "ENERGY": ("float", "0.0"), "SIZE": ("float", "0.0"),
            "DIRECTION": ("vec3", "vec3(0.0, 1.0, 0.0)"), "COLOR": ("vec3", "vec3(0.0)"),
        }.items()
    },
    (),
)  # fmt: skip
KINDS = {"canvas_item": _CANVAS, "spatial": _SPATIAL, "sky": _SKY}
"""By `shader_type`."""

_LAMP = "vec3(0.48, 0.6, 0.64)"
_SHOWN_WITH_LIGHT = ("ALBEDO", "NORMAL", "METALLIC", "SPECULAR", "ROUGHNESS", "AO", "EMISSION")
_HANDLED = ("ALPHA", "ALPHA_SCISSOR_THRESHOLD", "DEPTH", "NORMAL_MAP", "NORMAL_MAP_DEPTH")


def declarations(kind: Kind, words: Collection[str], own: Collection[str]) -> tuple[str, str]:
    """What a text needs of the built-ins: declarations before it, and first values in `main`.

    `words`: those of the text and of what shows its result; `own`: names that the text declares.
    """
    needed = {name for name in words if name in kind.variables} - set(own)
    for name in reversed(kind.variables):
        if name in needed:
            _, first = kind.variables[name]
            needed |= {word for word in _words(first) if word in kind.variables} - set(own)
    used = set(words).union(*(_words(kind.variables[name][1]) for name in needed))
    before = [
        f"{qualifiers} {name};\n"
        for name, qualifiers in _INPUTS.items()
        if name in used and name not in own and name not in kind.variables
    ]
    starts = []
    for name, (type_name, first) in kind.variables.items():
        if name in needed and name in _EVERYWHERE:
            before.append(f"const {type_name} {name} = {first};\n")
        elif name in needed:
            before.append(f"{type_name} {name};\n")
            starts.append(f"    {name} = {first};\n")
    return "".join(before), "".join(starts)


def shown(shader_type: str, words: Collection[str], *, is_unshaded: bool) -> tuple[str, str]:
    """How a result becomes a picture: declarations of outputs, and statements after the text's.

    A spatial shader is lit by one lamp, so that no output is unused and optimised away.
    """
    colour = "layout(location = 0) out vec4 shaderlab_color;\n"
    if shader_type == "canvas_item":
        return colour, "    shaderlab_color = COLOR;\n"
    if shader_type == "sky":
        return colour, "    shaderlab_color = vec4(COLOR, 1.0);\n"
    lines = [*_surface(words)]
    if is_unshaded:
        lines.append("vec3 shaderlab_lit = ALBEDO;")
    else:
        lines += _lit(words)
    lines.append("shaderlab_color = vec4(shaderlab_lit, ALPHA);")
    silent = (*_HANDLED, "ALBEDO") if is_unshaded else (*_HANDLED, *_SHOWN_WITH_LIGHT)
    others = [name for name in _OUTPUTS if name in words and name not in silent]
    if others:
        colour += "layout(location = 1) out vec4 shaderlab_others;\n"
        lines.append(f"shaderlab_others = {' + '.join(map(_widened, others))};")
    return colour, "".join(f"    {line}\n" for line in lines)


def _surface(words: Collection[str]) -> Iterator[str]:
    if "NORMAL_MAP" in words:
        yield "vec3 shaderlab_bump = vec3(NORMAL_MAP.xy * 2.0 - 1.0, 0.0);"
        yield "shaderlab_bump.z = sqrt(max(0.0, 1.0 - dot(shaderlab_bump, shaderlab_bump)));"
        yield "shaderlab_bump = mat3(TANGENT, BINORMAL, NORMAL) * shaderlab_bump;"
        yield "NORMAL = normalize(mix(NORMAL, shaderlab_bump, NORMAL_MAP_DEPTH));"
    if "ALPHA_SCISSOR_THRESHOLD" in words:
        yield "if (ALPHA < ALPHA_SCISSOR_THRESHOLD) discard;"
    if "DEPTH" in words:
        yield "gl_FragDepth = DEPTH;"


def _lit(words: Collection[str]) -> Iterator[str]:
    occlusion = " * AO" if "AO" in words else ""
    yield f"float shaderlab_lamp = max(0.0, dot(NORMAL, {_LAMP}));"
    yield f"vec3 shaderlab_lit = ALBEDO * (0.2{occlusion} + 0.8 * shaderlab_lamp);"
    gloss = "2.0 / max(0.001, ROUGHNESS * ROUGHNESS)" if "ROUGHNESS" in words else "2.0"
    if {"ROUGHNESS", "SPECULAR", "METALLIC"}.intersection(words):
        tint = "mix(vec3(1.0), ALBEDO, METALLIC)" if "METALLIC" in words else "vec3(1.0)"
        strength = "SPECULAR" if "SPECULAR" in words else "0.5"
        yield f"shaderlab_lit += {tint} * ({strength} * pow(shaderlab_lamp, {gloss}));"
    if "EMISSION" in words:
        yield "shaderlab_lit += EMISSION;"


def _widened(name: str) -> str:
    """An output as a vec4."""
    type_name, _ = _OUTPUTS[name]
    rest = {"float": "", "vec2": ", 0.0, 0.0", "vec3": ", 0.0", "vec4": ""}[type_name]
    return f"vec4({name}{rest})"


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))
