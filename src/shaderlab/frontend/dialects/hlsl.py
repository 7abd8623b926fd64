"""HLSL: through glslang to shader model 5, through dxc, where it is installed, beyond."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shaderlab.frontend.dialects import external
from shaderlab.frontend.dialects.entry_points import (
    candidates,
    entry_point,
    functions,
    likely_stage,
    no_entry,
)
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.dialects.hlsl_registers import BUFFERS, WithReadOnlyBuffers
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.interface import Rules
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_SUFFIXES = frozenset({"hlsl", "hlsli", "fx", "fxh", "psh", "ps"})
_OWN = re.compile(
    r":\s*SV_\w+|\bcbuffer\s+\w+|\bSamplerState\s+\w+|\bTexture(?:2D|3D|Cube)\w*\s*[<\s]\s*\w+|"
    r"\[\s*(?:shader|numthreads)\s*\(|\bConstantBuffer\s*<"
)
_TYPE = re.compile(r"\bfloat[234](?:x[234])?\b")
_GLSL = re.compile(
    r"^[ \t]*#[ \t]*(?:version\b|define[ \t]+float[234]\b)|\bgl_\w+|\blayout\s*\(|\bmainImage\s*\(|"
    r"\b[iu]?vec[234]\b",
    re.M,
)


_DX9_LOOKUPS = frozenset(
    f"tex{shape}{kind}"
    for shape in ("1D", "2D", "3D", "CUBE")
    for kind in ("", "lod", "bias", "grad", "proj")
)
# What describes a shader to Direct3D's effect files and to other compilers, and is no part of it.
_APART = re.compile(
    r"\[\s*shader\s*\([^)]*\)\s*\]|(?<==)\s*sampler_state\s*\{[^{}]*\}|"
    r"\btechnique\w*\b[^;{}]{0,500}\{(?:[^{}]|\{[^{}]*\})*\}|"
    r"^[ \t]*(?:texture|Texture)[ \t]+\w+[^;()]*;",
    re.M,
)
_LACKING = {
    "select": "(condition, a, b) ((condition) ? (a) : (b))",
    "NonUniformResourceIndex": "(index) (index)",
}
_INK = re.compile(r"[^\n]")


class Hlsl(Family):
    language = Language.HLSL

    def recognises(self, text: Text) -> bool:
        if text.suffix in _SUFFIXES:
            return True
        has_marks = _OWN.search(text.code) or _TYPE.search(text.code)
        return bool(has_marks) and not _GLSL.search(text.code)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """Unoptimised, then with calls inlined, which some texts need; then by dxc."""
        entry = entry_point(text)
        if not entry:
            return
        added = text.defines + _newer(text)
        source = f'#line 1 "{PRELUDE}"\n{added}#line 1 "{DOCUMENT}"\n{_code(text)}\n'
        apart = "register" in text.words and "vk" not in text.words
        for is_legalized in (False, True):
            rules = Rules(
                text.stage,
                is_hlsl=True,
                entry=entry,
                are_registers_apart=apart,
                has_dx9_samplers=not _DX9_LOOKUPS.isdisjoint(text.words),
                is_legalized=is_legalized,
            )
            kind = WithReadOnlyBuffers if apart and text.words & BUFFERS else Attempt
            yield kind(Dialect.HLSL, source, rules, entry)
        if external.DXC.is_installed and text.stage in external.DXC_PROFILES:
            yield external.dxc(source, text, entry)

    def stage(self, text: Text) -> Stage:
        named = super().stage(text)
        return likely_stage(text) if named is Stage.FRAGMENT else named

    def entry_points(self, text: Text) -> tuple[str, ...]:
        return candidates(text)

    def hint(self, text: Text) -> str:
        if not entry_point(text):
            return no_entry(text)
        if external.DXC.is_installed:
            return ""
        return (
            "glslang reads HLSL to shader model 5.0; what is newer is read by dxc, where that is"
            " on PATH"
        )


def _code(text: Text) -> str:
    """The text for glslang: without comments, and without what only Direct3D's runtime reads."""
    blanked = _APART.sub(lambda match: _INK.sub(" ", match.group()), text.bare)
    return re.sub(r"=(?=\s*;)", " ", blanked) if "sampler_state" in text.words else blanked


def _newer(text: Text) -> str:
    """Functions of HLSL that glslang lacks, where the text calls them."""
    own = {each.name for each in functions(text)}
    return "".join(
        f"#define {name}{meaning}\n"
        for name, meaning in _LACKING.items()
        if name in text.words and name not in own
    )
