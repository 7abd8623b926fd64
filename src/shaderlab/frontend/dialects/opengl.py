"""GLSL of OpenGL, OpenGL ES and WebGL: The Book of Shaders, glslViewer, glsl-sandbox, KodeLife …

Uniforms stand outside blocks, nothing needs a location or a binding, and older texts speak of
`varying`, `texture2D` and `gl_FragColor`.  glslang compiles such texts for Vulkan by its relaxed
rules, from version 310 es or 140; macros give the older names their successors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shaderlab.frontend import scanner
from shaderlab.frontend.dialects import graphicsfuzz, unreadable
from shaderlab.frontend.dialects.family import Attempt, Family, Text, below, version_line
from shaderlab.frontend.program import Dialect, Given
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.interface import Rules

_OLDEST_ES, _OLDEST_DESKTOP, _NEWEST_DESKTOP = 310, 140, 460
_FIRST_VULKAN = 420
"""Desktop versions from here on are also written for Vulkan."""

_LOOSE_UNIFORM = re.compile(
    r"(?P<layout>\blayout\s*\([^()]*\)\s*)?\buniform\s+(?:(?:lowp|mediump|highp)\s+)?"
    r"(?P<type>\w+)\s+\w+\s*(?:\[[^\]]*\]\s*)*[;,=]"
)
_DEFINED = re.compile(r"#[ \t]*define[ \t]+(\w+)|\b(?:vec4|float|ivec2)\s+(\w+)\s*\(")
_OPAQUE = re.compile(r"[iu]?(?:sampler|image)\w*|atomic_uint")
_NEVER = 1000
_NEWER_WORDS = {
    "sample": (400, 320), "patch": (400, 320), "subroutine": (400, _NEVER),
    "precise": (400, 320), "buffer": (430, 310), "shared": (430, 310), "coherent": (420, 310),
    "sampler": (_NEVER, _NEVER),
}  # fmt: skip
"""First versions of desktop GLSL and of GLSL ES in which they are words (of Vulkan's GLSL alone:
never)."""
_OLD_OUTPUTS = frozenset({"gl_FragColor", "gl_FragData"})
_OUTPUT = re.compile(r"(?:^|[;})])\s*out\s+(?:\w+\s+)?[iu]?vec4\s+\w+\s*;", re.M)
"""With its precision, or a macro for one."""
_OLD_WORDS = frozenset({
    "varying", "attribute", "gl_FragColor", "gl_FragData", "GL_ES", "texture2D", "textureCube",
    "texture2DLod", "texture2DProj", "texture1D", "texture3D", "gl_TexCoord",
})  # fmt: skip

# What these allow is part of the versions that texts are compiled as.
_ALWAYS_THERE = frozenset({
    "GL_OES_standard_derivatives", "GL_EXT_shader_texture_lod", "GL_EXT_frag_depth",
    "GL_EXT_draw_buffers", "GL_OES_texture_3D", "GL_ARB_shader_texture_lod",
    "GL_ARB_draw_buffers", "GL_ARB_texture_rectangle", "GL_EXT_gpu_shader4",
    "GL_ARB_explicit_attrib_location", "GL_ARB_shading_language_420pack",
})  # fmt: skip

_LOOKUPS = {
    "texture1D": "texture", "texture2D": "texture", "texture3D": "texture",
    "textureCube": "texture", "texture2DRect": "texture",
    "texture1DLod": "textureLod", "texture2DLod": "textureLod", "texture3DLod": "textureLod",
    "textureCubeLod": "textureLod", "texture2DLodEXT": "textureLod",
    "textureCubeLodEXT": "textureLod", "texture2DLodARB": "textureLod",
    "texture1DProj": "textureProj", "texture2DProj": "textureProj", "texture3DProj": "textureProj",
    "texture2DRectProj": "textureProj", "texture2DProjLod": "textureProjLod",
    "texture2DProjLodEXT": "textureProjLod",
    "texture2DGradEXT": "textureGrad", "texture2DGradARB": "textureGrad",
    "texture2DGrad": "textureGrad", "textureCubeGradEXT": "textureGrad",
    "texelFetch2D": "texelFetch", "textureSize2D": "textureSize",
}  # fmt: skip
_SHADOW_LOOKUPS = {"shadow1D": "texture", "shadow2D": "texture", "shadow2DProj": "textureProj",
                   "shadow2DEXT": "texture", "shadow2DProjEXT": "textureProj"}  # fmt: skip

_WITHOUT_PRECISION = ("sampler3D", "sampler2DArray", "sampler2DShadow", "samplerCubeShadow",
                      "sampler2DArrayShadow", "isampler2D", "usampler2D", "isampler3D",
                      "usampler3D")  # fmt: skip
"""Types that OpenGL ES has no default precision for; texts that forget it are common."""

# Older built-in variables: what stands for each.
_FRAGMENT = {
    "gl_FragColor": "layout(location = 0) out vec4 {}", "gl_Color": "in vec4 {}",
    "gl_SecondaryColor": "in vec4 {}", "gl_TexCoord": "in vec4 {}[8]",
    "gl_FogFragCoord": "in float {}",
}  # fmt: skip
_ATTRIBUTES = {
    "gl_Vertex": "in vec4 {}", "gl_Normal": "in vec3 {}", "gl_Color": "in vec4 {}",
    "gl_MultiTexCoord0": "in vec4 {}", "gl_TexCoord": "out vec4 {}[8]",
}  # fmt: skip
_MATRICES = {
    "gl_ModelViewMatrix": "uniform mat4 {}", "gl_ProjectionMatrix": "uniform mat4 {}",
    "gl_ModelViewProjectionMatrix": "uniform mat4 {}", "gl_NormalMatrix": "uniform mat3 {}",
}  # fmt: skip
_STAGE_MACROS = {Stage.VERTEX: "VERTEX", Stage.FRAGMENT: "FRAGMENT"}
"""Which stage is meant, in texts that hold both under `#if`s, as RetroArch's older ones do."""

