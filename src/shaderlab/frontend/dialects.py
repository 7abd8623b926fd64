"""The dialect of a text, and the complete GLSL that glslang gets for it.

A Shadertoy body is compiled under the prelude of the ShaderPerFormer paper (section 4.1): the same
declarations under `#version 310 es`, `mainImage(outColor, gl_FragCoord.xy)`, the output neither
initialised nor flipped, so that a module is word for word in its functions what was measured.
"""

from __future__ import annotations

import re
from functools import cache

from shaderlab import locations
from shaderlab.frontend import scanner
from shaderlab.frontend.program import Dialect
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_OWN_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_MAIN_IMAGE = re.compile(r"\bmainImage\s*\(")
_VERSION = re.compile(r"^[ \t]*#[ \t]*version\b", re.M)
_CHANNEL = re.compile(r"\biChannel([0-3])\b")

_LINE_NAMES = "#extension GL_GOOGLE_cpp_style_line_directive : enable"
_VERSIONS = {Dialect.SHADERTOY_ES310: "310 es", Dialect.SHADERTOY_450: "450", Dialect.GLSL: "450"}


# The paper declares mainImage and calls it before the body.  Its arguments are then highp, which
# conflicts with a body that has its own precision statement: version 450 calls it after the body.
_MAIN_IMAGE_DECLARATION = "void mainImage(out vec4 fragColor, in vec2 fragCoord);\n"
_MAIN = "void main() { mainImage(outColor, gl_FragCoord.xy); }\n"


def detect(text: str) -> Dialect:
    """GLSL if the (expanded) text has its own `main` or `#version`, else a Shadertoy body.

    A `mainImage` next to a `main` that is only there under an `#if` is a Shadertoy body which also
    runs on another site; with the roles swapped it is complete GLSL.
    """
    code = scanner.blank(text)
    main = _OWN_MAIN.search(code)
    body = _MAIN_IMAGE.search(code)
    if main and body and not _VERSION.search(code):
        conditional = scanner.depth_at(text, main.start()) > scanner.depth_at(text, body.start())
        return Dialect.SHADERTOY_ES310 if conditional else Dialect.GLSL
    if main or (_VERSION.search(code) and not body):
        return Dialect.GLSL
    return Dialect.SHADERTOY_ES310


def channels(text: str) -> frozenset[int]:
    """Which of iChannel0..3 the text mentions outside comments."""
    return frozenset(int(number) for number in _CHANNEL.findall(scanner.blank(text)))


def cube_guesses(text: str, channels: frozenset[int]) -> tuple[frozenset[int], ...]:
    """Sets of channels worth declaring as `samplerCube`, likeliest first.

    A channel looks like a cube map where a lookup's coordinate ends in three components, is a
    `vec3(…)` or another function that usually makes a direction, or is a name declared `vec3`.
    """
    code = scanner.blank(text)
    directions = set(re.findall(r"\bvec3\s+(\w+)", code))
    likely = set()
    for number, coordinate in re.findall(
        r"\biChannel([0-3])\s*,\s*([\w.]+(?:\s*\()?)[^;]*?;", code
    ):
        name = coordinate.rstrip("( ")
        called = coordinate.endswith("(") and name in ("vec3", "normalize", "reflect", "refract")
        if called or name in directions or re.search(r"\.[xyzrgbstp]{3}$", name):
            likely.add(int(number))
    guesses = [frozenset(likely & channels), channels]
    guesses += [frozenset({n}) for n in sorted(channels)]
    return tuple(guess for guess in dict.fromkeys(guesses) if guess)


def assemble(
    text: str,
    dialect: Dialect,
    channels: frozenset[int] = frozenset(),
    cubes: frozenset[int] = frozenset(),
) -> str:
    """What glslang compiles: the expanded text, unchanged, with what its dialect adds before it.

    `channels` are declared as set 0, bindings 1..4, `samplerCube` for those in `cubes`, `sampler2D`
    for the others; a text without them compiles to exactly the paper's module.
    """
    if dialect is Dialect.GLSL:
        return _complete(text)
    samplers = "".join(
        f"layout(set = 0, binding = {n + 1}) uniform highp "
        f"{'samplerCube' if n in cubes else 'sampler2D'} iChannel{n};\n"
        for n in sorted(channels)
    )
    head = (
        f'#version {_VERSIONS[dialect]}\n{_LINE_NAMES}\n#line 1 "{PRELUDE}"\n{_prelude()}{samplers}'
    )
    body = f'#line 1 "{DOCUMENT}"\n{text}\n'
    if dialect is Dialect.SHADERTOY_ES310:
        return f"{head}{_MAIN_IMAGE_DECLARATION}{_MAIN}{body}"
    return f'{head}{body}#line 1 "{PRELUDE}"\n{_MAIN}'


def _complete(text: str) -> str:
    """Complete GLSL; named `#line`s must follow its own `#version`, which must come first."""
    for directive in scanner.directives(text):
        if directive.name == "version":
            lines = text.split("\n")
            head = lines[: directive.line + 1]
            named = [_LINE_NAMES, f'#line {directive.line + 2} "{DOCUMENT}"']
            return "\n".join([*head, *named, *lines[directive.line + 1 :], ""])
    version = _VERSIONS[Dialect.GLSL]
    return f'#version {version}\n{_LINE_NAMES}\n#line 1 "{DOCUMENT}"\n{text}\n'


@cache
def _prelude() -> str:
    path = locations.resources() / "glsl" / "shadertoy_prelude.glsl"
    return path.read_text(encoding="utf-8")
