"""Which block of the machine code is which block of the optimised program.

ACO selects code block by block in the order of the NIR, and prints the logical predecessors of each
of its own blocks: where a lane may come from.  Blocks it adds for the wave (to invert the execution
mask, to skip a side no lane takes) have none.  Later Mesas leave out blocks in which no code is
left; what led there then leads to what comes after.  So the two flow graphs must be the same, block
by block, once those are left out of the program's too; where they are not, there is no mapping.
"""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.gpu.radv.nir import Block, Function, If, Loop, Node
from shaderlab.gpu.radv.perfinfo import CostedBlock, Costs

_MOST_STEPS = 50_000
"""Limit of the search for blocks that were left out; it usually takes a few more than there are
blocks."""


def match(function: Function, costs: Costs) -> dict[int, int] | None:
    """ACO block number -> NIR block number for every block a lane can be in.

    None unless both flow graphs agree edge by edge.
    """
    program = [b for b in function.blocks() if b.successors or b.instructions or b.predecessors]
    program = [b for n, b in enumerate(program) if n == 0 or b.predecessors]
    code = [b for n, b in enumerate(costs.blocks) if n == 0 or b.logical_predecessors]
    if not code or len(code) > len(program):
        return None
    return _Matching(program, code, _sides(function.body)).found()


class _Matching:
    """Walks both graphs in order, and back where a block that was kept cannot have been."""

    def __init__(
        self, program: list[Block], code: list[CostedBlock], sides: dict[int, tuple[int, bool]]
    ):
        """`sides`: as `_sides` has them."""
        self._program, self._code = program, code
        self._sides = sides if len(code) < len(program) else {}
        self._place = {block.number: place for place, block in enumerate(program)}
        self._at = {block.number: at for at, block in enumerate(code)}
        self._kept: list[bool] = []
        """By place in the program, as far as decided."""
        self._leads: list[frozenset[int]] = []
        """By place: the block's number, or those of the blocks it was entered from if left out."""
        self._chosen: list[int] = []
        """By place in the code: the program's block."""

    def found(self) -> dict[int, int] | None:
        for _ in range(_MOST_STEPS):
            place = len(self._kept)
            if place == len(self._program):
                if self._agrees():
                    return {c.number: n for c, n in zip(self._code, self._chosen, strict=True)}
            elif self._fits(place):
                self._decide(True)
                continue
            elif self._may_be_left_out(place):
                self._decide(False)
                continue
            if not self._go_back():
                return None
        return None

    def _decide(self, kept: bool) -> None:
        place = len(self._kept)
        if kept:
            self._chosen.append(self._program[place].number)
            self._leads.append(frozenset(self._chosen[-1:]))
        else:
            self._leads.append(self._entered_from(place, place))
        self._kept.append(kept)

    def _go_back(self) -> bool:
        """To the last block that was kept and may be left out, which it is then."""
        while self._kept:
            self._leads.pop()
            if self._kept.pop():
                self._chosen.pop()
                if self._may_be_left_out(len(self._kept)):
                    self._decide(False)
                    return True
        return False

    def _may_be_left_out(self, place: int) -> bool:
        left = len(self._code) - len(self._chosen)
        return place > 0 and len(self._program) - place > left

    def _entered_from(self, place: int, decided: int) -> frozenset[int]:
        """What leads to a block of the program, of the blocks decided on."""
        before = (self._place.get(n, decided) for n in self._program[place].predecessors)
        return frozenset().union(*(self._leads[p] for p in before if p < decided))

    def _fits(self, place: int) -> bool:
        """Whether the block may be the code's next, by the edges that lead forward."""
        at = len(self._chosen)
        if at == len(self._code) or self._only_leads_on(place):
            return False
        code = self._code[at]
        entered = {
            self._chosen[self._at[n]] for n in code.logical_predecessors if self._at.get(n, at) < at
        }
        if entered != self._entered_from(place, place):
            return False
        header, is_then = self._sides.get(self._program[place].number, (-1, False))
        if header not in self._chosen:
            return True
        # ACO numbers the side of a branch that is taken right after the block with the branch.
        follows = code.number == self._code[self._chosen.index(header)].number + 1
        return follows is is_then

    def _only_leads_on(self, place: int) -> bool:
        """Whether it is empty and the next block stands for it as well: both run equally often."""
        block = self._program[place]
        if block.instructions or block.jump or not self._may_be_left_out(place):
            return False
        following = self._program[place + 1 : place + 2]
        return bool(following) and following[0].predecessors == (block.number,)

    def _agrees(self) -> bool:
        """Whether all edges are the same, those back to loops' headers too."""
        if len(self._chosen) != len(self._code):
            return False
        for code, number in zip(self._code, self._chosen, strict=True):
            sources = {
                self._chosen[self._at[n]] if n in self._at else -1
                for n in code.logical_predecessors
            }
            if sources != self._entered_from(self._place[number], len(self._program)):
                return False
        return True


def _sides(nodes: Sequence[Node]) -> dict[int, tuple[int, bool]]:
    """First block of each side of an `if` -> the block before it, and whether the condition holds
    there."""
    found: dict[int, tuple[int, bool]] = {}
    before = -1
    for node in nodes:
        if isinstance(node, Block):
            before = node.number
        elif isinstance(node, Loop):
            found |= _sides(node.body)
        elif isinstance(node, If):
            for side, is_then in ((node.then, True), (node.otherwise, False)):
                if side and isinstance(side[0], Block):
                    found[side[0].number] = (before, is_then)
                found |= _sides(side)
    return found


def wave_counts(
    costs: Costs, mapping: dict[int, int], program_counts: dict[int, float]
) -> dict[int, float]:
    """Executions by waves of every ACO block, from those of the NIR blocks.

    A block of the wave's own runs as often as the wave comes by: as the busiest of the blocks it
    is entered from, since one of them (the one that branches around) always leads there.
    """
    counts: dict[int, float] = {}
    before = 0.0
    for block in costs.blocks:
        if block.number in mapping:
            counts[block.number] = program_counts.get(mapping[block.number], 0.0)
        else:
            entered = [counts[n] for n in block.linear_predecessors if n in counts]
            counts[block.number] = max(entered, default=before)
        before = counts[block.number]
    return counts
