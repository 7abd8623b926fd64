"""Mesa's optimised program (NIR), read from its text form.

The text is RADV's internal representation "NIR Shader(s)": a tree of blocks, `if` and `loop`, whose
blocks hold instructions in SSA form.  It is written in two ways (nir_print.c):

    Mesa 22                                     Mesa 23.2 and later
    block block_1:                              div block b1:    // preds: b0 b4
    /* preds: block_0 block_4 */
    vec1 32 div ssa_3 = phi block_0: ssa_1, …   div 32    %3 = phi b0: %1 (0x0), b4: %8
    vec1 32 div ssa_8 = fadd ssa_3, ssa_2.x     div 32    %8 = fadd %3, %2 (1.000000, 0.0).x
    intrinsic store_output (ssa_9, …) (base=4)  @store_output (%9, …) (base=4)

Both are read, and mixtures of them, as they were in between.  Other text forms are refused.

What else Mesa 25 writes differently, and where that is read:

    a pixel's position, the side it sees        numbered arguments                  `arguments`
    comparisons that NaN passes, single bits    fltu, fgeu, fneo, bitnz             `operations`
    colours                                     16-bit numbers, packed, exported    `writer`
    small tables of whole numbers               64-bit shifts                       `operations`
    derivatives                                 @ddx, @ddy                          `operations`

Listings of both, of shaders of our own, are in `tests/unit/gpu/radv/listings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shaderlab.errors import ShaderlabError


class UnreadableNir(ShaderlabError):
    """The text is not of a form, or uses what is, understood here."""


class Source(NamedTuple):
    """An operand: components of an SSA value."""

    value: int
    swizzle: str
    """Letters of the components used, of `xyzwefghijklmnop`; empty for all in order."""


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
    """Of `load_const`: bit patterns by component.  Of a gather: the component gathered."""
    blocks: tuple[int, ...] = ()
    """Of `phi`: the predecessor each source comes from."""
    indices: str = ""
    """Of an intrinsic: the second parenthesis, `base=4, wrmask=xy, …`.  Of a read of a texture: the
    type it gives."""
    roles: tuple[str, ...] = ()
    """Of a read of a texture: what each source is, `coord`; empty for all else."""


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
    shared_bytes: int = 0
    """Of a workgroup's shared memory."""
    workgroup: tuple[int, int, int] = (1, 1, 1)
    """Its invocations along x, y and z, where the text is a compute shader's."""

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


_PREFIX = r"(?:ssa_|%)"
_VALUE = _PREFIX + r"(\d+)"
_BLOCK = re.compile(r"^(?:(?:div|con) )?block (?:block_|b)(\d+):(.*)$")
_EDGES = re.compile(r"(preds|succs):([^,*]*)")
_IF = re.compile(rf"^if ({_VALUE}.*) \{{$")
_LOOP = re.compile(r"^(?:(?:div|con) )?loop(?:\s+//.*)? \{$")
_RESULT = re.compile(
    r"^(?:vec(?P<old_n>\d+)\s+)?(?:div |con )?\s*(?P<bits>\d+)(?:x(?P<n>\d+))?\s+(?:div |con )?\s*"
    rf"{_PREFIX}(?P<id>\d+)(?:\.\S+)? = (?P<code>.*)$"
)
_SOURCE = re.compile(rf"^{_VALUE}(?:\s*\([^()]*\))?(?:\.([a-pw-z]+))?$")
_INTRINSIC = re.compile(r"^(?:intrinsic |@)(\w+)\s*(.*)$")
_ALU = re.compile(r"^(\w+)(?:\.n[us]w)*!? (.*)$")
_TEXTURE = re.compile(rf"^\((\w+)\)(\w+) ({_PREFIX}\d+.*)$")
_OPERAND = re.compile(rf"^({_PREFIX}\d+.*?) \((\w+)\)$")
_GATHERED = re.compile(r"(\d+) \(gather[ _]component\)")
_SCRATCH = re.compile(r"^scratch: (\d+)$", re.MULTILINE)
_SHARED = re.compile(r"^shared[-_]size: (\d+)$", re.MULTILINE)
_WORKGROUP = re.compile(r"^workgroup[-_]size: (\d+), (\d+), (\d+)$", re.MULTILINE)
_LATER_LETTERS = str.maketrans("abcd", "xyzw")
"""Mesa 23 spells components of longer vectors `abcd…`, the fifth and later ones as before."""


def parse(text: str) -> Function:
    """Read a shader.  Raises UnreadableNir."""
    lines = iter(text.splitlines())
    if not any(line.startswith("impl main") for line in lines):
        raise UnreadableNir("the optimised program is not in a text form known here")
    body: list[Node] = []
    open_lists = [body]
    block: Block | None = None
    for line in lines:  # those after it
        if line.startswith("}"):
            return _function(text, body)
        code = line.strip()
        if not code or code.startswith("decl_var "):
            continue
        if code == "}":
            open_lists.pop()
        elif code == "} else {":
            open_lists.pop()
            open_lists.append(_else_of(open_lists[-1][-1]))
        elif node := _node(code):
            open_lists[-1].append(node)
            if isinstance(node, Block):
                block = node
            else:
                open_lists.append(node.then if isinstance(node, If) else node.body)
        elif block is None:
            raise UnreadableNir(f"an instruction outside any block: {code[:60]}")
        else:
            _add(block, code)
    raise UnreadableNir("the optimised program is cut off")


