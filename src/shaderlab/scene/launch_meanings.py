"""What numbers of a compute shader are likely to mean: most bound the work.

LLMPerf's simple inputs set every scalar to the global size; a stride or a trip count set so would
run for minutes, so only names that bound something get it and other whole numbers a small one.
"""

from __future__ import annotations

import re

from shaderlab.scene.buffer_filling import Filling, filling
from shaderlab.scene.inputs import Numbers
from shaderlab.scene.meanings import Meaning, Surroundings, Value
from shaderlab.scene.names import in_context
from shaderlab.scene.texture_meanings import TextureMeaning
from shaderlab.scene.textures import BLACK
from shaderlab.spirv.analysis.kernel_uses import Use
from shaderlab.spirv.value_types import Component, Numeric

_FILLED = {each: Meaning(each.value, lambda _: (0.0,), False, False) for each in Filling}
"""Of arrays in storage buffers."""
WRITTEN_IMAGE = TextureMeaning("black, of the picture's size", BLACK, True)
"""Of a storage image, whose size is that of the picture it is shown as."""
SMALL = 4
"""Of whole numbers whose name bounds nothing: one of the paper's candidates 1, 2, 4 and 16."""
ROUNDS, MOST_ROUNDS = 16, 256
"""Of a loop that each invocation goes through; the second where its name bounds something."""
_UNUSED = Use()
_BOUNDS = re.compile(
    r"(?:\w+ )*(?:count|counts|size|length|number|total|elements|element|items|width|height|rows|"
    r"cols|columns|points|particles|bodies|atoms|nodes|vertices|values|samples|end|limit|bound|"
    r"bounds|max|threads|work|len|entries|keys|records)(?: \w+)?|[nmk]|number \w+|n \w+|max \w+"
)
_LETTERS = re.compile(r"[nNMK]|n[A-Z]\w*|[nN]_?(?:items|total|x|y|z)")


def filled_meaning(use: Use, kind: Numeric) -> Meaning:
    """Of an array in a storage buffer whose elements are used so (`scene.buffer_filling`)."""
    return _FILLED[filling(use, kind)]


def is_filled(meaning: object) -> bool:
    """Whether it is that of an array that has other numbers in each element."""
    return meaning in _FILLED.values()


def used_meaning(kind: Numeric, use: Use) -> Meaning | None:
    """Of a whole number that the shader compares with the invocation's, or multiplies by its row;
    None for others."""
    if not _is_whole(kind) or kind.rows > 1:
        return None
    if len(use.axes) > 1:
        return Meaning("number of invocations", _all, False, False)
    if use.axes:
        (axis,) = use.axes
        letter = "xyz"[axis]
        return Meaning(f"number of invocations along {letter}", _side(axis), False, False)
    if use.is_pitch:
        return Meaning("row pitch: number of invocations along x", _side(0), False, False)
    return None


def launch_meaning(path: str, kind: Numeric, use: Use = _UNUSED) -> Meaning | None:
    """Of a whole number, or up to three of them, of a compute shader; all are guesses."""
    if not _is_whole(kind) or kind.rows > 3:
        return None
    last = re.sub(r"\[\d*\]", "", path.rsplit(".", 1)[-1])
    words = " ".join(in_context(path)[-1])
    if kind.rows > 1:
        return Meaning("number of invocations along x and y", _sides(kind.rows), False, False)
    is_bound = _LETTERS.fullmatch(last) or (len(last) > 1 and _BOUNDS.fullmatch(words))
    if use.ends and use.repeats and kind.rows == 1:
        most = MOST_ROUNDS if is_bound else ROUNDS
        return Meaning(f"loop iterations, at most {most}", _rounds(most), False, False)
    if is_bound:
        return Meaning("number of invocations along x", _sides(1), False, False)
    return Meaning("a small number", lambda _: (float(SMALL),), False, False)


def _is_whole(kind: Numeric) -> bool:
    return kind.component in (Component.INT, Component.UINT) and kind.columns == 1


def _all(around: Surroundings) -> Numbers:
    return (float(around.size[0] * around.size[1]),)


def _side(axis: int) -> Value:
    """Along z a launch is as long as along x, where nobody chose."""
    return lambda around: (float(around.size[axis % 2]),)


def _rounds(most: int) -> Value:
    return lambda around: (float(min(around.size[0], most)),)


def _sides(count: int) -> Value:
    def value(around: Surroundings) -> Numbers:
        return (*map(float, around.size), 1.0)[:count]

    return value


def factor_meaning(kind: Numeric) -> Meaning | None:
    """Of a fraction that its name does not explain: 1, so that a product is not all zeros."""
    if kind.component is not Component.FLOAT or kind.columns > 1:
        return None
    return Meaning("1", lambda _: (1.0,) * kind.rows, False, False)
