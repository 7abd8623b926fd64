"""What a draw reads, as its user gave it: by name, each with where it came from.

A program's own list of inputs, with what was not given filled in, is `scene.binding`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, TypeVar

from shaderlab.scene.bound import Bound
from shaderlab.scene.textures import Texture
from shaderlab.scene.uniforms import Uniforms

_T = TypeVar("_T")

Numbers = tuple[float, ...]
"""Components of a value in the order of memory: matrices column by column, arrays element by
element; booleans are 0 and 1, integers exact up to 2**53."""


def anywhere(name: str) -> str:
    """The key of a value for every input whose last name this is, whatever block it is in."""
    return f"*.{name}"


class Source(StrEnum):
    """Who chose a value."""

    DEFAULT = "default"
    """Nobody: a value that suits the input's name and type, else zero or black."""
    TEXT = "text"
    """The shader's own text: an initial value, a pragma, a header."""
    PROJECT = "project"
    """The project file, or the frame it was captured from."""
    SET = "set"
    """The user, in the window or on the command line."""


@dataclass(frozen=True)
class Input(Generic[_T]):
    """One value.  Where it came from does not make two draws differ."""

    value: _T
    source: Source = field(default=Source.DEFAULT, compare=False)


def _empty() -> Mapping[str, Input]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Inputs:
    """What was given.  A program need not declare all of it, nor is all it declares given."""

    clock: Input[Uniforms] = field(default_factory=lambda: Input(Uniforms()))
    """Time, frame, mouse, date: what changes from frame to frame by itself."""
    values: Mapping[str, Input[Numbers]] = field(default_factory=_empty)
    """Members of blocks, push constants, specialisation constants, by name.  A name that begins
    with `anywhere` means every block's member of that name."""
    textures: Mapping[str, Input[Texture]] = field(default_factory=_empty)
    """Textures, storage images and input attachments, by name."""
    bound: Bound | None = None
    """What another program had bound: everything that values and textures do not replace."""

    def __getstate__(self) -> tuple[object, dict, dict, Bound | None]:
        return self.clock, dict(self.values), dict(self.textures), self.bound

    def __setstate__(self, state: tuple[Input[Uniforms], dict, dict, Bound | None]) -> None:
        clock, values, textures, bound = state
        object.__setattr__(self, "bound", bound)
        object.__setattr__(self, "clock", clock)
        object.__setattr__(self, "values", MappingProxyType(values))
        object.__setattr__(self, "textures", MappingProxyType(textures))

    @classmethod
    def at(cls, uniforms: Uniforms | None = None) -> Inputs:
        """Nothing given but the clock, else the canonical run's."""
        return cls() if uniforms is None else cls(Input(uniforms, Source.SET))

    @property
    def uniforms(self) -> Uniforms:
        """Time, frame, mouse and date."""
        return self.clock.value

    def channel_sizes(self, picture: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """Width, height in texels of `iChannel0` to `iChannel3`; zeros for empty ones.

        `picture`: the size of the frame in pixels.
        """
        given = (self.textures.get(f"iChannel{n}") for n in range(4))
        return tuple(each.value.size(picture) if each else (0, 0) for each in given)
