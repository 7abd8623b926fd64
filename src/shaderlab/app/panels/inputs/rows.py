"""One row for each input: what it is, what it holds, where that comes from, what may change it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from shaderlab.scene.defaults import DecidingDefault
from shaderlab.scene.hints import HintedEditor, InputHint, hint_of
from shaderlab.scene.inputs import Numbers, Source
from shaderlab.scene.meanings import Meaning
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Pattern, Texture
from shaderlab.spirv.value_types import Component, Numeric

_COLOUR_WORDS = frozenset((
    "color", "colour", "colors", "colours", "tint", "albedo", "diffuse", "emissive", "emission",
    "specular", "ambient", "rgb", "rgba", "background", "foreground", "sky", "fog",
))  # fmt: skip
_NOT_COLOURS = frozenset((
    "map", "texture", "position", "pos", "direction", "dir", "size", "intensity", "uv", "coord",
))  # fmt: skip
_NO_HINT = InputHint()
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Editor(StrEnum):
    """What an input's value is changed with."""

    NOTHING = "nothing"
    """The preview or the geometry gives it."""
    FOLLOWING = "following"
    """It follows from time, camera and the like until it gets a value of its own."""
    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"
    VECTOR = "vector"
    COLOUR = "colour"
    MATRIX = "matrix"
    LIST = "list"
    TEXTURE = "texture"
    SAMPLER = "sampler"


@dataclass(frozen=True)
class Limits:
    """From where to where a slider goes.  A field takes any number that the type can hold."""

    lowest: float = 0.0
    highest: float = 1.0
    step: float = 0.0
    """0: as fine as the slider."""
    are_given: bool = False
    """By the shader; else they follow from the value."""


@dataclass(frozen=True)
class Row:
    """An input as the pane shows it."""

    name: str
    type: str
    editor: Editor
    value: Numbers | Texture | None
    source: str
    """Where the value comes from, in words."""
    numeric: Numeric | None = None
    limits: Limits = field(default_factory=Limits)
    choices: tuple[tuple[str, float], ...] = ()
    is_set: bool = False
    """Whether there is something to go back from."""
    decides: str = ""
    """What control flow or addresses depend on it while it is a default: a whole sentence."""
    tip: str = ""
    meaning: str = ""
    """What a value that follows from something follows from."""

    @property
    def key(self) -> tuple[object, ...]:
        """Rows of one key differ in what they show, not in what they are made of."""
        return self.name, self.type, self.editor, self.numeric, self.choices

    @property
    def numbers(self) -> Numbers:
        return self.value if isinstance(self.value, tuple) else ()


