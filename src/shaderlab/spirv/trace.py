"""`Trace`: how often every basic block of a module ran in one frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from shaderlab.spirv.warps import LANES

LOST = ": the driver dropped them, as it may where a shader's behaviour is undefined"


class SourceLine(NamedTuple):
    """A line of the user's text.  `file`: empty for the document, else the include's name."""

    file: str
    line: int


class BlockId(NamedTuple):
    """A basic block of the original module."""

    function: int
    """Result id of its OpFunction."""
    label: int
    """Result id of its OpLabel."""


@dataclass(frozen=True)
class BlockCount:
    """One basic block of the original (uninstrumented) module and its executions."""

    function: int
    """Result id of its OpFunction."""
    function_name: str
    """The user's name for the function (`mainImage`), or `%<id>` without debug names."""
    label: int
    """Result id of its OpLabel."""
    count: int
    """Executions summed over all invocations of the frame (64 bits)."""
    lines: tuple[SourceLine, ...]
    """Distinct source lines its instructions carry, ascending; prelude lines are left out."""
    opcodes: Mapping[str, int]
    """Static histogram by opcode name: OpLabel excluded, terminator included (paper §6.1)."""
    lane_groups: int | None = None
    """Trips of the longest lane summed over 8x4 pixel groups; None where not recorded."""
    line_instructions: Mapping[SourceLine, int] = field(default_factory=dict)
    """How many of its instructions each of `lines` accounts for."""

    @property
    def id(self) -> BlockId:
        return BlockId(self.function, self.label)

    @property
    def instructions(self) -> int:
        """Instructions in the block, OpLabel excluded."""
        return sum(self.opcodes.values())

    @property
    def divergence(self) -> float | None:
        """count / (lane_groups x 32) in (0, 1]; None where not recorded or never run."""
        return self.count / (self.lane_groups * LANES) if self.lane_groups else None


@dataclass(frozen=True)
class BoundTexture:
    """The texture a descriptor held while a frame was traced."""

    dimension: str
    """As `value_types.Dimension` has it: `2D`."""
    size: tuple[int, int, int]
    """Width, height, depth in texels."""
    layers: int
    """Of an array; a cube has six."""
    levels: int
    format: str
    """`rgba8`, `srgba8`, `rgba16f`, `rgba32f`, `depth16`, …"""
    filter: str
    """`nearest`, `linear`, or `mipmap` for trilinear."""


class CutLoop(NamedTuple):
    """A loop that counting left before its end (`passes.guarding`)."""

    line: SourceLine
    """0 for a module without lines."""
    invocations: int
    """Those that wanted more rounds; pixels, where several invocations shade one."""
    rounds: int
    """Rounds of all its loops that an invocation had."""
    ends: bool = False
    """Whether it ends by its constants, however late."""

    @property
    def place(self) -> str:
        file, line = self.line
        if not line:
            return "a loop"
        return f"{file}:{line}" if file else f"line {line}"


@dataclass(frozen=True)
class Trace:
    """Counts of one frame.  The entry function's first block counts width x height."""

    device: str
    """Slug of the device that ran it, e.g. `llvmpipe`."""
    size: tuple[int, int]
    """Width, height in pixels."""
    time_s: float
    """`iTime` of the frame, seconds."""
    frame: int
    """`iFrame` of the frame."""
    blocks: tuple[BlockCount, ...]
    """In the order of the module, functions unreachable from the entry point left out."""
    slowdown: float
    """Time of the traced frame over the plain one; nan where not measured."""
    pixels: int | None = None
    """Pixels with at least one invocation; None where not recorded."""
    cut: tuple[CutLoop, ...] = ()
    """Loops that were left early, so that counts fall short of what the program asks for."""
    lost: int = 0
    """Invocations that were launched and left no counts: what they do is undefined, and the driver
    has dropped it, or the counts are wrong."""
    textures: Mapping[tuple[int, int], BoundTexture] = field(default_factory=dict)
    """By descriptor set and binding, as far as it was recorded; of an array its first element."""
    gathered: tuple[tuple[str, int], ...] = ()
    """Of a compute shader: buffers whose elements are chosen by what other buffers hold, each with
    its bytes; the largest first."""
    left_out: int = 0
    """Pixels that were not drawn, as counting them would have taken too long."""
    subgroup: int | None = None
    """Of a compute shader that uses subgroups: the invocations of one, as it was counted, where
    that is not whatever the device has; else None."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before trusting the counts, a line each; usually empty."""
        lost = (f"{self.lost:,} invocations were launched but not counted{LOST}",)
        return (*self.cut_notes, *(lost if self.lost else ()))

    @property
    def cut_notes(self) -> tuple[str, ...]:
        """Why the counts are at least what a GPU executes, a line each."""
        width, height = self.size
        what = "invocations left to run" if height == 1 else "pixels left to draw"
        short = (
            f"counting took too long and stopped with {self.left_out:,} of"
            f" {width * height:,} {what}"
        )
        loops = tuple(
            f"{each.place} {'goes on for long' if each.ends else 'may never end'}: "
            f"{each.invocations:,} invocations were still in its loop after {each.rounds:,} "
            "iterations, when counting stopped"
            for each in self.cut
        )
        return (*loops, short) if self.left_out else loops

    def per_draw(self, draws: int) -> Trace:
        """Of one of the `draws` that these counts sum up, whose pictures are above one another: the
        mean, rounded."""
        if draws == 1:
            return self
        blocks = tuple(
            replace(
                block,
                count=round(block.count / draws),
                lane_groups=None if block.lane_groups is None else round(block.lane_groups / draws),
            )
            for block in self.blocks
        )
        width, height = self.size
        return replace(self, blocks=blocks, size=(width, height // draws))

    def runs_of(self, function_name: str) -> int:
        """How often a function's first block ran; of one without that name, the module's."""
        named = (block.count for block in self.blocks if block.function_name == function_name)
        return next(named, self.blocks[0].count if self.blocks else 0)

    @cached_property
    def line_counts(self) -> dict[SourceLine, int]:
        """Times each source line ran: the largest count among the blocks that touch it, by line;
        of copies of a function (`spirv.passes.opaque_members`) their sum."""
        largest: dict[tuple[SourceLine, str], dict[int, int]] = {}
        for block in self.blocks:
            for line in block.lines:
                copies = largest.setdefault((line, block.function_name), {})
                copies[block.function] = max(copies.get(block.function, 0), block.count)
        counts: dict[SourceLine, int] = {}
        for (line, _), copies in largest.items():
            counts[line] = max(counts.get(line, 0), sum(copies.values()))
        return dict(sorted(counts.items()))

    @cached_property
    def line_instructions(self) -> dict[SourceLine, int]:
        """Instructions each source line executed in the frame, by line."""
        totals: Counter[SourceLine] = Counter()
        for block in self.blocks:
            for line, instructions in block.line_instructions.items():
                totals[line] += instructions * block.count
        return dict(sorted(totals.items()))

    @cached_property
    def opcode_totals(self) -> Counter[str]:
        """Executed instructions by opcode name: sum over blocks of count x static histogram."""
        totals: Counter[str] = Counter()
        for block in self.blocks:
            if block.count:
                for name, n in block.opcodes.items():
                    totals[name] += n * block.count
        return totals

    @cached_property
    def executed_blocks(self) -> frozenset[BlockId]:
        """The blocks that ran at all."""
        return frozenset(block.id for block in self.blocks if block.count)

    @property
    def instructions_executed(self) -> int:
        """The paper's SH feature (§6.1): all executed instructions of the frame."""
        return sum(self.opcode_totals.values())
