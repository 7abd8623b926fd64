"""AMD assembly as basic blocks: labels, instructions, branches, loops.

The text is RADV's internal representation "Assembly" (aco_print_asm.cpp): one line per
instruction, its encoding after a semicolon, and a label `BB<n>:` before each block that can be
jumped to or falls together with a block of the compiler's own flow graph.  Label numbers are the
compiler's block numbers.  Of instructions equal to the one before, only the number is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_LABEL = re.compile(r"^BB(\d+):")
_TARGET = re.compile(r"^BB(\d+)$")
_REPEATED = re.compile(r"^\(then repeated (\d+) times\)$")
_INVALID = "(invalid instruction)"
_MOST_REPEATED = 1 << 16
_ENDS = ("s_endpgm", "s_branch", "s_setpc_b64")


@dataclass(frozen=True)
class IsaInstruction:
    """One machine instruction."""

    mnemonic: str
    operands: str
    encoding: str = ""
    """Hexadecimal words."""
    cycles: int | None = None
    """Cycles until the next can issue, stalls on earlier results included (ACO's model)."""

    @property
    def text(self) -> str:
        return f"{self.mnemonic} {self.operands}".rstrip()

    @property
    def branch_target(self) -> int | None:
        """Number of the block it may jump to."""
        if not self.mnemonic.startswith(("s_branch", "s_cbranch")):
            return None
        match = _TARGET.match(self.operands)
        return int(match[1]) if match else None


@dataclass(frozen=True)
class IsaBlock:
    """A run of instructions entered at its start only."""

    number: int
    """The compiler's block number: the n of `BB<n>`."""
    instructions: tuple[IsaInstruction, ...]

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
    def parse(cls, text: str) -> Listing:
        """Read the driver's assembly text.  Lines that are no instruction are left out.

        A text without labels is one block; an empty one has none.
        """
        blocks: list[tuple[int, list[IsaInstruction]]] = []
        for line in text.splitlines():
            label = _LABEL.match(line)
            if label:
                blocks.append((int(label[1]), []))
                continue
            code, _, encoding = line.partition(";")
            if (again := _REPEATED.match(code.strip())) and blocks and blocks[-1][1]:
                blocks[-1][1].extend(blocks[-1][1][-1:] * min(int(again[1]), _MOST_REPEATED))
                continue
            words = [_INVALID] if code.strip() == _INVALID else code.split(None, 1)
            if not words or not re.match(r"[a-z]\w+$|\(invalid", words[0]):
                continue
            if not blocks:
                blocks.append((0, []))
            operands = words[1].strip() if len(words) > 1 else ""
            blocks[-1][1].append(IsaInstruction(words[0], operands, encoding.strip()))
        return cls(tuple(IsaBlock(number, tuple(code)) for number, code in blocks))

    @cached_property
    def by_number(self) -> dict[int, IsaBlock]:
        return {block.number: block for block in self.blocks}

    @cached_property
    def successors(self) -> dict[int, tuple[int, ...]]:
        """Block number -> numbers of the blocks control may go to next."""
        found: dict[int, tuple[int, ...]] = {}
        for index, block in enumerate(self.blocks):
            targets = [
                i.branch_target
                for i in block.instructions
                if i.branch_target is not None and i.branch_target in self.by_number
            ]
            ends = bool(block.instructions) and block.instructions[-1].mnemonic in _ENDS
            if not ends and index + 1 < len(self.blocks):
                targets.append(self.blocks[index + 1].number)
            found[block.number] = tuple(dict.fromkeys(targets))
        return found

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Natural loops by their header's place in the code.

        ACO lays a loop out as one run of code that ends with the jump back to its header, so a
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

    def depth(self, number: int) -> int:
        """How many loops contain the block."""
        return sum(1 for loop in self.loops if number in loop.blocks)
