"""Edits of the kinds that developers make to a shader's text, to see what becomes of its time.

Each is found in the text alone, so it may not compile or may change nothing that runs: whoever
measures it sees.  Texts are Shadertoy bodies (`void mainImage(out vec4, in vec2)`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum


class Edit(StrEnum):
    """What a developer would call it."""

    TRIPS = "trip count"
    """A loop's limit halved or doubled."""
    TERM = "term removed"
    """A compound assignment deleted: a term of a sum, a factor of a product."""
    EXIT = "early exit"
    """A loop left once a value is small; without such a loop, pixels at the rim left out."""
    FUNCTION = "function replaced"
    """A built-in function by a cheaper equivalent or approximation, wherever it is called."""
    PRECISION = "precision"
    """Medium precision for floats."""
    FLATTENED = "branch flattened"
    """A conditional assignment made a select."""
    LOOKUP = "lookup added"
    """The colour graded by a table."""
    COARSER = "coarser steps"
    """Every second round of a loop left out."""
    SAMPLES = "supersampled"
    """Two samples for each pixel, averaged."""
    FINISHED = "post-processing added"
    """A vignette and a gamma curve over the finished colour."""
    CONSTANT = "input made constant"
    """The time a constant, as for a picture that stands still."""


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FOR = re.compile(r"\bfor\s*\([^;{}]*;([^;{}]*);[^;{}]*?\)\s*\{")
_LIMIT = re.compile(r"[<>]=?\s*(\w+)\s*$")
_STEP = re.compile(r"\bfor\s*\([^;{}]*;[^;{}]*;\s*(?:(\w+)\+\+|\+\+(\w+))\s*\)")
_COMPOUND = re.compile(r"^[ \t]*[\w.]+[ \t]*[-+*/]=[^=;{}][^;{}]*;", re.MULTILINE)
_LOCAL = re.compile(r"[^{}]*?\bfloat\s+(\w+)\s*=[^;{}]*;")
_GUARDED = re.compile(
    r"\bif\s*\(((?:[^(){};]|\([^(){};]*\))+)\)\s*(\w+)\s*=([^=;{}][^;{}]*);(?!\s*else\b)"
)
_MAIN = re.compile(
    r"\bvoid\s+mainImage\s*\(\s*out\s+vec4\s+(\w+)\s*,\s*(?:in\s+)?vec2\s+(\w+)\s*\)\s*\{"
)
_CHEAPER = {
    "pow": "exp2(({1})*log2({0}))",
    "normalize": "(({0})*inversesqrt(dot({0},{0})))",
    "smoothstep": "clamp((({2})-({0}))/(({1})-({0})),0.0,1.0)",
    "sin": "(abs(fract(({0})*0.15915494)-0.5)*4.0-1.0)",
    "cos": "(abs(fract(({0})*0.15915494+0.25)-0.5)*4.0-1.0)",
    "exp": "exp2(({0})*1.442695)",
    "atan": "(({0})/(1.0+0.28*({0})*({0})))",
}
"""By function: what stands for it, with its arguments."""
_TABLE = """
const float shaderlabGrade[8] = float[8](0.0, 0.06, 0.17, 0.31, 0.48, 0.66, 0.84, 1.0);
void mainImage(out vec4 colour, in vec2 at) {
    ungraded(colour, at);
    ivec3 step = ivec3(clamp(colour.rgb, 0.0, 1.0) * 7.0);
    colour.rgb = vec3(shaderlabGrade[step.r], shaderlabGrade[step.g], shaderlabGrade[step.b]);
}
"""
_TWO_SAMPLES = """
void mainImage(out vec4 colour, in vec2 at) {
    vec4 other;
    sampled(colour, at - 0.25);
    sampled(other, at + 0.25);
    colour = 0.5 * (colour + other);
}
"""
_FINISH = """
void mainImage(out vec4 colour, in vec2 at) {
    unfinished(colour, at);
    vec2 shown = at / iResolution.xy;
    vec2 rim = shown * (1.0 - shown);
    colour.rgb = pow(max(colour.rgb, 0.0), vec3(0.4545)) * pow(16.0 * rim.x * rim.y, 0.2);
}
"""
_MOST_CALLS = 200


def edited(text: str, edit: Edit, seed: str) -> str | None:
    """The text with such an edit, the same for the same seed; None where there is no place."""
    bare = _COMMENT.sub(lambda found: "\n" * found[0].count("\n") or " ", text)
    return _WAYS[edit](bare, random.Random(f"{edit} {seed}"))


