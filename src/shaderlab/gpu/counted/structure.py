"""Which block of the machine code is which block of the optimised program, by their structure.

Control flow of NIR is a tree of `if` and `loop`.  Intel's code nests too: `if`, `else`, `endif`,
`break`, `cont` and `while` (Intel, "Graphics Programmer's Reference Manual", volume 7, flow
control).  Adreno's jumps, but lies in the order of the program: a jump back ends a loop, one
forward skips a side or leaves the loop; `predt`, `predf` and `prede` bracket short sides.  Mali's
does likewise, without the brackets.  NVIDIA's too, with what follows a loop laid out inside it;
where lanes wait for each other in a loop, NVK has them test at the end of a round by which way they
came there (nak_nir_lower_cf.c); where that is more than one test, it is not the program's tree.
All are brought to one form, in which code and control flow alternate; where the trees are the same,
code between the same control flow is the same program's.  Compilers drop an `if` of nothing but
moves (they make selections of them): it need not be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shaderlab.gpu.compilers.listing import IsaInstruction, Listing
from shaderlab.gpu.compilers.vendors import Vendor
from shaderlab.gpu.counted.nested import nested
from shaderlab.gpu.counted.tree import Body, Code, Control, append, append_if, conditional
from shaderlab.gpu.radv.nir import Block, Function, Loop, Node

_MOVES = frozenset({"load_const", "mov", "load_reg", "store_reg", "vec2", "vec3", "vec4", "phi"})
"""What becomes selections, or nothing."""


def match(function: Function, listing: Listing, vendor: Vendor) -> dict[int, int] | None:
    """Machine block number -> NIR block number; None unless both are the same tree."""
    machine = nested(listing) if vendor.slug == "intel" else jumping(listing)
    mapping: dict[int, int] = {}
    if machine is None or not _match(program_body(function.body), machine, mapping):
        return None
    return mapping


def program_body(nodes: Sequence[Node]) -> Body:
    """Of the optimised program."""
    body: Body = [Code()]
    for node in nodes:
        if isinstance(node, Block):
            real = any(each.op not in _MOVES for each in node.instructions)
            append(body, Code([node.number], real))
            if node.jump:
                append(body, Control(node.jump))
        elif isinstance(node, Loop):
            append(body, Control("loop", (program_body(node.body),)))
        else:
            append_if(body, program_body(node.then), program_body(node.otherwise))
    return body


class _Foreign(Exception):
    """Control flow that is no tree."""


@dataclass(frozen=True)
class _Region:
    """Blocks from `start` to before `end`, by place."""

    start: int
    end: int
    loop: tuple[int, int] | None = None
    """Places of the first and last block of the innermost loop."""
    ends_with_jump: bool = False
    """Whether its last jump goes around the other side of its `if`."""


def jumping(listing: Listing) -> Body | None:
    """Of code that jumps; None where its jumps are no tree."""
    try:
        return _Jumps(listing).body()
    except _Foreign:
        return None


class _Jumps:
    """Code in the order of the program: its jumps read as a tree."""

    def __init__(self, listing: Listing):
        self._blocks = listing.blocks
        self._place = {block.label: n for n, block in enumerate(listing.blocks) if block.label}
        self._ends: dict[int, int] = {}
        """Place of the last block of the loop that starts at a place."""
        for n in range(len(self._blocks)):
            jump = self._jump(n)
            if jump is not None and self._target(jump) <= n:
                self._ends[self._target(jump)] = n
        self._enclose()
        self._loops: list[tuple[int, int]] = []
        """Those around what is being read, the outermost first."""
        self._after: list[Body] = []
        """For each of them, code that runs after it, but is laid out inside it."""

    def body(self) -> Body:
        """Raises _Foreign."""
        return self._read(_Region(0, len(self._blocks)))

    def _enclose(self) -> None:
        """A loop ends no sooner than those that begin in it, whose ends may follow its own."""
        for start in sorted(self._ends, reverse=True):
            for inner in sorted(each for each in self._ends if each > start):
                if inner <= self._ends[start]:
                    self._ends[start] = max(self._ends[start], self._ends[inner])

    def _jump(self, place: int) -> IsaInstruction | None:
        code = self._blocks[place].instructions
        return code[-1] if code and code[-1].jumps else None

    def _last(self, place: int) -> str:
        """Mnemonic a block ends with."""
        code = self._blocks[place].instructions
        return code[-1].mnemonic if code else ""

    def _predicated(self, body: Body, at: int, region: _Region) -> int:
        """Append the sides that lanes run under a predicate, up to `prede`."""
        sides: list[Body] = []
        while at < region.end and len(sides) < 2:
            sides.append([Code([self._blocks[at].number])])
            at += 1
            if self._last(at - 1) == "prede":
                append_if(body, *[*sides, [Code()]][:2])
                return at
        raise _Foreign

    def _leaves(self, start: int, end: int, loop: tuple[int, int]) -> bool:
        """Whether lanes that come to these blocks, by place, do not come back into the loop."""
        code = self._blocks[end - 1].instructions
        jumps = [jump for jump in map(self._jump, range(start, end)) if jump is not None]
        targets = [self._target(jump) for jump in jumps]
        return (
            bool(code)
            and code[-1].ends
            and all(t in range(start, end) or t < loop[0] for t in targets)
        )

    def _break_over(self, body: Body, at: int, target: int) -> int:
        """A jump over code that runs after the loop, which NVK lays out where the loop is left."""
        if self._after.pop():
            raise _Foreign
        loop = self._loops.pop()
        around = self._loops[-1] if self._loops else None
        after = self._read(_Region(at + 1, target, around, ends_with_jump=True))
        self._loops.append(loop)
        self._after.append(after)
        append(body, Control("break", conditional()))
        return target

    def _target(self, jump: IsaInstruction) -> int:
        if jump.jumps[0] not in self._place:
            raise _Foreign
        return self._place[jump.jumps[0]]

    def _read(self, region: _Region) -> Body:
        body: Body = [Code()]
        at = region.start
        while at < region.end:
            end = self._ends.get(at)
            if end is not None and (region.loop is None or region.loop[0] != at):
                if end >= region.end:
                    raise _Foreign
                self._loops.append((at, end))
                self._after.append([])
                inner = self._read(_Region(at, end + 1, (at, end)))
                self._loops.pop()
                append(body, Control("loop", (inner,)))
                for each in self._after.pop():
                    append(body, each)
                at = end + 1
            else:
                at = self._block(body, at, region)
        return body

    def _block(self, body: Body, at: int, region: _Region) -> int:
        """Append a block and what its jump begins; the place that follows."""
        block, jump = self._blocks[at], self._jump(at)
        append(body, Code([block.number]))
        if jump is not None and jump.mnemonic == "shps":  # once for all, not of the program
            return self._target(jump)
        if self._last(at) in ("predt", "predf"):
            return self._predicated(body, at + 1, region)
        if jump is None or (region.ends_with_jump and at == region.end - 1):
            return at + 1
        target, always = self._target(jump), jump.ends
        if always and target == at + 1:
            return target  # to the next block, which follows anyway
        sides = () if always else conditional()
        if region.loop is not None and target == region.loop[0]:
            if at != region.loop[1]:
                append(body, Control("continue", sides))
            elif not always:
                append(body, Control("break", sides))
            return at + 1
        if region.loop is not None and target > region.loop[1]:
            append(body, Control("break", sides))
            return at + 1
        if always or not at < target <= region.end:
            raise _Foreign
        if region.loop is not None and self._leaves(at + 1, target, region.loop):
            return self._break_over(body, at, target)
        around = self._jump(target - 1) if target - 1 > at else None
        join = self._target(around) if around is not None and around.ends else 0
        if target < join <= region.end and (region.loop is None or join <= region.loop[1]):
            then = self._read(_Region(at + 1, target, region.loop, ends_with_jump=True))
            append_if(body, then, self._read(_Region(target, join, region.loop)))
            return join
        append_if(body, self._read(_Region(at + 1, target, region.loop)), [Code()])
        return target


def _match(program: Body, machine: Body, mapping: dict[int, int]) -> bool:
    """Whether the bodies are the same; fills in which code is which."""
    theirs = [each for each in machine if isinstance(each, Control)]
    ours = [each for each in program if isinstance(each, Control)]
    surplus = len(ours) - len(theirs)
    if surplus < 0 or surplus > sum(each.kind == "moves" for each in ours):
        return False
    at = 0
    codes = iter(each for each in machine if isinstance(each, Code))
    code = next(codes)
    for each in program:
        if isinstance(each, Code):
            if each.blocks:
                for number in code.blocks:
                    mapping.setdefault(number, each.blocks[0])
            continue
        there = theirs[at] if at < len(theirs) else None
        if each.kind == "moves" and (there is None or not _is_if(there) or surplus):
            surplus -= 1
            continue
        if there is None or not (each.kind == there.kind or (_is_if(each) and _is_if(there))):
            return False
        if not _bodies(each, there, mapping):
            return False
        at += 1
        code = next(codes)
    return at == len(theirs)


def _is_if(control: Control) -> bool:
    return control.kind in ("if", "moves")


def _bodies(ours: Control, theirs: Control, mapping: dict[int, int]) -> bool:
    """Whether all bodies of both are the same."""
    found = dict(mapping)
    if len(ours.bodies) == len(theirs.bodies) and all(
        _match(a, b, found) for a, b in zip(ours.bodies, theirs.bodies, strict=True)
    ):
        mapping |= found
        return True
    return ours.kind == "loop" and _match(_waiting(ours.bodies[0]), theirs.bodies[0], mapping)


def _waiting(body: Body) -> Body:
    """A loop's body as NVK lays it out where lanes wait for each other in every round: what follows
    a jump is the other side of an `if`, and a test at the end leaves the loop for them all."""
    first, last = body[0], body[-1]
    assert isinstance(first, Code)
    assert isinstance(last, Code)
    waiting = _without_jumps(body)
    append(waiting, Code(first.blocks[:1]))  # the test runs in every round, as what comes first
    append(waiting, Control("break", conditional()))
    append(waiting, Code(last.blocks[:1]))
    return waiting


def _without_jumps(body: Body) -> Body:
    sides: Body = [Code()]
    for at, each in enumerate(body):
        if isinstance(each, Control) and each.kind in ("break", "continue"):
            if each.bodies:
                rest = _without_jumps(body[at + 1 :])
                append(sides, Control("if", (_without_jumps(each.bodies[0]), rest)))
            return sides
        append(sides, each)
    return sides
