"""Assembly as basic blocks: labels, instructions, branches, loops.

RADV labels each block that can be jumped to or falls together with a block of its compiler's own
flow graph by that block's number, `BB<n>:`.  Other drivers name the targets of jumps alone: there a
block ends at a label and after a jump, and blocks are numbered in the order of the code.  Valhall's
jumps name no label but how far they go: they are given labels `L<n>`.  Of instructions equal to the
one before, RADV gives only the number.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from shaderlab.gpu.compilers.compiled import Executable
from shaderlab.gpu.compilers.syntax import SYNTAX, Syntax, Unit
from shaderlab.gpu.compilers.vendors import Vendor

_REPEATED = re.compile(r"^\(then repeated (\d+) times\)$")
_MOST_REPEATED = 1 << 16


@dataclass(frozen=True)
class IsaInstruction:
    """One machine instruction."""

    prefix: str
    """What is written before the mnemonic: a predicate, flags of waiting."""
    mnemonic: str
    operands: str
    unit: Unit = Unit.ARITHMETIC
    jumps: tuple[str, ...] = ()
    """Labels it may jump to."""
    ends: bool = False
    """Whether control never comes by the next instruction."""
    cycles: int | None = None
    """Cycles until the next can issue, stalls on earlier results included (ACO's model)."""

    @property
    def text(self) -> str:
        return f"{self.prefix}{self.mnemonic} {self.operands}".rstrip()


@dataclass(frozen=True)
class IsaBlock:
    """A run of instructions entered at its start only."""

    number: int
    """Of RADV's code the compiler's: the n of `BB<n>`."""
    instructions: tuple[IsaInstruction, ...]
    label: str = ""
    """By which it is jumped to; empty where it is not."""

    @property
    def name(self) -> str:
        return self.label or f"BB{self.number}"

    @property
    def cycles(self) -> int | None:
        """One pass through it; None where the compiler reported no cycles."""
        known = [i.cycles for i in self.instructions]
        return None if None in known else sum(known)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Loop:
    """A natural loop."""

    header: int
    blocks: frozenset[int]
    depth: int
    """1 for an outermost loop."""


@dataclass(frozen=True)
class Listing:
    """A whole shader."""

    blocks: tuple[IsaBlock, ...]
    """In the order of the code; the first is the entry."""

    @classmethod
    def parse(cls, text: str, syntax: Syntax = SYNTAX["amd"]) -> Listing:
        """Read the driver's assembly text.  Lines that are no instruction are left out.

        A text without labels and jumps is one block; an empty one has none.
        """
        blocks = [_Open()]
        for line in _labelled(text.splitlines(), syntax):
            if label := syntax.label.match(line):
                blocks.append(_Open(label[1]))
                continue
            code = line.partition(syntax.comment)[0].rstrip()
            if (again := _REPEATED.match(code.strip())) and blocks[-1].code:
                blocks[-1].code.extend(blocks[-1].code[-1:] * min(int(again[1]), _MOST_REPEATED))
            elif found := syntax.code.match(code):
                made = _instruction(found, syntax)
                blocks[-1].code.append(made)
                splits = made.jumps or syntax.splits.match(made.mnemonic)
                if splits and syntax is not SYNTAX["amd"]:
                    blocks.append(_Open())
        kept = [block for block in blocks if block.code or block.label]
        return cls(
            tuple(
                IsaBlock(block.number(n), tuple(block.code), block.label)
                for n, block in enumerate(kept)
            )
        )

    @cached_property
    def by_number(self) -> dict[int, IsaBlock]:
        return {block.number: block for block in self.blocks}

    @cached_property
    def successors(self) -> dict[int, tuple[int, ...]]:
        """Block number -> numbers of the blocks control may go to next."""
        by_label = {block.label: block.number for block in self.blocks if block.label}
        found: dict[int, tuple[int, ...]] = {}
        for index, block in enumerate(self.blocks):
            targets = [by_label[to] for i in block.instructions for to in i.jumps if to in by_label]
            ends = bool(block.instructions) and block.instructions[-1].ends
            if not ends and index + 1 < len(self.blocks):
                targets.append(self.blocks[index + 1].number)
            found[block.number] = tuple(dict.fromkeys(targets))
        return found

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Natural loops by their header's place in the code.

        Compilers lay a loop out as one run of code that ends with the jump back to its header, so a
        backward branch from block b to h makes the loop of all the blocks from h to b.
        """
        place = {block.number: index for index, block in enumerate(self.blocks)}
        ends: dict[int, int] = {}
        for block in self.blocks:
            for target in self.successors[block.number]:
                if place[target] <= place[block.number]:
                    ends[target] = max(ends.get(target, 0), place[block.number])
        spans = sorted((place[header], end) for header, end in ends.items())
        return tuple(
            Loop(
                self.blocks[start].number,
                frozenset(b.number for b in self.blocks[start : end + 1]),
                sum(1 for s, e in spans if s <= start and end <= e),
            )
            for start, end in spans
        )

    @property
    def instructions(self) -> int:
        return sum(len(block.instructions) for block in self.blocks)

    @property
    def by_unit(self) -> dict[str, int]:
        """Instructions by the unit that executes them, static, the most first."""
        counted = Counter(i.unit.value for block in self.blocks for i in block.instructions)
        return dict(counted.most_common())

    def depth(self, number: int) -> int:
        """How many loops contain the block."""
        return sum(1 for loop in self.loops if number in loop.blocks)


@dataclass
class _Open:
    """A block while it is read."""

    label: str = ""
    code: list[IsaInstruction] = field(default_factory=list)

    def number(self, place: int) -> int:
        return int(self.label[2:]) if self.label.startswith("BB") else place


def _instruction(found: re.Match[str], syntax: Syntax) -> IsaInstruction:
    prefix, mnemonic, operands = found["prefix"], found["mnemonic"], found["operands"] or ""
    unit = syntax.unit(mnemonic)
    jumps = syntax.jump.findall(f"{mnemonic} {operands}") if unit is Unit.BRANCH else ()
    ends = bool(syntax.ends.match(f"{mnemonic} {operands or ''}"))
    ends = ends and not syntax.predicate.search(prefix)  # those that it excludes go on
    return IsaInstruction(prefix.lstrip(), mnemonic, operands.strip(), unit, tuple(jumps), ends)


def _labelled(lines: list[str], syntax: Syntax) -> list[str]:
    """The lines, with labels in place of distances, and before the instructions they lead to."""
    code = [n for n, line in enumerate(lines) if syntax.code.match(line)]
    labels: dict[int, str] = {}
    for place, n in enumerate(code):
        if found := syntax.distance.search(lines[n]):
            to = place + 1 + int(found[1])
            if 0 <= to < len(code):
                labels[code[to]] = f"L{to}"
                lines[n] = f"{lines[n][: found.start()]}L{to}"
        elif found := syntax.stops.search(lines[n]):
            labels[len(lines)] = f"L{len(code)}"
            lines[n] = f"{lines[n][: found.start(1)]}L{len(code)}"
    return [
        each
        for n, line in enumerate([*lines, ""])
        for each in ((f"{labels[n]}:", line) if n in labels else (line,))
    ]


@lru_cache(maxsize=64)
def listing_of(executable: Executable, vendor: Vendor) -> Listing:
    """The code of one executable."""
    return Listing.parse(executable.assembly, SYNTAX[vendor.slug])