_BASE_TEXTURE = re.compile(r"\bsampler2D\s+gm_BaseTexture\b")
"""GameMaker declares the sprite's texture (its manual, "Shader constants")."""
_MACROS_OF_BUILTINS = "#extension GL_EXT_spirv_intrinsics : enable\n"
"""The only extension with which macros may be named `gl_…`."""


class OpenGl(Family):
    language = Language.ESSL

    def recognises(self, text: Text) -> bool:
        return is_opengl(text)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        return attempts(text)

    def given(self, text: Text) -> Mapping[str, Given]:
        return graphicsfuzz.given(text.beside)

    def hint(self, text: Text) -> str:
        return unreadable.other_stage(text)


def is_opengl(text: Text) -> bool:
    """Whether it has what OpenGL's GLSL has and Vulkan's has not."""
    if not _OLD_WORDS.isdisjoint(text.words):
        return True
    if any(
        not (_OPAQUE.fullmatch(match["type"]) and "binding" in (match["layout"] or ""))
        for match in _LOOSE_UNIFORM.finditer(text.code)
    ):
        return True
    number, is_es = _version(text)
    return is_es or 0 < number < _FIRST_VULKAN


def attempts(
    text: Text, dialect: Dialect = Dialect.OPENGL, prelude: str = "", after: str = ""
) -> Iterator[Attempt]:
    """As OpenGL ES and as desktop OpenGL, the likelier first.

    `prelude` and `after`: what a dialect adds before and behind the text.
    """
    versions = _versions(text)
    # An output of its own beside gl_FragColor: the one or the other is in a branch not taken.
    has_both = not _OLD_OUTPUTS.isdisjoint(text.words) and _OUTPUT.search(text.code)
    for version in versions:
        remark = f"compiled as #version {version}, because #version {versions[0]} fails: "
        for without in (_OLD_OUTPUTS, frozenset[str]()) if has_both else (frozenset[str](),):
            yield Attempt(
                dialect,
                assemble(text, version, prelude, after, without),
                Rules(text.stage, is_relaxed=True),
                remark="" if version == versions[0] else remark,
            )


def assemble(
    text: Text,
    version: str,
    prelude: str = "",
    after: str = "",
    without: frozenset[str] = frozenset(),
) -> str:
    """The text under a version that glslang compiles for Vulkan, and the macros it needs.

    `without`: words of OpenGL that get none.
    """
    body, extensions = _without_head(text.bare)
    words = (text.words | frozenset(re.findall(r"\w+", prelude + after))) - without
    added = _added(text, words, is_es=version.endswith("es"))
    if "#define gl_" in added:
        extensions = _MACROS_OF_BUILTINS + extensions
    return below(version, added + text.defines + prelude, body + after, extensions)


def _version(text: Text) -> tuple[int, bool]:
    """Number of its `#version` (0 without one), and whether that is OpenGL ES's."""
    _, argument = version_line(text.text)
    match = re.match(r"(\d{3})\b(?:\s+(\w+))?", argument)
    if match is None:
        return 0, False
    return int(match[1]), match[2] == "es" or match[1] == "100"


def _versions(text: Text) -> tuple[str, ...]:
    number, is_es = _version(text)
    if is_es:
        return f"{max(number, _OLDEST_ES)} es", "450"
    if number > _NEWEST_DESKTOP:
        return (f"{number}",)
    if number:
        own = number if number >= _OLDEST_DESKTOP else 450
        return f"{own}", f"{_NEWEST_DESKTOP}"
    if "precision" in text.words or text.reading.language is Language.ESSL:
        return f"{_OLDEST_ES} es", "450"
    return "450", f"{_OLDEST_ES} es"