def rows_of(
    inputs: Iterable[ShaderInput],
    hints: Mapping[str, InputHint],
    deciding: Mapping[str, DecidingDefault],
    varyings: str = "from the geometry",
) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Rows of inputs that can be given something, and of those that the preview gives.

    `deciding`: by name, the inputs whose defaults decide something; `varyings`: where they come
    from.
    """
    own: list[Row] = []
    provided: list[Row] = []
    for each in inputs:
        hint = hint_of(each.name, hints) or _NO_HINT
        row = _row(each, hint, deciding.get(each.name))
        if each.kind is InputKind.VARYING:
            row = replace(row, source=varyings)
        (provided if row.editor is Editor.NOTHING else own).append(row)
    return tuple(own), tuple(provided)


def _row(given: ShaderInput, hint: InputHint, decides: DecidingDefault | None) -> Row:
    editor = _editor(given, hint)
    tip = f"{given.name}: {given.type}, {given.kind.value}"
    if hint.label:
        tip = f"{hint.label}\n{tip}"
    return Row(
        given.name,
        given.type,
        editor,
        given.sampling if editor is Editor.SAMPLER else given.value,
        _source(given, editor, decides),
        given.numeric,
        _limits(given, hint),
        hint.choices if editor is Editor.CHOICE else (),
        given.source is not Source.DEFAULT and editor is not Editor.NOTHING,
        decides.sentence if decides else "",
        tip,
        given.meaning.name if given.meaning else "",
    )


def _editor(given: ShaderInput, hint: InputHint) -> Editor:
    meaning, numeric = given.meaning, given.numeric
    if isinstance(given.value, Texture):
        return Editor.TEXTURE
    if given.sampling is not None:
        return Editor.SAMPLER
    if given.value is None or numeric is None or (meaning is not None and meaning.is_certain):
        return Editor.NOTHING
    is_matrix = numeric.columns > 1
    if isinstance(meaning, Meaning) and (meaning.is_live or is_matrix):
        return Editor.FOLLOWING
    if len(given.value) > numeric.count:
        return Editor.LIST
    if is_matrix:
        return Editor.MATRIX
    return _plain_editor(given.name, numeric, hint)


def _plain_editor(name: str, numeric: Numeric, hint: InputHint) -> Editor:
    if numeric.count == 1:
        if hint.choices:
            return Editor.CHOICE
        is_switch = numeric.component is Component.BOOL or hint.editor is HintedEditor.TOGGLE
        return Editor.SWITCH if is_switch else Editor.NUMBER
    is_float = numeric.component is Component.FLOAT
    if is_float and numeric.count >= 3:
        wanted = hint.editor is HintedEditor.COLOUR
        return Editor.COLOUR if wanted or names_a_colour(name) else Editor.VECTOR
    return Editor.VECTOR


def names_a_colour(name: str) -> bool:
    """Whether a vector of that name is likely to be a colour."""
    words = [word.lower() for word in _WORD.findall(name.rsplit(".", 1)[-1])]
    return bool(_COLOUR_WORDS.intersection(words)) and not _NOT_COLOURS.intersection(words)


def _source(given: ShaderInput, editor: Editor, decides: DecidingDefault | None) -> str:
    meaning = given.meaning
    if given.kind is InputKind.ATTRIBUTE:
        return "from the geometry"
    if given.source is not Source.DEFAULT or (meaning is None and decides is None):
        return given.source.value
    if meaning is not None and meaning.is_certain:
        return meaning.name
    if decides is not None:
        return f"guessed; affects {'control flow' if decides.changes_flow else 'a result'}"
    if meaning is None or editor is Editor.FOLLOWING:
        return "guessed"
    return f"guessed: {meaning.name}"


def _limits(given: ShaderInput, hint: InputHint) -> Limits:
    numeric = given.numeric
    value = given.value[0] if isinstance(given.value, tuple) and given.value else 0.0
    is_whole = numeric is not None and numeric.component is not Component.FLOAT
    lowest, highest = hint.lowest, hint.highest
    if lowest is not None and highest is not None and lowest < highest:
        return Limits(lowest, highest, hint.step or float(is_whole), are_given=True)
    reach = _reach(abs(value), 16.0 if is_whole else 1.0)
    low = (-reach if value < 0 else 0.0) if lowest is None else lowest
    high = max(reach if highest is None else highest, value)
    return Limits(low, high if high > low else low + reach, float(is_whole))


def _reach(value: float, least: float) -> float:
    """Where a slider ends whose range nobody gave: a power of two times `least`, well beyond."""
    if not math.isfinite(value):
        return least
    reach = least
    while reach < value and reach < 1e38:
        reach *= 2.0
    return reach


PATTERNS = {
    Pattern.BLACK: "Black",
    Pattern.WHITE: "White",
    Pattern.NOISE: "Noise",
    Pattern.BLUE_NOISE: "Blue noise",
    Pattern.CHECKER: "Checker",
    Pattern.GRADIENT: "Gradient",
    Pattern.NORMAL_MAP: "Normal map",
    Pattern.KEYBOARD: "Keyboard",
    Pattern.GAME: "Game frame",
}


def source_text(texture: Texture) -> str:
    """What a texture shows, in words."""
    source = texture.source
    if isinstance(source, ImageFile):
        return source.path.name
    if isinstance(source, PassPicture):
        return f"picture of {source.name}" + (", the frame before" if source.before else "")
    return PATTERNS[source].lower() if isinstance(source, Pattern) else "noise"


FILTERS = {Filter.NEAREST: "nearest", Filter.LINEAR: "linear", Filter.MIPMAP: "mipmap"}
