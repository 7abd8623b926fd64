"""What the inputs inside blocks are called: each by one name that no other has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shaderlab.spirv.reflection import Descriptor, Resource
from shaderlab.spirv.value_types import Leaf

SHADERTOY: tuple[tuple[int, str, tuple[int, ...], str], ...] = (
    (0, "vec3", (), "iResolution"),
    (12, "float", (), "iTime"),
    (16, "vec4", (), "iChannelTime"),
    (32, "vec4", (), "iMouse"),
    (48, "vec4", (), "iDate"),
    (64, "vec3", (4,), "iChannelResolution"),
    (128, "float", (), "iSampleRate"),
    (132, "int", (), "iFrame"),
    (136, "float", (), "iTimeDelta"),
    (140, "float", (), "iFrameRate"),
)
"""Offset, type, lengths and name of the members of the block that Shadertoy's bodies declare."""

_NO_NAME = re.compile(r"(?:_\d+(?:\[\d+\])?\.?)+")


def in_block(resource: Resource, found: Sequence[Leaf]) -> list[str]:
    """Names of the values of a block, in order.

    Of a block whose module has no names: Shadertoy's where it is laid out as Shadertoy's, else
    where each value lies: `set 0, binding 2, byte 16`.
    """
    nameless = resource.is_anonymous and all(_NO_NAME.fullmatch(leaf.path) for leaf in found)
    if not nameless:
        prefix = "" if resource.is_anonymous else f"{resource.name}."
        return [prefix + leaf.path for leaf in found]
    layout = tuple((leaf.offset, leaf.type.glsl, leaf.lengths) for leaf in found)
    if resource.descriptor == Descriptor(0, 0) and layout == tuple(row[:3] for row in SHADERTOY):
        return [name for *_, name in SHADERTOY]
    at = resource.descriptor
    return [f"set {at.set}, binding {at.binding}, byte {leaf.offset}" for leaf in found]


class UniqueNames:
    """Gives each input a name of its own."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, name: str, where: str) -> str:
        """The name; where another input has it, with where this one is bound."""
        unique, number = name, 2
        if unique in self._taken:
            unique = f"{name} ({where})"
        while unique in self._taken:
            unique, number = f"{name} ({where}, {number})", number + 1
        self._taken.add(unique)
        return unique
