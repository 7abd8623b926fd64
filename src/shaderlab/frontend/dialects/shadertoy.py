"""Shadertoy bodies: `void mainImage(out vec4 fragColor, in vec2 fragCoord)`.

The pass of a cube map has `mainCubemap` in its place, and is drawn once for each face.

A body is compiled under the prelude of the ShaderPerFormer paper (section 4.1): the same
declarations under `#version 310 es`, `mainImage(outColor, gl_FragCoord.xy)`, the output neither
initialised nor flipped, so that a module is word for word in its functions what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from shaderlab import locations
from shaderlab.frontend import scanner
from shaderlab.frontend.dialects.family import (
    LINE_NAMES,
    Attempt,
    Family,
    Text,
    version_line,
    without_line,
)
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.toolchain.interface import VULKAN, Rules
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_OWN_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_MAIN_IMAGE = re.compile(r"\bmain(?:Image|Cubemap)\s*\(")
_MAIN_CUBEMAP = re.compile(r"\bmainCubemap\s*\(")
_CHANNEL = re.compile(r"\biChannel([0-3])\b")
_MEMBER = re.compile(r"^\s*(\w+) (\w+)(\[\d+\])?;$", re.M)
_OWN_UNIFORM = re.compile(
    r"(?:\blayout\s*\([^()]*\)\s*)?\buniform\s+(?:(?:lowp|mediump|highp)\s+)?"
    r"(?P<type>\w+)\s+(?P<name>\w+)\s*(?P<length>\[[^\]]*\])?\s*;"
)
_INK = re.compile(r"[^\n]")

_VERSIONS = {Dialect.SHADERTOY_ES310: "310 es", Dialect.SHADERTOY_450: "450"}
_RENAMED = "compiled with newer keywords taken as names, because it fails otherwise: "
_AS_450 = "compiled as #version 450, because #version 310 es fails: "

# The paper declares mainImage and calls it before the body.  Its arguments are then highp, which
# conflicts with a body that has its own precision statement: version 450 calls it after the body.
_MAIN_IMAGE_DECLARATION = "void mainImage(out vec4 fragColor, in vec2 fragCoord);\n"
_MAIN = "void main() { mainImage(outColor, gl_FragCoord.xy); }\n"

_CUBE_MAIN = (
    "void main() { mainCubemap(outColor, gl_FragCoord.xy, vec3(0.0), shaderlab_direction()); }\n"
)

_NEWER_WORDS = frozenset(
    [
        "buffer",
        "coherent",
        "image2D",
        "patch",
        "precise",
        "readonly",
        "resource",
        "restrict",
        "sample",
        "sampler",
        "shared",
        "subroutine",
        "volatile",
        "writeonly",
    ]
)
"""Names in GLSL ES 3.00, which Shadertoy speaks, that later versions or Vulkan keep."""

_SAMPLER = "sampler2D"
_SAMPLERS = frozenset({_SAMPLER, "samplerCube", "sampler3D"})
"""What a channel can be."""


_CURSOR = {
    "iCurrentCursor": "vec4", "iPreviousCursor": "vec4", "iCurrentCursorColor": "vec4",
    "iPreviousCursorColor": "vec4", "iTimeCursorChange": "float",
}  # fmt: skip


class Shadertoy(Family):
    language = Language.SHADERTOY

    def recognises(self, text: Text) -> bool:
        """A text without its own `main` and `#version`, or with `mainImage` alone.

        A `mainImage` next to a `main` that is only there under an `#if` is a Shadertoy body which
        also runs on another site; with the roles swapped it is complete GLSL.
        """
        main, body = _OWN_MAIN.search(text.code), _MAIN_IMAGE.search(text.code)
        version, _ = version_line(text.text)
        if main and body and version < 0:
            own = scanner.depth_at(text.text, main.start())
            return own > scanner.depth_at(text.text, body.start())
        return not main and (version < 0 or body is not None)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """Under `#version 310 es`, then 450; each with samplers for cubes where those may fit."""
        body, declared = _without_builtins(text.bare)
        used = channels(body)
        has_own = _OWN_UNIFORM.search(scanner.blank(body)) is not None
        cursor = _cursor(text)
        rules = Rules(is_relaxed=True) if has_own or cursor else VULKAN
        guesses = cube_guesses(body, used.difference(declared))
        for dialect in _VERSIONS:
            remark = _AS_450 if dialect is Dialect.SHADERTOY_450 else ""
            for cubes in (frozenset(), *guesses):
                samplers = {n: declared.get(n, _guessed(n in cubes)) for n in used}
                source = assemble(body, dialect, samplers, text.defines + cursor)
                yield Attempt(dialect, source, rules, remark=remark)
        newer = sorted(_NEWER_WORDS & text.words)
        if newer:
            names = "".join(f"#define {word} {word}_\n" for word in newer)
            samplers = {n: declared.get(n, _SAMPLER) for n in used}
            source = assemble(
                body, Dialect.SHADERTOY_ES310, samplers, text.defines + cursor + names
            )
            yield Attempt(Dialect.SHADERTOY_ES310, source, rules, remark=_RENAMED)

    def hint(self, text: Text) -> str:
        if _MAIN_IMAGE.search(text.code):
            return ""
        return "without mainImage this is a part of a shader, for others to include"


def _cursor(text: Text) -> str:
    """Declarations of what Ghostty adds to Shadertoy's inputs, where the text has none."""
    return "".join(
        f"uniform {kind} {name};\n"
        for name, kind in _CURSOR.items()
        if name in text.words and not re.search(rf"\buniform\s+\w+\s+{name}\b", text.code)
    )


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


