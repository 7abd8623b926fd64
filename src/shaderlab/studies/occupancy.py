"""What local sizes of a compute shader leave resident on GPUs that are not here.

The GPU's own compiler is asked once for each local size: registers, shared memory, and how many
subgroups of such code a SIMD unit, or a core, can hold.  Of AMD's chips that last number is held to
what a compute unit has: slots of waves, 64 KiB of shared memory, 16 barriers, and workgroups that
fit as a whole, which Mesa's own number leaves out.  Nothing is run, so no time follows.

AMD, "GCN Architecture" (2012) and "RDNA Architecture" (2019) white papers, "RDNA 2" and "RDNA 3"
instruction set architectures: 10 waves to a SIMD, then 20, then 16; of Polaris (GCN 4) 8, as Mesa's
drivers have it (`max_wave64_per_simd`).  A workgroup of more than one wave takes one of the unit's
barriers: LLVM, `AMDGPUBaseInfo.cpp`, `getMaxWorkGroupsPerCU` (16; 32 for the two compute units of
an RDNA workgroup processor together).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.compilers.families import Family
from shaderlab.scene.draw import Draw
from shaderlab.scene.launch import Sides, declared, shown

SIZES = (32, 64, 128, 256, 512, 1024)
"""Invocations of a workgroup that are tried unless others are given."""
_SHARED = ("LDS size", "Shared Memory Size", "SLM Size", "Shared size")
"""Drivers' names for the bytes a workgroup shares."""

_SLOTS = {"GCN 4": 8, "GCN 5": 10, "RDNA": 20}
"""Waves that a SIMD has room for, by architecture."""
_NEWEST_SLOTS = 16
_UNIT_BYTES = 1 << 16
"""Shared memory of a compute unit of AMD's that its workgroups divide among them."""
_BARRIERS = 16
"""Workgroups of more than one wave that a compute unit of AMD's holds at most."""

Compile = Callable[[Mapping[int, bytes]], CompiledStats]
"""Of specialisation constants' bytes by `SpecId`.  Raises ShaderlabError."""


@dataclass(frozen=True)
class Occupied:
    """What a compiler made of one local size."""

    local: Sides
    family: str
    """Slug of the chip's family."""
    subgroup: int
    """Invocations in lockstep."""
    subgroups: int
    """That one workgroup takes."""
    registers: int | None
    """Of each invocation; of AMD the vector registers."""
    shared_bytes: int | None
    """Of one workgroup; None where the compiler does not say."""
    resident: float | None
    """Subgroups that a SIMD unit or core holds at a time, by registers and shared memory; of AMD's
    the mean over a compute unit's SIMDs."""
    most: int | None
    """Of them, that the chip has room for where nothing limits; None where that is not known."""
    spills: int | None

    @property
    def idle(self) -> float:
        """Share of a workgroup's lanes without an invocation, which are its last subgroup's."""
        lanes = self.subgroups * self.subgroup
        return 1 - _per_group(self.local) / lanes if lanes else 0.0


@dataclass(frozen=True)
class Occupancy:
    """Of one family, by local size."""

    family: str
    rows: tuple[Occupied, ...]
    problems: Mapping[str, str]
    """Why a local size was not compiled, by the size as it is shown."""
    note: str = ""
    """Why there is one size alone."""

    @property
    def best(self) -> Occupied | None:
        """The smallest workgroup of those that leave most subgroups resident and no lane idle."""
        known = [each for each in self.rows if each.resident is not None]
        return min(
            known,
            key=lambda each: (each.spills or 0, -(each.resident or 0), each.idle, each.local),
            default=None,
        )