def _trip_count(text: str, chance: random.Random) -> str | None:
    places = []
    for loop in _FOR.finditer(text):
        limit = _LIMIT.search(loop[1])
        if limit is None:
            continue
        if limit[1].isdigit():
            places.append((loop.start(1) + limit.start(1), limit[1]))
            continue
        defined = re.search(
            rf"(?:#define[ \t]+{limit[1]}|\bint\s+{limit[1]}\s*=)\s*(\d+)\b(?!\.)", text
        )
        if defined:
            places.append((defined.start(1), defined[1]))
    places = [(start, number) for start, number in places if 2 <= int(number) < 10**6]
    if not places:
        return None
    start, number = chance.choice(places)
    other = int(number) * 2 if chance.random() < 0.5 else int(number) // 2
    return f"{text[:start]}{other}{text[start + len(number) :]}"


def _term_removed(text: str, chance: random.Random) -> str | None:
    found = list(_COMPOUND.finditer(text))
    if not found:
        return None
    start, end = chance.choice(found).span()
    return text[:start] + text[end:]


def _early_exit(text: str, chance: random.Random) -> str | None:
    locals_ = [_LOCAL.match(text, loop.end()) for loop in _FOR.finditer(text)]
    if inside := [each for each in locals_ if each is not None]:
        place = chance.choice(inside)
        return f"{text[: place.end()]} if (abs({place[1]}) < 0.01) break;{text[place.end() :]}"
    main = _MAIN.search(text)
    if main is None:
        return None
    rim = (
        f" if (abs({main[2]}.y / iResolution.y - 0.5) > 0.375)"
        f" {{ {main[1]} = vec4(0.0, 0.0, 0.0, 1.0); return; }}"
    )
    return text[: main.end()] + rim + text[main.end() :]


def _function_replaced(text: str, chance: random.Random) -> str | None:
    there = [name for name in _CHEAPER if re.search(rf"\b{name}\s*\(", text)]
    if not there:
        return None
    name = chance.choice(there)
    # From the end, so that an outer call sees inner ones that are replaced.
    for call in reversed(list(re.finditer(rf"\b{name}\s*\(", text))[:_MOST_CALLS]):
        found = _arguments(text, call.end())
        if found is None:
            continue
        arguments, end = found
        if len(arguments) == _arity(_CHEAPER[name]):
            text = text[: call.start()] + _CHEAPER[name].format(*arguments) + text[end:]
    return text


def _arity(form: str) -> int:
    return 1 + max(int(number) for number in re.findall(r"\{(\d)\}", form))


def _arguments(text: str, start: int) -> tuple[Sequence[str], int] | None:
    """Of a call, from behind its bracket, and where it ends; None where that is nowhere."""
    depth, begun, found = 0, start, []
    for place in range(start, len(text)):
        letter = text[place]
        if letter in "([":
            depth += 1
        elif letter in ")]" and depth:
            depth -= 1
        elif letter == ")":
            return [*found, text[begun:place].strip()], place + 1
        elif letter == "," and not depth:
            found.append(text[begun:place].strip())
            begun = place + 1
        elif letter in ";{}":
            return None
    return None


def _medium_precision(text: str, _chance: random.Random) -> str:
    return f"precision mediump float;\n{text}"


def _branch_flattened(text: str, chance: random.Random) -> str | None:
    found = list(_GUARDED.finditer(text))
    if not found:
        return None
    place = chance.choice(found)
    name = place[2]
    select = f"{name} = ({place[1]}) ? ({place[3].strip()}) : {name};"
    return text[: place.start()] + select + text[place.end() :]


def _wrapped(name: str, around: str) -> Callable[[str, random.Random], str | None]:
    """`mainImage` renamed, and one that calls it."""

    def made(text: str, _chance: random.Random) -> str | None:
        main = _MAIN.search(text)
        if main is None:
            return None
        start = text.index("mainImage", main.start())
        return text[:start] + name + text[start + len("mainImage") :] + around

    return made


def _coarser(text: str, chance: random.Random) -> str | None:
    found = list(_STEP.finditer(text))
    if not found:
        return None
    place = chance.choice(found)
    start, end = (place.start(1), place.end()) if place[1] else (place.start(2) - 2, place.end())
    return f"{text[:start]}{place[1] or place[2]} += 2){text[end:]}"


def _constant(text: str, _chance: random.Random) -> str | None:
    return f"#define iTime 1.0\n{text}" if re.search(r"\biTime\b", text) else None


_WAYS: Mapping[Edit, Callable[[str, random.Random], str | None]] = {
    Edit.TRIPS: _trip_count,
    Edit.TERM: _term_removed,
    Edit.EXIT: _early_exit,
    Edit.FUNCTION: _function_replaced,
    Edit.PRECISION: _medium_precision,
    Edit.FLATTENED: _branch_flattened,
    Edit.LOOKUP: _wrapped("ungraded", _TABLE),
    Edit.COARSER: _coarser,
    Edit.SAMPLES: _wrapped("sampled", _TWO_SAMPLES),
    Edit.FINISHED: _wrapped("unfinished", _FINISH),
    Edit.CONSTANT: _constant,
}
