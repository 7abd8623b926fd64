"""One input of a program: what it is, its value, and where that comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shaderlab.scene.inputs import Numbers, Source
from shaderlab.scene.meanings import Meaning
from shaderlab.scene.texture_meanings import TextureMeaning
from shaderlab.scene.textures import Texture
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.value_types import Numeric


class InputKind(StrEnum):
    """What an input is to the pipeline; the command line's words."""

    UNIFORM = "uniform"
    """A loose one, as OpenGL has them."""
    BLOCK_MEMBER = "block member"
    TEXTURE = "texture"
    SAMPLER = "sampler"
    IMAGE = "image"
    BUFFER = "buffer"
    PUSH_CONSTANT = "push constant"
    SPECIALIZATION = "specialization"
    VARYING = "varying"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True)
class ShaderInput:
    """One input of a program with its value."""

    name: str
    kind: InputKind
    type: str
    """As GLSL writes it: `vec3`, `float[4]`, `sampler2D`."""
    value: Numbers | Texture | None
    """None for varyings, attributes and samplers."""
    source: Source
    numeric: Numeric | None = None
    """Of one element, for an editor."""
    descriptor: Descriptor | None = None
    location: int | None = None
    meaning: Meaning | TextureMeaning | None = None
    """What the value follows from, where it is a default that does."""
    lengths: tuple[int, ...] = ()
    """Of the arrays around the numbers, outermost first; 0 where the length is that of the data."""
    declared: str = ""
    """The name that analyses of the module use, which others may have too; empty: `name`."""
    sampling: Texture | None = None
    """Filter and wrap of a separate sampler, whose picture is the texture's it is used with."""
    chosen: frozenset[int] = frozenset()
    """Of an array of textures: the elements that were given one of their own."""

    @property
    def is_unsettled(self) -> bool:
        """Whether nobody chose its value and its name does not settle it."""
        if self.source is not Source.DEFAULT or self.value is None:
            return False
        if self.kind is InputKind.SPECIALIZATION:
            return False  # the program's own text has its default
        return self.meaning is None or not self.meaning.is_certain
