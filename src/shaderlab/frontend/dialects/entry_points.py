"""Functions that a stage may begin with, in languages that write them as HLSL does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from shaderlab.frontend import scanner
from shaderlab.frontend.dialects.family import Text
from shaderlab.frontend.stage import Stage

_LONGEST = 4096
"""Characters of a list of parameters, and of attributes before a function, that are looked at."""
_FUNCTION = re.compile(r"\b(?P<type>\w+(?:\s*<[^<>;{}()]*>)?)\s+(?P<name>\w+)\s*\(")
_STRUCT = re.compile(r"\bstruct\s+(\w+)[^{};]{0,500}\{([^{}]*)\}")
_AFTER = re.compile(r"\s*(?::\s*(?P<semantic>\w+)\s*)?\{")
_THREADS = re.compile(r"\[\s*numthreads\s*\(", re.I)
_LIKELY = {
    Stage.FRAGMENT: re.compile(r"pixel|frag|^ps(?![a-z])|ps$", re.I),
    Stage.VERTEX: re.compile(r"vert|^vs(?![a-z])|vs$", re.I),
}
_ATTRIBUTE = re.compile(r'\[\s*shader\s*\(\s*"(\w+)"\s*\)\s*\]', re.I)
_SHADER_STAGES = {"pixel": Stage.FRAGMENT, "fragment": Stage.FRAGMENT, "vertex": Stage.VERTEX,
                  "compute": Stage.COMPUTE, "geometry": Stage.GEOMETRY, "hull":
                  Stage.TESSELLATION_CONTROL, "domain": Stage.TESSELLATION_EVALUATION}  # fmt: skip
_COLOUR = re.compile(r"\b(?:SV_Target\d*|SV_Depth\w*|COLOR\d*|DEPTH)\b", re.I)
_POSITION = re.compile(r"\b(?:SV_Position|POSITION\d*)\b", re.I)
_TARGET = re.compile(r"\bSV_(?:Target\d*|Depth\w*)\b", re.I)
_USUAL = {
    Stage.FRAGMENT: ("main", "PSMain", "MainPS", "PS", "ps_main", "main_ps", "mainPS", "frag",
                     "fragment", "fragmentMain", "pixel", "PixelMain", "PShader"),
    Stage.VERTEX: ("main", "VSMain", "MainVS", "VS", "vs_main", "main_vs", "mainVS", "vert",
                   "vertex", "vertexMain", "VShader"),
    Stage.COMPUTE: ("main", "CSMain", "MainCS", "CS", "cs_main", "main_cs", "mainCS", "compute",
                    "computeMain"),
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function that may be an entry point."""

    name: str
    stage: Stage | None
    """By its attribute or its semantics; None where neither says."""
    other: str = ""
    """What its attribute names where that is no stage of these: `closesthit`."""

    @property
    def is_open(self) -> bool:
        """Whether it may be of any stage."""
        return self.stage is None and not self.other

    @property
    def shown(self) -> str:
        return f"{self.name} ({self.stage.shown if self.stage else self.other})"


def entry_point(text: Text) -> str:
    """The function the stage begins with: asked for, by attribute, by semantics, by name.

    Empty where none looks like it.
    """
    if text.reading.entry:
        return text.reading.entry
    found = functions(text)
    fitting = [each.name for each in found if each.stage is text.stage]
    unknown = [each.name for each in found if each.is_open]
    usual = _USUAL.get(text.stage, ("main",))
    for names in (fitting, unknown):
        for name in usual:
            if name in names:
                return name
    likely = _LIKELY.get(text.stage)
    named = [name for name in unknown if likely and likely.search(name)]
    return (fitting or named or [""])[-1]


def likely_stage(text: Text) -> Stage:
    """Compute where such functions are all that a text has as entry points, else fragment."""
    stages = {each.stage for each in functions(text)}
    is_compute = Stage.COMPUTE in stages and Stage.FRAGMENT not in stages
    return Stage.COMPUTE if is_compute else Stage.FRAGMENT


def candidates(text: Text) -> tuple[str, ...]:
    """Functions that the stage may begin with: by attribute or semantics, else all unknown ones."""
    found = functions(text)
    fitting = [each.name for each in found if each.stage is text.stage]
    return tuple(fitting or (each.name for each in found if each.is_open))


def no_entry(text: Text) -> str:
    """What is said of a text without an entry point of the stage."""
    found = functions(text)
    held = ", ".join(each.shown for each in found if not each.is_open)
    remedy = "; --stage compiles another stage" if any(each.stage for each in found) else ""
    return f"no entry point of a {text.stage.shown} shader was found" + (
        f" (only {held}{remedy})" if held else "; --entry NAME says which function it is"
    )


def functions(text: Text) -> tuple[Function, ...]:
    """Every function defined outside others, in the order of the text."""
    return _functions(text.code, scanner.blank(text.text, strings=False))


@lru_cache(maxsize=4)  # a compile asks several times about one text
def _functions(code: str, with_strings: str) -> tuple[Function, ...]:
    brackets = _Brackets.of(code)
    structs = dict(_STRUCT.findall(code))
    found = []
    for match in _FUNCTION.finditer(code):
        if brackets.depths[match.start()] or match["type"] in ("return", "else", "define"):
            continue
        end = brackets.closing.get(match.end() - 1, 0) + 1
        after = _AFTER.match(code, end) if end > 1 else None
        if after is None:
            continue
        parameters = code[match.end() : end - 1][:_LONGEST]
        outputs = [part for part in parameters.split(",") if re.match(r"\s*out\b", part)]
        written = [match["type"], *(word for part in outputs for word in part.split())]
        said = " ".join([after["semantic"] or "", *outputs, *(structs.get(w, "") for w in written)])
        before = max(0, match.start() - _LONGEST)
        begin = max(code.rfind(mark, before, match.start()) for mark in ";}") + 1
        attributes = with_strings[max(begin, before) : match.start()]
        named = _attribute(attributes)
        stage = _SHADER_STAGES.get(named) if named else _stage(said)
        found.append(Function(match["name"], stage, "" if stage else named))
    return tuple(found)


@dataclass(frozen=True)
class _Brackets:
    depths: list[int]
    """How many braces are open at each character."""
    closing: dict[int, int]
    """Where the parenthesis that is opened at an index is closed."""

    @classmethod
    def of(cls, code: str) -> _Brackets:
        depths, closing, opened = [], {}, []
        depth = 0
        for index, char in enumerate(code):
            depths.append(depth)
            if char == "{":
                depth += 1
            elif char == "}":
                depth = max(0, depth - 1)
            elif char == "(":
                opened.append(index)
            elif char == ")" and opened:
                closing[opened.pop()] = index
        return cls(depths, closing)


def _attribute(text: str) -> str:
    """The stage that an attribute names; empty where none does."""
    if _THREADS.search(text):
        return "compute"
    attribute = _ATTRIBUTE.search(text)
    return attribute[1].lower() if attribute else ""


def _stage(outputs: str) -> Stage | None:
    """The stage whose outputs have these semantics."""
    if _TARGET.search(outputs):
        return Stage.FRAGMENT
    if _POSITION.search(outputs):
        return Stage.VERTEX
    return Stage.FRAGMENT if _COLOUR.search(outputs) else None
