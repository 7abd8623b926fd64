"""Mesa's optimised program (NIR), read from its text form.

The text is RADV's internal representation "NIR Shader(s)" as Mesa 22 prints it: a tree of blocks,
`if` and `loop`, whose blocks hold instructions in SSA form.  Other text forms are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from shaderlab.errors import ShaderlabError


class UnreadableNir(ShaderlabError):
    """The text is not of a form, or uses what is, understood here."""


class Source(NamedTuple):
    """An operand: components of an SSA value."""

    value: int
    swizzle: str
    """Letters of the components used; empty for all in order."""


@dataclass(frozen=True)
class Instruction:
    """One instruction of a block."""

    op: str
    """`fmul`, `phi`, `load_const`, …; an intrinsic's own name."""
    sources: tuple[Source, ...]
    result: int = -1
    """Number of the SSA value; -1 without one."""
    components: int = 0
    bits: int = 0
    intrinsic: bool = False
    constants: tuple[int, ...] = ()
    """Of `load_const`: bit patterns by component."""
    blocks: tuple[int, ...] = ()
    """Of `phi`: the predecessor each source comes from."""
    indices: str = ""
    """Of an intrinsic: the second parenthesis, `base=4, wrmask=xy, …`."""


@dataclass
class Block:
    number: int
    predecessors: tuple[int, ...] = ()
    successors: tuple[int, ...] = ()
    instructions: list[Instruction] = field(default_factory=list)
    jump: str = ""
    """`break`, `continue`, or empty."""


@dataclass
class If:
    condition: Source
    then: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)


@dataclass
class Loop:
    body: list[Node] = field(default_factory=list)


Node = Block | If | Loop


@dataclass(frozen=True)
class Function:
    """The entry function, everything else inlined."""

    body: list[Node]
    scratch_bytes: int

    def blocks(self) -> Iterator[Block]:
        """All blocks in the order of the text; the last, empty one is where it ends."""
        stack = list(reversed(self.body))
        while stack:
            node = stack.pop()
            if isinstance(node, Block):
                yield node
            elif isinstance(node, If):
                stack.extend(reversed([*node.then, *node.otherwise]))
            else:
                stack.extend(reversed(node.body))


_BLOCK = re.compile(r"^block block_(\d+):$")
_PREDECESSORS = re.compile(r"^/\* preds:(.*)\*/$")
_SUCCESSORS = re.compile(r"^/\* succs:(.*)\*/$")
_IF = re.compile(r"^if (ssa_\d+(?:\.\w+)?) \{$")
_RESULT = re.compile(r"^vec(\d+)\s+(\d+)\s+(?:div |con )?\s*ssa_(\d+) = (.*)$")
_SOURCE = re.compile(r"^ssa_(\d+)(?:\.([xyzwefghijklmnop]+))?$")
_INTRINSIC = re.compile(r"^intrinsic (\w+) \(([^()]*)\) \((.*)\)")
_ALU = re.compile(r"^(\w+)(?:\.n[us]w)*!? (.*)$")
_TEXTURE = re.compile(r"^\(\w+\)\w+ ssa_")
_SCRATCH = re.compile(r"^scratch: (\d+)$", re.MULTILINE)


def parse(text: str) -> Function:
    """Read a shader.  Raises UnreadableNir."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("impl main"):
            break
    else:
        raise UnreadableNir("the optimised program is not in a text form known here")
    scratch = _SCRATCH.search(text)
    body: list[Node] = []
    open_lists = [body]
    block: Block | None = None
    for line in lines:
        text_line = line.strip()
        if line.startswith("}"):
            return Function(body, int(scratch[1]) if scratch else 0)
        if not text_line:
            continue
        if match := _BLOCK.match(text_line):
            block = Block(int(match[1]))
            open_lists[-1].append(block)
        elif match := _IF.match(text_line):
            branch = If(_source(match[1]))
            open_lists[-1].append(branch)
            open_lists.append(branch.then)
        elif text_line == "loop {":
            loop = Loop()
            open_lists[-1].append(loop)
            open_lists.append(loop.body)
        elif text_line == "} else {":
            open_lists.pop()
            branch = open_lists[-1][-1]
            if not isinstance(branch, If):
                raise UnreadableNir("an else without its if")
            open_lists.append(branch.otherwise)
        elif text_line == "}":
            open_lists.pop()
        elif block is None:
            raise UnreadableNir(f"an instruction outside any block: {text_line[:60]}")
        elif match := _PREDECESSORS.match(text_line):
            block.predecessors = _numbers(match[1])
        elif match := _SUCCESSORS.match(text_line):
            block.successors = _numbers(match[1])
        elif text_line in ("break", "continue"):
            block.jump = text_line
        else:
            block.instructions.append(_instruction(text_line))
    raise UnreadableNir("the optimised program is cut off")


def _instruction(text: str) -> Instruction:
    result, components, bits = -1, 0, 0
    code = text
    if match := _RESULT.match(text):
        components, bits, result, code = int(match[1]), int(match[2]), int(match[3]), match[4]
    if code == "undefined":
        return Instruction("undefined", (), result, components, bits)
    if code.startswith("load_const"):
        return Instruction("load_const", (), result, components, bits, constants=_constants(code))
    if code.startswith("phi "):
        pairs = [entry.split(":") for entry in code[4:].split(",")]
        return Instruction(
            "phi",
            tuple(_source(value.strip()) for _, value in pairs),
            result,
            components,
            bits,
            blocks=tuple(int(block.strip().removeprefix("block_")) for block, _ in pairs),
        )
    if match := _INTRINSIC.match(code):
        sources = tuple(_source(s.strip()) for s in match[2].split(",") if s.strip())
        return Instruction(
            match[1], sources, result, components, bits, intrinsic=True, indices=match[3]
        )
    if _TEXTURE.match(code):
        raise UnreadableNir("texture reads are not replayed")
    if (match := _ALU.match(code)) and result >= 0:
        sources = tuple(_source(s.strip()) for s in match[2].split(","))
        return Instruction(match[1], sources, result, components, bits)
    raise UnreadableNir(f"not understood: {text[:80]}")


def _source(text: str) -> Source:
    match = _SOURCE.match(text)
    if not match:
        raise UnreadableNir(f"not understood as an operand: {text[:60]}")
    return Source(int(match[1]), match[2] or "")


def _constants(code: str) -> tuple[int, ...]:
    values = re.findall(r"\b(0x[0-9a-fA-F]+|true|false)\b", code)
    return tuple({"true": 1, "false": 0}.get(v) if v[0] in "tf" else int(v, 16) for v in values)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"block_(\d+)", text))
