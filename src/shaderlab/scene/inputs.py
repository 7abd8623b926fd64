"""What a draw reads: values and resources by descriptor, each with where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.reflection import Descriptor

_T = TypeVar("_T")


UNIFORMS = Descriptor(0, 0)
"""The block of Shadertoy's uniforms."""

CHANNELS = tuple(Descriptor(0, binding) for binding in range(1, 5))
"""`iChannel0` to `iChannel3`."""


class Source(StrEnum):
    """Who chose a value."""

    DEFAULT = "default"
    """Not set: the canonical run's value."""
    PROJECT = "project"
    """The project file."""
    SET = "set"
    """The user, in the window or on the command line."""


@dataclass(frozen=True)
class Input(Generic[_T]):
    """One value.  Where it came from does not make two draws differ."""

    value: _T
    source: Source = field(default=Source.DEFAULT, compare=False)


class Texture(StrEnum):
    """What a sampler reads, whatever its dimension."""

    BLACK = "black"
    """One opaque black texel (per face), as Shadertoy shows an empty channel."""


@dataclass(frozen=True)
class Inputs:
    """Everything a draw reads.  A program need not declare all of it."""

    blocks: Mapping[Descriptor, Input[Uniforms]]
    textures: Mapping[Descriptor, Input[Texture]]

    @classmethod
    def shadertoy(cls, uniforms: Uniforms | None = None) -> Inputs:
        """Shadertoy's: these uniforms, else the canonical run's, and four black channels."""
        block = Input(Uniforms()) if uniforms is None else Input(uniforms, Source.SET)
        return cls({UNIFORMS: block}, {channel: Input(Texture.BLACK) for channel in CHANNELS})

    @property
    def uniforms(self) -> Uniforms:
        """Shadertoy's uniforms."""
        return self.blocks[UNIFORMS].value
