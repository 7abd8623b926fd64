"""`CompiledStats`: what a vendor's compiler made of a program, in its own and in common terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.vendors import Vendor


@dataclass(frozen=True)
class Statistic:
    """A number the driver reports (VK_KHR_pipeline_executable_properties)."""

    name: str
    """In the driver's words."""
    value: float
    description: str = ""


@dataclass(frozen=True)
class Executable:
    """One stage's code; of a fragment shader Intel's compiler makes one per SIMD width."""

    name: str
    subgroup_size: int
    """Invocations that run in lockstep; 0 where the driver does not say."""
    statistics: tuple[Statistic, ...]
    assembly: str = field(default="", repr=False)
    ir: str = field(default="", repr=False)
    """The optimised program before code selection (NIR), in Mesa's text form; may be empty."""
    costs: str = field(default="", repr=False)
    """What the compiler said about cycles per instruction (RADV's `ACO_DEBUG=perfinfo`)."""
    stage: Stage = Stage.FRAGMENT

    def statistic(self, *names: str) -> Statistic | None:
        """The first of these names; None for none of them."""
        by_name = {statistic.name.lower(): statistic for statistic in self.statistics}
        return next((by_name[n.lower()] for n in names if n.lower() in by_name), None)

    def value(self, *names: str) -> float | None:
        """Of the first statistic of these names; None for none of them."""
        found = self.statistic(*names)
        return found.value if found is not None else None


@dataclass(frozen=True)
class Common:
    """What all vendors' compilers report in some way; None where one does not.

    Counts are static, of one subgroup's code.
    """

    subgroup_size: int | None = None
    instructions: int | None = None
    registers: int | None = None
    """In the vendor's registers, which differ in size: compare within one vendor.  AMD's vector
    registers."""
    register_limit: int | None = None
    """How many there can be before values are kept in memory."""
    spills: int | None = None
    """Values kept in memory because registers ran out, or the accesses to them."""
    scratch_bytes: int | None = None
    """Private memory."""
    occupancy: int | None = None
    """Subgroups that can be resident on a core at a time."""
    cycles: float | None = None
    """By the compiler's own model: of Intel's and AMD's (one wave alone) with guesses of trip
    counts, of Arm's with every instruction counted once.  Compare within one chip."""
    stalls: int | None = None
    """Cycles of waiting the compiler expects: Turnip's stalls and NOPs."""
    code_bytes: int | None = None


_NAMES: Mapping[str, tuple[str, ...]] = {
    "instructions": ("Instruction Count", "Instructions"),
    "registers": ("Number of GPRs", "Registers used", "Max live registers", "VGPRs"),
    "scratch_bytes": ("Scratch Memory Size", "SLM Size", "Scratch size"),
    "occupancy": ("Max Waves Per Core", "Subgroups per SIMD", "Warps per SM"),
    "cycles": ("Cycle Count", "Cycles", "Latency"),
    "code_bytes": ("Code Size",),
}
"""Drivers' names for each of Common's fields: anv_pipeline.c, tu_pipeline.cc, nvk_shader.c,
radv_pipeline.c, and those `mali_statistics` and `nvidia_statistics` give."""
_STALLS = ("Estimated cycles stalled on SS", "Estimated cycles stalled on SY", "NOPs Count")
_SPILLS = ("Spill Count", "Spilled VGPRs", "Spilled SGPRs", "STP Count", "Spills")


def common(executable: Executable, vendor: Vendor) -> Common:
    """What is known of one executable in terms all vendors share."""
    found: dict[str, int | float | None] = {}
    for name, names in _NAMES.items():
        value = executable.value(*names)
        if value is not None:
            found[name] = value if name == "cycles" else int(value)
    code = executable.statistic(*_NAMES["code_bytes"])
    if code is not None and "dword" in code.description:  # Turnip counts in these
        found["code_bytes"] = 4 * int(code.value)
    return Common(
        subgroup_size=executable.subgroup_size or None,
        register_limit=vendor.registers,
        spills=_sum(executable, _SPILLS),
        stalls=_sum(executable, _STALLS),
        **found,  # type: ignore[arg-type]
    )


def _sum(executable: Executable, names: Sequence[str]) -> int | None:
    """Of those statistics that are reported; None for none of them."""
    known = [value for name in names if (value := executable.value(name)) is not None]
    return int(sum(known)) if known else None


@dataclass(frozen=True)
class CompiledStats:
    """One program for one family, with the vertex stage where the user gave one."""

    target: str
    """Slug of the family, e.g. `gfx1100`."""
    name: str
    """Chip and the products made with it."""
    vendor: Vendor
    driver: str
    """Driver name and version."""
    executables: tuple[Executable, ...]
    """At least one of the program's stage; those of the vertex stage follow."""
    compile_s: float
    """Seconds the driver took for the pipeline, its other stage included."""
    processor_s: float
    """Of them, seconds a processor worked on it: the same however busy the machine is."""

    @cached_property
    def chosen(self) -> Executable:
        """The one of the widest subgroup: what the hardware prefers where all pixels are covered
        (Intel's; the other vendors make one only)."""
        own = [each for each in self.executables if each.stage is self.executables[0].stage]
        return max(own, key=lambda each: each.subgroup_size)

    @cached_property
    def common(self) -> Common:
        return common(self.chosen, self.vendor)


