"""Intel's code as a tree: it nests as the program does.

`if`, `else`, `endif`, `break`, `cont` and `while` (Intel, "Graphics Programmer's Reference Manual",
volume 7, flow control).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shaderlab.gpu.compilers.listing import IsaInstruction, Listing
from shaderlab.gpu.counted.tree import Body, Code, Control, append, append_if, conditional

_REGISTERS = re.compile(r"\bg\d+")


def nested(listing: Listing) -> Body | None:
    """Of Intel's code; None where it does not nest."""
    ends: dict[str, int] = {}
    for block in listing.blocks:
        for each in block.instructions:
            if each.mnemonic == "while":
                for label in each.jumps:
                    ends[label] = ends.get(label, 0) + 1
    top: Body = [Code()]
    open_: list[tuple[str, Body]] = [("", top)]
    for block in listing.blocks:
        for _ in range(ends.get(block.label, 0)):
            open_.append(("loop", [Code()]))
        append(open_[-1][1], Code([block.number]))
        for at, each in enumerate(block.instructions):
            mnemonic = "elect" if _elects(block.instructions, at) else each.mnemonic
            if not _flow(open_, mnemonic, bool(each.prefix.strip())):
                return None
    return top if len(open_) == 1 else None


def _flow(open_: list[tuple[str, Body]], mnemonic: str, predicated: bool) -> bool:
    """Follow one instruction of control flow; False where it does not fit."""
    kind, body = open_[-1]
    if mnemonic in ("if", "elect"):
        open_.append((mnemonic, [Code()]))
    elif mnemonic == "else":
        if kind != "if":
            return False
        open_[-1] = ("else", [Control("then", (body,))])
        open_[-1][1].append(Code())
    elif mnemonic == "endif":
        if kind not in ("if", "else", "elect"):
            return False
        open_.pop()
        _close(open_[-1][1], kind, body)
    elif mnemonic == "while":
        if kind != "loop":
            return False
        if predicated:
            append(body, Control("break", conditional()))
        open_.pop()
        append(open_[-1][1], Control("loop", (body,)))
    elif mnemonic in ("break", "cont"):
        jump = "break" if mnemonic == "break" else "continue"
        append(body, Control(jump, conditional() if predicated else ()))
    return mnemonic not in ("jmpi", "goto", "join", "call", "ret", "brc", "brd")


def _close(around: Body, kind: str, body: Body) -> None:
    """Append what an `endif` ends; `elect`: one lane's work for all, not of the program."""
    if kind == "elect":
        for each in body:
            append(around, each)
    elif kind == "else":
        then, rest = body[0], body[1:]
        assert isinstance(then, Control)
        append_if(around, then.bodies[0], rest)
    else:
        append_if(around, body, [Code()])


def _elects(code: Sequence[IsaInstruction], at: int) -> bool:
    """Whether an `if` is taken by the first lane alone, which the lowest bit of those that are
    active is compared with."""
    if code[at].mnemonic != "if":
        return False
    before = [each for each in code[:at] if each.mnemonic != "sync"]
    lowest = {_REGISTERS.findall(each.operands)[0] for each in before if each.mnemonic == "fbl"}
    compared = before[-1] if before else None
    return (
        compared is not None
        and compared.mnemonic.startswith("cmp.z")
        and bool(lowest.intersection(_REGISTERS.findall(compared.operands)))
    )
