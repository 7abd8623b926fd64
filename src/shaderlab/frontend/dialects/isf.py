"""Interactive Shader Format: GLSL under a JSON header in a comment (https://docs.isf.video).

The header declares the inputs, with defaults and ranges, and the buffers of earlier passes; the
format adds variables and macros of its own.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from shaderlab.frontend.dialects import opengl
from shaderlab.frontend.dialects.family import Attempt, Family, Text, not_included
from shaderlab.frontend.program import Diagnostic, Dialect, Given, Severity, Value
from shaderlab.frontend.reading import Language

MAX_INPUTS = 256

_HEADER = re.compile(r"\s*/\*(.*?)\*/", re.S)
_NAME = re.compile(r"[A-Za-z_]\w{0,127}")
_TYPES = {"event": "bool", "bool": "bool", "long": "int", "float": "float", "point2D": "vec2",
          "color": "vec4", "image": "sampler2D", "audio": "sampler2D",
          "audioFFT": "sampler2D"}  # fmt: skip
_COMPONENTS = {"vec2": 2, "vec4": 4}

_PRELUDE = """\
uniform int PASSINDEX;
uniform vec2 RENDERSIZE;
uniform float TIME;
uniform float TIMEDELTA;
uniform vec4 DATE;
uniform int FRAMEINDEX;
#define isf_FragNormCoord (gl_FragCoord.xy / RENDERSIZE)
#define vv_FragNormCoord isf_FragNormCoord
#define IMG_SIZE(image) vec2(textureSize(image, 0))
#define IMG_NORM_PIXEL(image, at) texture(image, at)
#define IMG_PIXEL(image, at) texture(image, (at) / IMG_SIZE(image))
#define IMG_THIS_NORM_PIXEL(image) texture(image, isf_FragNormCoord)
#define IMG_THIS_PIXEL(image) texture(image, isf_FragNormCoord)
"""


class Isf(Family):
    language = Language.ISF

    def recognises(self, text: Text) -> bool:
        return header_of(text.text) is not None

    def attempts(self, text: Text) -> Iterator[Attempt]:
        header = header_of(text.text) or Header()
        declared = "".join(f"uniform {kind} {name};\n" for name, kind in header.uniforms.items())
        return opengl.attempts(text, Dialect.ISF, _PRELUDE + declared)

    def given(self, text: Text) -> Mapping[str, Given]:
        header = header_of(text.text)
        return header.given if header else {}

    def left_out(self, text: Text) -> Diagnostic | None:
        header = header_of(text.text) or Header()
        first, *others = [each.target for each in header.passes] or [""]
        if not others:
            return None
        named = f" ({first})" if first else ""
        rest = not_included([each or "the shown one" for each in others])
        says = f"Only 1 of {len(header.passes)} passes{named} is rendered and costed; {rest}"
        return Diagnostic(1, 0, Severity.NOTE, says)

    def is_part(self, text: Text) -> bool:
        header = header_of(text.text)
        return header is not None and len(header.passes) > 1


@dataclass(frozen=True)
class IsfPass:
    """One entry of PASSES."""

    target: str = ""
    """Name of the picture it draws into; empty where that is the one that is shown."""
    width: str = ""
    """Expression; empty for the frame's."""
    height: str = ""
    is_float: bool = False


@dataclass
class Header:
    """The JSON at a text's start."""

    passes: list[IsfPass] = field(default_factory=list)
    imported: dict[str, str] = field(default_factory=dict)
    """Path of each picture that is to be loaded, by its name."""
    uniforms: dict[str, str] = field(default_factory=dict)
    """Type by name."""
    given: dict[str, Given] = field(default_factory=dict)


def header_of(text: str) -> Header | None:
    """What the JSON at the text's start declares; None where there is none."""
    match = _HEADER.match(text)
    if match is None or not match[1].lstrip().startswith("{"):
        return None
    try:
        held = json.loads(match[1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict) or not {"INPUTS", "ISFVSN", "PASSES", "CATEGORIES"} & set(held):
        return None
    header = Header()
    for entry in _entries(held.get("INPUTS")):
        name, kind = entry.get("NAME"), entry.get("TYPE")
        if _is_name(name) and isinstance(kind, str) and kind in _TYPES:
            header.uniforms[name] = _TYPES[kind]
            header.given[name] = _given(entry, _TYPES[kind])
    buffers = held.get("PERSISTENT_BUFFERS")  # where version 1 of the format has the sizes
    for entry in _entries(held.get("PASSES")):
        target = entry["TARGET"] if _is_name(entry.get("TARGET")) else ""
        buffer = buffers.get(target) if isinstance(buffers, dict) else None
        its = {**buffer, **entry} if isinstance(buffer, dict) else entry
        width, height = (str(its.get(side, "")) for side in ("WIDTH", "HEIGHT"))
        header.passes.append(IsfPass(target, width, height, bool(its.get("FLOAT"))))
        if target:
            header.uniforms.setdefault(target, "sampler2D")
    for key in ("IMPORTED", "PERSISTENT_BUFFERS"):
        for name in _names(held.get(key)):
            header.uniforms.setdefault(name, "sampler2D")
    header.imported.update(_imported(held.get("IMPORTED")))
    return header


def _imported(held: object) -> Iterator[tuple[str, str]]:
    if isinstance(held, dict):
        entries = [{"NAME": name, **each} for name, each in held.items() if isinstance(each, dict)]
    else:
        entries = _entries(held)
    for each in entries[:MAX_INPUTS]:
        if _is_name(each.get("NAME")) and isinstance(each.get("PATH"), str):
            yield each["NAME"], each["PATH"]


def _names(held: object) -> list[str]:
    """Names of pictures: the keys of an object, or a list of names or of objects with a NAME."""
    parts = list(held)[:MAX_INPUTS] if isinstance(held, dict | list) else []
    names = [part.get("NAME") if isinstance(part, dict) else part for part in parts]
    return [name for name in names if _is_name(name)]


def _entries(held: object) -> list[dict]:
    entries = held if isinstance(held, list) else []
    return [entry for entry in entries[:MAX_INPUTS] if isinstance(entry, dict)]


def _is_name(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _given(entry: dict, kind: str) -> Given:
    label = entry.get("LABEL")
    numbers, names = entry.get("VALUES"), entry.get("LABELS")
    choices: tuple[tuple[str, int], ...] = ()
    if isinstance(numbers, list) and isinstance(names, list) and len(numbers) == len(names):
        pairs = zip(names[:MAX_INPUTS], numbers, strict=False)
        choices = tuple((n[:200], v) for n, v in pairs if isinstance(n, str) and isinstance(v, int))
    return Given(
        _value(entry.get("DEFAULT"), kind),
        _value(entry.get("MIN"), kind),
        _value(entry.get("MAX"), kind),
        label=label[:200] if isinstance(label, str) else "",
        choices=choices,
    )


def _value(held: object, kind: str) -> Value | None:
    parts = held if isinstance(held, list) else [held]
    if len(parts) != _COMPONENTS.get(kind, 1) or kind == "sampler2D":
        return None
    numbers = []
    for part in parts:
        if not isinstance(part, int | float) or abs(part) > 1e30 or not math.isfinite(part):
            return None
        numbers.append(part)
    if kind == "bool":
        return bool(numbers[0])
    if kind == "int":
        return int(numbers[0])
    return float(numbers[0]) if kind == "float" else tuple(map(float, numbers))
