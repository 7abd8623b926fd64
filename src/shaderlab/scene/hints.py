"""What a shader's text says about editing its inputs, in comments that other compilers ignore.

// #pragma shaderlab slider(exposure, 0, 4, 0.1)
// #pragma shaderlab color(tint)
// #pragma shaderlab toggle(animated)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class HintedEditor(StrEnum):
    """What an input is changed with."""

    SLIDER = "slider"
    COLOUR = "color"
    TOGGLE = "toggle"


@dataclass(frozen=True)
class InputHint:
    """About one input; None where the text does not say."""

    editor: HintedEditor | None = None
    lowest: float | None = None
    highest: float | None = None
    step: float | None = None
    choices: tuple[tuple[str, float], ...] = ()
    """The only values it takes, each with its name."""
    label: str = ""
    """Its name for people."""


@dataclass(frozen=True)
class PragmaProblem:
    """A pragma of ours that cannot be followed."""

    line: int
    """Counting from 1."""
    message: str


_PRAGMA = re.compile(r"#[ \t]*pragma[ \t]+shaderlab\b[ \t]*([^\r\n]*)")
_CALL = re.compile(r"(\w+)\s*\(([^()]*)\)")
_NAME = re.compile(r"[A-Za-z_][\w.\[\]]*")
_MOST = 1000
"""Pragmas that are read; a text with more was not written by a person."""
_HOW = "write slider(NAME, MIN, MAX[, STEP]), color(NAME) or toggle(NAME)"


def hints(text: str) -> tuple[Mapping[str, InputHint], tuple[PragmaProblem, ...]]:
    """By name of the input what the text says; and the pragmas that say nothing, in order.

    The later of two about one input holds.
    """
    found: dict[str, InputHint] = {}
    problems: list[PragmaProblem] = []
    for count, match in enumerate(_PRAGMA.finditer(text)):
        if count == _MOST:
            break
        written = match[1].split("*/")[0].strip()
        call = _CALL.match(written)
        read = _read(call[1], [each.strip() for each in call[2].split(",")]) if call else _HOW
        if isinstance(read, str):
            problems.append(PragmaProblem(text.count("\n", 0, match.start()) + 1, read))
        else:
            name, hint = read
            found[name] = hint
    return found, tuple(problems)


def hint_of(name: str, known: Mapping[str, InputHint]) -> InputHint | None:
    """The hint for the input of that full name: the last part of it may have been written."""
    return known.get(name) or known.get(name.rsplit(".", 1)[-1])


_BLOCK = re.compile(r"\b(?:(?:uniform|buffer)\b[^;{}()]*|cbuffer\b[^;{}]*)\{([^{}]*)\}")
_LOOSE = re.compile(r"\buniform\s+(?:(?:lowp|mediump|highp)\s+)?bool\s+(\w+)\s*[;=]")
_SWITCH = re.compile(r"\bbool\s+(\w+)\s*;")


def switches(code: str) -> frozenset[str]:
    """Names of the uniforms that a text, its comments blanked, declares as `bool`.

    SPIR-V has no booleans in memory: compilers make them unsigned integers, and keep no trace of
    it in names or types.
    """
    inside = (name for block in _BLOCK.findall(code) for name in _SWITCH.findall(block))
    return frozenset((*inside, *_LOOSE.findall(code)))


def _read(word: str, arguments: list[str]) -> tuple[str, InputHint] | str:
    """Name and hint, or what is wrong."""
    name, *numbers = arguments
    if word == "colour":
        word = "color"
    if word not in set(HintedEditor):
        return f'there is no editor "{word[:40]}": {_HOW}'
    if not _NAME.fullmatch(name):
        return f"{word} names no input: {_HOW}"
    if word != HintedEditor.SLIDER:
        if numbers:
            return f"{word}({name}) takes a name only"
        return name, InputHint(HintedEditor(word))
    try:
        values = [float(each) for each in numbers]
    except ValueError:
        return f"slider({name}) has a bound that is not a number: {_HOW}"
    if len(values) not in (2, 3) or not all(map(math.isfinite, values)):
        return f"slider({name}) takes two finite bounds and perhaps a step: {_HOW}"
    lowest, highest, *step = values
    if not lowest < highest:
        return f"slider({name}) goes from {lowest:g} to {highest:g}: the first must be less"
    if step and not 0 < step[0] <= highest - lowest:
        return f"slider({name}) has a step of {step[0]:g}, which does not fit between its bounds"
    return name, InputHint(HintedEditor.SLIDER, lowest, highest, step[0] if step else None)
