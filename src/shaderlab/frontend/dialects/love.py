"""Pixel shaders of LÖVE: a body with `vec4 effect(vec4 color, Image tex, vec2 …, vec2 …)`.

LÖVE 11 (https://love2d.org/wiki/love.graphics.newShader, its `wrap_Shader.lua`) has names of its
own for GLSL's types, calls `effect` for each pixel, and counts pixels from the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shaderlab.frontend.dialects import opengl
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.source_lines import PRELUDE

_EFFECT = re.compile(
    r"\bvec4\s+effect\s*\(\s*(?:(?:in|lowp|mediump|highp)\s+)*vec4\b|\bvoid\s+effect\s*\(\s*(?:void\s*)?\)"
)
_WITHOUT_ARGUMENTS = re.compile(r"\bvoid\s+effect\s*\(")
_POSITION = re.compile(r"\bvec4\s+position\s*\(\s*mat4\b")
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_CANVAS = re.compile(r"\blove_Canvases\s*\[\s*(\d)\s*\]")
_LANGUAGE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+language\b[^\n]*", re.M)

_PRELUDE = """\
#define LOVE_HIGHP_OR_MEDIUMP highp
#define PIXEL
#define number float
#define Image sampler2D
#define ArrayImage sampler2DArray
#define CubeImage samplerCube
#define VolumeImage sampler3D
#define DepthImage sampler2DShadow
#define extern uniform
#define love_PixelCoord (gl_FragCoord.xy)
#define love_PixelColor love_Canvases[0]
in vec4 VaryingTexCoord;
in vec4 VaryingColor;
uniform sampler2D MainTex;
"""
_WITH = {
    "love_ScreenSize": "uniform vec4 love_ScreenSize;\n",
    "gammaToLinear": """\
float gammaToLinear(float c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
vec3 gammaToLinear(vec3 c) {
    return vec3(gammaToLinear(c.r), gammaToLinear(c.g), gammaToLinear(c.b));
}
vec4 gammaToLinear(vec4 c) { return vec4(gammaToLinear(c.rgb), c.a); }
""",
    "linearToGamma": """\
float linearToGamma(float c) {
    return c < 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
}
vec3 linearToGamma(vec3 c) {
    return vec3(linearToGamma(c.r), linearToGamma(c.g), linearToGamma(c.b));
}
vec4 linearToGamma(vec4 c) { return vec4(linearToGamma(c.rgb), c.a); }
""",
    # Colours are not gamma-corrected unless a game asks for it.
    "gammaCorrectColor": "#define gammaCorrectColor(colour) (colour)\n",
    "unGammaCorrectColor": "#define unGammaCorrectColor(colour) (colour)\n",
}
"""What is added for texts that mention it."""
_CALLED = "love_PixelColor = effect(VaryingColor, MainTex, VaryingTexCoord.st, love_PixelCoord);"


_TEXTURE_TAKEN = re.compile(
    r"\b(?:\w*Image|sampler\w+|number|float|int|vec[234])\s+texture\s*[;,=)\[]"
)
_SHAPES = {"sampler2D": "vec2", "sampler2DArray": "vec3", "samplerCube": "vec3",
           "sampler3D": "vec3"}  # fmt: skip


class Love(Family):
    language = Language.LOVE

    def recognises(self, text: Text) -> bool:
        if text.words.isdisjoint(("effect", "position")):
            return False
        has_own = _EFFECT.search(text.code) or _POSITION.search(text.code)
        return bool(has_own) and not _MAIN.search(text.code)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """As desktop OpenGL first, where LÖVE runs mostly."""
        if not _EFFECT.search(text.code) or text.stage is not Stage.FRAGMENT:
            return
        canvases = max(map(int, _CANVAS.findall(text.code)), default=0) + 1
        prelude = f"{_PRELUDE}layout(location = 0) out vec4 love_Canvases[{canvases}];\n" + "".join(
            added for name, added in _WITH.items() if name in text.words
        )
        prelude += "".join(_texel(text))
        called = "effect();" if _WITHOUT_ARGUMENTS.search(text.code) else _CALLED
        own = Text(text.name, _LANGUAGE.sub("", text.text), text.reading)
        yield from opengl.attempts(
            own, Dialect.LOVE, prelude, f'\n#line 1 "{PRELUDE}"\nvoid main() {{ {called} }}'
        )

    def hint(self, text: Text) -> str:
        if _EFFECT.search(text.code) and text.stage is Stage.FRAGMENT:
            return ""
        return "of LÖVE's shaders the part with effect() is drawn, not that with position()"


def _texel(text: Text) -> Iterator[str]:
    """`Texel`: a macro, or functions for a text in which `texture` is a variable."""
    if not _TEXTURE_TAKEN.search(text.code):
        yield "#define Texel texture\n"
        return
    for kind, at in _SHAPES.items():
        yield f"vec4 Texel({kind} s, {at} at) {{ return texture(s, at); }}\n"
        yield f"vec4 Texel({kind} s, {at} at, float bias) {{ return texture(s, at, bias); }}\n"
