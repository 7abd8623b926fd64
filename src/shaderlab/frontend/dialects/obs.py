"""Effects of OBS Studio, and the shorter `.shader` files of its shaderfilter.

libobs' documentation, "Effects": HLSL with lower-case types, annotations behind uniforms, and
techniques; obs-shaderfilter's README: a text with `mainImage` alone is put between its own lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from shaderlab.frontend.dialects.family import Attempt, Family, Text, not_included
from shaderlab.frontend.program import Diagnostic, Dialect, Severity
from shaderlab.frontend.reading import Language
from shaderlab.frontend.toolchain.interface import Rules
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_SUFFIXES = frozenset({"shader", "effect"})
_MARKS = frozenset({"texture2d", "VertData", "sampler_state"})
_INK = re.compile(r"[^\n]")
_TECHNIQUE = re.compile(r"\btechnique\s+(\w+)[^;{}]{0,500}\{((?:[^{}]|\{[^{}]*\})*)\}")
_PIXEL_SHADER = re.compile(r"\bpixel_shader\s*=\s*(\w+)")
_ANNOTATION = re.compile(r"(?P<kept>\buniform\s+\w+\s+\w+(?:\s*\[[^\]]*\])?\s*)(?P<said><[^<>]*>)")
_WORDS = re.compile(r"\buniform\s+string\b[^;]*;")
_SAMPLER = re.compile(r"\bsampler_state\s+(\w+)\s*\{([^{}]*)\}")
_TYPES = """\
#define texture2d Texture2D
#define texture3d Texture3D
#define texture_cube TextureCube
#define POSITION SV_Position
#define TARGET SV_Target
#define COLOR COLOR0
"""
_VERTEX = "struct VertData { float4 pos : SV_Position; float2 uv : TEXCOORD0; };\n"
_LINEAR = """\
float srgb_nonlinear_to_linear_channel(float u) {
    return u <= 0.04045 ? u / 12.92 : pow((u + 0.055) / 1.055, 2.4);
}
float3 srgb_nonlinear_to_linear(float3 v) {
    return float3(srgb_nonlinear_to_linear_channel(v.r), srgb_nonlinear_to_linear_channel(v.g),
                  srgb_nonlinear_to_linear_channel(v.b));
}
"""
"""What the filter has for texts that mention it; the curve is IEC 61966-2-1's."""
_GIVEN = {
    "image": "Texture2D", "previous_image": "Texture2D", "previous_output": "Texture2D",
    "ViewProj": "float4x4", "color_matrix": "float4x4", "elapsed_time": "float",
    "elapsed_time_start": "float", "elapsed_time_show": "float", "elapsed_time_active": "float",
    "elapsed_time_enable": "float", "local_time": "float", "loop_second": "float",
    "rand_f": "float", "rand_instance_f": "float", "rand_activation_f": "float",
    "uv_offset": "float2", "uv_scale": "float2", "uv_size": "float2",
    "uv_pixel_interval": "float2", "loops": "int", "textureSampler": "SamplerState",
    "base_sampler": "SamplerState", "pointClampSampler": "SamplerState",
}  # fmt: skip
"""What the filter declares above a text that has only `mainImage`."""


class _Technique(NamedTuple):
    name: str
    pixel_shaders: tuple[str, ...]
    """Of its passes."""


class Obs(Family):
    language = Language.OBS

    def recognises(self, text: Text) -> bool:
        return text.suffix in _SUFFIXES and not _MARKS.isdisjoint(text.words)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """Unoptimised, then with calls inlined, which textures as arguments need."""
        prelude = text.defines + _TYPES
        if not _techniques(text):
            own = set(re.findall(r"\b(?:uniform|sampler_state)\s+(?:\w+\s+)?(\w+)", text.code))
            wanted = [name for name in _GIVEN if name in text.words and name not in own]
            prelude += "".join(f"uniform {_GIVEN[name]} {name};\n" for name in wanted)
            prelude = prelude.replace("uniform SamplerState", "SamplerState")
            prelude += "" if re.search(r"\bstruct\s+VertData\b", text.code) else _VERTEX
            names = ("srgb_nonlinear_to_linear", "srgb_nonlinear_to_linear_channel")
            called = any(name in text.words for name in names)
            is_own = any(re.search(rf"\bfloat3?\s+{name}\s*\(", text.code) for name in names)
            prelude += _LINEAR if called and not is_own else ""
        source = f'#line 1 "{PRELUDE}"\n{prelude}#line 1 "{DOCUMENT}"\n{_code(text)}\n'
        entry = _entry_point(text)
        for is_legalized in (False, True):
            rules = Rules(text.stage, is_hlsl=True, entry=entry, is_legalized=is_legalized)
            yield Attempt(Dialect.HLSL, source, rules, entry)

    def left_out(self, text: Text) -> Diagnostic | None:
        """The techniques and the passes that are not drawn."""
        techniques = [] if text.reading.entry else _techniques(text)
        passes = [(each.name, name) for each in techniques for name in each.pixel_shaders]
        if len(passes) < 2:
            return None
        (technique, drawn), *others = passes
        says = (
            f"Only {drawn} of technique {technique} is rendered and costed; "
            f"{not_included([f'{name} of {of}' for of, name in others])}"
        )
        return Diagnostic(1, 0, Severity.NOTE, says)

    def is_part(self, text: Text) -> bool:
        techniques = _techniques(text)
        return bool(techniques) and len(techniques[0].pixel_shaders) > 1


def _techniques(text: Text) -> list[_Technique]:
    """Those with a pixel shader."""
    found = [
        _Technique(match[1], tuple(_PIXEL_SHADER.findall(match[2])))
        for match in _TECHNIQUE.finditer(text.code)
    ]
    return [each for each in found if each.pixel_shaders]


def _entry_point(text: Text) -> str:
    techniques = _techniques(text)
    first = techniques[0].pixel_shaders[0] if techniques else "mainImage"
    return text.reading.entry or first


def _code(text: Text) -> str:
    """The text without comments, annotations, techniques and words for the user; lines stay."""

    def blanked(match: re.Match[str]) -> str:
        return _INK.sub(" ", match[0])

    def sampler(match: re.Match[str]) -> str:
        return f"SamplerState {match[1]}" + "\n" * match[0].count("\n")

    code = _ANNOTATION.sub(lambda m: m["kept"] + _INK.sub(" ", m["said"]), text.code)
    for pattern in (_TECHNIQUE, _WORDS):
        code = pattern.sub(blanked, code)
    return _SAMPLER.sub(sampler, code)
