"""What a varying, or a vertex attribute, is likely to hold: from its name and type."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from shaderlab.spirv.value_types import Component
from shaderlab.spirv.varyings import Varying


class Quantity(StrEnum):
    """What a vertex can tell, in the words it is listed with.  The model is the world."""

    UV = "texture coordinates"
    POSITION = "position in the world"
    VIEW_POSITION = "position in view space"
    CLIP_POSITION = "position in clip space"
    LIGHT_POSITION = "position as the light sees it"
    """In the clip space of a camera that stands there."""
    SURFACE_POSITION = "position in the picture, 0 in its middle, 1 at its top"
    PIXEL = "position in pixels"
    NORMAL = "normal in the world"
    VIEW_NORMAL = "normal in view space"
    TANGENT = "tangent in the world"
    BITANGENT = "bitangent in the world"
    TO_EYE = "vector to the eye"
    FROM_EYE = "vector from the eye"
    TO_LIGHT = "vector to the light"
    COLOUR = "vertex colour"
    DEPTH = "distance from the eye"
    U = "texture coordinate u"
    ONE = "1"
    ZERO = "0"


class Guess(NamedTuple):
    """What a varying is taken to hold."""

    quantity: Quantity
    by_name: bool
    """False: nothing in the name says so, its type alone decides."""

    @property
    def text(self) -> str:
        """As listed."""
        return self.quantity.value if self.by_name else f"{self.quantity.value} (by its type)"


def guess(varying: Varying) -> Guess:
    """What a varying is taken to hold; every one gets something."""
    kind = varying.type
    if kind.component is not Component.FLOAT:
        return Guess(Quantity.ZERO, True)
    frame = re.search(r"tbn\w*\[([012])\]$", varying.name, re.IGNORECASE)
    if frame and kind.rows == 3:
        return Guess(_FRAME[int(frame[1])], True)
    words = _words(varying.name)
    joined = "".join(words)
    for quantity, pattern, least, most in _RULES:
        if least <= kind.rows <= most and pattern.search(joined):
            return Guess(quantity, True)
    for quantity, names, least, most in _SHORT:
        if least <= kind.rows <= most and names.intersection(words):
            return Guess(quantity, True)
    return Guess(_BY_ROWS[kind.rows], False)


def _words(name: str) -> list[str]:
    """`fs_in.vWorldPos[0]` -> world, pos: the last part, split, without a stage's prefix."""
    last = re.sub(r"\[\d+\]", "", name).rsplit(".", 1)[-1]
    found = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", last)]
    while len(found) > 1 and found[0] in _PREFIXES:
        found.pop(0)
    if len(found) == 1:  # `vuv`, `vnormal`
        found = [re.sub(r"^v(?=uv|nor|pos|tex|col|tan|view|world)", "", found[0])]
    return found


_FRAME = (Quantity.TANGENT, Quantity.BITANGENT, Quantity.NORMAL)
"""Columns of a matrix that is named after them."""
_PREFIXES = {
    "v", "a", "i", "f", "p", "in", "out", "vs", "ps", "fs", "gs", "vert",
    "vertex", "vtx", "var", "vary", "varying", "attr", "attribute", "ex", "input", "output", "pass",
    "to", "o", "m", "the", "my", "interp", "interpolated", "va", "isf", "rsx", "xlv",
}  # fmt: skip


def _rules() -> list[tuple[Quantity, re.Pattern[str], int, int]]:
    """In the order tried; with the least and most components for which a rule holds."""
    written = [
        (Quantity.SURFACE_POSITION, "surfacepos", 2, 4),
        (Quantity.UV, "normcoord|texcoord|texturecoord|uvcoord", 2, 4),
        (Quantity.BITANGENT, "bitan|binorm", 3, 4),
        (Quantity.TANGENT, "tangent$|^tan$|^tangent", 3, 4),
        (Quantity.LIGHT_POSITION, "(light|shadow)(space|coord|clip|map|pos|ndc|uv)", 4, 4),
        (Quantity.VIEW_NORMAL, "(view|eye|cam)(space)?norm|norm(al)?(view|eye|cam)", 3, 4),
        (Quantity.NORMAL, "norm|nrm|^nor$", 3, 4),
        (Quantity.TO_LIGHT, "light", 3, 4),
        (Quantity.VIEW_POSITION, "(view|eye|cam(era)?|mv|vs)(space)?(pos|vert|point|coord)", 3, 4),
        (Quantity.VIEW_POSITION, "(pos|position)(vs|eye|view|cam|mv)", 3, 4),
        (Quantity.CLIP_POSITION, "(clip|ndc|screen|proj|proj(ected)?|hpos|window)(space)?", 3, 4),
        (Quantity.CLIP_POSITION, "pos(ition)?(clip|ndc|screen|cs|proj)", 3, 4),
        (Quantity.FROM_EYE, "ray|viewdirection$|incident|reflect|refract|skydir|direction", 3, 4),
        (Quantity.TO_EYE, "(view|eye|cam(era)?)(vec|dir|vector)?$|toeye|tocam", 3, 4),
        (Quantity.POSITION, "pos|world|vertex|point|uvw|cube|skybox|local|object|model", 3, 4),
        (Quantity.COLOUR, "colou?r|^col$|tint|albedo|diffuse|rgb|ambient|specular|emissi", 3, 4),
        (Quantity.PIXEL, "^(frag|screen)coords?$|pixel|screenpos", 2, 2),
        (Quantity.UV, "uv|tex|coord|texel|^st$|map$", 2, 4),
        (Quantity.POSITION, "pos|vertex|point", 2, 2),
        (Quantity.DEPTH, "depth|dist|fog|height", 1, 1),
        (Quantity.ONE, "alpha|opacity|weight|intens|scale|size|radius|ao$|occl|life|bright", 1, 1),
        (Quantity.ZERO, "lod|bias|index|layer|instance|time|rotat|angle|id$|mip|level|slice", 1, 1),
    ]
    return [(quantity, re.compile(text), low, high) for quantity, text, low, high in written]


_RULES = _rules()
_SHORT: tuple[tuple[Quantity, frozenset[str], int, int], ...] = (
    (Quantity.NORMAL, frozenset({"n", "nor"}), 3, 4),
    (Quantity.TANGENT, frozenset({"t", "tan"}), 3, 3),
    (Quantity.BITANGENT, frozenset({"b", "bin"}), 3, 3),
    (Quantity.TO_LIGHT, frozenset({"l"}), 3, 4),
    (Quantity.TO_EYE, frozenset({"v", "e"}), 3, 3),
    (Quantity.POSITION, frozenset({"p", "wp", "ws", "vert", "frag"}), 3, 4),
    (Quantity.COLOUR, frozenset({"c", "col"}), 3, 4),
    (Quantity.DEPTH, frozenset({"z", "d"}), 1, 1),
    (Quantity.ONE, frozenset({"a", "w"}), 1, 1),
)
"""Whole words too short to be looked for inside others."""
_BY_ROWS = {1: Quantity.U, 2: Quantity.UV, 3: Quantity.NORMAL, 4: Quantity.UV}