def _function(text: str, body: list[Node]) -> Function:
    """With what the shader's first lines say of it."""
    scratch, shared = _SCRATCH.search(text), _SHARED.search(text)
    x, y, z = map(int, found.groups()) if (found := _WORKGROUP.search(text)) else (1, 1, 1)
    return Function(
        body, int(scratch[1]) if scratch else 0, int(shared[1]) if shared else 0, (x, y, z)
    )


def _node(line: str) -> Node | None:
    """The block, `if` or `loop` that starts with a line."""
    if match := _BLOCK.match(line):
        block = Block(int(match[1]))
        _edges(block, match[2])
        return block
    if match := _IF.match(line):
        return If(_source(_code(match[1])))
    return Loop() if _LOOP.match(line) else None


def _else_of(node: Node) -> list[Node]:
    if not isinstance(node, If):
        raise UnreadableNir("an else without its if")
    return node.otherwise


def _add(block: Block, line: str) -> None:
    """A line inside a block: a comment, a jump or an instruction."""
    if line.startswith(("//", "/*")):
        _edges(block, line)
    elif line in ("break", "continue"):
        block.jump = line
    else:
        block.instructions.append(_instruction(_code(line)))


def _edges(block: Block, text: str) -> None:
    """Predecessors and successors, wherever in a comment they are."""
    for name, numbers in _EDGES.findall(text):
        found = tuple(int(n) for n in re.findall(r"\bb(?:lock_)?(\d+)\b", numbers))
        if name == "preds":
            block.predecessors = found
        else:
            block.successors = found


def _code(text: str) -> str:
    """Without the comment behind it."""
    return text.partition(" //")[0].rstrip()


def _instruction(text: str) -> Instruction:
    result, components, bits = -1, 0, 0
    code = text
    if match := _RESULT.match(text):
        components, bits = int(match["old_n"] or match["n"] or 1), int(match["bits"])
        result, code = int(match["id"]), match["code"]
    if code == "undefined":
        return Instruction("undefined", (), result, components, bits)
    if code.startswith("load_const"):
        return Instruction("load_const", (), result, components, bits, constants=_constants(code))
    if code.startswith("phi "):
        pairs = [entry.split(":") for entry in _separated(code[4:])]
        return Instruction(
            "phi",
            tuple(_source(value.strip()) for _, value in pairs),
            result,
            components,
            bits,
            blocks=tuple(int(block.strip().removeprefix("b").removeprefix("lock_"))
                         for block, _ in pairs),
        )  # fmt: skip
    if match := _INTRINSIC.match(code):
        operands, indices = _arguments(match[2])
        sources = tuple(_source(s) for s in _separated(operands))
        return Instruction(
            match[1], sources, result, components, bits, intrinsic=True, indices=indices
        )
    if match := _TEXTURE.match(code):
        return replace(_read(*match.groups()), result=result, components=components, bits=bits)
    if (match := _ALU.match(code)) and result >= 0:
        sources = tuple(_source(s) for s in _separated(match[2]))
        return Instruction(match[1], sources, result, components, bits)
    raise UnreadableNir(f"not understood: {text[:80]}")


def _read(kind: str, op: str, operands: str) -> Instruction:
    """A read of a texture: what it gives, how it reads, and its operands, each with its role."""
    found = [match for each in _separated(operands) if (match := _OPERAND.match(each))]
    gathered = _GATHERED.search(operands)
    return Instruction(
        op,
        tuple(_source(each[1]) for each in found),
        constants=(int(gathered[1]),) if gathered else (),
        roles=tuple(each[2] for each in found),
        indices=kind,
    )


def _arguments(text: str) -> tuple[str, str]:
    """Operands and indices of an intrinsic, each in parentheses, either left out by later Mesas."""
    groups: list[str] = []
    depth = start = 0
    for at, letter in enumerate(text):
        if letter == "(":
            depth += 1
            start = at + 1 if depth == 1 else start
        elif letter == ")":
            depth -= 1
            if depth == 0:
                groups.append(text[start:at])
    if len(groups) == 1 and "=" in groups[0].partition("(")[0]:
        groups.insert(0, "")
    operands, indices, *_ = [*groups, "", ""]
    return operands, indices


def _separated(text: str) -> list[str]:
    """Parts between commas; those in parentheses separate the components of a constant."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _source(text: str) -> Source:
    match = _SOURCE.match(text)
    if not match:
        raise UnreadableNir(f"not understood as an operand: {text[:60]}")
    return Source(int(match[1]), (match[2] or "").translate(_LATER_LETTERS))


def _constants(code: str) -> tuple[int, ...]:
    values = re.findall(r"\b(0x[0-9a-fA-F]+|true|false)\b", code)
    return tuple(int(v == "true") if v[0] in "tf" else int(v, 16) for v in values)
