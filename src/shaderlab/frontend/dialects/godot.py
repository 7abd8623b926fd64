"""Godot's shading language: GLSL with processor functions and hints, completed by the engine.

What runs for each pixel (`fragment`, of a sky `sky`) is compiled with variables in place of Godot's
built-ins.  What the engine adds to it (lights, shadows, fog, tone mapping) and the functions that
run elsewhere (`vertex`, `light`) are not: a note says so.  Source: the Godot documentation,
"Shading language".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from shaderlab.frontend import scanner
from shaderlab.frontend.dialects import godot_builtins, literals
from shaderlab.frontend.dialects.family import Attempt, Family, Text, below, not_included
from shaderlab.frontend.program import Diagnostic, Dialect, Given, Severity
from shaderlab.frontend.reading import Language
from shaderlab.frontend.toolchain.interface import Rules
from shaderlab.spirv.source_lines import PRELUDE

MOST_FUNCTIONS = 16
"""Of one name: each under an `#if` of its own."""

_BRACE = re.compile(r"[{}]")
_TYPE = re.compile(r"^[ \t]*shader_type\s+(\w+)\s*;", re.M)
_HEAD = re.compile(r"(?:shader_type|render_mode|stencil_mode|group_uniforms)\b[^;]*;")
_UNSHADED = re.compile(r"render_mode\b[^;]*\bunshaded\b")
_UNIFORM = re.compile(
    r"(?:(?:global|instance)\s+)?uniform\s+"
    r"(?P<kept>(?:(?:lowp|mediump|highp)\s+)?(?P<type>\w+)\s*(?:\[[^\]]*\]\s*)?\b(?P<name>\w+)"
    r"\s*(?:\[[^\]]*\])?)(?P<hints>\s*:[^;=]*)?(?P<default>=[^;]*)?;"
)
_VARYING = re.compile(
    r"varying\s+(?P<kept>(?:(?:flat|smooth|lowp|mediump|highp)\s+)*(?P<type>\w+)\s*"
    r"(?:\[[^\]]*\]\s*)?\b(?P<name>\w+)[^;]*);"
)
_BEGINS = re.compile(
    r"\b(?:shader_type|render_mode|stencil_mode|group_uniforms|global|instance|uniform|varying)\b"
)
_CONSTANT = re.compile(
    r"\bconst\s+(?:(?:lowp|mediump|highp)\s+)?\w+\s*(?:\[[^\]]{0,200}\]\s*)?(\w+)"
)
_INTERPOLATION = re.compile(r"\b(?:flat|smooth)\b")
_WRITTEN = re.compile(
    r"(?<![\w.])([A-Za-z_]\w*)(?:\s*(?:\.\s*\w+|\[[^\]=;]{0,200}\])){0,8}\s*"
    r"(?:(?:<<|>>|[-+*/%&|^])?=(?!=)|\+\+|--)"
)
_RANGE = re.compile(r"\bhint_range\s*\(([^()]*)\)")
_FILTER = re.compile(r"\bfilter_(?P<how>nearest|linear)(?P<mipmap>_mipmap)?")
_ENUM = re.compile(r"\bhint_enum\s*\(([^()]*)\)")

_RESERVED = frozenset({
    "active", "asm", "attribute", "buffer", "cast", "centroid", "class", "coherent",
    "common", "double", "enum", "extern", "external", "filter", "fixed", "goto", "half",
    "inline", "input", "interface", "invariant", "layout", "long", "namespace", "noinline",
    "noperspective", "output", "partition", "patch", "precise", "public", "readonly",
    "resource", "restrict", "sample", "shared", "short", "sizeof", "static", "subroutine",
    "superp", "template", "this", "typedef", "union", "unsigned", "using", "volatile",
    "writeonly",
})  # fmt: skip
"""Words of GLSL that are names in Godot."""

_RENDERERS = """\
#define RENDERER_COMPATIBILITY 0
#define RENDERER_MOBILE 1
#define RENDERER_FORWARD_PLUS 2
#define CURRENT_RENDERER RENDERER_FORWARD_PLUS
"""


class Godot(Family):
    language = Language.GODOT

    def recognises(self, text: Text) -> bool:
        return text.suffix == "gdshader" or _TYPE.search(text.code) is not None

    def attempts(self, text: Text) -> Iterator[Attempt]:
        shader = _Shader.of(text)
        if shader is None or shader.function_at is None:
            return
        yield Attempt(Dialect.GODOT, shader.assembled(), Rules(is_relaxed=True))

    def given(self, text: Text) -> Mapping[str, Given]:
        found = {}
        written = scanner.blank(text.text, strings=False)
        shader = _Shader.of(text)
        is_canvas = shader is not None and shader.type_name == "canvas_item"
        for match in _statements(_UNIFORM, text.code):
            hints = written[slice(*match.span("hints"))] if match["hints"] else ""
            if "sampler" in match["type"]:
                given = Given(filter=_filter(hints, is_canvas))
            else:
                given = _given(match["type"], hints, match["default"] or "")
            if given != Given():
                found[match["name"]] = given
        return found

    def left_out(self, text: Text) -> Diagnostic | None:
        shader = _Shader.of(text)
        if shader is None:
            return None
        others = [f"{name}()" for name in shader.kind.left_out if shader.has(name)]
        rest = not_included(("Godot's lighting", *others))
        says = f"Only {shader.kind.function}() is rendered and costed; {rest}"
        return Diagnostic(shader.line, 0, Severity.NOTE, says)

    def hint(self, text: Text) -> str:
        match = _TYPE.search(text.code)
        if match is None:
            return "a Godot shader begins with its type, for example: shader_type canvas_item;"
        if match[1] not in godot_builtins.KINDS:
            known = ", ".join(godot_builtins.KINDS)
            return f"shaders of type {match[1]} run only in Godot; supported here: {known}"
        shader = _Shader.of(text)
        if shader is not None and shader.function_at is None:
            return f"nothing runs for a pixel: there is no {shader.kind.function}()"
        return ""


@dataclass(frozen=True)
class _Shader:
    text: Text
    type_name: str
    kind: godot_builtins.Kind
    line: int
    """Of its `shader_type`, from 1."""

    @classmethod
    def of(cls, text: Text) -> _Shader | None:
        match = _TYPE.search(text.code)
        kind = godot_builtins.KINDS.get(match[1]) if match else None
        if match is None or kind is None:
            return None
        return cls(text, match[1], kind, text.code.count("\n", 0, match.start(1)) + 1)

    @property
    def function_at(self) -> re.Match[str] | None:
        return _function(self.kind.function).search(self.text.code)

    def has(self, function: str) -> bool:
        return _function(function).search(self.text.code) is not None

    def assembled(self) -> str:
        """GLSL for Vulkan, its lines where the text's are."""
        # Of the same length, the first with the names of files in `#line`.
        body, code = scanner.blank(self.text.text, strings=False), self.text.code
        cuts = [*self._cuts(code)]
        for start, end, new in sorted(cuts, reverse=True):
            body = body[:start] + _padded(new, body[start:end]) + body[end:]
        words = set(re.findall(r"[A-Za-z_]\w*", body))
        heads = (match[0] for match in _statements(_HEAD, code))
        is_unshaded = any(_UNSHADED.match(head) for head in heads)
        own = {m["name"] for p in (_UNIFORM, _VARYING) for m in _statements(p, code)}
        own |= set(_CONSTANT.findall(code))
        outputs, show = godot_builtins.shown(self.type_name, words, is_unshaded=is_unshaded)
        before, starts = godot_builtins.declarations(
            self.kind, words | set(re.findall(r"\w+", show)), own
        )
        renamed = "".join(f"#define {word} m_{word}\n" for word in sorted(words & _RESERVED))
        prelude = before + outputs + _RENDERERS + self.text.defines + renamed
        after = (
            f'\n#line 1 "{PRELUDE}"\nvoid main() {{\n{starts}    {self.kind.function}();\n{show}}}'
        )
        return below("450", prelude, body + after)

    def _cuts(self, code: str) -> Iterator[tuple[int, int, str]]:
        """Places of the text, and what stands there instead."""
        removed = [span for name in self.kind.left_out for span in _bodies(name, code)]
        yield from ((start, end, "") for start, end in removed)
        bodies = (code[start:end] for start, end in _bodies(self.kind.function, code))
        written = {match[1] for body in bodies for match in _WRITTEN.finditer(body)}
        for match in _statements(_HEAD, code):
            yield (*match.span(), "")
        for match in _statements(_UNIFORM, code):
            yield (*match.span(), f"uniform {match['kept']};")
        for match in _statements(_VARYING, code):
            if match["name"] in written:
                plain = _INTERPOLATION.sub("", match["kept"])
                yield (*match.span(), f"{plain};")
            else:
                yield (*match.span(), f"in {match['kept']};")