def local_sizes(draw: Draw, wanted: Iterable[int] = SIZES) -> tuple[tuple[Sides, ...], str]:
    """Workgroups of so many invocations, as far as specialisation constants leave them open, with
    the sentence for those that do not.  The sides grow by turns, x first.

    Raises WrongUse for a draw that is none of a compute shader.
    """
    if not draw.is_compute:
        raise WrongUse(f"{draw.program.name} is not a compute shader: it has no workgroups")
    own = declared(draw.program)
    # A side of one is open in many texts that use one dimension only.
    is_open = [
        constant is not None and (axis == 0 or side > 1)
        for axis, (constant, side) in enumerate(zip(own.constants, own.size, strict=True))
    ]
    if not any(is_open):
        note = (
            f"The shader fixes the local size at {shown(own.size)}. To compare sizes, declare it"
            " with local_size_x_id (GLSL) or [[vk::constant_id]] (HLSL)."
        )
        return (draw.launch.local,), note
    found = (_sides(own.size, is_open, each) for each in wanted)
    return tuple(dict.fromkeys(each for each in found if each is not None)), ""


def _sides(own: Sides, is_open: list[bool], wanted: int) -> Sides | None:
    """Sides whose product is as wanted; None where doubling does not come to it."""
    sides = [1 if grows else side for side, grows in zip(own, is_open, strict=True)]
    growing = [axis for axis, grows in enumerate(is_open) if grows]
    if len(growing) == 1:
        rest = sides[(growing[0] + 1) % 3] * sides[(growing[0] + 2) % 3]
        sides[growing[0]] = wanted // rest
    else:
        turn = 0
        while _per_group((sides[0], sides[1], sides[2])) < wanted:
            sides[growing[turn % len(growing)]] *= 2
            turn += 1
    made = (sides[0], sides[1], sides[2])
    return made if _per_group(made) == wanted else None


def _per_group(local: Sides) -> int:
    x, y, z = local
    return x * y * z


def of_local(draw: Draw, local: Sides) -> Draw:
    """The dispatch with another local size, and about as many invocations."""
    launch = draw.launch
    groups = tuple(
        max(1, -(-size // side)) for size, side in zip(launch.global_size, local, strict=True)
    )
    chosen = replace(draw.state.launch, groups=(groups[0], groups[1], groups[2]), local=local)
    return replace(draw, state=replace(draw.state, launch=chosen))


def occupancy(
    draw: Draw, family: Family, sizes: Iterable[Sides], note: str, ask: Compile
) -> Occupancy:
    """What `ask` says of each size; one that is refused does not end the others."""
    rows: list[Occupied] = []
    problems: dict[str, str] = {}
    for local in sizes:
        try:
            stats = ask(of_local(draw, local).launch_constants)
            rows.append(_occupied(local, family, stats))
        except ShaderlabError as error:
            problems[shown(local)] = str(error)
    return Occupancy(family.slug, tuple(rows), problems, note)


def _occupied(local: Sides, family: Family, stats: CompiledStats) -> Occupied:
    common = stats.common
    subgroup = common.subgroup_size or 0
    subgroups = -(-_per_group(local) // subgroup) if subgroup else 0
    shared = stats.chosen.value(*_SHARED)
    shared_bytes = None if shared is None else int(shared)
    resident: float | None = common.occupancy
    most = slots(family)
    if resident is not None and most is not None and subgroups:
        room = int(min(resident, most))
        resident = held(subgroups, shared_bytes or 0, room, family.simds_per_unit)
    return Occupied(
        local,
        stats.target,
        subgroup,
        subgroups,
        common.registers,
        shared_bytes,
        resident,
        most,
        common.spills,
    )


def slots(family: Family) -> int | None:
    """Waves that a SIMD of an AMD chip has room for; None of another vendor's."""
    if not family.simds_per_unit:
        return None
    return _SLOTS.get(family.architecture, _NEWEST_SLOTS)


def held(subgroups: int, shared_bytes: int, room: int, simds: int) -> float:
    """Subgroups on each SIMD of a compute unit, on average: all of a workgroup are on one unit.

    `subgroups`, `shared_bytes`: of a workgroup; `room`: subgroups a SIMD has registers and slots
    for.
    """
    groups = simds * room // subgroups
    if subgroups > 1:
        groups = min(groups, _BARRIERS)
    if shared_bytes:
        groups = min(groups, _UNIT_BYTES // shared_bytes)
    return groups * subgroups / simds
