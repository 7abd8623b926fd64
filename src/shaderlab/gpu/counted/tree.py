"""The one form that programs and machine code are brought to: code and control flow in turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Code:
    """Blocks between two pieces of control flow, by their numbers."""

    blocks: list[int] = field(default_factory=list)
    real: bool = False
    """Whether it holds more than moves; of a program's, not of machine code."""


@dataclass
class Control:
    """A piece of control flow."""

    kind: str
    """`if`, `loop`, `break`, `continue`; `moves`: an `if` that may become selections."""
    bodies: tuple[Body, ...] = ()
    """Sides of an `if`, the body of a loop, what runs before a conditional jump; none of a jump
    that is always taken."""


Body = list["Code | Control"]
"""Code and control in turn; code first and last."""


def conditional() -> tuple[Body, ...]:
    """The body of a jump that some lanes take, with nothing before it."""
    return ([Code()],)


def append_if(body: Body, then: Body, otherwise: Body) -> None:
    """One whose side always jumps becomes a conditional jump, followed by the other side."""
    for side, other in ((then, otherwise), (otherwise, then)):
        if len(side) > 2 and isinstance(jump := side[-2], Control) and not jump.bodies:
            append(body, Control(jump.kind, (side[:-2],)))
            for each in (side[-1], *other):
                append(body, each)
            return
    real = any(is_real(side) for side in (then, otherwise))
    append(body, Control("if" if real else "moves", (then, otherwise)))


def append(body: Body, each: Code | Control) -> None:
    if isinstance(each, Control):
        body += [each, Code()]
        return
    last = body[-1]
    assert isinstance(last, Code)
    last.blocks += each.blocks
    last.real |= each.real


def is_real(body: Iterable[Code | Control]) -> bool:
    return any(each.real if isinstance(each, Code) else True for each in body)