def _statements(pattern: re.Pattern[str], code: str) -> Iterator[re.Match[str]]:
    """Declarations and settings that match, each up to its semicolon."""
    at = 0
    while begin := _BEGINS.search(code, at):
        at = code.find(";", begin.end()) + 1
        if not at:
            return
        if match := pattern.match(code, begin.start(), at):
            yield match


def _function(name: str) -> re.Pattern[str]:
    return re.compile(rf"\bvoid\s+{name}\s*\(\s*\)\s*\{{")


def _bodies(name: str, code: str) -> list[tuple[int, int]]:
    """Where functions of that name stand, each from `void` to its last brace."""
    found = []
    for match in islice(_function(name).finditer(code), MOST_FUNCTIONS):
        depth = 1
        for brace in _BRACE.finditer(code, match.end()):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                found.append((match.start(), brace.end()))
                break
    return found


def _padded(new: str, old: str) -> str:
    """As many lines as before."""
    return new + "\n" * (old.count("\n") - new.count("\n"))


def _filter(hints: str, is_canvas: bool) -> str:
    """Of a texture.  Godot's own: linear in a canvas item, elsewhere with mip levels."""
    match = _FILTER.search(hints)
    if match is None:
        return "linear" if is_canvas else "mipmap"
    return "mipmap" if match["mipmap"] else match["how"]


def _given(kind: str, hints: str, default: str) -> Given:
    limits = _RANGE.search(hints)
    least, most, step = None, None, None
    if limits:
        parts = [literals.value(part, kind) for part in limits[1].split(",")]
        least, most, step = (*parts, None, None, None)[:3]
    choices = []
    if listed := _ENUM.search(hints):
        for number, part in enumerate(re.findall(r'"([^"\n]*)"', listed[1])):
            label, _, own = part.rpartition(":")
            has_own = bool(label) and own.strip().lstrip("-").isdigit()
            choices.append((label, int(own)) if has_own else (part, number))
    value = literals.value(default.lstrip("= \t\n"), kind) if default else None
    return Given(value, least, most, step, choices=tuple(choices))
