"""Texts that no compiler here reads, and what would read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from shaderlab.frontend import scanner
from shaderlab.frontend.dialects.family import Text
from shaderlab.frontend.stage import Stage, named_in


@dataclass(frozen=True)
class _Foreign:
    says: str
    suffixes: frozenset[str]
    marks: re.Pattern[str] | None
    """None where the file's name alone decides."""


def _foreign(says: str, suffixes: str, marks: str = "") -> _Foreign:
    return _Foreign(says, frozenset(suffixes.split()), re.compile(marks, re.M) if marks else None)


_FOREIGN = (
    _foreign(
        "this is a part of Godot shaders; open a .gdshader that includes it",
        "gdshaderinc",
    ),
    _foreign(
        "this is Unity's ShaderLab, which only Unity compiles; open what its inspector shows under"
        " \"Compile and show code\" for Vulkan, or the HLSL between HLSLPROGRAM and ENDHLSL",
        "",
        r"^[ \t]*(?:CGPROGRAM|HLSLPROGRAM|CGINCLUDE|HLSLINCLUDE)\b|^[ \t]*SubShader\s*\{",
    ),
    _foreign(
        "this is the Metal Shading Language, which Apple's compiler (xcrun metal) reads; open the"
        " SPIR-V or GLSL it was made from",
        "metal",
        r"#\s*include\s*<metal_\w+>|\busing\s+namespace\s+metal\b",
    ),
    _foreign(
        "this is Open Shading Language, which oslc reads: it describes surfaces to a renderer,"
        " not pixels to a GPU",
        "osl oso",
    ),
    _foreign(
        "this is Cg, whose compiler (cgc) NVIDIA has withdrawn; most Cg reads as HLSL with"
        " --language hlsl",
        "cg cgfx cgp",
    ),
    _foreign(
        "this is OpenCL C, which clang and clspv read: a kernel, not a fragment shader",
        "cl",
        r"^[ \t]*__kernel\s+void\b",
    ),
    _foreign("this is CUDA C++, which nvcc reads: a kernel, not a fragment shader", "cu cuh",
             r"^[ \t]*__global__\s+void\b"),
    _foreign(
        "this is an Unreal Engine shader file, which is compiled inside the engine; open the HLSL"
        " or SPIR-V that r.DumpShaderDebugInfo=1 makes it write",
        "usf ush",
    ),
    _foreign(
        "this is a preset of RetroArch, a list of shaders; open one of the .slang files it names",
        "slangp glslp",
    ),
    _foreign(
        "this is a Shadertoy export: shaderlab import makes a project of it",
        "",
        r'\A\s*[\[{]\s*(?:\{\s*)?"(?:ver|Shader|info|id|renderpass)"[\s\S]*"renderpass"',
    ),
    _foreign(
        "this is an effect for three.js: its mainImage is completed by the postprocessing library;"
        " open the program that WebGL was given (Spector.js shows it)",
        "",
        r"\bvoid\s+mainImage\s*\(\s*(?:const\s+)?in\s+vec4\s+\w+\s*,",
    ),
    _foreign(
        "this includes chunks of three.js, which are completed by three.js; open the program that"
        " WebGL was given (Spector.js shows it)",
        "",
        r"^[ \t]*#\s*include\s+<(?:common|packing|fog_\w+|color\w*_fragment|tonemapping_fragment|"
        r"encodings_fragment|dithering_\w+|logdepthbuf_\w+|clipping_planes_\w+|lights_\w+|"
        r"map_\w+|uv_\w+|begin_vertex|project_vertex|premultiplied_alpha_fragment|"
        r"shadowmap_\w+|bsdfs|cube_uv_reflection_fragment)>",
    ),
)  # fmt: skip

_TEMPLATE = re.compile(
    r"\$\{[^{}\n]{0,200}\}|\{\{[^{};\n]{0,200}\}\}(?![\s,]*[;,}])|\{%[^%\n]{0,200}%\}|<%[^%\n]{0,200}%>|"
    r"^[ \t]*\$(?:input|output)\b[^\n]*",
    re.M,
)
"""Marks of templates: JavaScript's literals, Mustache, Jinja, ERB, and bgfx's varyings."""
_OTHER_STAGES = {
    "mesh": "mesh", "task": "task", "rgen": "ray generation", "rchit": "closest-hit",
    "rahit": "any-hit", "rmiss": "miss", "rint": "intersection", "rcall": "callable",
}  # fmt: skip


def reason(text: Text, is_found: Callable[[str], bool]) -> str:
    """Why a text cannot be read and what would read it; empty where that is not known.

    `text` has its includes still in it; `is_found` says whether an include's name leads anywhere.
    """
    if text.reading.language is None:
        code = scanner.blank(text.text, strings=False)
        for foreign in _FOREIGN:
            match = foreign.marks and foreign.marks.search(code)
            if text.suffix in foreign.suffixes or (match and not _leads(match[0], is_found)):
                return foreign.says
        if template := _TEMPLATE.search(code):
            return (
                f"this is a template: {template[0].strip()[:60]!r} is replaced by another program "
                "before a compiler reads it; open what that makes of it"
            )
    return _wrong_stage(text)


def _leads(mark: str, is_found: Callable[[str], bool]) -> bool:
    """Whether a mark is an include that can be followed, and so is none."""
    name = re.search(r"<([^>]*)>", mark)
    return name is not None and is_found(name[1])


def _wrong_stage(text: Text) -> str:
    for part in text.name.lower().split(".")[1:]:
        if part in _OTHER_STAGES and text.reading.stage is None:
            return (
                f"by its name this is a {_OTHER_STAGES[part]} shader; shaderlab runs fragment"
                " and compute shaders"
            )
    named = named_in(text.name)
    if text.reading.stage is None and named not in (None, Stage.FRAGMENT, Stage.COMPUTE):
        return (
            f"by its name this is a {named.shown} shader; shaderlab runs fragment and compute"
            " shaders"
            f" (--stage {named.value} compiles it, --stage frag takes it for one)"
        )
    return ""


_LOOKS_LIKE = (
    (Stage.COMPUTE, re.compile(r"\blayout\s*\(\s*local_size_\w|\bgl_GlobalInvocationID\b")),
    (Stage.GEOMETRY, re.compile(r"\bEmitVertex\s*\(")),
    (Stage.TESSELLATION_CONTROL, re.compile(r"\bgl_TessLevelOuter\b")),
    (Stage.TESSELLATION_EVALUATION, re.compile(r"\bgl_TessCoord\b")),
    (Stage.VERTEX, re.compile(r"\bgl_Position\b|\bgl_VertexI(?:D|ndex)\b")),
)
_RAYS_OR_MESHES = re.compile(
    r"\b(?:rayPayload|hitAttribute|callableData|taskPayloadShared)\w*|\bgl_MeshVert\w+"
)


def other_stage(text: Text) -> str:
    """What is said of a GLSL text that did not compile, where it looks like another stage's."""
    if text.reading.stage is not None:
        return ""
    if _RAYS_OR_MESHES.search(text.code):
        return (
            "this looks like a ray tracing or mesh shader; shaderlab runs fragment and compute"
            " shaders"
        )
    for stage, mark in _LOOKS_LIKE:
        if mark.search(text.code) and re.search(r"\bgl_Frag(?:Color|Coord|Data)\b", text.code):
            return (
                f"this text holds a {stage.shown} shader and a fragment shader: choose one by its "
                "macro (-D NAME), or split the file"
            )
        if mark.search(text.code):
            return (
                f"this looks like a {stage.shown} shader; shaderlab draws fragment shaders"
                f" (--stage {stage.value} compiles it)"
            )
    return ""
