"""What of a compute shader runs: groups and their size, given or following from what it writes."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import ResourceKind
from shaderlab.spirv.value_types import Dimension
from shaderlab.spirv.workgroup import Workgroup

Sides = tuple[int, int, int]
"""Along x, y and z."""

DEFAULT_1D = 1 << 16
"""Invocations of a launch nobody chose, where workgroups have one dimension."""
DEFAULT_SQUARED = 1 << 12
"""The same where each invocation goes through as many."""
DEFAULT_2D = 256
"""Invocations along each side where they have two."""
DEFAULT_3D = 32
"""The same where they have three."""
MOST_GROUPS = 65_535
"""Along one side, on every device (Vulkan specification, "Required Limits")."""


@dataclass(frozen=True)
class LaunchChoice:
    """What was given; the rest follows."""

    groups: Sides | None = None
    local: Sides | None = None
    """Only where the shader has specialisation constants for it."""
    lengths: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Elements of arrays of run-time length, by the buffer's name."""

    def __bool__(self) -> bool:
        return self != LaunchChoice()


@dataclass(frozen=True)
class Launch:
    """One dispatch."""

    groups: Sides
    local: Sides
    why: str = ""
    """What the groups follow from, as a sentence; empty where they were chosen."""

    @property
    def invocations(self) -> int:
        return math.prod(self.groups) * math.prod(self.local)

    @property
    def per_group(self) -> int:
        """Invocations of one workgroup."""
        return math.prod(self.local)

    @property
    def global_size(self) -> Sides:
        """Invocations along each side."""
        x, y, z = (g * n for g, n in zip(self.groups, self.local, strict=True))
        return x, y, z

    @property
    def text(self) -> str:
        """`1,024 groups of 64: 65,536 invocations`."""
        groups, local = shown(self.groups), shown(self.local)
        return f"{groups} groups of {local}: {self.invocations:,} invocations"


def shown(sides: Sides) -> str:
    """The sides with a sign between them, without those of one at the end: `64`."""
    kept = list(sides)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return " \u00d7 ".join(f"{side:,}" for side in kept)


def declared(program: Program) -> Workgroup:
    """The workgroup a compute program declares."""
    return program.interface.workgroup or Workgroup((1, 1, 1))


def launch(
    program: Program,
    choice: LaunchChoice,
    picture: tuple[int, int],
    constants: Mapping[int, bytes] | None = None,
) -> Launch:
    """The dispatch of a compute program.

    `picture`: width, height in texels of the images it writes; `constants`: given values of
    specialisation constants by `SpecId`.  Raises WrongUse for a local size it cannot have, and
    InvalidModule.
    """
    own = declared(program)
    values = {number: whole(data) for number, data in (constants or {}).items()}
    local = own.specialised(values)
    if choice.local is not None and choice.local != local:
        values |= local_constants(own, choice.local, program.name)
        local = own.specialised(values)
    if choice.groups is not None:
        return Launch(choice.groups, local)
    return _default(program, local, picture)


def local_constants(own: Workgroup, wanted: Sides, name: str) -> dict[int, int]:
    """Values of specialisation constants by `SpecId` for a local size.  Raises WrongUse."""
    for axis, side, number, asked in zip("xyz", own.size, own.constants, wanted, strict=True):
        if number is None and asked != side:
            raise WrongUse(
                f"{name}: its text fixes the local size at {shown(own.size)}; with layout("
                f"local_size_{axis}_id = 0) in, or [[vk::constant_id]], it could be chosen"
            )
    return {
        number: asked
        for number, asked in zip(own.constants, wanted, strict=True)
        if number is not None
    }


def whole(data: bytes) -> int:
    """The unsigned number of a specialisation constant's bytes."""
    return struct.unpack("<I", data[:4].ljust(4, b"\0"))[0]


def writes_pictures(program: Program) -> bool:
    """Whether it has a storage image of two dimensions, which a picture's size suits."""
    return any(
        resource.kind is ResourceKind.STORAGE_IMAGE
        and resource.image is not None
        and resource.image.dimension is Dimension.D2
        for resource in program.interface.resources
    )


def is_compute(program: Program | None) -> bool:
    return program is not None and program.stage is Stage.COMPUTE


def _default(program: Program, local: Sides, picture: tuple[int, int]) -> Launch:
    if writes_pictures(program):
        wanted = (*picture, 1)
        why = (
            f"Default: one invocation for each texel of {picture[0]:,} \u00d7 {picture[1]:,}, "
            "the picture's size."
        )
    elif local[2] > 1:
        wanted = (DEFAULT_3D,) * 3
        why = f"Default: about {DEFAULT_3D} invocations along x, y and z; the time depends on it."
    elif local[1] > 1:
        wanted = (DEFAULT_2D, DEFAULT_2D, 1)
        why = f"Default: about {DEFAULT_2D} invocations along x and y; the time depends on it."
    elif repeated := program.kernel_uses.repeated:
        wanted = (DEFAULT_SQUARED, 1, 1)
        why = (
            f"Default: {DEFAULT_SQUARED:,} invocations along x, each of which loops over all"
            f" {printable(repeated)}; the time grows quadratically."
        )
    else:
        wanted = (DEFAULT_1D, 1, 1)
        why = f"Default: {DEFAULT_1D:,} invocations along x; the time depends on it."
    x, y, z = (min(MOST_GROUPS, -(-side // per)) for side, per in zip(wanted, local, strict=True))
    return Launch((x, y, z), local, why)