_MALI = re.compile(r"SHADER-DB: (?:MESA_SHADER_)?(FRAGMENT|VERTEX|COMPUTE) shader: ([^\n]+)")
_MALI_PART = re.compile(r"^\s*(\d+(?:\.\d+)?) ([a-z]+)$")
_MALI_SPILLS = re.compile(r"^\s*(\d+):(\d+) spills:fills$")
_MALI_NAMES = {
    "inst": ("Instructions", "Instructions of the final program"),
    "cycles": ("Cycles", "Cycles of the busiest unit, one core, per invocation"),
    "arith": ("Arithmetic cycles", "Of the arithmetic units"),
    "fma": ("FMA cycles", "Of the multiply-add units"),
    "cvt": ("CVT cycles", "Of the units for conversions and simple integer operations"),
    "sfu": ("SFU cycles", "Of the units for special functions"),
    "v": ("Varying cycles", "Of the interpolator"),
    "vary": ("Varying cycles", "Of the interpolator"),
    "t": ("Texture cycles", "Of the texture unit"),
    "texture": ("Texture cycles", "Of the texture unit"),
    "ls": ("Load/store cycles", "Of the load/store unit"),
    "ldst": ("Load/store cycles", "Of the load/store unit"),
    "tuples": ("Tuples", "Pairs of instructions issued together"),
    "clauses": ("Clauses", "Groups of tuples scheduled together"),
    "loops": ("Loops", "Loops left in the program"),
}


def mali_statistics(printed: str, stage: Stage = Stage.FRAGMENT) -> tuple[Statistic, ...]:
    """What the compiler for Mali prints of a shader (`BIFROST_MESA_DEBUG=shaderdb`).

    `printed`: all it wrote meanwhile; the last shader of the stage in it counts.
    """
    lines = [text for kind, text in _MALI.findall(printed) if kind.lower() == stage.shown]
    if not lines:
        return ()
    found = []
    for part in lines[-1].split(","):
        if spills := _MALI_SPILLS.match(part):
            found.append(Statistic("Spills", float(spills[1]), "Stores of spilled registers"))
            found.append(Statistic("Fills", float(spills[2]), "Loads of spilled registers"))
        elif (match := _MALI_PART.match(part)) and match[2] in _MALI_NAMES:
            name, description = _MALI_NAMES[match[2]]
            found.append(Statistic(name, float(match[1]), description))
        elif match and match[2] == "threads":
            found.append(
                Statistic(
                    "Threads per slot",
                    float(match[1]),
                    "2 where at most half the registers are used",
                )
            )
    return tuple(found)


_NVIDIA_PARTITIONS = 4
_NVIDIA_REGISTERS = 65536 // _NVIDIA_PARTITIONS
"""Of 32 bits, in each of the four parts of a streaming multiprocessor."""
_NVIDIA_WARP_STEP = 256
"""Registers are given to a warp in units of so many."""
_NVIDIA_MOST_WARPS = {"Turing": 32, "Ampere": 48, "Ada": 48}


def nvidia_statistics(registers: float | None, architecture: str) -> tuple[Statistic, ...]:
    """Warps that fit, which NVK does not report, by the registers each thread has.

    NVIDIA, "CUDA C++ Programming Guide", technical specifications per compute capability (7.5,
    8.6, 8.9): 64 K registers and at most 32 or 48 warps in a streaming multiprocessor.
    """
    most = _NVIDIA_MOST_WARPS.get(architecture)
    if registers is None or most is None or not 0 < registers <= 255:
        return ()
    of_warp = -(-32 * int(registers) // _NVIDIA_WARP_STEP) * _NVIDIA_WARP_STEP
    warps = min(most, _NVIDIA_PARTITIONS * (_NVIDIA_REGISTERS // of_warp))
    return (Statistic("Warps per SM", warps, "That fit at a time, by their registers"),)


def nvidia_nir(printed: str, stage: Stage) -> str:
    """The optimised program that NVK's code was made of, before its control flow was lowered to
    jumps; empty where it printed none.

    `printed`: all the driver wrote meanwhile; the last shader of the stage in it counts.
    """
    _, found, text = printed.rpartition(f"Structured NIR for {stage.shown} shader:\n")
    return text if found else ""


def last(texts: Sequence[tuple[str, str]], kind: str) -> str:
    """The last form of a `kind` (`assembly`, `nir`) among the driver's texts by name."""
    return next((text for name, text in reversed(texts) if kind in name.lower()), "")
