"""Complete GLSL with its own `main`, by the rules of Vulkan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shaderlab.frontend.dialects import graphicsfuzz, opengl, unreadable
from shaderlab.frontend.dialects.family import LINE_NAMES, Attempt, Family, Text, version_line
from shaderlab.frontend.program import Dialect, Given
from shaderlab.frontend.reading import Language
from shaderlab.frontend.toolchain.interface import Rules
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_VERSION = "450"
_OWN = re.compile(
    r"\bset\s*=|\bpush_constant\b|\bconstant_id\b|\binput_attachment_index\b|\bsubpassInput|"
    r"\buniform\s+(?:[iu]?texture\w+|sampler(?:Shadow)?)\s+\w"
)


class Vulkan(Family):
    language = Language.GLSL

    def recognises(self, text: Text) -> bool:
        return is_vulkan(text) or not opengl.is_opengl(text)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """As it is; then with locations and bindings for what has none, as OpenGL allows."""
        source = complete(text.bare, text.defines)
        yield Attempt(Dialect.GLSL, source, Rules(text.stage))
        if is_vulkan(text) or text.reading.language is Language.GLSL:
            yield Attempt(Dialect.GLSL, source, Rules(text.stage, is_relaxed=True))
        else:
            yield from opengl.attempts(text)

    def given(self, text: Text) -> Mapping[str, Given]:
        return graphicsfuzz.given(text.beside)

    def hint(self, text: Text) -> str:
        return unreadable.other_stage(text)


def is_vulkan(text: Text) -> bool:
    """Whether it has what only Vulkan's GLSL has."""
    return _OWN.search(text.code) is not None


def complete(text: str, defines: str = "") -> str:
    """The text with named `#line`s, which must follow its own `#version`, which must come first."""
    index, _ = version_line(text)
    if index >= 0:
        lines = text.split("\n")
        head = lines[: index + 1]
        added = f'#line 1 "{PRELUDE}"\n{defines}'.rstrip("\n") if defines else ""
        named = [LINE_NAMES, *([added] if added else []), f'#line {index + 2} "{DOCUMENT}"']
        return "\n".join([*head, *named, *lines[index + 1 :], ""])
    added = f'#line 1 "{PRELUDE}"\n{defines}' if defines else ""
    return f'#version {_VERSION}\n{LINE_NAMES}\n{added}#line 1 "{DOCUMENT}"\n{text}\n'
