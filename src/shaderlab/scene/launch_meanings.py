"""What numbers of a compute shader are likely to mean: most bound the work.

LLMPerf's simple inputs set every scalar to the global size; a stride or a trip count set so would
run for minutes, so only names that bound something get it and other whole numbers a small one.
"""

from __future__ import annotations

import re

from shaderlab.scene.inputs import Numbers
from shaderlab.scene.meanings import Meaning, Surroundings, Value
from shaderlab.scene.names import in_context
from shaderlab.scene.texture_meanings import TextureMeaning
from shaderlab.scene.textures import BLACK
from shaderlab.spirv.value_types import Component, Numeric

RANDOM = Meaning("random numbers, the same in every run", lambda _: (0.0,), False, False)
"""Of an array in a storage buffer (`scene.buffer_contents`)."""
WRITTEN_IMAGE = TextureMeaning("black, of the picture's size", BLACK, True)
"""Of a storage image, whose size is that of the picture it is shown as."""
SMALL = 4
"""Of whole numbers whose name bounds nothing: one of the paper's candidates 1, 2, 4 and 16."""
_BOUNDS = re.compile(
    r"(?:\w+ )*(?:count|counts|size|length|number|total|elements|element|items|width|height|rows|"
    r"cols|columns|points|particles|bodies|atoms|nodes|vertices|values|samples|end|limit|bound|"
    r"bounds|max|threads|work|len|entries|keys|records)(?: \w+)?|[nmk]|number \w+|n \w+|max \w+"
)
_LETTERS = re.compile(r"[nNMK]|n[A-Z]\w*|[nN]_?(?:items|total|x|y|z)")


def launch_meaning(path: str, kind: Numeric) -> Meaning | None:
    """Of a whole number, or up to three of them, of a compute shader; all are guesses."""
    if kind.component not in (Component.INT, Component.UINT) or kind.columns > 1 or kind.rows > 3:
        return None
    last = re.sub(r"\[\d*\]", "", path.rsplit(".", 1)[-1])
    words = " ".join(in_context(path)[-1])
    if kind.rows > 1:
        return Meaning("invocations along x and y", _sides(kind.rows), False, False)
    if _LETTERS.fullmatch(last) or (len(last) > 1 and _BOUNDS.fullmatch(words)):
        return Meaning("invocations along x", _sides(1), False, False)
    return Meaning("a small number", lambda _: (float(SMALL),), False, False)


def _sides(count: int) -> Value:
    def value(around: Surroundings) -> Numbers:
        return (*map(float, around.size), 1.0)[:count]

    return value


def factor_meaning(kind: Numeric) -> Meaning | None:
    """Of a fraction that its name does not explain: 1, so that a product is not all zeros."""
    if kind.component is not Component.FLOAT or kind.columns > 1:
        return None
    return Meaning("1", lambda _: (1.0,) * kind.rows, False, False)