def _without_head(text: str) -> tuple[str, str]:
    """The text without `#version` and unconditional `#extension`s; these, with their lines.

    They must come before anything else, so before a prelude too.
    """
    lines = text.split("\n")
    hoisted, depth = [], 0
    for directive in scanner.directives(text):
        depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(directive.name, 0)
        if directive.name == "version":
            lines[directive.line] = ""
        elif directive.name == "extension":
            if directive.argument.split(":")[0].strip() in _ALWAYS_THERE:
                lines[directive.line] = ""
            elif depth == 0:
                hoisted.append(f"{lines[directive.line]}\n")
                lines[directive.line] = ""
    return "\n".join(lines), "".join(hoisted)


def _added(text: Text, words: frozenset[str], *, is_es: bool) -> str:
    parts = []
    if is_es:
        parts.append("precision highp float;\n")
        parts += [f"precision highp {sampler};\n" for sampler in _WITHOUT_PRECISION]
    macro = _STAGE_MACROS.get(text.stage, "")
    if macro in words and re.search(
        rf"^[ \t]*#[ \t]*(?:if|elif)\w*\b.*\b{macro}\b", text.code, re.M
    ):
        parts.append(f"#define {macro}\n")
    if "varying" in words:
        parts.append(f"#define varying {'in' if text.stage is Stage.FRAGMENT else 'out'}\n")
    if "attribute" in words:
        parts.append("#define attribute in\n")
    if "gm_BaseTexture" in words and not _BASE_TEXTURE.search(text.code):
        parts.append("uniform sampler2D gm_BaseTexture;\n")
    parts += _newer_words(text)
    parts += _lookups(text, words)
    parts += _old_variables(text, words)
    return "".join(parts)


def _newer_words(text: Text) -> Iterator[str]:
    """Macros for names that only later versions than the text's have as words."""
    number, is_es = _version(text)
    is_es |= not number and "precision" in text.words
    for word, (desktop, es) in _NEWER_WORDS.items():
        is_own = re.search(rf"#[ \t]*define[ \t]+{word}\b", text.code)
        if word in text.words and not is_own and number < (es if is_es else desktop):
            yield f"#define {word} {word}_\n"


def _lookups(text: Text, words: frozenset[str]) -> Iterator[str]:
    own = {name for pair in _DEFINED.findall(text.code) for name in pair}
    is_texture_taken = re.search(
        r"\b(?:sampler\w+|float|int|vec[234])\s+texture\s*[;,=)\[]", text.code
    )
    for old, new in _LOOKUPS.items():
        if old in words and old not in own:
            if is_texture_taken and new == "texture":
                yield from _functions(old)
            else:
                yield f"#define {old} {new}\n"
    for old, new in _SHADOW_LOOKUPS.items():
        if old in words and old not in own:
            yield f"#define {old}(sampler, at) vec4({new}(sampler, at))\n"


def _functions(old: str) -> Iterator[str]:
    """A lookup as functions, for a text in which `texture` is a variable."""
    sampler, size = {
        "texture1D": ("sampler1D", "float"), "texture2D": ("sampler2D", "vec2"),
        "texture3D": ("sampler3D", "vec3"), "textureCube": ("samplerCube", "vec3"),
        "texture2DRect": ("sampler2DRect", "vec2"),
    }[old]  # fmt: skip
    name = f"shaderlab_{old}"
    yield f"vec4 {name}({sampler} s, {size} at) {{ return texture(s, at); }}\n"
    yield f"vec4 {name}({sampler} s, {size} at, float bias) {{ return texture(s, at, bias); }}\n"
    yield f"#define {old} {name}\n"


def _old_variables(text: Text, words: frozenset[str]) -> Iterator[str]:
    declared = dict(_MATRICES)
    if text.stage is Stage.VERTEX:
        declared |= _ATTRIBUTES
    elif text.stage is Stage.FRAGMENT:
        numbers = re.findall(r"\bgl_FragData\s*\[\s*(\d)\s*\]", text.code)
        outputs = f"layout(location = 0) out vec4 {{}}[{max(map(int, numbers), default=0) + 1}]"
        declared |= _FRAGMENT | {"gl_FragData": outputs}
        if "gl_FragDepthEXT" in words:
            yield "#define gl_FragDepthEXT gl_FragDepth\n"
    for old, declaration in declared.items():
        if old in words:
            name = f"shaderlab_{old.removeprefix('gl_')}"
            yield f"{declaration.format(name)};\n#define {old} {name}\n"
