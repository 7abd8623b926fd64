"""HLSL: through glslang to shader model 5, through dxc, where it is installed, beyond."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from shaderlab.frontend.dialects import external
from shaderlab.frontend.dialects.entry_points import (
    candidates,
    entry_point,
    functions,
    likely_stage,
    no_entry,
)
from shaderlab.frontend.dialects.family import Attempt, Family, Text, not_included
from shaderlab.frontend.dialects.hlsl_corrections import BUFFERS, PREFIXES, Corrected
from shaderlab.frontend.program import Diagnostic, Dialect, Severity
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
_TECHNIQUE = re.compile(
    r"\btechnique(?:10|11)?\b\s*(?P<name>\w*)[^;{}]{0,500}\{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}"
)
_PASS = re.compile(r"\bpass\b\s*(?P<name>\w*)[^;{}]{0,500}\{(?P<body>[^{}]*)\}", re.I)
_PIXEL_SHADER = re.compile(
    r"\bPixel_?Shader\s*=\s*(?:compile\s+\w+\s+)?(\w+)"
    r"|\bSetPixelShader\s*\(\s*(?:CompileShader\s*\(\s*\w+\s*,\s*)?(\w+)",
    re.I,
)


class Hlsl(Family):
    language = Language.HLSL

    def recognises(self, text: Text) -> bool:
        if text.suffix in _SUFFIXES:
            return True
        if _GLSL.search(text.code):  # found sooner than that the others have no match
            return False
        return bool(_TYPE.search(text.code) or _OWN.search(text.code))

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """Unoptimised, then with calls inlined, which some texts need; then by dxc."""
        entry = _entry_point(text)
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
            has_buffers = apart and not text.words.isdisjoint(BUFFERS)
            if has_buffers or not text.words.isdisjoint(PREFIXES):
                yield Corrected(Dialect.HLSL, source, rules, entry, "", has_buffers)
            else:
                yield Attempt(Dialect.HLSL, source, rules, entry)
        if external.DXC.is_installed and text.stage in external.DXC_PROFILES:
            yield external.dxc(source, text, entry)

    def stage(self, text: Text) -> Stage:
        named = super().stage(text)
        return likely_stage(text) if named is Stage.FRAGMENT else named

    def entry_points(self, text: Text) -> tuple[str, ...]:
        return candidates(text)

    def left_out(self, text: Text) -> Diagnostic | None:
        """Of an effect: the techniques and the passes that are not drawn."""
        techniques = _techniques(text)
        if not techniques or sum(len(each.passes) for each in techniques) < 2:
            return None
        first, *others = techniques
        drawn, *passes = first.passes
        left = [f"{each.shown} of {first.shown}" for each in passes]
        left += [each.shown for each in others]
        counted = f"1 of {len(first.passes)} passes of {first.shown}" if passes else first.shown
        of = f", 1 of {len(techniques)} techniques," if others else ""
        says = (
            f"Only {counted}{of} is rendered and costed ({drawn.pixel_shader}); "
            f"{not_included(left)} (--entry NAME runs another function)"
        )
        return Diagnostic(drawn.line, 0, Severity.NOTE, says)

    def is_part(self, text: Text) -> bool:
        techniques = _techniques(text)
        return bool(techniques) and len(techniques[0].passes) > 1

    def hint(self, text: Text) -> str:
        if not _entry_point(text):
            return no_entry(text)
        if external.DXC.is_installed:
            return ""
        return "glslang reads HLSL up to shader model 5.0; newer HLSL needs dxc on PATH"


class _Pass(NamedTuple):
    shown: str
    pixel_shader: str
    """Name of the function."""
    line: int


class _Technique(NamedTuple):
    shown: str
    passes: tuple[_Pass, ...]
    """Those with a pixel shader of the text; at least one."""


def _techniques(text: Text) -> list[_Technique]:
    """Of an effect file, in the order of the text; empty where the user chose a function."""
    if text.reading.entry or text.stage is not Stage.FRAGMENT or "echnique" not in text.code:
        return []
    own = {each.name for each in functions(text)}
    found = []
    for number, technique in enumerate(_TECHNIQUE.finditer(text.code), 1):
        passes = []
        for at, each in enumerate(_PASS.finditer(technique["body"]), 1):
            match = _PIXEL_SHADER.search(each["body"])
            name = (match[1] or match[2]) if match else ""
            if name in own:
                begin = technique.start("body") + each.start()
                line = text.code.count("\n", 0, begin) + 1
                passes.append(_Pass(f"pass {each['name'] or at}", name, line))
        if passes:
            found.append(_Technique(f"technique {technique['name'] or number}", tuple(passes)))
    return found


def _entry_point(text: Text) -> str:
    """That of the first technique's first pass, where a text has any."""
    techniques = _techniques(text)
    return techniques[0].passes[0].pixel_shader if techniques else entry_point(text)


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
