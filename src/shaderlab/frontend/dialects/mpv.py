"""Hooks of mpv and libplacebo: `vec4 hook()` under a head of `//!` lines.

mpv's manual, "Custom shaders": the head names the textures that the hook reads, each of which has
functions and a size; libplacebo's documentation adds `//!PARAM`.  A hook of one stage that draws as
many pixels as it reads is run, as if its `//!WHEN` held; what has more stages, other sizes, or data
of its own is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from shaderlab.frontend.dialects import literals, opengl
from shaderlab.frontend.dialects.family import Attempt, Family, Text, not_included
from shaderlab.frontend.program import Diagnostic, Dialect, Given, Severity
from shaderlab.frontend.reading import Language
from shaderlab.spirv.source_lines import PRELUDE

_HEAD = re.compile(r"//!\s*(\w+)[ \t]*(.*?)\s*")
_HOOKED = re.compile(r"^//!HOOK[ \t]+\w", re.M)
_NAME = re.compile(r"[A-Za-z_]\w{0,127}")
_MOST = 256
_TYPES = {"float": "float", "int": "int", "uint": "uint"}
_SAME_SIZE = {"WIDTH": "HOOKED.w", "HEIGHT": "HOOKED.h"}

_PRELUDE = """\
uniform vec2 HOOKED_size;
#define input_size HOOKED_size
#define target_size HOOKED_size
#define tex_offset vec2(0.0)
"""
_WITH = {"frame": "uniform int frame;\n", "random": "uniform float random;\n"}
"""What is added for texts that mention it."""
_OF_TEXTURE = """\
uniform sampler2D NAME_raw;
#define NAME_pos (gl_FragCoord.xy / HOOKED_size)
#define NAME_pt (1.0 / NAME_size)
#define NAME_rot mat2(1.0)
#define NAME_off vec2(0.0)
#define NAME_mul 1.0
#define NAME_tex(at) texture(NAME_raw, at)
#define NAME_texOff(offset) texture(NAME_raw, NAME_pos + NAME_pt * (offset))
#define NAME_gather(at, component) textureGather(NAME_raw, at, component)
"""
_AFTER = f"""
#line 1 "{PRELUDE}"
layout(location = 0) out vec4 shaderlab_color;
void main() {{ shaderlab_color = hook(); }}"""


@dataclass
class _Block:
    """One head and what follows it."""

    head: dict[str, list[str]] = field(default_factory=dict)
    """Arguments by directive, in capitals."""
    begin: int = 0
    """Index of the line behind the head."""
    end: int = 0


class Mpv(Family):
    language = Language.MPV

    def recognises(self, text: Text) -> bool:
        return _HOOKED.search(text.text) is not None

    def attempts(self, text: Text) -> Iterator[Attempt]:
        if _refusal(text.text):
            return
        lines = text.text.split("\n")
        declared = [its for name, its in _WITH.items() if name in text.words]
        for block in _blocks(text.text):
            for name in dict.fromkeys(block.head.get("BIND", ())):
                size = f"#define {name}_size vec2(textureSize({name}_raw, 0))\n"
                declared.append(_OF_TEXTURE.replace("NAME", name))
                declared.append("" if name == "HOOKED" else size)
            if "PARAM" in block.head:
                name, kind = block.head["PARAM"][0], _kind(block)
                value = " ".join(lines[block.begin : block.end]).strip()
                lines[block.begin : block.end] = [""] * (block.end - block.begin)
                is_macro = kind == "DEFINE"
                declared.append(
                    f"#define {name} {value}\n" if is_macro else f"uniform {kind} {name};\n"
                )
        own = replace(text, text="\n".join(lines))
        yield from opengl.attempts(own, Dialect.MPV, _PRELUDE + "".join(declared), _AFTER)

    def given(self, text: Text) -> Mapping[str, Given]:
        lines = text.text.split("\n")
        found = {}
        for block in _blocks(text.text):
            if "PARAM" in block.head and (kind := _kind(block)) in _TYPES:
                written = " ".join(lines[block.begin : block.end])
                least, most = (block.head.get(word, [""])[0] for word in ("MINIMUM", "MAXIMUM"))
                found[block.head["PARAM"][0]] = Given(
                    literals.value(written, kind),
                    literals.value(least, kind),
                    literals.value(most, kind),
                )
        return found

    def left_out(self, text: Text) -> Diagnostic | None:
        first, *others = _hooked(text.text) or [""]
        if not others:
            return None
        count = 1 + len(others)
        says = f"Only 1 of {count} hooks ({first}) is rendered and costed; {not_included(others)}"
        return Diagnostic(1, 0, Severity.NOTE, says)

    def is_part(self, text: Text) -> bool:
        return len(_hooked(text.text)) > 1

    def hint(self, text: Text) -> str:
        return _refusal(text.text)


@lru_cache(maxsize=4)  # a compile asks several times about one text
def _blocks(text: str) -> tuple[_Block, ...]:
    found: list[_Block] = []
    is_head = False
    for index, line in enumerate(text.split("\n")):
        match = _HEAD.fullmatch(line.rstrip()) if line.startswith("//!") else None
        if match:
            if not is_head and len(found) < _MOST:
                found.append(_Block())
            found[-1].head.setdefault(match[1].upper(), []).append(match[2])
            found[-1].begin = index + 1
        is_head = match is not None
        if found:
            found[-1].end = index + 1
    return tuple(found)


def _hooked(text: str) -> list[str]:
    """What its stages hook, each once."""
    names = (name for block in _blocks(text) for name in block.head.get("HOOK", ()))
    return list(dict.fromkeys(names))


def _kind(block: _Block) -> str:
    words = block.head.get("TYPE", ["float"])[0].split()
    return words[-1] if words else "float"


def _refusal(text: str) -> str:
    """Why a hook is not run; empty where it is."""
    blocks = _blocks(text)
    stages = [block for block in blocks if "HOOK" in block.head]
    lacks = ""
    if len(stages) != 1:
        lacks = "hooks of one stage are run"
    elif "COMPUTE" in stages[0].head:
        lacks = "its stage is a compute shader (COMPUTE)"
    elif any(stages[0].head.get(word, [its])[0] != its for word, its in _SAME_SIZE.items()):
        lacks = "its stage has a size of its own (WIDTH, HEIGHT)"
    for block in blocks:
        names = [*block.head.get("BIND", ()), *block.head.get("PARAM", ())]
        if word := next((each for each in ("TEXTURE", "BUFFER") if each in block.head), ""):
            lacks = lacks or f"it brings data of its own ({word})"
        elif not all(map(_NAME.fullmatch, names)):
            lacks = lacks or "a name in its head is none"
        elif "PARAM" in block.head and (
            _kind(block) not in {*_TYPES, "DEFINE"} or "ENUM" in block.head.get("TYPE", [""])[0]
        ):
            lacks = lacks or f"its parameter {names[-1]} is of the type {_kind(block)}"
    if not lacks:
        return ""
    count = f"{len(stages)} stages" if len(stages) > 1 else "1 stage"
    named = ", ".join(_hooked(text))
    return f"this is a hook of mpv with {count} ({named}), which is not run: {lacks}"
