"""Hooks of mpv and libplacebo: `vec4 hook()` under a head of `//!` lines.

mpv's manual, "Custom shaders": the head names the textures that the hook reads, each of which has
functions and a size; libplacebo's documentation adds `//!PARAM`.  A hook of one stage that draws as
many pixels as it reads is run by itself, as if its `//!WHEN` held; of others one stage is chosen by
its number, as `projects.communities.hooks` does for all of them.
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
HOOKS = (
    "RGB", "LUMA", "CHROMA", "ALPHA", "XYZ", "CHROMA_SCALED", "ALPHA_SCALED", "NATIVE",
    "MAINPRESUB", "MAIN", "LINEAR", "SIGMOID", "PREKERNEL", "POSTKERNEL", "SCALED", "PREOUTPUT",
    "OUTPUT",
)  # fmt: skip
"""What can be hooked, in the order in which mpv draws it."""
_TYPES = {"float": "float", "int": "int", "uint": "uint"}
_SAME_SIZE = {"WIDTH": "HOOKED.w", "HEIGHT": "HOOKED.h"}

_PRELUDE = """\
uniform vec2 HOOKED_size;
#define input_size HOOKED_size
#define target_size HOOKED_size
#define shaderlab_size HOOKED_size
#define tex_offset vec2(0.0)
"""
_PRELUDE_OF_ONE = """\
uniform vec2 shaderlab_size;
uniform vec2 input_size;
uniform vec2 target_size;
#define tex_offset vec2(0.0)
"""
"""Of one stage of several, which draws another number of pixels than it reads."""
_WITH = {"frame": "uniform int frame;\n", "random": "uniform float random;\n"}
"""What is added for texts that mention it."""
_OF_TEXTURE = """\
uniform sampler2D NAME_raw;
#define NAME_pos (gl_FragCoord.xy / shaderlab_size)
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
class Block:
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
        is_one = text.reading.entry in self.entry_points(text)
        if refusal(text.text, is_one=is_one):
            return
        lines = text.text.split("\n")
        declared = [its for name, its in _WITH.items() if name in text.words]
        found = blocks(text.text)
        sides = {block.head["TEXTURE"][0]: len(block.head.get("SIZE", [""])[0].split())
                 for block in found if "TEXTURE" in block.head}  # fmt: skip
        stages = [block for block in found if "HOOK" in block.head]
        chosen = stages[int(text.reading.entry) - 1] if is_one else stages[0]
        for name in dict.fromkeys(chosen.head.get("BIND", ())):
            if name in sides:  # of the text's own, by its plain name
                declared.append(f"uniform sampler{sides[name]}D {name};\n")
                continue
            declared.append(_OF_TEXTURE.replace("NAME", name))
            is_given = name == "HOOKED" or (is_one and name in HOOKS)
            size = f"#define {name}_size vec2(textureSize({name}_raw, 0))\n"
            given = f"uniform vec2 {name}_size;\n" if is_one else ""
            declared.append(given if is_given else size)
        for block in found:
            if block is not chosen and "PARAM" not in block.head:
                lines[block.begin : block.end] = [""] * (block.end - block.begin)
            if "PARAM" in block.head:
                name, kind = block.head["PARAM"][0], _kind(block)
                value = " ".join(lines[block.begin : block.end]).strip()
                lines[block.begin : block.end] = [""] * (block.end - block.begin)
                is_macro = kind == "DEFINE"
                declared.append(
                    f"#define {name} {value}\n" if is_macro else f"uniform {kind} {name};\n"
                )
        own = replace(text, text="\n".join(lines))
        prelude = _PRELUDE_OF_ONE if is_one else _PRELUDE
        yield from opengl.attempts(own, Dialect.MPV, prelude + "".join(declared), _AFTER)

    def given(self, text: Text) -> Mapping[str, Given]:
        lines = text.text.split("\n")
        found = {}
        for block in blocks(text.text):
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

    def entry_points(self, text: Text) -> tuple[str, ...]:
        """Numbers of its stages, from 1."""
        stages = [block for block in blocks(text.text) if "HOOK" in block.head]
        return tuple(str(number + 1) for number in range(len(stages)))

    def is_part(self, text: Text) -> bool:
        return len(_hooked(text.text)) > 1

    def hint(self, text: Text) -> str:
        return refusal(text.text, is_one=text.reading.entry in self.entry_points(text))


@lru_cache(maxsize=4)  # a compile asks several times about one text
def blocks(text: str) -> tuple[Block, ...]:
    """Of a hook's text with LF line ends, at most 256."""
    found: list[Block] = []
    is_head = False
    for index, line in enumerate(text.split("\n")):
        match = _HEAD.fullmatch(line.rstrip()) if line.startswith("//!") else None
        if match:
            if not is_head and len(found) < _MOST:
                found.append(Block())
            found[-1].head.setdefault(match[1].upper(), []).append(match[2])
            found[-1].begin = index + 1
        is_head = match is not None
        if found:
            found[-1].end = index + 1
    return tuple(found)


def _hooked(text: str) -> list[str]:
    """What its stages hook, each once."""
    names = (name for block in blocks(text) for name in block.head.get("HOOK", ()))
    return list(dict.fromkeys(names))


def _kind(block: Block) -> str:
    words = block.head.get("TYPE", ["float"])[0].split()
    return words[-1] if words else "float"


def refusal(text: str, *, is_one: bool) -> str:
    """Why a hook is not run, or `is_one`: not one of its stages; empty where it is."""
    found = blocks(text)
    stages = [block for block in found if "HOOK" in block.head]
    lacks = ""
    if any("COMPUTE" in block.head for block in stages):
        lacks = "it has a compute shader (COMPUTE), and frames hold draws alone"
    elif not is_one and len(stages) != 1:
        lacks = "hooks of one stage are run by themselves"
    elif not is_one and any(
        stages[0].head.get(word, [its])[0] != its for word, its in _SAME_SIZE.items()
    ):
        lacks = "its stage has a size of its own (WIDTH, HEIGHT)"
    for block in found:
        names = [*block.head.get("BIND", ()), *block.head.get("PARAM", ())]
        words = ("BUFFER",) if is_one else ("TEXTURE", "BUFFER")
        if word := next((each for each in words if each in block.head), ""):
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