def _guessed(is_cube: bool) -> str:
    return "samplerCube" if is_cube else _SAMPLER


def assemble(
    text: str,
    dialect: Dialect,
    samplers: Mapping[int, str] = MappingProxyType({}),
    defines: str = "",
) -> str:
    """What glslang compiles: the expanded text, unchanged, with what its dialect adds before it.

    `samplers` by channel, as `samplerCube`: they are declared as set 0, bindings 1..4; a text
    without them compiles to exactly the paper's module.
    """
    declarations = "".join(
        f"layout(set = 0, binding = {n + 1}) uniform highp {samplers[n]} iChannel{n};\n"
        for n in sorted(samplers)
    )
    is_cube = _MAIN_CUBEMAP.search(scanner.blank(text)) is not None
    head = (
        f'#version {_VERSIONS[dialect]}\n{LINE_NAMES}\n#line 1 "{PRELUDE}"\n'
        f"{_prelude()}{declarations}{defines}{_cube_prelude() if is_cube else ''}"
    )
    body = f'#line 1 "{DOCUMENT}"\n{text}\n'
    if is_cube:
        return f'{head}{body}#line 1 "{PRELUDE}"\n{_CUBE_MAIN}'
    if dialect is Dialect.SHADERTOY_ES310:
        return f"{head}{_MAIN_IMAGE_DECLARATION}{_MAIN}{body}"
    return f'{head}{body}#line 1 "{PRELUDE}"\n{_MAIN}'


def _without_builtins(text: str) -> tuple[str, dict[int, str]]:
    """A text that declares what the prelude declares, without those declarations and `#version`.

    Also the types of the channels that it declares.
    """
    index, _ = version_line(text)
    if index >= 0:
        text = without_line(text, index)
    code = scanner.blank(text)
    samplers: dict[int, str] = {}
    kept, end = [], 0
    for match in _OWN_UNIFORM.finditer(code):
        declared = (match["type"], (match["length"] or "").replace(" ", ""))
        channel = _CHANNEL.fullmatch(match["name"])
        if channel and match["type"] in _SAMPLERS:
            samplers[int(channel[1])] = match["type"]
        elif _builtins().get(match["name"]) != declared:
            continue
        kept += [text[end : match.start()], _INK.sub(" ", match.group())]
        end = match.end()
    return "".join([*kept, text[end:]]), samplers


@cache
def _builtins() -> dict[str, tuple[str, str]]:
    """Type and array length of every uniform of the prelude."""
    return {name: (kind, length) for kind, name, length in _MEMBER.findall(_prelude())}


@cache
def _prelude() -> str:
    return _resource("shadertoy_prelude.glsl")


@cache
def _cube_prelude() -> str:
    return _resource("shadertoy_cube.glsl")


def _resource(name: str) -> str:
    return (locations.resources() / "glsl" / name).read_text(encoding="utf-8")
